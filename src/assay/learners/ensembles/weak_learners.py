"""Weak learners as boosting calls them: weights in, one hypothesis and what it says of every row out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from assay.errors import BadData, BadParameter, require
from assay.learners.ensembles.decision_stump import DecisionStump
from assay.learners.ensembles.members import seeded
from assay.learners.ensembles.stump_search import Stump, StumpSearch
from assay.learners.ensembles.weighted_sample import WeightedSample
from assay.types import Array, Floats, Ints

_LARGEST_SEED = np.iinfo(np.int32).max


class Stumps:
    """Decision stumps on one sample, found by the compiled search.

    Attributes
    ----------
    rows : array
        Where each row stood in the sample; weights and predictions are in this order.
    labels : array
        The class of each row, by number.
    kept : list of Stump
        The hypotheses that were kept.
    """

    def __init__(self, search: StumpSearch):
        self._search, self.rows, self.labels = search, search.rows, search.labels
        self.kept: list[Stump] = []

    def find(self, weights: Floats) -> Ints:
        """What the best stump for these weights says; `kept` has it last."""
        stump = self._search.find(weights)
        self.kept.append(stump)
        return self._search.said(stump)


class AnyLearner:
    """Copies of a classifier that takes the weights of examples, fitted one after the other.

    Attributes
    ----------
    rows, labels
        As those of `Stumps`; the rows stay where they are.
    kept : list of classifiers
        The hypotheses that were kept.
    """

    def __init__(self, sample: WeightedSample, template: Any, random_state: Any):
        self.rows, self.labels = np.arange(len(sample.codes)), sample.codes
        self.kept: list[Any] = []
        self._sample, self._template = sample, template
        self._y = sample.classes[sample.codes]
        # Where the seeds of the copies come from, as in scikit-learn.
        self._random = check_random_state(random_state)

    def relabel(self, codes: Ints) -> None:
        """Ask for other classes of the same rows, by their numbers."""
        self.labels, self._y = codes, self._sample.classes[codes]

    def find(self, weights: Floats) -> Ints:
        """What a copy fitted with these weights says; `kept` has it last."""
        model = seeded(clone(self._template), lambda: self._random.randint(_LARGEST_SEED))
        model.fit(self._sample.X, self._y, sample_weight=weights.copy())
        self.kept.append(model)
        return codes_of(np.asarray(model.predict(self._sample.X)), self._sample.classes)


def codes_of(labels: Array, classes: Array) -> Ints:
    """The number of each label among the classes; refuses a label that is none of them.

    Examples
    --------
    >>> codes_of(np.array(["b", "a"]), np.array(["a", "b"])).tolist()
    [1, 0]
    """
    try:
        places = np.searchsorted(classes, labels)
        known = classes[np.minimum(places, len(classes) - 1)] == labels
    except TypeError:  # text among numbers has no place
        known = np.zeros(len(labels), dtype=bool)
    if not np.all(known):
        odd = labels[np.flatnonzero(~np.asarray(known, dtype=bool))[0]]
        odd = odd.item() if isinstance(odd, np.generic) else odd
        listed = ", ".join(map(repr, classes[:10].tolist())) + (
            ", ..." if len(classes) > 10 else ""
        )
        raise BadData(f"There is a label {odd!r}, which is none of the classes {listed}.")
    return places.astype(np.int64)


def require_learner(estimator: Any, standard: str) -> None:
    """Refuse what is no learner; None stands for the standard one."""
    usable = hasattr(estimator, "fit") and hasattr(estimator, "predict")
    fine = estimator is None or (usable and not isinstance(estimator, type))
    require(fine, "estimator", f"None for {standard}, or a classifier", estimator)


def require_weak_learner(owner: Any, estimator: Any) -> None:
    """Refuse what cannot be boosted: None stands for stumps."""
    require_learner(estimator, "decision stumps")
    if estimator is not None and not has_fit_parameter(estimator, "sample_weight"):
        raise BadParameter(
            f"{type(owner).__name__} weighs examples, but the fit of {type(estimator).__name__} takes no "
            "sample_weight. Choose a base learner that does."
        )


def is_stump(estimator: Any) -> bool:
    """Whether the compiled search stands for this base learner."""
    return estimator is None or type(estimator) is DecisionStump


@contextmanager
def weak_learner_of(
    owner: Any, sample: WeightedSample, jobs: int, standard: BaseEstimator | None = None
) -> Iterator[Stumps | AnyLearner]:
    """The weak learner that a boosting learner's parameters name, on one sample; threads are let go of at the end.

    Where they name none it is the standard one, Gini's stump unless another is given.
    """
    if not is_stump(owner.estimator):
        yield AnyLearner(sample, owner.estimator, owner.random_state)
        return
    template: Any = standard or template_of(owner.estimator)
    template._require_parameters()
    search = StumpSearch(sample.X, sample.codes, template.criterion, jobs=jobs)
    try:
        yield Stumps(search)
    finally:
        search.close()


def template_of(estimator: Any) -> BaseEstimator:
    """The base learner, stumps where none is named."""
    return DecisionStump() if estimator is None else estimator
