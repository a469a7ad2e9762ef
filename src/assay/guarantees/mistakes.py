"""Guarantees about mistakes, from the record of an online run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_text
from assay.guarantees.evaluate_theorem import at_most, promised, written
from assay.guarantees.guarantee import Guarantee
from assay.theory.registry import find_theorem

LONGEST_WITNESS = 1000


def mistake_guarantee(
    theorem: str,
    inputs: dict[str, Any],
    observed: int,
    *,
    of: str,
    assumptions: tuple[Assumption, ...],
    letter: str = "M",
    witness: Sequence[float] | None = None,
) -> Guarantee:
    """A bound that holds on every run, beside what the run did, with the vector that proves its inputs.

    Examples
    --------
    >>> guarantee = mistake_guarantee(
    ...     "perceptron-margin-mistakes", {"radius": 1.0, "margin": 0.1}, 37, of="mistakes", assumptions=()
    ... )
    >>> print(guarantee)
    mistakes: at most 100, observed 37, by perceptron-margin-mistakes
    """
    entry, given = find_theorem(theorem), written(inputs)
    number = promised(entry, given, assumptions)
    return Guarantee(
        theorem=entry.id,
        kind=entry.kind,
        of=of,
        promised=number,
        observed=str(observed),
        delta="0",
        inputs=given,
        assumptions=assumptions,
        statement=at_most(letter, number),
        quantifier="always",
        certified="this run",
        witness=_told(witness),
    )


def _told(witness: Sequence[float] | None) -> tuple[str, ...] | None:
    """A witness as decimal text, unless it is so long that it would drown the certificate."""
    if witness is None or len(witness) > LONGEST_WITNESS:
        return None
    return tuple(decimal_text(float(weight)) for weight in witness)
