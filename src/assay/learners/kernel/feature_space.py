"""Comparators in the feature space of a kernel: sums of images of examples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.kernels import Kernel, Precomputed
from assay.kernels.eigen import eigenpairs
from assay.learners.common.rows import Rows
from assay.learners.search.comparator_store import Hindsight
from assay.record.kernel import FeatureComparator
from assay.types import Floats

# What rounding does to sums of a few thousand values of a kernel.
_SLACK = 1e-10


@dataclass(frozen=True)
class KeptMistakes:
    """The mistaken examples of a kernel perceptron, as they were kept.

    Attributes
    ----------
    kernel : Kernel
        The kernel.
    examples : array, CSR matrix or strings
        The examples; of a precomputed kernel their places.
    labels : array
        Their labels of -1 and +1.
    given : array or None
        The values of a precomputed kernel between them, where they are still known.
    """

    kernel: Kernel
    examples: Any
    labels: Floats
    given: Floats | None = None

    def values(self) -> Floats | None:
        """The kernel between the mistaken examples; None where that is not known any more."""
        if isinstance(self.kernel, Precomputed):
            return self.given
        return np.asarray(self.kernel(self.examples), dtype=np.float64)

    def best(self, values: Floats) -> FeatureComparator:
        """The separator of least length if there is one, else the comparator of the least bound."""
        return best_comparator(values, self.labels)


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
