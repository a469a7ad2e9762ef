from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay import DisjunctionClassifier, OnlineDisjunction, load, save, verify
from assay.data.synthetic.disjunction import disjunction
from assay.learners.boolean import build
from assay.theory.complexity.code_length import kraft_inequality
from tests.learners.boolean import shared
from tests.scikit_checks import assert_checks_pass_but_those_named
from tests.soundness import assert_sound, assert_unsound

DATA = Path(__file__).parents[3] / "examples" / "data"
BOTH = pytest.mark.parametrize("negations", [False, True])


def target(data):
    return " OR ".join(f"x{j}" if plain else f"NOT x{j}" for j, plain in data.literals)


@BOTH
@pytest.mark.parametrize("relevant", [1, 3, 5])
def test_the_concept_is_recovered_exactly(negations, relevant):
    data = disjunction(2000, 15, relevant=relevant, negated=negations, random_state=relevant)
    for form in (np.asarray, sparse.csr_matrix):
        model = DisjunctionClassifier(negations).fit(form(data.X), data.y)
        assert model.formula_ == target(data)
        assert model.errors_.tolist() == [0]
        assert model.predict(form(data.X)).tolist() == data.y.tolist()


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_what_is_left_is_true_in_no_negative_example(seed, negations):
    rng = np.random.default_rng(seed)
    X, y = (rng.random((30, 5)) < 0.2).astype(float), rng.integers(0, 2, 30)
    y[:2] = 0, 1
    model = DisjunctionClassifier(negations).fit(X, y)
    left = model.players_[0].left
    for j in range(5):
        for plain in (True, False) if negations else (True,):
            false = all(bool(x[j]) != plain for x in X[y == 0])
            assert ((j, plain) in left) == false
    wrong = (model.predict(X) != y).sum()
    assert model.errors_[0] == wrong
    assert (model.predict(X)[y == 0] == 0).all()


@BOTH
def test_it_is_where_the_online_learner_ends(negations):
    data = disjunction(500, 10, negated=negations, random_state=2)
    batch = DisjunctionClassifier(negations).fit(data.X, data.y)
    assert batch.formula_ == OnlineDisjunction(negations).fit(data.X, data.y).formula_


# Guarantees


def test_the_promises_of_a_formula_without_errors():
    data = disjunction(1000, 20, relevant=2, random_state=0)
    model = DisjunctionClassifier().fit(data.X, data.y)
    alike, short, any_number = model.guarantees(delta=0.05)
    assert [g.theorem for g in (alike, short, any_number)] == [
        "occam-finite-class",
        "occam-prefix-free",
        "regularized-occam",
    ]
    assert alike.inputs["class_size"] == 2**20
    assert short.inputs["bits"] == 2 + 1 + 8
    assert short.value < alike.value < any_number.value
    assert all(g.observed == 0 for g in (alike, short, any_number))
    assert [a.status for a in alike.assumptions] == ["assumed", "by construction", "checked"]


def test_errors_leave_one_promise():
    data = disjunction(400, 8, relevant=2, random_state=0)
    y = np.where(np.arange(400) % 40 == 0, -data.y, data.y)
    alike, short, any_number = DisjunctionClassifier().fit(data.X, y).guarantees()
    assert alike.promised is None
    assert short.promised is None
    assert any_number.value > float(any_number.observed) > 0


def test_the_code_is_prefix_free():
    for n in (1, 5, 12):
        assert kraft_inequality(build("disjunctions", n).bits.tolist()) <= 1


@pytest.mark.parametrize("samples", [400, pytest.param(2000, marks=pytest.mark.guarantees)])
def test_promises_are_broken_no_more_often_than_they_say_and_a_broken_one_is(samples):
    # The true error is known because every point of the cube is equally likely.
    d, rows, delta = 6, 12, 0.05
    points = (np.arange(2**d)[:, None] >> np.arange(d) & 1).astype(float)
    truth = points[:, [0, 3]].any(axis=1)
    rng = np.random.default_rng(0)
    failures = np.zeros(3, dtype=int)
    promises = {}
    too_small = trials = 0
    for _ in range(samples):
        sample = rng.integers(0, 2**d, rows)
        if truth[sample].all() or not truth[sample].any():
            continue
        trials += 1
        model = DisjunctionClassifier().fit(points[sample], truth[sample])
        error = float((model.predict(points) != truth).mean())
        left = len(model.players_[0].left)  # all else that the promises depend on is the same
        if left not in promises:
            promises[left] = np.array([g.value for g in model.guarantees(delta=delta)])
        promised = promises[left]
        failures += error > promised
        too_small += error > promised[0] / 20
    for broken in failures:
        assert_sound(int(broken), trials, delta)
    assert_unsound(too_small, trials, delta)


