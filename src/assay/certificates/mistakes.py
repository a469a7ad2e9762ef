"""Guarantees about mistakes, from the record of an online run."""

from __future__ import annotations

from typing import Any

from assay.certificates.assumption import Assumption
from assay.certificates.decimals import decimal_above, decimal_text
from assay.certificates.guarantee import Guarantee
from assay.theory.registry import find_theorem


def mistake_guarantee(
    theorem: str,
    inputs: dict[str, Any],
    observed: int,
    *,
    of: str,
    assumptions: tuple[Assumption, ...],
    letter: str = "M",
) -> Guarantee:
    """A bound that holds on every run, beside what the run did.

    Examples
    --------
    >>> guarantee = mistake_guarantee(
    ...     "perceptron-margin-mistakes", {"radius": 1.0, "margin": 0.1}, 37, of="mistakes", assumptions=()
    ... )
    >>> print(guarantee)
    mistakes: at most 100, observed 37, by perceptron-margin-mistakes
    """
    entry = find_theorem(theorem)
    written = {name: _written(value) for name, value in inputs.items()}
    promised = None
    if all(a.status != "violated" for a in assumptions):
        value = entry(**written)
        promised = str(value) if isinstance(value, int) else decimal_above(float(value))
    return Guarantee(
        theorem=entry.id,
        kind=entry.kind,
        of=of,
        promised=promised,
        observed=str(observed),
        delta="0",
        inputs=written,
        assumptions=assumptions,
        statement=f"{letter} <= {promised}"
        if promised is not None
        else f"nothing is promised about {letter}",
        quantifier="always",
        certified="this run",
    )


def _written(value: Any) -> Any:
    """Whole numbers and text as they are; floats as the decimal they print as."""
    return decimal_text(value) if isinstance(value, float) else value
