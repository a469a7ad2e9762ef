"""Markov's inequality, and the same read backwards: what a mean says about large values."""

from __future__ import annotations

from assay.theory.claim import Condition
from assay.theory.needs import inside_unit, nonnegative, positive, unit
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


@theorem(
    kind="error",
    statement=r"\Pr[Z\ge a]\le\frac{\mu}{a}",
    assumes=(Condition("nonnegative-variable", "the variable is never negative"),),
)
def markov(mean: Number, above: Number) -> float:
    """How likely a variable that is never negative is to reach a number, given its mean.

    Theorem  If Z >= 0 has mean mu, then for a > 0 it is a or more with probability at most mu / a.
    Needs    mean mu: finite, >= 0.  above a: finite, > 0.
    Gives    an upper bound on a probability, rounded up; from 1 on it says nothing.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 2.1.

    Examples
    --------
    >>> markov(mean=0.1, above=0.2)
    0.5
    """
    return (nonnegative("mean", mean) / positive("above", above)).up()
