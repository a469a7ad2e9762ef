from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import check_estimator

from assay import FiniteClassERM, load, save
from assay.boolean import conjunctions, disjunctions, intervals, stumps
from assay.errors import BadData, BadParameter
from assay.theory.generalization.finite_class import (
    agnostic_erm_finite,
    occam_finite_class,
    representative_sample_erm,
    uniform_convergence_finite,
)
from assay.theory.generalization.occam import regularized_occam
from tests.learners.boolean import shared
from tests.naive import concepts as naive
from tests.scikit_checks import assert_checks_pass_but_those_named
from tests.soundness import assert_sound, assert_unsound

DATA = Path(__file__).parents[3] / "examples" / "data"


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_errors_of_every_concept_and_the_first_best(seed, negations):
    rng = np.random.default_rng(seed)
    X, y = (rng.random((80, 4)) < 0.5).astype(float), rng.integers(0, 2, 80)
    model = FiniteClassERM(disjunctions(negations=negations)).fit(X, y)
    twins = {naive.table(c, 4): c for c in naive.disjunctions(4, negations=negations)}
    wanted = sorted(
        sum(int(c(x)) != label for x, label in zip(X, y, strict=True)) for c in twins.values()
    )
    assert sorted(model.errors_.tolist()) == wanted
    assert model.errors_[model.concept_] == wanted[0]
    assert model.concept_ == model.errors_.tolist().index(wanted[0])
    assert (model.predict(X) != y).sum() == wanted[0]


def test_a_code_prefers_what_is_short():
    rng = np.random.default_rng(0)
    X = (rng.random((60, 10)) < 0.5).astype(float)
    y = X[:, 3].astype(int) ^ (rng.random(60) < 0.25)
    free, coded = FiniteClassERM().fit(X, y), FiniteClassERM(code="size").fit(X, y)
    bits = free.players_[0].built.bits
    assert bits[coded.concept_] <= bits[free.concept_]
    assert coded.errors_[coded.concept_] >= free.errors_[free.concept_]
    assert coded.formula_ == "x3"
    [found] = [g for g in coded.guarantees() if g.theorem == "regularized-occam"]
    errors = int(coded.errors_[coded.concept_])
    promised = regularized_occam(errors, 60, int(bits[coded.concept_]), 0.05, "prefix-free")
    assert found.value == pytest.approx(promised)
    # No other concept is promised less.
    assert found.value <= min(
        regularized_occam(int(e), 60, int(b), 0.05, "prefix-free")
        for e, b in zip(coded.errors_, bits, strict=True)
    ) * (1 + 1e-12)


def test_every_promise_is_its_theorems():
    rng = np.random.default_rng(1)
    X = rng.random((500, 2))
    y = X[:, 1] >= 0.5
    model = FiniteClassERM(stumps([0.25, 0.5, 0.75])).fit(X, y)
    exact, consistent, every, over, enough = model.guarantees(delta=0.1, excess=0.3)
    assert exact.theorem == "finite-class-exact"
    assert exact.textbook is not None
    assert consistent.value == pytest.approx(occam_finite_class(12, 500, 0.1))
    slack = uniform_convergence_finite(12, 500, 0.1)
    assert every.value == pytest.approx(slack)
    assert over.value == pytest.approx(representative_sample_erm(slack))
    assert over.delta == "0.1"
    assert enough.promised == agnostic_erm_finite(12, 0.3, 0.1)
    assert enough.statement == "err_D(h) <= min_H err_D + 0.3"
    short = model.guarantees(excess=0.01)[-1]
    assert short.promised is None
    assert short.assumptions[-1].status == "violated"


