"""Guarantees of gradient boosting: what its rounds leave of the training loss, where that is proven."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_FLOOR, Context, Decimal

from assay.guarantees.build import by_construction, guarantee
from assay.guarantees.decimals import decimal_text
from assay.guarantees.guarantee import Guarantee
from assay.record.gradient_boosting import GradientBoostingRecord

# Far more than rounding has taken from a sum, and always to the side that promises less; and far more than it changes
# the loss by, where a prediction is rounded once more than a score.
_SLACK, _LAST_DIGITS = 1e-12, 1e-9
_ROUND_DOWN = Context(prec=12, rounding=ROUND_FLOOR)
_CORRELATED = "leaves are means of what is left; rounding is taken from the correlations"
_DROPPED = "leaves are weighted quantiles of what is left, or zero; drops are rounded down to twelve digits"
#: The losses of which it is proven that rounds do not raise them, where leaves take the values that cost least.
PROVEN = ("squared_error", "absolute_error", "quantile")
_OF = {
    "squared_error": "mean squared residual",
    "absolute_error": "mean absolute residual",
    "quantile": "mean quantile loss",
}


def gradient_boosting_guarantees(record: GradientBoostingRecord) -> list[Guarantee]:
    """The training loss that the rounds leave where it is proven, and the training error that a log loss allows.

    Examples
    --------
    >>> import numpy as np
    >>> losses = np.array([4.0, 3.81])
    >>> record = GradientBoostingRecord(9, "squared_error", 0.1, losses, np.array([0.0475]), True, True, "rounds")
    >>> print(*gradient_boosting_guarantees(record))
    mean squared residual: at most 3.81001, observed 3.81, by shrunken-l2boost-loss
    """
    if record.loss == "log_loss" and record.even and record.training_errors is not None:
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
    if not record.proven or not record.rounds:
        return []
    start = decimal_text(math.nextafter(float(record.losses[0]) * (1 + _LAST_DIGITS), math.inf))
    squares = record.loss == "squared_error"
    if squares:
        most = record.rate * (2.0 - record.rate)
        rounds = [math.sqrt(min(1.0, drop / most)) for drop in record.drops.tolist()]
    else:
        rounds = record.drops.tolist()
    inputs: dict[str, object] = {
        "correlations" if squares else "drops": list(_lowered(rounds)),
        "rate": decimal_text(record.rate),
        "start": start,
    }
    theorem = "shrunken-l2boost-loss" if squares else "convex-boosting-loss"
    of = _OF[record.loss]
    return [
        guarantee(
            theorem,
            inputs,
            float(record.losses[-1]),
            of=of if record.even else f"weighted {of}",
            formula="R_T" if squares else "L_T",
            certified="this fit",
            assumptions=by_construction(theorem, _CORRELATED if squares else _DROPPED),
        )
    ]


def _lowered(numbers: Iterable[float]) -> Iterable[str]:
    for number in numbers:
        yield decimal_text(_ROUND_DOWN.create_decimal(Decimal(max(0.0, number * (1 - _SLACK)))))
