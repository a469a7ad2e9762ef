"""Guarantees about a fit: how far it is from the best one, and what its loss says about its errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.build import guarantee
from assay.guarantees.guarantee import Guarantee


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
    )
