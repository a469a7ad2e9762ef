"""Comparators in the feature space of a kernel: sums of images of examples."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.kernels.eigen import eigenpairs
from assay.learners.common.rows import Rows
from assay.learners.search.comparator_store import Hindsight
from assay.types import Floats

MOST = 1500
"""How many mistaken examples a comparator is looked for among."""

# What rounding does to sums of a few thousand values of a kernel.
_SLACK = 1e-10


@dataclass(frozen=True)
class FeatureComparator:
    """The vector u = sum_i a_i phi(x_i).

    Attributes
    ----------
    coefficients : array, or None
        a; None where u is the weight vector itself, scaled.
    squared_norm : float
        a'Ka, rounded up.
    loss : float
        Its total hinge loss on the examples, rounded up; zero where it separates them.
    """

    coefficients: Floats | None
    squared_norm: float
    loss: float


def best_comparator(K: Floats, y: Floats) -> FeatureComparator:
    """The separator of least length if there is one, else the comparator of the least bound.

    The Gram matrix K is written as E E', whose rows stand for the examples; a vector found there is taken
    back to coefficients, and its length and losses are computed from K.
    """
    values, vectors = eigenpairs(K)
    used = values > len(y) * 1e-14 * max(float(values[-1]), 0.0)
    roots = np.sqrt(values[used])
    search = Hindsight(cap=max(1, len(y)))
    search.keep_block(Rows(dense=np.ascontiguousarray(vectors[:, used] * roots)), y, 0.0)
    search.count = len(y)
    best = search.best()
    assert best is not None
    a = vectors[:, used] @ (best.vector[:-1] / roots)
    return _measured(K, a, y, separates=best.margin is not None)


def _measured(K: Floats, a: Floats, y: Floats, *, separates: bool) -> FeatureComparator:
    scores = y * (K @ a)
    noise = 1e-13 * (np.abs(K) @ np.abs(a))
    least = float((scores - noise).min(initial=math.inf))
    if separates and 0 < least < math.inf:
        # Scaled so that every example has margin one.
        a, scores, noise = a / least, scores / least, noise / least
        losses = 0.0
    else:
        losses = math.fsum(np.maximum(1 - scores + noise, 0.0).tolist()) * (1 + _SLACK)
    squared = float(a @ (K @ a)) + float(np.abs(a) @ noise)
    return FeatureComparator(a, max(squared, 0.0) * (1 + _SLACK), losses)


def along_the_weights(
    count: int, squared_length: float, error: float, largest: float
) -> FeatureComparator:
    """The weight vector scaled to length 1 / R, for which the examples are not needed.

    No hinge is clipped there, so its loss is the number of examples less the length of the weights over R.
    The squared length of the weights is known up to an error.
    """
    if not largest:
        return FeatureComparator(None, 0.0, float(count))
    length = math.sqrt(max(squared_length - error, 0.0)) * (1 - _SLACK)
    loss = max(0.0, count - length / math.sqrt(largest)) * (1 + _SLACK)
    return FeatureComparator(None, (1 + _SLACK) / largest, loss)
