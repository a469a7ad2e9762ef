"""The union bound, and the splitting of a failure probability that it justifies."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from assay.errors import require
from assay.theory.needs import count, each, inside_unit, positive, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exact

# Enough digits to name any double, rounded so that the shares never add up to too much.
_SHARE = Context(prec=17, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX)


@theorem("T42", kind="identity", statement=r"\Pr[A_1\cup\dots\cup A_n]\le\Pr[A_1]+\dots+\Pr[A_n]")
def union_bound(probabilities: Iterable[Number]) -> float:
    """How likely at least one of several events is, however they depend on each other.

    Theorem  The probability that some event happens is at most the sum of the probabilities.
    Needs    probabilities: each between 0 and 1.
    Gives    an upper bound, rounded up; above 1 it says nothing.
    Source   Boole, An Investigation of the Laws of Thought (1854); Sakulwongtana, Supervised
             Learning (lecture notes), Lemma 7.1.

    Examples
    --------
    >>> union_bound([0.01, 0.02, 0.02])
    0.05
    """
    return sum(each("probabilities", probabilities, unit), start=exact(0)).up()


def split(delta: Number, parts: int | Iterable[Number]) -> list[str]:
    """Share a failure probability among several claims that shall all hold at once.

    Parameters
    ----------
    delta : number
        The failure probability of all claims together, strictly between 0 and 1.
    parts : int or sequence of numbers
        How many equal shares, or one weight above zero for each claim. Weights must be chosen
        before the data are seen.

    Returns
    -------
    list of str
        Decimal numbers of at most 17 digits, rounded down, whose exact sum is at most delta.

    Examples
    --------
    >>> split(0.05, 3)
    ['0.016666666666666666', '0.016666666666666666', '0.016666666666666666']
    >>> split(0.05, [1, 4])
    ['0.01', '0.04']
    """
    level = inside_unit("delta", delta).low
    if isinstance(parts, Iterable) and not isinstance(parts, str):
        weights = [weight.low for weight in each("parts", parts, positive)]
        require(bool(weights), "parts", "at least one weight", parts)
    else:
        weights = [Fraction(1)] * count("parts", parts, at_least=1)
    total = sum(weights)
    return [_decimal_below(level * weight / total) for weight in weights]


def _decimal_below(share: Fraction) -> str:
    return str(_SHARE.divide(Decimal(share.numerator), Decimal(share.denominator))).lower()