# Estimator


@BOTH
def test_scikit_learns_checks_pass_but_those_named_in_the_class(negations):
    model = DisjunctionClassifier(negations)
    assert_checks_pass_but_those_named(model)


@BOTH
def test_saved_and_loaded(negations, tmp_path):
    data = disjunction(300, 10, random_state=1)
    three = (data.X[:, 1] + data.X[:, 2]).astype(int)
    for y in (data.y, three):
        model = DisjunctionClassifier(negations).fit(data.X, y)
        save(model, tmp_path / "a.assay")
        again = load(tmp_path / "a.assay")
        save(again, tmp_path / "b.assay")
        assert (tmp_path / "a.assay").read_bytes() == (tmp_path / "b.assay").read_bytes()
        assert again.formula_ == model.formula_
        assert again.guarantees() == model.guarantees()
        assert again.predict(data.X).tolist() == model.predict(data.X).tolist()


def test_a_certificate_from_a_holdout():
    data = disjunction(600, 10, random_state=1)
    model = DisjunctionClassifier().fit(data.X[:300], data.y[:300])
    # There are 1,024 different rows, so that equal ones are no copies.
    assert verify(model.certificate(data.X[300:], data.y[300:], overlap="keep")).ok


def test_refusals():
    X = np.eye(3)
    with shared.refuses(
        "DisjunctionClassifier needs at least two classes, but y holds 1 class: 1."
    ):
        DisjunctionClassifier().fit(X, [1, 1, 1])
    X[1, 2] = 0.5
    sentence = "Features must be 0 or 1, but row 1, column 2 holds 0.5."
    for form in (np.asarray, sparse.csr_matrix):
        with shared.refuses(sentence):
            DisjunctionClassifier().fit(form(X), [0, 1, 0])
    with shared.refuses(sentence.replace("column 2", "column 2 ('c')")):
        DisjunctionClassifier().fit(pd.DataFrame(X, columns=list("abc")), [0, 1, 0])


# Real data


def test_zoo_has_a_formula_for_each_kind_that_has_one():
    frame = pd.read_parquet(DATA / "zoo.parquet")
    X = frame.drop(columns=["target", "legs"]).astype(int)
    model = DisjunctionClassifier().fit(X, frame["target"].astype(str))
    found = dict(zip(model.classes_, model.formula_, strict=True))
    assert found["mammal"] == "milk"
    assert found["bird"] == "feathers"
    errors = dict(zip(model.classes_, model.errors_, strict=True))
    assert errors["mammal"] == errors["bird"] == 0
    kept = [g for g in model.guarantees() if g.promised is not None]
    assert {g.of for g in kept if g.theorem == "occam-finite-class"} >= {
        "error of 'mammal' against the rest",
        "error of 'bird' against the rest",
    }


def test_how_many_rows_are_enough_for_an_error():
    X = np.random.default_rng(0).integers(0, 2, size=(200, 10)).astype(float)
    y = (X[:, 0] + X[:, 3] > 0).astype(int)
    enough = DisjunctionClassifier().fit(X, y).guarantees(error=0.1)[-1]
    assert (enough.theorem, enough.promised, enough.applies) == ("disjunction-pac", 100, True)
    both = DisjunctionClassifier(negations=True).fit(X, y).guarantees(error="0.1")[-1]
    assert both.inputs["features"] == 20
    # Labels that are no disjunction: the learner errs on its own rows, and no number of rows is enough.
    broken = DisjunctionClassifier().fit(X, 1 - y).guarantees(error=0.1)[-1]
    assert broken.promised is None
