"""Guarantees about a fit: how far it is from the best one, and what its loss says about its errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_ratio
from assay.guarantees.evaluate_theorem import at_most, promised, written
from assay.guarantees.guarantee import Guarantee
from assay.theory.registry import find_theorem


def excess_guarantee(
    theorem: str, inputs: Mapping[str, Any], assumptions: tuple[Assumption, ...] = ()
) -> Guarantee:
    """How far the objective of a fit is above the least possible.

    Examples
    --------
    >>> print(excess_guarantee("ridge-primal-dual", {"penalty": 2.0, "distance": 0.5}))
    excess of the objective: at most 0.5, by ridge-primal-dual
    """
    entry, given = find_theorem(theorem), written(inputs)
    number = promised(entry, given, assumptions)
    return Guarantee(
        theorem=entry.id,
        kind=entry.kind,
        of="excess of the objective",
        promised=number,
        observed=None,
        delta="0",
        inputs=given,
        assumptions=assumptions,
        statement=at_most("P(w) - min P", number),
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
    entry = find_theorem("surrogate-upper-bounds")
    given = written({"total": total, "rows": rows, "loss": loss})
    number = promised(entry, given, assumptions)
    return Guarantee(
        theorem=entry.id,
        kind=entry.kind,
        of="training error",
        promised=number,
        observed=decimal_ratio(errors, rows),
        delta="0",
        inputs=given,
        assumptions=assumptions,
        statement=at_most("err_S", number),
        quantifier="always",
        certified="this fit",
    )
