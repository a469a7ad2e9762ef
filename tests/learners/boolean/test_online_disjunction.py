from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from assay import OnlineDisjunction, conservative, play
from assay.play.adversaries import against_disjunctions
from tests.instances import disjunction
from tests.learners.boolean import shared
from tests.naive.disjunction import literals, monotone
from tests.scikit_checks import assert_checks_pass_but_those_named

DATA = Path(__file__).parents[3] / "examples" / "data"
BOTH = pytest.mark.parametrize("negations", [False, True])


def make(negations=False, **how):
    return lambda: OnlineDisjunction(negations=negations, **how)


# The rule


def test_two_variables_by_hand():
    model = OnlineDisjunction(negations=True).partial_fit([[1.0, 0]], [1], classes=[0, 1])
    assert model.formula_ == "x0 OR NOT x0 OR x1 OR NOT x1"  # a positive example changes nothing
    model.partial_fit([[1.0, 0]], [0])
    assert model.formula_ == "NOT x0 OR x1"


@BOTH
def test_one_pass_is_the_twins(negations):
    for seed in range(30):
        X = shared.cells(seed)
        y = np.random.default_rng(seed).integers(0, 2, len(X))
        model = OnlineDisjunction(negations).partial_fit(X, y, classes=[0, 1])
        twin = (literals if negations else monotone)(X.tolist(), (2 * y - 1).tolist())
        left = {(j, int(plain)) if negations else j for j, plain in model.players_[0].left}
        assert left == twin.left
        assert model.record_.mistakes == twin.mistakes
        assert model.players_[0].missed_positives == twin.missed_positives


# Worst cases


def forced(negations, d):
    """The most mistakes that any sequence can force, over all targets, by search."""
    points = list(itertools.product((0, 1), repeat=d))
    signed = [(j, v) for j in range(d) for v in ((1, 0) if negations else (1,))]
    targets = {
        tuple(any(x[j] == v for j, v in s) for x in points)
        for k in range(len(signed) + 1)
        for s in itertools.combinations(signed, k)
    }

    def search(left, target, known):
        if left in known:
            return known[left]
        best = 0
        for x, label in zip(points, target, strict=True):
            true = frozenset((j, v) for j, v in left if x[j] == v)
            if true and not label:
                best = max(best, 1 + search(left - true, target, known))
            assert true or not label  # never wrong on a positive example
        known[left] = best
        return best

    return max(search(frozenset(signed), target, {}) for target in targets)


def test_exhaustive_worst_cases():
    assert [forced(False, d) for d in (1, 2, 3, 4)] == [1, 2, 3, 4]
    assert [forced(True, d) for d in (1, 2, 3)] == [2, 3, 4]


@pytest.mark.parametrize("d", [1, 2, 5, 20])
def test_the_adversary_meets_the_bound_with_equality(d):
    model = OnlineDisjunction()
    assert against_disjunctions(model, features=d).mistakes == d
    [seen] = model.guarantees()
    assert (seen.promised, seen.observed, seen.holds) == (d, d, True)


@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_every_literal_wrong_meets_the_bound_with_equality(d):
    # All labels negative: the first example drops half of the literals, then one more each time.
    X = np.vstack([np.zeros(d), np.eye(d)])
    model = OnlineDisjunction(negations=True).partial_fit(X, np.zeros(d + 1), classes=[0, 1])
    [seen] = model.guarantees()
    assert (seen.promised, seen.observed) == (d + 1, d + 1)


# Guarantees


@shared.SEQUENCES
def test_random_sequences_break_no_promise_and_a_broken_one_is_caught(seeds):
    broken = 0
    for seed in seeds:
        negations = seed % 2 == 1
        d, k = 2 + seed % 9, 1 + seed % 2
        X, y, _ = disjunction(seed, 30, d, k=k, ones=0.1 + 0.2 * (seed % 4), negated=seed % 2)
        model = OnlineDisjunction(negations).partial_fit(X, y, classes=[0, 1])
        [found] = model.guarantees()
        assert found.holds, (seed, str(found))
        assert found.assumptions[0].status == "checked"
        assert model.players_[0].missed_positives == 0
        broken += model.record_.mistakes > (d - k if negations else k)  # no such theorem
    assert broken > len(seeds) / 20


