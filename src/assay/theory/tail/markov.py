"""Markov's inequality read backwards: a large mean forces large values to be likely."""

from __future__ import annotations

from assay.theory.claim import Condition
from assay.theory.needs import inside_unit, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number


@theorem(
    "T41",
    kind="error",
    statement=r"\Pr[Z>1-a]\ge\frac{\mu-(1-a)}{a}",
    assumes=(Condition("unit-variable", "the variable lies in [0, 1]"),),
)
def reverse_markov(mean: Number, gap: Number) -> float:
    """How likely a variable in [0, 1] is to come near 1, given its mean.

    Theorem  If Z lies in [0, 1] and has mean mu, then for 0 < a < 1 it exceeds 1 - a with
             probability at least (mu - (1 - a)) / a.
    Needs    mean mu: 0 <= mu <= 1.  gap a: 0 < a < 1.
    Gives    a lower bound on a probability, rounded down; below 0 it says nothing.
    Source   Shalev-Shwartz & Ben-David, Understanding Machine Learning, Lemma B.1;
             Sakulwongtana, Supervised Learning (lecture notes), Lemma 1.3.

    Examples
    --------
    >>> reverse_markov(mean="1/2", gap="3/4")
    0.3333333333333333
    """
    mu, a = unit("mean", mean), inside_unit("gap", gap)
    return ((mu - (1 - a)) / a).down()
