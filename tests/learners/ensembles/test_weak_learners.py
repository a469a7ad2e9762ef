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
from assay.learners.ensembles.weak_learners import AnyLearner, codes_of, is_stump, weak_learner_of
from assay.learners.ensembles.weighted_sample import WeightedSample

RNG = np.random.default_rng(0)
X, CODES = RNG.normal(size=(60, 3)), RNG.integers(0, 2, 60)
CLASSES = np.array(["no", "yes"])
SAMPLE = WeightedSample(X, CODES, CLASSES, np.full(60, 1 / 60), even=True)


def test_stumps_are_compiled_and_others_are_not():
    for estimator, stump in (
        (None, True),
        (DecisionStump("error"), True),
        (DecisionTreeClassifier(), False),
    ):
        owner = AdaBoostClassifier(estimator)
        assert is_stump(estimator) is stump
        with weak_learner_of(owner, SAMPLE, 1) as weak:
            predicted = weak.find(np.full(60, 1 / 60))
            assert set(predicted.tolist()) <= {0, 1}
            assert len(weak.kept) == 1
            assert CODES[weak.rows].tolist() == weak.labels.tolist()


def test_copies_get_the_seeds_that_scikit_learn_gives():
    weak = AnyLearner(SAMPLE, RandomForestClassifier(n_estimators=2), 7)
    for _ in range(2):
        weak.find(np.full(60, 1 / 60))
    stream = np.random.RandomState(7)
    wanted = [stream.randint(np.iinfo(np.int32).max) for _ in range(2)]
    assert [model.random_state for model in weak.kept] == wanted


def test_the_learner_may_do_what_it_likes_with_the_weights():
    class Greedy(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            super().fit(X, y, sample_weight=sample_weight)
            sample_weight[:] = 0
            return self

    weak = AnyLearner(SAMPLE, Greedy(max_depth=1), 0)
    weights = np.full(60, 1 / 60)
    weak.find(weights)
    assert weights.tolist() == [1 / 60] * 60


def test_numbers_of_labels():
    assert codes_of(np.array(["yes", "no"]), CLASSES).tolist() == [1, 0]
    for labels, sentence in (
        (
            np.array(["maybe"]),
            "There is a label 'maybe', which is none of the classes 'no', 'yes'.",
        ),
        (np.array(["zoo"]), "There is a label 'zoo', which is none of the classes 'no', 'yes'."),
        (np.array([3]), "There is a label 3, which is none of the classes 'no', 'yes'."),
    ):
        with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
            codes_of(labels, CLASSES)


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
