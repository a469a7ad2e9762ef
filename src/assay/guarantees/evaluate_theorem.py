"""A theorem evaluated for a guarantee: inputs as they are written down, the promise as decimal text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_above, decimal_text
from assay.guarantees.guarantee import Guarantee
from assay.theory.registry import Theorem


def written(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Whole numbers and text as they are; floats as the decimal they print as.

    Examples
    --------
    >>> written({"rows": 7, "margin": 0.1})
    {'rows': 7, 'margin': '0.1'}
    """
    return {
        name: decimal_text(value) if isinstance(value, float) else value
        for name, value in inputs.items()
    }


def promised(
    theorem: Theorem, inputs: Mapping[str, Any], assumptions: Iterable[Assumption]
) -> str | None:
    """What the theorem gives, rounded outward; None if an assumption is violated, or it is infinite.

    Examples
    --------
    >>> from assay.theory.registry import find_theorem
    >>> promised(find_theorem("perceptron-margin-mistakes"), {"radius": "1", "margin": "0.3"}, ())
    '11'
    """
    if any(a.status == "violated" for a in assumptions):
        return None
    value = theorem(**inputs)
    if isinstance(value, int):
        return str(value)
    return decimal_above(float(value)) if math.isfinite(value) else None


def judged(guarantee: Guarantee, *known: Assumption) -> Guarantee:
    """A guarantee with more assumptions, and without its number where one of them was found to be false.

    Examples
    --------
    >>> from assay.guarantees.optimality import excess_guarantee
    >>> found = excess_guarantee("ridge-primal-dual", {"penalty": 2.0, "distance": 0.5})
    >>> print(judged(found, Assumption("the kernel is one", "violated")).statement)
    nothing is promised about P(w) - min P
    """
    told = replace(guarantee, assumptions=guarantee.assumptions + known)
    if guarantee.promised is None or all(a.status != "violated" for a in known):
        return told
    # A formula, and a bound behind it; where it holds with a probability, that stands around the formula.
    of = guarantee.statement.partition(" <= ")[0].removeprefix("P[")
    return replace(told, promised=None, textbook=None, statement=at_most(of, None))


def at_most(what: str, number: str | None) -> str:
    """A promise as a formula.

    Examples
    --------
    >>> at_most("M", "11"), at_most("M", None)
    ('M <= 11', 'nothing is promised about M')
    """
    return f"nothing is promised about {what}" if number is None else f"{what} <= {number}"