@settings(max_examples=60)
@given(st.data(), st.integers(1, 6), st.booleans())
def test_labels_from_anywhere_promise_only_what_they_keep(data, d, negations):
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 1)] * d, st.integers(0, 1)), max_size=40))
    model = OnlineDisjunction(negations)
    model.partial_fit(np.zeros((1, d)), [1], classes=[0, 1])
    for *x, label in rows:
        model.learn_one(x, label)
    [found] = model.guarantees()
    assert found.holds is None if found.promised is None else found.holds
    assert (found.promised is None) == (model.players_[0].missed_positives > 0)


def test_a_positive_example_that_nothing_explains_breaks_the_assumption():
    model = OnlineDisjunction().partial_fit([[1.0, 0], [1, 0]], [0, 1], classes=[0, 1])
    [found] = model.guarantees()
    assert found.promised is None
    assert found.assumptions[0].evidence == (
        "a mistaken positive example sets nothing that no mistaken negative example sets, "
        "so no disjunction agrees with both"
    )


def test_evidence_names_a_few_literals():
    model = OnlineDisjunction().partial_fit(np.eye(14)[:1], [0], classes=[0, 1])
    said = model.guarantees()[0].assumptions[0].evidence
    listed = " OR ".join(f"x{j}" for j in range(1, 11))
    assert said == (
        f"'{listed} OR 3 more' agrees with all 1 mistaken examples; the others changed nothing"
    )


# Receipts


@BOTH
def test_the_trace_falls_with_every_mistake(negations):
    for seed in range(20):
        X, y, _ = disjunction(seed, 60, 8, k=2, ones=0.4, negated=int(negations))
        trace = OnlineDisjunction(negations, trace=True).fit(X, y).record_.trace
        left = np.append(16 if negations else 8, trace["literals_left"])
        assert (np.diff(left) <= -1).all()
        assert left[-1] >= 2
        assert (trace["missed_positives"] == 0).all()
        if negations and len(left) > 1:
            assert left[1] == 8  # the first mistake drops one of each pair


# What all of the family do


@BOTH
def test_the_family(negations, tmp_path):
    X = shared.cells(1)
    y = (X[:, 1] + X[:, 4] > 0).astype(int)
    noise = np.random.default_rng(2).integers(0, 2, len(X))
    three = (X[:, 1] + X[:, 4]).astype(int)
    for labels in (y, noise):
        shared.assert_mistakes_are_those_of_predicting_first(make(negations), X, labels)
    for labels in (y, noise, three):
        shared.assert_chunked_whole_and_one_by_one(make(negations, trace=True), X, labels)
        shared.assert_saved_and_loaded(make(negations), X, labels, tmp_path / "a.assay")
    shared.assert_refuses_other_features(make(negations), X, y)
    shared.assert_dicts_are_features_by_name(make(negations), X, y)


@BOTH
def test_a_feature_may_come_late(negations):
    X = shared.cells(5, rows=60)
    X[:30, 3:] = 0
    y = (X[:, 1] + X[:, 4] > 0).astype(bool)
    early, late = OnlineDisjunction(negations), OnlineDisjunction(negations)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        early.learn_one(dict(enumerate(x)), bool(label))
        late.learn_one({j: v for j, v in enumerate(x) if j < 3 or t >= 30}, bool(label))
    assert early.formula_ == late.formula_
    assert early.record_ == late.record_
    assert early.guarantees() == late.guarantees()


@BOTH
def test_scikit_learns_checks_pass_but_those_named_in_the_class(negations):
    model = OnlineDisjunction(negations)
    assert_checks_pass_but_those_named(model)


def test_it_is_conservative_and_forgets_when_cloned():
    X, y, _ = disjunction(3, 80, 8)
    model = OnlineDisjunction().fit(X, y)
    assert play(OnlineDisjunction(), X, y).mistakes == model.record_.mistakes
    assert conservative(OnlineDisjunction()).fit(X, y).record_.mistakes == model.record_.mistakes
    assert not hasattr(clone(model), "players_")


# Real data


def test_zoo_one_formula_for_each_kind_of_animal():
    frame = pd.read_parquet(DATA / "zoo.parquet")
    X = frame.drop(columns=["target", "legs"]).astype(int)
    model = OnlineDisjunction(negations=True).fit(X, frame["target"].astype(str))
    formulas = dict(zip(model.classes_, model.formula_, strict=True))
    assert formulas["mammal"] == "milk"
    assert formulas["bird"] == "feathers"
    for guarantee in model.guarantees():
        assert guarantee.promised is None or guarantee.holds
