"""Guarantees about a fit: how far it is from the best one, and what its loss says about its errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.build import by_construction, guarantee
from assay.guarantees.guarantee import Guarantee
from assay.record.least_squares import LeastSquaresRecord
from assay.record.ridge import RidgeRecord
from assay.record.training_loss import PenalisedLossRecord, TrainingLossRecord
from assay.theory.claim import Condition


def excess_guarantee(
    theorem: str, inputs: Mapping[str, Any], assumptions: tuple[Assumption, ...] = ()
) -> Guarantee:
    """How far the objective of a fit is above the least possible.

    Examples
    --------
    >>> print(excess_guarantee("ridge-primal-dual", {"penalty": 2.0, "distance": 0.5}))
    excess of the objective: at most 0.5, by ridge-primal-dual
    """
    return guarantee(
        theorem,
        inputs,
        of="excess of the objective",
        formula="P(w) - min P",
        assumptions=assumptions,
        quantifier="always",
        certified="this fit",
    )


def training_guarantee(
    errors: int, rows: int, total: float, loss: str, assumptions: tuple[Assumption, ...] = ()
) -> Guarantee:
    """The error rate on the training rows, from the loss on them; it says nothing about other rows.

    Examples
    --------
    >>> print(training_guarantee(9, 100, 25.0, "hinge"))
    training error: at most 0.25, observed 0.09, by surrogate-upper-bounds
    """
    return guarantee(
        "surrogate-upper-bounds",
        {"total": total, "rows": rows, "loss": loss},
        (errors, rows),
        of="training error",
        formula="err_S",
        assumptions=assumptions,
        quantifier="always",
        certified="this fit",
        most=1,
    )


def loss_guarantee(record: TrainingLossRecord) -> Guarantee:
    """The training error, from the record of the loss on the training rows.

    Examples
    --------
    >>> print(loss_guarantee(TrainingLossRecord(100, 9, "hinge", 25.0)))
    training error: at most 0.25, observed 0.09, by surrogate-upper-bounds
    """
    return training_guarantee(record.errors, record.rows, record.total, record.loss)


def least_squares_guarantees(record: LeastSquaresRecord) -> list[Guarantee]:
    """How far the sum of squares is above the least possible; nothing where singular values are not known.

    Examples
    --------
    >>> print(*least_squares_guarantees(LeastSquaresRecord(3.0, 2.0, 4, 4)))
    excess of the objective: at most 2.25, by ols-normal-equations
    """
    if record.singular == 0.0:
        return []
    evidence = f"rank {record.rank} of {record.directions}"
    known = Assumption(
        Condition("least-singular-value", "the singular value is the least of X above zero"),
        "checked" if record.full else "assumed",
        evidence if record.full else f"{evidence}, smaller ones being taken for rounding",
    )
    inputs = {"gradient": record.gradient, "singular": record.singular}
    return [excess_guarantee("ols-normal-equations", inputs, (known,))]


def ridge_guarantees(record: RidgeRecord, *known: Assumption) -> list[Guarantee]:
    """How far the objective, summed over targets, is above the least possible; nothing without a penalty.

    Examples
    --------
    >>> print(*ridge_guarantees(RidgeRecord(2.0, 0.5)))
    excess of the objective: at most 0.5, by ridge-primal-dual
    """
    if record.penalty == 0.0 or math.isinf(record.distance):
        return []
    inputs = {"penalty": record.penalty, "distance": record.distance}
    return [excess_guarantee("ridge-primal-dual", inputs, known)]


def penalised_loss_guarantees(record: PenalisedLossRecord) -> list[Guarantee]:
    """The training error, and how far the objective is above the least possible, as far as numbers reach.

    Examples
    --------
    >>> for guarantee in penalised_loss_guarantees(PenalisedLossRecord(9, 1, "logistic", 4.0, 5.0, 2.0, -5.0)):
    ...     print(guarantee)
    training error: at most 0.641198, observed 0.111111, by surrogate-upper-bounds
    excess of the objective: at most 1, by penalised-duality
    """
    inputs = {"objective": record.objective, "square": record.square, "conjugate": record.conjugate}
    if not all(map(math.isfinite, inputs.values())):
        return [loss_guarantee(record)]
    known = by_construction("penalised-duality")
    return [loss_guarantee(record), excess_guarantee("penalised-duality", inputs, known)]
