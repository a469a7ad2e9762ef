"""Members of bags: of one class, without weight, and with shares that are nearly shares."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from assay import BaggingClassifier, GaussianNB, LogisticRegression, load, save
from assay.errors import BadParameter

X = np.random.default_rng(0).normal(size=(20, 2))
RARE = np.where(np.arange(20) == 3, "rare", "usual")


@pytest.mark.parametrize("base", [None, GaussianNB(), LogisticRegression()], ids=str)
def test_a_bag_of_one_class_says_that_class(base, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # rows in every bag
        model = BaggingClassifier(base, 12, random_state=0, oob_score=True).fit(X, RARE)
    alone = [3 not in rows for rows in model.estimators_samples_]
    assert any(alone)
    assert not all(alone)
    for member, lone in zip(model.estimators_, alone, strict=True):
        assert (member.classes_.tolist() == ["usual"]) == lone
        assert (set(member.predict(X)) == {"usual"}) or not lone
    said = [np.mean([m.predict_proba(X)[:, -1] for m in model.estimators_], axis=0)]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], said[0], atol=1e-15)
    save(model, tmp_path / "bags.assay")
    again = load(tmp_path / "bags.assay")
    assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    assert again.guarantees() == model.guarantees()


def test_the_record_counts_members_of_one_class_too():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = BaggingClassifier(None, 12, random_state=0, oob_score=True).fit(X, RARE)
    losses, codes = [], (RARE == "usual").astype(int)
    for member, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        left = np.setdiff1d(np.arange(20), rows)
        shares = np.zeros((20, 2))
        shares[:, np.searchsorted(model.classes_, member.classes_)] = member.predict_proba(X)
        losses.append(np.mean(1 - shares[left, codes[left]]))
    assert model.record_.loss == pytest.approx(np.mean(losses), rel=1e-12)
    # Members of one class left out, as if their bags had been drawn again, would look better than they are.
    fitted = [loss for loss, lone in zip(losses, model.lone_, strict=True) if lone < 0]
    assert np.mean(fitted) < np.mean(losses)


def test_weights_may_leave_one_class_or_nothing_of_a_bag():
    weights = np.zeros(20)
    weights[[3, 4]] = 1.0
    model = BaggingClassifier(GaussianNB(), 15, random_state=0)
    model.fit(X, RARE, sample_weight=weights)
    assert {-1, 0, 1} >= set(model.lone_.tolist()) > {0, 1}
    assert np.isfinite(model.predict_proba(X)).all()


class Nearly(ClassifierMixin, BaseEstimator):
    """Shares that are a little more than one together, as single precision gives them."""

    def fit(self, X, y):
        self.classes_, self.n_features_in_ = np.unique(y), X.shape[1]
        return self

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.500004)

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


def test_shares_sum_to_one_so_that_a_wrong_vote_loses_one_half():
    labels = np.arange(20) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = BaggingClassifier(Nearly(), 5, random_state=0, oob_score=True).fit(X, labels)
    wrong = model.predict(X) != labels
    assert wrong.any()
    losses = 1 - model.predict_proba(X)[np.arange(20), labels]
    assert (losses[wrong] >= 0.5).all()
    assert model.record_.loss >= 0.5
    assert 1 - Nearly().fit(X, labels).predict_proba(X)[0, 0] < 0.5  # as they came


def test_learners_without_weights_are_refused():
    with pytest.raises(BadParameter, match=r"^The fit of Nearly takes no sample_weight\.$"):
        BaggingClassifier(Nearly()).fit(X, np.arange(20) % 2, np.ones(20))
