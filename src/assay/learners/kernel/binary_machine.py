"""One machine of a support vector classifier: its examples, its dual, and its record."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from assay.kernels import Kernel, Precomputed
from assay.learners.kernel.dual_search import Dual, Optimum
from assay.learners.kernel.gram import Gram
from assay.learners.kernel.left_out import leaned_on
from assay.learners.kernel.support import record_from
from assay.record.margin import MarginRecord
from assay.types import Floats, Ints


def part_of(kernel: Kernel, X: Any, members: Ints) -> Any:
    """Some examples, or of a precomputed kernel their values with each other."""
    if len(members) == X.shape[0]:
        return X
    picked = X[members]
    return picked[:, members] if isinstance(kernel, Precomputed) else picked


def dual_of(signs: Floats, caps: Floats) -> Dual:
    """The dual of two classes."""
    return Dual(
        target=signs,
        lower=np.where(signs > 0, 0.0, -caps),
        upper=np.where(signs > 0, caps, 0.0),
        row=np.arange(len(signs)),
    )


def hinge(signs: Floats, scores: Floats) -> Floats:
    """The loss of every example."""
    return np.maximum(0.0, 1.0 - signs * scores)


def binary_record(
    dual: Dual, best: Optimum, bias: float, signs: Floats, caps: Floats, gram: Gram
) -> MarginRecord:
    """What the search for a machine leaves behind."""
    least = float((signs * (best.scores + bias)).min())
    least = least if math.isfinite(least) else 0.0
    # Of a precomputed kernel nobody can compute the values later, and of bounds that differ nobody knows them.
    later = gram.dtype == np.float32 and not isinstance(gram.kernel, Precomputed)
    later = later and bool(caps.min() == caps.max())
    losses = partial(hinge, signs)
    record = record_from(dual, best, bias, losses, caps, gram, least=least, later=later)
    beside = leaned_on(dual, best.beta, best.scores, bias, best.gap)
    return replace(record, beside=int(np.count_nonzero(beside)))
