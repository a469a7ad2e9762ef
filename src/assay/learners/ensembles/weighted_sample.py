"""A sample with weights, without the rows that weigh nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from assay.errors import BadData
from assay.learners.common.sign_labels import classes_of, two_classes_or_more
from assay.types import Array, Floats, Ints


@dataclass(frozen=True)
class WeightedSample:
    """Rows of positive weight.

    Attributes
    ----------
    X : array or sparse matrix
        The rows.
    codes : array of int64
        The number of each row's class.
    classes : array
        The labels, each of which occurs.
    weights : array of float64
        Above zero, and summing to one.
    even : bool
        Whether all of them are equal.
    """

    X: Any
    codes: Ints
    classes: Array
    weights: Floats
    even: bool


def weighted_sample(
    owner: Any, X: Any, y: Any, sample_weight: Any, *, one: bool = False
) -> WeightedSample:
    """Leave out rows of weight zero, as if they were not there; at least two classes must remain, unless one will do.

    Parameters
    ----------
    owner : learner
        For the sentences.
    X, y
        Validated rows and labels.
    sample_weight : array-like or None
    one : bool, default=False
        Whether a single class will do.
    """
    labels = np.asarray(y)
    given = np.asarray(1.0 if sample_weight is None else sample_weight)
    if given.dtype.kind in "biuf" and not given.any():
        raise BadData("sample_weight must leave at least one row, but is zero in all of them.")
    weights = np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64))
    if (weights < 0).any():
        row = int(np.flatnonzero(weights < 0)[0])
        raise BadData(
            f"sample_weight must not be negative, but is {weights[row].item()!r} in row {row}."
        )
    heavy = weights > 0
    if not heavy.all():
        X, labels, weights = X[heavy], labels[heavy], weights[heavy]
    left = "y holds" if heavy.all() else "the weights leave"
    classes = classes_of(labels) if one else two_classes_or_more(owner, labels, left)
    codes = np.searchsorted(classes, labels).astype(np.int64)
    # Scaled by the largest first, so that no sum overflows.
    weights = weights / weights.max()
    even = bool((weights == 1.0).all())
    return WeightedSample(X, codes, classes, weights / weights.sum(), even)
