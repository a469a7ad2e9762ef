"""Hoeffding's inequality: the tails of sums of bounded variables, and what a holdout promises."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

from assay.errors import require
from assay.theory.claim import DRAWN, FIRST, GRADED, Condition, holdout_claims
from assay.theory.needs import count, each, inside_unit, nonnegative, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exp, ln, sqrt

INDEPENDENT_DRAWS = Condition(
    "independent-examples", "the examples are independent draws from one distribution"
)
CHOSEN_WITHOUT = Condition(
    "chosen-without-these-examples", "the hypothesis was chosen without looking at these examples"
)


def one_or_two(sides: int) -> int:
    """The number of sides on which a deviation is bounded."""
    require(sides in (1, 2) and not isinstance(sides, bool), "sides", "1 or 2", sides)
    return sides


@theorem(
    "T38",
    kind="error",
    statement=r"\Pr[\bar X-p>a]\le e^{-2na^2},\quad\Pr[|\bar X-p|>a]\le2e^{-2na^2}",
    assumes=(
        Condition(
            "independent-unit-variables-of-one-mean",
            "the variables are independent, lie in [0, 1] and have the same mean",
        ),
    ),
)
def hoeffding_tail(rows: int, deviation: Number, sides: Literal[1, 2] = 1) -> float:
    """How likely a mean of independent variables strays from its expectation.

    Theorem  The mean of n independent variables in [0, 1] of mean p exceeds p by more than a
             with probability at most e^(-2 n a^2); so for falling short of p, and at most
             twice that for either. True with "at least a" as well.
    Needs    rows n: whole, >= 1.  deviation a: finite, >= 0.  sides: 1 or 2.
    Gives    an upper bound on a probability, rounded up.
    Source   Hoeffding, Probability inequalities for sums of bounded random variables (1963);
             Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.6.

    Examples
    --------
    >>> round(hoeffding_tail(rows=100, deviation=0.1), 6)
    0.135335
    """
    n, a = count("rows", rows, at_least=1), nonnegative("deviation", deviation)
    return (one_or_two(sides) * exp(-2 * n * a**2)).up()


@theorem(
    "T39",
    kind="error",
    statement=r"\Pr[S-\mathbb ES\ge t]\le\exp\!\left(-2t^2/\textstyle\sum_i(b_i-a_i)^2\right)",
    assumes=(
        Condition(
            "independent-bounded-variables",
            "the variables are independent, each in an interval of the given width",
        ),
    ),
)
def hoeffding_general(deviation: Number, widths: Iterable[Number]) -> float:
    """How likely a sum of independent bounded variables strays from its expectation.

    Theorem  If X_i are independent, each in [a_i, b_i], their sum S exceeds its expectation by
             t or more with probability at most e^(-2 t^2 / sum (b_i - a_i)^2); the same holds
             for falling short by t or more.
    Needs    deviation t: finite, >= 0.  widths b_i - a_i: finite, >= 0, not all zero.
    Gives    an upper bound on a probability, rounded up.
    Source   Hoeffding, Probability inequalities for sums of bounded random variables (1963),
             Theorem 2; Mohri, Rostamizadeh & Talwalkar, Foundations of Machine Learning,
             Theorem D.1; Classification (lecture slides), "Appendix: generalization bound".

    Examples
    --------
    >>> round(hoeffding_general(deviation=10, widths=[1] * 100), 6)
    0.135335
    """
    t = nonnegative("deviation", deviation)
    squares = (width.low**2 for width in each("widths", widths, nonnegative))
    spread = sum(squares, start=Fraction(0))
    require(spread > 0, "widths", "widths of which at least one is above zero", widths)
    return exp(-2 * t**2 / spread).up()


def validation_hoeffding_rows(error: Number, delta: Number, observed: Number = 0) -> int:
    """How many holdout examples promise an error when a given rate is observed on them.

    Examples
    --------
    >>> validation_hoeffding_rows(error=0.05, delta=0.05, observed=0.02)
    1665
    """
    target, seen = inside_unit("error", error), unit("observed", observed)
    require(target.low > seen.low, "error", f"above the observed rate {observed!r}", error)
    return (ln(1 / inside_unit("delta", delta)) / (2 * (target - seen) ** 2)).ceil()


@theorem(
    "T49",
    kind="error",
    statement=r"\mathrm{err}_D(h)\le\mathrm{err}_V(h)+\sqrt{\frac{\ln(1/\delta)}{2m}}",
    assumes=(INDEPENDENT_DRAWS, CHOSEN_WITHOUT),
    rows=validation_hoeffding_rows,
    claim=holdout_claims(DRAWN, FIRST, quantities=("error", *GRADED)),
)
def validation_hoeffding(errors: Number, rows: int, delta: Number) -> float:
    """The true error of a hypothesis, from its errors on a holdout.

    Theorem  If h errs on k of m independent examples that it was not chosen by, then with
             probability at least 1 - delta its true error is at most
             k / m + sqrt(ln(1 / delta) / (2 m)); k may be a sum of losses in [0, 1].
    Needs    errors k: 0 <= k <= m, a count or a sum of losses.  rows m: whole, >= 1.
             delta: 0 < delta < 1.
    Gives    an upper bound, rounded up; above 1 it says nothing.
    Source   Hoeffding, Probability inequalities for sums of bounded random variables (1963);
             Sakulwongtana, Supervised Learning (lecture notes), Theorem 7.2.

    Examples
    --------
    >>> round(validation_hoeffding(errors=50, rows=1000, delta=0.05), 6)
    0.088702
    """
    k, m = nonnegative("errors", errors), count("rows", rows, at_least=1)
    require(k.low <= m, "errors", f"at most the number of rows {m}", errors)
    return (k / m + sqrt(ln(1 / inside_unit("delta", delta)) / (2 * m))).up()


def validation_hoeffding_two_sided_rows(slack: Number, delta: Number) -> int:
    """How many holdout examples bring the observed rate this close to the true error.

    Examples
    --------
    >>> validation_hoeffding_two_sided_rows(slack=0.05, delta=0.05)
    738
    """
    s = inside_unit("slack", slack)
    return (ln(2 / inside_unit("delta", delta)) / (2 * s**2)).ceil()


@theorem(
    "T50",
    kind="error",
    statement=r"|\mathrm{err}_D-\mathrm{err}_V|\le\sqrt{\frac{\ln(2/\delta)}{2m}}",
    assumes=(INDEPENDENT_DRAWS, CHOSEN_WITHOUT),
    rows=validation_hoeffding_two_sided_rows,
)
def validation_hoeffding_two_sided(rows: int, delta: Number) -> float:
    """How far the error rate on a holdout is from the true error, either way.

    Theorem  With probability at least 1 - delta over m independent examples that h was not
             chosen by, its true error and its error on them differ by at most
             sqrt(ln(2 / delta) / (2 m)).
    Needs    rows m: whole, >= 1.  delta: 0 < delta < 1.
    Gives    an upper bound on the difference, rounded up.
    Source   Hoeffding, Probability inequalities for sums of bounded random variables (1963);
             Mohri, Rostamizadeh & Talwalkar, Foundations of Machine Learning, Corollary 2.2
             (first edition); Classification (lecture slides), "Generalization bound";
             Sakulwongtana, Supervised Learning (lecture notes), Remark 44.

    Examples
    --------
    >>> round(validation_hoeffding_two_sided(rows=1000, delta=0.05), 6)
    0.042947
    """
    m = count("rows", rows, at_least=1)
    return sqrt(ln(2 / inside_unit("delta", delta)) / (2 * m)).up()
