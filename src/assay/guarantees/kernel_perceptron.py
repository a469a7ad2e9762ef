"""Guarantees of the kernel perceptron, from the record of its run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from assay.errors import BadData, BadParameter
from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.kernels import defect_of, taken_on_trust
from assay.guarantees.mistakes import mistake_guarantee
from assay.guarantees.small_dnf import explained, small_dnf
from assay.record.kernel import FeatureComparator, KernelRecord
from assay.theory.mistake.kernel_perceptron import (
    KERNEL,
    kernel_perceptron_mistakes,
    perceptron_dnf_mistakes,
)
from assay.theory.mistake.perceptron import UPDATES_ON_MISTAKES
from assay.theory.needs import count
from assay.theory.registry import find_theorem

_THEOREM = "kernel-perceptron-mistakes"
_DNF = "perceptron-dnf-mistakes"
# How many mistaken examples a comparator is looked for among.
_MOST = 1500
# What rounding does to sums of a few thousand values of a kernel.
_SLACK = 1e-10
# Whole numbers up to this are sums of doubles without rounding.
_EXACT = 2.0**53
_OVERFLOWN = (
    "No theorem can be applied to this run: kernel values of its mistakes are too large for double precision. "
    "Scale the features."
)


def kernel_perceptron_guarantees(
    record: KernelRecord, of: str, declared: Mapping[str, Any]
) -> list[Guarantee]:
    """What was declared, and the bound of the best comparator in hindsight.

    Nothing where the kernel matrix has a defect, of the sample or of the mistaken examples.
    """
    guarantees = []
    kernel = _is_kernel(record)
    if "squared_norm" in declared:
        guarantees.append(_by_declared_norm(record, of, declared["squared_norm"], kernel))
    if "terms" in declared:
        guarantees.append(_by_terms(record, of, count("terms", declared["terms"])))
    if not record.updates or not record.largest_square:
        return guarantees
    values = None
    if not record.forgotten and record.updates <= _MOST:
        values = record.mistaken.values()
    if not math.isfinite(record.largest_square + (0.0 if values is None else values.sum())):
        raise BadData(_OVERFLOWN)
    if values is None:
        best = along_the_weights(
            record.updates, record.squared_length, record.error, record.largest_square
        )
    else:
        best = record.mistaken.best(values)
    inputs = {
        "largest_diagonal": _diagonal(record),
        "squared_norm": best.squared_norm,
        "hinge_loss": best.loss,
    }
    witness = None if best.coefficients is None else best.coefficients.tolist()
    known = (kernel, _rule(record))
    best_bound = mistake_guarantee(
        _THEOREM, inputs, record.updates, of=of, known=known, witness=witness
    )
    return [*guarantees, best_bound]


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


def _is_kernel(record: KernelRecord) -> Assumption:
    kernel, defect = record.kernel, record.defect
    if defect is None and not kernel.known_psd and 0 < len(record.labels) <= _MOST:
        values = record.mistaken.values()
        defect = None if values is None else defect_of(values)
    if defect is None and record.squared_length < -record.error:
        defect = "eigenvalue", record.squared_length / max(1, record.updates)
    doubts = taken_on_trust(kernel, defect)
    return doubts[0] if doubts else Assumption(KERNEL, "by construction", repr(kernel))


def _by_declared_norm(
    record: KernelRecord, of: str, squared_norm: Any, kernel: Assumption
) -> Guarantee:
    """The bound for a vector that separates all examples with margin one, of at most this length."""
    separable = "some vector in feature space of that length has margin one on every example"
    diagonal = _diagonal(record) if record.largest_square else 1.0
    inputs = {"largest_diagonal": diagonal, "squared_norm": squared_norm}
    allowed = kernel_perceptron_mistakes(**inputs)
    if record.updates > allowed and not record.forgotten:
        wide = Assumption(separable, "violated", f"such examples allow at most {allowed} mistakes")
    else:
        wide = Assumption(separable, "declared", f"squared norm {squared_norm}")
    return mistake_guarantee(
        _THEOREM, inputs, record.updates, of=of, assumptions=(wide, kernel, _rule(record))
    )


def _by_terms(record: KernelRecord, of: str, terms: int) -> Guarantee:
    """The bound for a monotone DNF of so many terms, with the kernel of all products."""
    if not record.all_products:
        raise BadParameter(
            f"terms must be declared for the kernel AllProducts(), but the kernel is {record.kernel!r}."
        )
    target = find_theorem(_DNF).assumes[0]
    rows = sparse.csr_matrix(record.examples).toarray()
    boolean = bool(np.isin(rows, (0.0, 1.0)).all())
    ones = int(rows.sum(axis=1).max(initial=0)) if boolean else record.features
    inputs = {"terms": terms, "features": max(1, record.features), "most_ones": ones}
    if boolean:
        allowed = perceptron_dnf_mistakes(**inputs)
        witness = None
        if not record.forgotten and len(rows) <= _MOST:
            witness = small_dnf(rows == 1, record.labels.astype(int), False)
        formula = explained(witness, terms, allowed, record.updates, target, record.names)
    else:
        why = "a mistaken example has a feature that is not 0 or 1"
        formula = Assumption(target, "violated", why)
    rule = _rule(record)
    if boolean and record.largest_square * record.updates > _EXACT:
        why = "scores are rounded; KTermDNF computes them exactly"
        rule = Assumption(UPDATES_ON_MISTAKES, "assumed", why)
    return mistake_guarantee(_DNF, inputs, record.updates, of=of, known=(formula, rule))


def _diagonal(record: KernelRecord) -> float:
    """The largest k(x, x) of a mistake, and as much more as rounding can have added to the weights."""
    share = record.error / (record.largest_square * max(record.updates, 1))
    return record.largest_square * (1 + share) * (1 + 1e-12)


def _rule(record: KernelRecord) -> Assumption:
    if record.forgotten:
        why = f"{record.forgotten} mistaken examples were forgotten to keep the budget"
        return Assumption(UPDATES_ON_MISTAKES, "violated", why)
    return Assumption(UPDATES_ON_MISTAKES, "by construction")
