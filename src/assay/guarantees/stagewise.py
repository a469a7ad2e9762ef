"""Guarantees of forward stagewise additive modelling: what the rounds leave of the training error, loss by loss."""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Context, Decimal

from assay.guarantees.boosting import adaboost_guarantee
from assay.guarantees.build import by_construction, guarantee
from assay.guarantees.decimals import decimal_text
from assay.guarantees.guarantee import Guarantee
from assay.record.boosting import BoostingRecord
from assay.record.stagewise import StagewiseRecord

# Far more than rounding has taken from a sum, and always to the side that promises less.
_SLACK = 1e-12
_ROUND_DOWN = Context(prec=12, rounding=ROUND_FLOOR)
_CORRELATED = "in double precision; correlations are rounded down to twelve digits"


def stagewise_guarantees(record: StagewiseRecord) -> list[Guarantee]:
    """The training error, or what is left of the squares, that the rounds promise.

    Examples
    --------
    >>> import numpy as np
    >>> half = np.array([0.5])
    >>> record = StagewiseRecord(4, "square", 1.0, np.array([0.75]), half, half, 1, 0.25, True, "rounds")
    >>> print(*stagewise_guarantees(record))
    training error: at most 0.750001, observed 0.25, by l2boost-training-loss
    """
    if record.loss == "exponential":
        return [adaboost_guarantee(_boosting(record))]
    if record.loss in ("square", "squared_error") and record.rounds:
        return [_squares(record)]
    if record.loss == "logistic" and record.even and record.training_errors is not None:
        # The theorem speaks of a sum over rows, which weights would change.
        total = math.nextafter(float(record.losses[-1]) * record.rows * (1 + _SLACK), math.inf)
        return [
            guarantee(
                "surrogate-upper-bounds",
                {"total": total, "rows": record.rows, "loss": "logistic"},
                (record.training_errors, record.rows),
                of="training error",
                formula="err_S",
                certified="this fit",
                assumptions=by_construction("surrogate-upper-bounds", "summed in doubles"),
                most=1,
            )
        ]
    return []


def _boosting(record: StagewiseRecord) -> BoostingRecord:
    """A run with the exponential loss, which is one of AdaBoost."""
    return BoostingRecord(
        rows=record.rows,
        errors=record.edges,
        votes=record.steps,
        training_errors=record.training_errors or 0,
        training_error=record.training_error or 0.0,
        even=record.even,
        stopped=record.stopped,
    )


def _squares(record: StagewiseRecord) -> Guarantee:
    target = record.training_errors is None
    lowered = [
        decimal_text(_ROUND_DOWN.create_decimal(Decimal(max(0.0, edge * (1 - _SLACK)))))
        for edge in record.edges.tolist()
    ]
    inputs: dict[str, object] = {"correlations": lowered}
    observed: object = record.training_error
    if target:
        inputs["start"] = decimal_text(math.nextafter(record.start * (1 + _SLACK), math.inf))
        observed = float(record.losses[-1]) if record.rounds else record.start
    elif record.even:
        observed = (record.training_errors, record.rows)
    what = "mean squared residual" if target else "training error"
    return guarantee(
        "l2boost-training-loss",
        inputs,
        observed,  # type: ignore[arg-type]
        of=what if record.even else f"weighted {what}",
        formula="R_T" if target else "err_S",
        certified="this fit",
        assumptions=by_construction("l2boost-training-loss", _CORRELATED),
        most=None if target else 1,
    )
