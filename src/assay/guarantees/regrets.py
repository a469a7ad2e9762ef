"""Guarantees about regret and loss, from the record of a game with experts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import ROUND_FLOOR, Decimal
from typing import Any, Literal

from assay.guarantees.assumption import Assumption, Status
from assay.guarantees.build import guarantee
from assay.guarantees.decimals import decimal_text
from assay.guarantees.guarantee import Guarantee
from assay.theory.registry import find_theorem

# Sums of floats are trusted to one part in 10^12 of what was summed up.
_DIGITS = 12


def regret_guarantee(
    theorem: str,
    inputs: Mapping[str, Any],
    observed: float | None,
    *,
    of: str,
    scale: float = 0.0,
    known: Mapping[str, tuple[Status, str]] | None = None,
    letter: str = "regret",
    quantifier: Literal["always", "expectation"] = "always",
) -> Guarantee:
    """A bound on a regret or a loss, beside what the run did.

    Parameters
    ----------
    theorem : str
        The id of the theorem.
    inputs : mapping
        What the theorem needs.
    observed : float or None
        What was seen. It is a difference of sums of floats, and is given to the digits that these have.
    of : str
        What is bounded.
    scale : float
        The size of the sums that were subtracted.
    known : mapping, optional
        How an assumption is known, with evidence; those not named hold by construction.
    letter : str
        What stands for it in the statement.
    quantifier : {"always", "expectation"}
        Whether the bound holds on every run.

    Examples
    --------
    >>> print(regret_guarantee("wa-square-regret", {"experts": 10}, 0.25, of="regret"))
    regret: at most 4.60518, observed 0.25, by wa-square-regret
    """
    better = known or {}
    names = find_theorem(theorem).assumes
    return guarantee(
        theorem,
        inputs,
        None if observed is None else _seen(observed, scale),
        of=of,
        formula=letter,
        assumptions=[Assumption(name, *better.get(name, ("by construction",))) for name in names],
        quantifier=quantifier,
        certified="this run",
    )


def _seen(value: float, scale: float) -> str | None:
    """A measured number, rounded down to the last digit that the sums behind it support."""
    if not math.isfinite(value):
        return None
    size = Decimal(max(abs(value), scale, 1e-300))
    last = size.adjusted() - _DIGITS + 1
    step = Decimal(1).scaleb(last)
    steps = (Decimal(value) / step).to_integral_value(ROUND_FLOOR)
    return decimal_text(str(steps * step))
