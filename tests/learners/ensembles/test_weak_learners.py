"""Base learners as boosting calls them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from assay import AdaBoostClassifier, DecisionStump, MajorityBoostClassifier
from assay.errors import BadData, BadParameter

RNG = np.random.default_rng(0)
X, CODES = RNG.normal(size=(60, 3)), RNG.integers(0, 2, 60)


def test_a_stump_by_any_name_is_the_same_hypothesis():
    for criterion in ("gini", "error"):
        named = AdaBoostClassifier(DecisionStump(criterion), n_estimators=3).fit(X, CODES)

        class Other(DecisionStump):
            """Not known to be a stump, so that it is fitted like any learner."""

        other = AdaBoostClassifier(Other(criterion), n_estimators=3).fit(X, CODES)
        assert named.thresholds_.tolist() == [h.threshold_ for h in other.estimators_]
        assert named.features_.tolist() == [h.feature_ for h in other.estimators_]
    standard = AdaBoostClassifier(n_estimators=3).fit(X, CODES)
    gini = AdaBoostClassifier(DecisionStump(), n_estimators=3).fit(X, CODES)
    assert standard.thresholds_.tolist() == gini.thresholds_.tolist()


def test_copies_get_the_seeds_that_scikit_learn_gives():
    base = RandomForestClassifier(n_estimators=2, max_depth=1)
    model = AdaBoostClassifier(base, n_estimators=2, random_state=7).fit(X, CODES)
    stream = np.random.RandomState(7)
    wanted = [stream.randint(np.iinfo(np.int32).max) for _ in range(2)]
    assert [member.random_state for member in model.estimators_] == wanted


class Greedy(DecisionTreeClassifier):
    """Takes all weight from the examples that it was shown."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight=sample_weight)
        sample_weight[:] = 0
        return self


def test_the_learner_may_do_what_it_likes_with_the_weights():
    greedy, modest = (
        AdaBoostClassifier(kind(max_depth=1, random_state=0), n_estimators=3).fit(X, CODES)
        for kind in (Greedy, DecisionTreeClassifier)
    )
    assert greedy.estimator_errors_.tolist() == modest.estimator_errors_.tolist()


class Says(DecisionTreeClassifier):
    """Answers with a word of its own."""

    word = "maybe"

    def predict(self, X):
        return np.full(len(X), self.word)


@pytest.mark.parametrize("word", ["maybe", "zoo", 3])
def test_labels_that_are_none_of_the_classes(word, monkeypatch):
    monkeypatch.setattr(Says, "word", word)
    sentence = f"There is a label {word!r}, which is none of the classes 'no', 'yes'."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        AdaBoostClassifier(Says()).fit(X, np.array(["no", "yes"])[CODES])


@pytest.mark.parametrize("kind", [AdaBoostClassifier, MajorityBoostClassifier])
def test_refusals(kind):
    sentence = (
        f"{kind.__name__} weighs examples, but the fit of KNeighborsClassifier takes no sample_weight. "
        "Choose a base learner that does."
    )
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        kind(KNeighborsClassifier()).fit(X, CODES)
    sentence = "estimator must be None for decision stumps, or a classifier, but is 'stump'."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        kind("stump").fit(X, CODES)
    with pytest.raises(BadParameter, match=r"^estimator must be None for decision stumps, or a cl"):
        kind(DecisionStump).fit(X, CODES)
    with pytest.raises(BadParameter, match="criterion must be 'gini' or 'error', but is 'x'"):
        kind(DecisionStump("x")).fit(X, CODES)
    with pytest.raises(BadParameter, match="takes no sample_weight"):
        kind(make_pipeline(StandardScaler(), DecisionTreeClassifier())).fit(X, CODES)
