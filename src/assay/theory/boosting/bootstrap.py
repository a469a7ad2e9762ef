"""How many examples a bootstrap bag leaves out."""

from __future__ import annotations

from fractions import Fraction

from assay.theory.claim import Condition
from assay.theory.needs import count
from assay.theory.registry import theorem
from assay.theory.rounding import exact, power

# Up to here the power is taken in exact fractions; beyond, it costs seconds and changes nothing.
_EXACT_DRAWS = 4096


@theorem(
    "T83",
    kind="identity",
    statement=r"P[\text{left out}]=(1-1/m)^n\le e^{-n/m},\qquad(1-1/m)^m\nearrow1/e",
    assumes=(
        Condition(
            "uniform-row-draws", "each draw is uniform over the rows and independent of the others"
        ),
    ),
)
def bootstrap_out_of_bag(rows: int, draws: int | None = None) -> float:
    """Probability that a bag drawn with replacement misses a given example.

    Theorem  A bag of n uniform draws from m examples misses a given one with probability
             (1 - 1 / m)^n; for n = m this rises to 1 / e = 0.3679, so a bag holds on average at
             least 63.2 % of the examples.
    Needs    rows m: whole, >= 1.  draws n: whole, >= 0; m when not given.
    Gives    the probability, also the expected fraction of examples left out, rounded up.
    Source   Breiman, Bagging predictors (1996); Sakulwongtana, Supervised Learning (lecture notes),
             Remark 26.

    Examples
    --------
    >>> round(bootstrap_out_of_bag(rows=100), 6)
    0.366032
    """
    m = count("rows", rows, at_least=1)
    n = m if draws is None else count("draws", draws)
    missed = 1 - Fraction(1, m)
    if m == 1 or n <= _EXACT_DRAWS:
        return exact(missed**n).up()
    return power(missed, n).up()
