"""Boosting with a known edge: zero training error in time, the twin, where the condition fails, refusals."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier

from assay import DecisionStump, MajorityBoostClassifier
from assay.data.synthetic import weakly_learnable
from assay.errors import BadData, BadParameter
from assay.guarantees.boosting import majority_boost_guarantees
from assay.theory.boosting.majority_boost import (
    boosting_example_potential,
    boosting_rounds,
    boosting_sample_size,
    boosting_training_error,
    boosting_weight_potential,
)
from tests.naive.majority_boost import majority_boost
from tests.scikit_checks import assert_checks_pass_but_those_named


@pytest.mark.parametrize(("rows", "edge"), [(100, 0.1), (10, 0.25), (1000, 0.2)])
@pytest.mark.parametrize("reluctant", [False, True], ids=["best stump", "least helpful learner"])
def test_no_training_error_within_the_promised_rounds(rows, edge, reluctant):
    data = weakly_learnable(rows, 20, edge=edge, random_state=1)
    assert data.edge == edge
    base = data.reluctant_learner() if reluctant else DecisionStump("error")
    model = MajorityBoostClassifier(base, edge=edge).fit(data.X, data.y)
    promised = {(100, 0.1): 227, (10, 0.25): 17, (1000, 0.2): 81}[rows, edge]
    assert model.record_.rounds <= promised  # fewer only where one hypothesis was right everywhere
    assert model.record_.broken == 0
    assert model.score(data.X, data.y) == 1.0
    for guarantee in model.guarantees():
        assert guarantee.holds
        assert guarantee.applies
    wrong, soon = model.guarantees()
    assert (wrong.promised, wrong.observed) == (0, 0) or model.record_.rounds == 1
    assert int(soon.promised) == promised
    assert int(soon.observed) == model.record_.clean <= promised


@pytest.mark.parametrize("reluctant", [False, True])
def test_the_naive_twin_and_the_receipts(reluctant):
    data = weakly_learnable(60, 15, edge=0.1, random_state=3)
    edge = Fraction(repr(data.edge))
    base = data.reluctant_learner() if reluctant else DecisionStump("error")
    model = MajorityBoostClassifier(base, edge=data.edge, n_estimators=31, trace=True)
    model.fit(data.X, data.y)
    said = iter([hypothesis.predict(data.X) == data.y for hypothesis in model.estimators_])
    twin = majority_boost(lambda weights: next(said).tolist(), 60, 31, edge)
    record = model.record_
    assert record.wrong == twin.wrong == int((model.predict(data.X) != data.y).sum())
    trace = record.trace
    for t, weights in enumerate(twin.weights[1:], 1):
        total = float(sum(weights))
        assert trace["total"][t - 1] == pytest.approx(math.log(total))
        assert total <= boosting_weight_potential(60, t, edge)
        assert trace["total"][t - 1] <= math.log(boosting_weight_potential(60, t, edge)) + 1e-12
        assert max(weights) >= boosting_example_potential(int(trace["most_misses"][t - 1]), edge)
    assert trace["most_misses"][-1] == max(twin.misses)
    rights = record.right
    assert (rights >= 0.5 + data.edge - 1e-12).all()
    margins = model.margins(data.X, data.y)
    np.testing.assert_allclose(margins, 1 - 2 * np.array(twin.misses) / 31)
    np.testing.assert_allclose(margins, data.y * model.decision_function(data.X))


def broken(bound, trials=60):
    """How often more examples are wrong than a bound allows, against weak learners that barely help."""
    rng, found = np.random.default_rng(5), 0
    for trial in range(trials):
        n, edge = int(rng.integers(2, 120)), float(rng.choice([0.05, 0.1, 0.25]))
        data = weakly_learnable(n, 40, edge=edge, random_state=trial)
        rounds = int(2 * rng.integers(0, 12) + 1)
        base = (None, data.reluctant_learner())[trial % 2]
        model = MajorityBoostClassifier(base, edge=data.edge, n_estimators=rounds)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(data.X, data.y)
        guarantee = model.guarantees()[0]
        if not guarantee.applies:
            continue
        assert guarantee.holds
        found += model.record_.wrong > bound(n, model.record_.rounds, data.edge)
    return found


def test_the_promise_is_never_broken():
    assert broken(boosting_training_error) == 0


def test_a_broken_twin_is_caught():
    def twice_the_edge(n, rounds, edge):
        return int(n * (1 - 4 * min(2 * edge, 0.5) ** 2) ** (rounds / 2))

    def squared(n, rounds, edge):
        return int(n * (1 - 4 * edge**2) ** (6 * rounds))

    assert broken(twice_the_edge) > 0
    assert broken(squared) > 0


def noisy(n=200):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(n, 3))
    return X, np.where((X[:, 0] > 0) ^ (rng.random(n) < 0.15), "up", "down")


def test_it_says_when_the_condition_fails():
    X, y = noisy()
    with pytest.warns(ConvergenceWarning, match="MajorityBoostClassifier stopped in round") as told:
        model = MajorityBoostClassifier(edge=0.08, trace=True).fit(X, y)
    record = model.record_
    share = record.right[record.broken - 1]
    assert share < 0.58
    assert (record.right[: record.broken - 1] >= 0.58).all()
    assert record.rounds == (record.broken - 1 if record.broken % 2 == 0 else record.broken - 2)
    assert str(told[0].message) == (
        f"MajorityBoostClassifier stopped in round {record.broken}: the weak learner is right on {share:.6g} of the "
        f"weight, and edge=0.08 asks for 0.58. The first {record.rounds} rounds vote, and what is promised for that "
        "many holds. Try a smaller edge or a better weak learner."
    )
    [promise] = model.guarantees()
    assert promise.theorem == "boosting-training-error"
    assert promise.applies
    assert promise.holds
    assert len(model.estimators_) == record.rounds == len(record.trace["right"])
    assert record.wrong == int((model.predict(X) != y).sum())


def test_when_it_fails_at_once():
    X, y = noisy()
    with pytest.warns(ConvergenceWarning, match="decides alone, and nothing is promised"):
        model = MajorityBoostClassifier(edge=0.45).fit(X, y)
    assert (model.record_.rounds, model.record_.broken) == (1, 1)
    first, second = model.guarantees()
    assert not first.applies
    assert not second.applies
    assert first.promised is None
    assert "edge=0.45 asks for more" in first.assumptions[0].evidence
    assert str(first).startswith(
        "training examples wrong: no promise by boosting-training-error, because"
    )
    assert model.score(X, y) > 0.7


def test_the_condition_is_decided_in_whole_numbers():
    """Ten even examples and an edge of one tenth: six of them are just enough, though 0.6 is no double."""
    X, y = np.ones((10, 1)), np.arange(10) < 6  # a stump can say only one label
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = MajorityBoostClassifier(edge=0.1, n_estimators=1).fit(X, y)
    assert model.record_.broken == 0
    for edge in (0.1 + 1e-12, 0.1 + 1e-15):
        with pytest.warns(UserWarning, match="edge"):
            model = MajorityBoostClassifier(edge=edge, n_estimators=1).fit(X, y)
        assert model.record_.broken == 1


class Scripted(ClassifierMixin, BaseEstimator):
    """Wrong on the last five examples; then right on these and on nine others; then on all but the nine."""

    def fit(self, X, y, sample_weight):
        self.classes_, number = np.unique(y), np.arange(25)
        heavy = int((sample_weight > 1.1 * sample_weight.min()).sum())
        rights = {0: number < 20, 5: (number < 9) | (number >= 20), 16: number >= 9}
        right = rights[heavy]
        self.labels_ = np.where(right, y, 1 - y)
        return self

    def predict(self, X):
        return self.labels_[X[:, 0].astype(int)]


def test_the_condition_is_decided_in_whole_numbers_of_unequal_weights():
    """With an edge of one tenth the five weigh 3/2 each: 9 + 15/2 of 20 + 15/2 are three fifths."""
    X, y = np.arange(25.0)[:, None], np.arange(25) % 2
    assert Fraction(33, 2) / Fraction(55, 2) == Fraction(6, 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = MajorityBoostClassifier(Scripted(), edge=0.1, n_estimators=3).fit(X, y)
    assert model.record_.broken == 0
    assert model.record_.right.tolist() == pytest.approx([0.8, 0.6, 24 / 33])
    for edge in (0.1 + 1e-12, 0.1 + 1e-15):
        with pytest.warns(UserWarning, match="stopped in round 2"):
            model = MajorityBoostClassifier(Scripted(), edge=edge, n_estimators=3).fit(X, y)
        assert model.record_.broken == 2


def test_a_hypothesis_that_is_always_right_decides_alone():
    X = np.arange(6.0)[:, None]
    model = MajorityBoostClassifier(edge=0.1).fit(X, X[:, 0] > 2)
    assert (model.record_.rounds, model.record_.clean, model.record_.wrong) == (1, 1, 0)
    assert len(model.estimators_) == 1
    assert all(g.holds for g in model.guarantees())


def test_long_runs_stay_finite():
    data = weakly_learnable(50, 8, edge=0.37, random_state=2)
    model = MajorityBoostClassifier(edge=data.edge, n_estimators=801, trace=True)
    model.fit(data.X, data.y)
    assert model.record_.rounds == 801
    assert np.isfinite(model.record_.trace["total"]).all()


def test_any_base_learner():
    X, y = noisy()
    base = DecisionTreeClassifier(max_depth=5)
    model = MajorityBoostClassifier(base, edge=0.15, n_estimators=9, random_state=1).fit(X, y)
    again = MajorityBoostClassifier(base, edge=0.15, n_estimators=9, random_state=1).fit(X, y)
    assert model.predict(X).tolist() == again.predict(X).tolist()
    assert len(model.estimators_) == 9
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert [round(s, 12) for s in model.staged_score(X, y)][-1] == pytest.approx(model.score(X, y))


def test_rows_needed():
    X, y = noisy()
    model = MajorityBoostClassifier(edge=0.25)
    assert model.rows_needed(0.1, 0.05, bits=20) == boosting_sample_size(20, 0.1, 0.05, 0.25)
    tree = MajorityBoostClassifier(DecisionTreeClassifier(max_depth=4), edge=0.01, n_estimators=1)
    sentence = "bits must be given unless the base learner is DecisionStump, but is None."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        tree.fit(X, y).rows_needed(0.1)
    stumps = MajorityBoostClassifier(edge=0.1, n_estimators=1).fit(X, y)
    assert stumps.rows_needed(0.1) == boosting_sample_size(64 + 2 + 2, 0.1, 0.05, 0.1)


def test_rounds_are_those_of_the_theorem():
    model = MajorityBoostClassifier(edge=0.1)
    assert model._rounds(100) == boosting_rounds(100, 0.1) == 227


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"edge": 0}, "edge must be a number strictly between 0 and 1/2, but is 0."),
        ({"edge": 0.5}, "edge must be a number strictly between 0 and 1/2, but is 0.5."),
        ({"edge": math.nan}, "edge must be a number strictly between 0 and 1/2, but is nan."),
        ({"edge": "0.1"}, "edge must be a number strictly between 0 and 1/2, but is '0.1'."),
        (
            {"n_estimators": 4},
            "n_estimators must be None or an odd number of at least 1, so that no vote is tied, but is 4.",
        ),
    ],
)
def test_bad_parameters(parameters, sentence):
    X, y = noisy()
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        MajorityBoostClassifier(**parameters).fit(X, y)


def test_bad_data():
    X, _ = noisy()
    sentence = "Only binary classification is supported. The type of the target is multiclass."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        MajorityBoostClassifier().fit(X, np.arange(len(X)) % 3)
    sentence = "MajorityBoostClassifier needs at least two classes, but y holds 1 class: 'up'."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        MajorityBoostClassifier().fit(X, ["up"] * len(X))
    assert MajorityBoostClassifier().guarantees() == []


@pytest.mark.filterwarnings("ignore:MajorityBoostClassifier stopped")
def test_scikit_checks():
    assert_checks_pass_but_those_named(MajorityBoostClassifier())


def test_promises_are_about_the_edge_of_the_fit():
    data = weakly_learnable(rows=100, hypotheses=25, edge=0.1, random_state=1)
    model = MajorityBoostClassifier(edge=0.02, n_estimators=3).fit(data.X, data.y)
    before = model.guarantees()
    model.set_params(edge=0.49, n_estimators=1)
    assert model.guarantees() == before
    assert model._most_stumps == 3
    assert before[0].value >= model.record_.wrong > 0
    # The edge that the parameter says by now promises that none is wrong.
    assert majority_boost_guarantees(replace(model.record_, edge=0.49))[0].value == 0
