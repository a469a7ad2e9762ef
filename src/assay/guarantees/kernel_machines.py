"""Guarantees about machines in the space of features of a kernel, from their records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields

from assay.errors import BadData
from assay.guarantees.assumption import Assumption
from assay.guarantees.build import judged
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.kernels import defect_text, taken_on_trust
from assay.guarantees.margin import (
    dimension_guarantee,
    dual_excess_guarantee,
    duality_guarantees,
    loo_guarantees,
    margin_guarantees,
)
from assay.guarantees.optimality import excess_guarantee, loss_guarantee, ridge_guarantees
from assay.record.margin import MarginRecord, SupportMachineRecord
from assay.record.representer import RepresenterRecord
from assay.record.ridge import KernelRidgeRecord
from assay.theory.margin.optimality import GROWS, SLOPE

_PSD = "the kernel matrix is positive semidefinite"


def classifier_guarantees(
    records: Sequence[SupportMachineRecord], errors: int | None = None
) -> list[Guarantee]:
    """What the machines of a support vector classifier promise, with the errors of leaving one out if counted."""
    _require_finite(records)
    first = records[0]
    guarantees = loo_guarantees(
        first.critical,
        first.sample_rows,
        errors,
        residual=max(record.residual for record in records),
        tolerance=first.tolerance,
    )
    for record in records:
        guarantees += machine_guarantees(record)
    trusted = taken_on_trust(first.kernel, first.defect)
    return [judged(g, *trusted) for g in guarantees]


def regressor_guarantees(record: SupportMachineRecord) -> list[Guarantee]:
    """How far the objective of a support vector regressor can be above the least possible."""
    _require_finite([record])
    trusted = taken_on_trust(record.kernel, record.defect)
    return [judged(dual_excess_guarantee(record), *trusted)]


def machine_guarantees(record: SupportMachineRecord) -> list[Guarantee]:
    """What is known of one machine; of its class only where scores are known to the last digits."""
    guarantees = duality_guarantees(record, hard=record.hard)
    price = None if record.hard else record.cost
    guarantees += margin_guarantees(record, price=price, bias=record.bias)
    if record.double and record.margin is not None and record.radius > 0:
        least, weights = record.least * (1 - 1e-9), record.weights
        wide = dimension_guarantee(
            record.norm / least,
            record.radius,
            f"its {record.rows} rows",
            bias=record.bias / least,
            features=None if weights is None else len(weights),
            witness=None if weights is None else [*weights / least, record.bias / least],
        )
        guarantees.append(wide)
    return guarantees


def _require_finite(records: Sequence[SupportMachineRecord]) -> None:
    """Refuse to promise anything about a fit whose numbers overflowed."""
    names = [field.name for field in fields(MarginRecord)]
    if not all(math.isfinite(getattr(record, name)) for record in records for name in names):
        raise BadData(
            "No theorem can be applied to this fit: kernel values or scores are too large for double precision. "
            "Scale the features."
        )


def kernel_ridge_guarantees(record: KernelRidgeRecord) -> list[Guarantee]:
    """How far the objective is above the least possible, for the kernel matrix as it was computed.

    Examples
    --------
    >>> print(*kernel_ridge_guarantees(KernelRidgeRecord(2.0, 0.5, True)))
    excess of the objective: at most 0.5, by ridge-primal-dual
    """
    psd = Assumption(_PSD, "by construction" if record.known_psd else "assumed")
    if record.defect is not None:
        psd = Assumption(_PSD, "violated", defect_text(record.defect))
    return ridge_guarantees(record, psd)


def representer_guarantees(record: RepresenterRecord) -> list[Guarantee]:
    """The training error where the loss lies above it, and how far the objective is above the least possible.

    Examples
    --------
    >>> print(*representer_guarantees(RepresenterRecord(2.0, 1.0, False, True)))
    excess of the objective: at most 1, by strongly-convex-excess
    """
    guarantees = [] if record.training is None else [loss_guarantee(record.training)]
    if not math.isfinite(record.gradient):
        return guarantees
    grows = Assumption(GROWS, "by construction")
    if record.defect is not None:
        grows = Assumption(GROWS, "violated", defect_text(record.defect))
    elif record.own_loss:
        grows = Assumption(GROWS, "assumed", "the loss is one of yours")
    elif not record.known_psd:
        grows = Assumption(GROWS, "assumed", "that the kernel is one is taken on trust")
    known = (grows, Assumption(SLOPE, "by construction"))
    inputs = {"gradient": record.gradient, "curvature": record.curvature}
    return [*guarantees, excess_guarantee("strongly-convex-excess", inputs, known)]
