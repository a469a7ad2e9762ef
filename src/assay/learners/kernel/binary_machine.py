"""One machine of a support vector classifier: its examples, its dual, its record and what is promised of it."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from assay.guarantees.guarantee import Guarantee
from assay.guarantees.margin import dimension_guarantee, duality_guarantees, margin_guarantees
from assay.kernels import Kernel, Precomputed
from assay.learners.kernel.dual_search import Dual, Optimum
from assay.learners.kernel.gram import Gram
from assay.learners.kernel.left_out import leaned_on
from assay.learners.kernel.proven_gap import free_terms
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


def tightened(
    record: MarginRecord, kernel: Kernel, vectors: Any, beta: Floats, bias: float
) -> MarginRecord:
    """The record with the terms of support vectors between their bounds computed in double precision."""
    if isinstance(kernel, Precomputed) or not record.rounding:
        return record
    some = np.flatnonzero(beta)
    picked = vectors[some]
    squares = np.asarray(kernel.diagonal(picked), dtype=np.float64)
    terms = free_terms(kernel, picked, beta[some], bias, record.price, squares)
    rounding = min(max(0.0, record.settled + terms - record.gap), record.rounding)
    # The largest term was one of single precision, too.
    return replace(record, rounding=rounding, slack=min(record.slack, record.gap + rounding))


def binary_guarantees(
    record: MarginRecord, C: float, bias: float, *, double: bool, weights: Floats | None
) -> list[Guarantee]:
    """What the theorems say about one machine; about its class only where scores are known to the last digits.

    The weights are those of a linear machine.
    """
    hard = math.isinf(C)
    guarantees = duality_guarantees(record, hard=hard)
    guarantees += margin_guarantees(record, price=None if hard else C, bias=bias)
    if double and record.margin is not None and record.radius > 0:
        least = record.least * (1 - 1e-9)
        guarantees.append(
            dimension_guarantee(
                record.norm / least,
                record.radius,
                f"its {record.rows} rows",
                bias=bias / least,
                features=None if weights is None else len(weights),
                witness=None if weights is None else [*weights / least, bias / least],
            )
        )
    return guarantees
