"""Guarantees about mistakes, from the record of an online run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.build import guarantee
from assay.guarantees.guarantee import Guarantee
from assay.theory.rounding import Number


def mistake_guarantee(
    theorem: str,
    inputs: dict[str, Any],
    observed: Number,
    *,
    of: str,
    assumptions: Iterable[Assumption] | None = None,
    known: Iterable[Assumption] = (),
    letter: str = "M",
    witness: Sequence[float] | None = None,
) -> Guarantee:
    """A bound that holds on every run, beside what the run did, with the vector that proves its inputs.

    What is `known` takes the place of what the theorem's claim says of a condition; `assumptions` are all of them.

    Examples
    --------
    >>> guarantee = mistake_guarantee(
    ...     "perceptron-margin-mistakes", {"radius": 1.0, "margin": 0.1}, 37, of="mistakes", assumptions=()
    ... )
    >>> print(guarantee)
    mistakes: at most 100, observed 37, by perceptron-margin-mistakes
    """
    return guarantee(
        theorem,
        inputs,
        observed,
        of=of,
        formula=letter,
        assumptions=assumptions,
        known=known,
        quantifier="always",
        certified="this run",
        witness=witness,
    )