@pytest.mark.parametrize("trials", [400, pytest.param(2000, marks=pytest.mark.guarantees)])
def test_promises_are_broken_no_more_often_than_they_say_and_a_broken_one_is(trials):
    # Samples of one number in [0, 1], label x >= 0.3 flipped one time in five.
    grid = np.linspace(0.05, 0.95, 19)
    rng = np.random.default_rng(0)
    delta, rows = 0.1, 60
    truth = {}
    for t in grid:
        apart = abs(t - 0.3)
        truth[f"x0 >= {t:g}"] = 0.2 + 0.6 * apart
        truth[f"x0 < {t:g}"] = 0.8 - 0.6 * apart
    failures, excess, broken, promises = 0, 0, 0, {}
    for _ in range(trials):
        X = rng.random((rows, 1))
        y = (X[:, 0] >= 0.3) ^ (rng.random(rows) < 0.2)
        model = FiniteClassERM(stumps(grid), delta=delta).fit(X, y)
        error = truth[model.formula_]
        made = int(model.errors_[model.concept_])
        if made not in promises:
            promises[made] = {g.theorem: g.value for g in model.guarantees()}
        found = promises[made]
        failures += error > found["finite-class-exact"]
        excess += error - 0.2 > found["representative-sample-erm"]
        broken += error > made / rows  # no slack at all
    assert_sound(failures, trials, delta)
    assert_sound(excess, trials, delta)
    assert_unsound(broken, trials, delta)


def test_functions_and_tables():
    def tall(X):
        return X[:, 0] > 2

    model = FiniteClassERM([tall, lambda X: X[:, 0] > 0]).fit([[1.0], [3.0]], ["low", "high"])
    assert model.classes_.tolist() == ["high", "low"]
    assert model.formula_ == "concept 1"
    model = FiniteClassERM([tall]).fit([[1.0], [3.0]], [0, 1])
    assert (model.formula_, model.score([[1.0], [3.0]], [0, 1])) == ("tall", 1.0)
    table = FiniteClassERM([[0, 1], [1, 0]]).fit([[0], [1]], [1, 0])
    assert table.formula_ == "concept 1"


def test_scikit_learns_checks_pass():
    model = FiniteClassERM()
    assert_checks_pass_but_those_named(model)
    check_estimator(FiniteClassERM(stumps(np.linspace(-8, 8, 33))), on_skip=None)


def test_saved_and_loaded(tmp_path):
    X = shared.cells(0)
    for spec in ("disjunctions", conjunctions(2, negations=True), intervals([0.0, 1.0])):
        model = FiniteClassERM(spec, code="size").fit(X, X[:, 1])
        save(model, tmp_path / "a.assay")
        again = load(tmp_path / "a.assay")
        save(again, tmp_path / "b.assay")
        assert (tmp_path / "a.assay").read_bytes() == (tmp_path / "b.assay").read_bytes()
        assert again.formula_ == model.formula_
        assert again.guarantees() == model.guarantees()
        assert again.predict(X).tolist() == model.predict(X).tolist()


def test_a_concept_from_nowhere_is_refused(tmp_path):
    model = FiniteClassERM().fit(np.eye(3), [0, 1, 0])
    model.players_[0].best = 10**6
    save(model, tmp_path / "a.assay")
    with pytest.raises(BadData, match="the concept chosen is none of the class"):
        load(tmp_path / "a.assay")


def test_refusals():
    X = np.eye(3)
    with shared.refuses(
        "Only binary classification is supported. The type of the target is multiclass: y holds 3 "
        "classes. Learn each class against the rest."
    ):
        FiniteClassERM().fit(X, [0, 1, 2])
    with shared.refuses("delta must be a number strictly between 0 and 1, but is 0.", BadParameter):
        FiniteClassERM(delta=0).fit(X, [0, 1, 0])


def test_house_votes_by_one_vote():
    frame = pd.read_parquet(DATA / "house_votes_84.parquet")
    votes = frame.drop(columns="target").astype("Int8").fillna(0).astype(int)
    model = FiniteClassERM(conjunctions(literals=2, negations=True)).fit(votes, frame["target"])
    assert "physician_fee_freeze" in model.formula_
    errors = model.errors_[model.concept_] / len(frame)
    assert errors < 0.05
    exact = model.guarantees()[0]
    assert errors < exact.value < 0.1
