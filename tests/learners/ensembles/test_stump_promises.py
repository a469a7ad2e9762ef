"""What training rows promise about votes of stumps, and that the classifier can be rebuilt."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.datasets import make_classification

from assay import (
    AdaBoostClassifier,
    DecisionStump,
    LogisticRegression,
    MajorityBoostClassifier,
    verify,
)
from assay.errors import BadData, BadParameter
from assay.theory.boosting.stump_votes import stump_vote_compression

X, Y = make_classification(4000, 8, n_informative=5, class_sep=2.0, flip_y=0.02, random_state=0)


def test_kept_rows_and_a_message_give_the_classifier_again():
    model = AdaBoostClassifier(n_estimators=6).fit(X, Y)
    kept = model._kept_rows(X, Y)
    assert len(set(kept)) == len(kept) <= 12
    for feature, threshold in zip(model.features_, model.thresholds_, strict=True):
        values = X[kept, feature]
        below, above = values[values <= threshold].max(), values[values > threshold].min()
        assert below / 2 + above / 2 == threshold


def test_the_promise_counts_what_it_should():
    model = AdaBoostClassifier(n_estimators=6).fit(X, Y)
    [promise] = model.training_promises(X, Y).guarantees
    kept = model._kept_rows(X, Y)
    others = np.setdiff1d(np.arange(len(X)), kept)
    wrong = int((model.predict(X) != Y)[others].sum())
    assert promise.value == stump_vote_compression(wrong, len(kept), 4000, 0.05, 6, 8)
    assert not promise.vacuous
    assert promise.value > model.record_.training_error
    statuses = {a.status for a in promise.assumptions}
    assert statuses == {"assumed", "declared", "checked", "by construction"}
    unweighted = MajorityBoostClassifier(edge=0.01, n_estimators=5).fit(X, Y)
    [other] = unweighted.training_promises(X, Y).guarantees
    assert other.inputs["weighted"] is False
    assert other.value < promise.value + 0.1


def test_most_rounds_are_paid_for():
    stopped = AdaBoostClassifier(n_estimators=50).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    [promise] = stopped.training_promises([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).guarantees
    assert (promise.inputs["stumps"], promise.inputs["most_stumps"]) == (1, 50)
    assert promise.vacuous


def test_a_certificate_that_verifies():
    model = AdaBoostClassifier(n_estimators=4).fit(X, Y)
    certificate = model.training_certificate(X, Y, drawn="made up")
    assert verify(certificate).ok
    assert certificate.error == model.training_promises(X, Y).guarantees[0].value


def test_beside_a_holdout():
    model = AdaBoostClassifier(n_estimators=4).fit(X[:3000], Y[:3000])
    both = model.training_promises(X[:3000], Y[:3000], holdout=(X[3000:], Y[3000:]))
    assert [g.theorem for g in both.guarantees] == ["stump-vote-compression", "holdout-exact"]
    assert {g.delta for g in both.guarantees} == {"0.025"}


def test_other_base_learners_promise_nothing():
    model = AdaBoostClassifier(LogisticRegression(), n_estimators=2).fit(X[:200], Y[:200])
    sentence = (
        "No theorem here promises anything about a AdaBoostClassifier from its training rows unless its base learner "
        "is DecisionStump. Give a holdout."
    )
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        model.training_promises(X[:200], Y[:200])
    [held] = model.training_promises(X[:200], Y[:200], holdout=(X[300:], Y[300:])).guarantees
    assert held.theorem == "holdout-exact"


@pytest.mark.parametrize("labels", [2, 4])
def test_kept_rows_have_the_labels_that_are_said(labels):
    """A decoder that never sees the other rows knows labels by their places among those of kept rows alone."""
    rng = np.random.default_rng(labels)
    names = np.array(["never seen", "x", "y", "z"])[-labels:]
    for trial in range(20):
        cells = rng.integers(0, 3, (40, 2)) * (trial > 4)
        told = names[np.minimum(rng.integers(0, labels + 2, 40), labels - 1)]
        learner = AdaBoostClassifier(n_estimators=3) if trial > 4 else DecisionStump()
        model = learner.fit(cells, told)
        kept = model._kept_rows(cells.astype(float), told)
        said = set(model.classes_[model.sides_].ravel().tolist())
        assert said <= set(told[kept].tolist())
        promise = model.training_promises(cells, told).guarantees[0]
        assert promise.inputs["classes"] == max(2, len(set(told[kept].tolist())))
    # A stump without a threshold needs no row for it, and then nothing would say its label.
    alone = DecisionStump().fit(np.ones((9, 1)), names[[0, 1, 1] * 3])
    assert alone.features_.tolist() == [-1]
    assert len(alone._kept_rows(np.ones((9, 1)), names[[0, 1, 1] * 3])) == 1


def test_chosen_rows_are_another_sample():
    model = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    kept, right = model._kept_rows(X, Y), model.predict(X) == Y
    flattering = np.union1d(np.flatnonzero(right), kept)
    for rows in (flattering, np.repeat(np.arange(len(X)), 2)):
        with pytest.raises(BadData, match=r"^training_promises needs the very sample of the fit"):
            model.training_promises(X[rows], Y[rows])
    swapped = Y.copy()
    swapped[np.flatnonzero(~right)[0]] = 1 - swapped[np.flatnonzero(~right)[0]]
    with pytest.raises(BadData, match=r"^training_promises needs the very sample of the fit"):
        model.training_promises(X, swapped)
