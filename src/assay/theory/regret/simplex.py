"""The distance in which exponential weights make progress: relative entropy on the simplex."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from assay.errors import BadParameter, require
from assay.theory.claim import Condition
from assay.theory.needs import nonnegative
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exact, ln


@theorem(
    kind="identity",
    statement=r"d(u,v)=\sum_iu_i\ln\frac{u_i}{v_i},\quad0\le d(u,v),\quad d(u,\tfrac1K)\le\ln K",
    assumes=(
        Condition(
            "two-distributions", "both are distributions over the same K experts, or outcomes"
        ),
    ),
)
def simplex_relative_entropy(of: Sequence[Number], against: Sequence[Number]) -> float:
    """How far one distribution is from another: the relative entropy, in nats.

    Theorem  d(u, v) = sum u_i ln(u_i / v_i), with 0 ln 0 = 0, is never negative, zero only where u = v, and
             infinite where u has weight and v has none. From equal weights it is ln K less the
             entropy of u, so at most ln K.
    Needs    of u, against v: as many numbers, each finite and >= 0, not all zero; they are
             divided by their sums.
    Gives    the number, rounded up; infinity where u has weight that v lacks.
    Source   Kullback & Leibler, On information and sufficiency (1951); Sakulwongtana, Supervised Learning
             (lecture notes), Definition 5.5.

    Examples
    --------
    >>> round(simplex_relative_entropy([1, 0, 0, 0], [1, 1, 1, 1]), 6)
    1.386294
    >>> simplex_relative_entropy(["1/2", "1/2"], [3, 3])
    0.0
    """
    u, v = _distribution("of", of), _distribution("against", against)
    require(len(u) == len(v), "against", f"{len(u)} numbers, as many as of", against)
    if any(a and not b for a, b in zip(u, v, strict=True)):
        return math.inf
    parts = (a * ln(a / b) for a, b in zip(u, v, strict=True) if a and a != b)
    return max(0.0, sum(parts, start=exact(0)).up())


def _distribution(name: str, weights: Any) -> list[Fraction]:
    if isinstance(weights, str) or not hasattr(weights, "__len__") or not len(weights):
        raise BadParameter(f"{name} must be a list of at least one number, but is {weights!r}.")
    numbers = [nonnegative(name, weight).low for weight in weights]
    total = sum(numbers)
    require(total > 0, name, "numbers of which one is above zero", weights)
    return [number / total for number in numbers]
