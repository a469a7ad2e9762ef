"""Error bounds through the growth function: consistent hypotheses, and all hypotheses at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.complexity.growth import growth_halfspaces, sauer_growth
from assay.theory.complexity.sample_size import smallest_rows
from assay.theory.needs import count, inside_unit
from assay.theory.registry import theorem, without_number
from assay.theory.rounding import Enclosure, Number, ln, log2, sqrt

Growth: TypeAlias = "int | Callable[[int], int]"
"""The labelings of 2m points: their number, or a function from points to that number."""

INDEPENDENT = Condition(
    "examples-drawn-independently", "the examples are drawn independently from one distribution"
)
CLASS_FIXED = Condition(
    "class-chosen-before-examples", "the class is chosen before the examples are seen"
)
REALIZABLE = Condition("consistent-hypothesis", "the hypothesis makes no error on the examples")


def vc_occam_growth_rows(
    error: Number,
    delta: Number,
    growth: Growth | None = None,
    *,
    vc_dimension: int | None = None,
    halfspaces: int | None = None,
) -> int:
    """Rows after which every consistent hypothesis has a true error below the one given.

    A whole number as `growth` stands for a class that never has more labelings: a finite one.

    Examples
    --------
    >>> vc_occam_growth_rows(error=0.1, delta=0.05, halfspaces=2)
    506
    """
    eps, failure = inside_unit("error", error), inside_unit("delta", delta)
    labelings = _labelings(growth, vc_dimension, halfspaces)
    return smallest_rows(lambda m: 2 / eps * _occam_bits(labelings(2 * m), failure))


@theorem(
    "T56",
    kind="error",
    statement=(
        r"\mathrm{err}_S(h)=0\Rightarrow"
        r"\mathrm{err}_D(h)<\frac2m\left[\log_2(2H[2m])+\log_2\frac1\delta\right]"
    ),
    assumes=(INDEPENDENT, CLASS_FIXED, REALIZABLE),
    rows=vc_occam_growth_rows,
)
def vc_occam_growth(
    rows: int,
    delta: Number,
    growth: Growth | None = None,
    *,
    vc_dimension: int | None = None,
    halfspaces: int | None = None,
) -> float:
    """True error of every hypothesis that is consistent with the sample.

    Theorem  With probability at least 1 - delta over m independent examples, every member of
             the class without an error on them has a true error below
             (2 / m) (log2(2 H[2m]) + log2(1 / delta)), where H[2m] is the largest number of ways
             in which the class labels 2m points.
    Needs    rows m: whole, >= 1.  delta: 0 < delta < 1.  One of: growth, the number H[2m] or a
             function from points to labelings; vc_dimension: whole, >= 0, for Sauer's sum;
             halfspaces d: whole, >= 1, for the exact growth of affine halfspaces of R^d.
    Gives    an upper bound, rounded up; it may exceed 1.
    Source   Vapnik & Chervonenkis, On the uniform convergence of relative frequencies (1971);
             Blumer, Ehrenfeucht, Haussler & Warmuth, Learnability and the Vapnik-Chervonenkis
             dimension (1989); Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.19.

    Examples
    --------
    >>> round(vc_occam_growth(rows=1000, delta=0.05, vc_dimension=3), 6)
    0.071269
    """
    m, failure = count("rows", rows, at_least=1), inside_unit("delta", delta)
    labelings = _labelings(growth, vc_dimension, halfspaces)
    return (2 * _occam_bits(labelings(2 * m), failure) / m).up()


def vc_occam_sauer_rows(error: Number, delta: Number, vc_dimension: int) -> int:
    """Rows after which every consistent hypothesis has a true error below the one given.

    Examples
    --------
    >>> vc_occam_sauer_rows(error=0.1, delta=0.05, vc_dimension=3)
    680
    """
    return vc_occam_growth_rows(error, delta, vc_dimension=vc_dimension)


@theorem(
    "T57",
    kind="error",
    statement=(
        r"\mathrm{err}_S(h)=0\Rightarrow"
        r"\mathrm{err}_D(h)<\frac2m\left[\log_2\Bigl(2\sum_{i=0}^d\binom{2m}{i}\Bigr)"
        r"+\log_2\frac1\delta\right]"
    ),
    assumes=(INDEPENDENT, CLASS_FIXED, REALIZABLE),
    rows=vc_occam_sauer_rows,
)
def vc_occam_sauer(rows: int, delta: Number, vc_dimension: int) -> float:
    """True error of every consistent hypothesis, from the VC dimension alone.

    Theorem  As vc-occam-growth, with the growth function replaced by Sauer's bound
             C(2m, 0) + ... + C(2m, d) for a class of VC dimension d.
    Needs    rows m: whole, >= 1.  delta: 0 < delta < 1.  vc_dimension d: whole, >= 0.
    Gives    an upper bound, rounded up; it may exceed 1.
    Source   Blumer, Ehrenfeucht, Haussler & Warmuth, Learnability and the Vapnik-Chervonenkis
             dimension (1989); Blum, Hopcroft & Kannan, Foundations of Data Science,
             Corollary 6.22, with the sum in place of its order of growth.

    Examples
    --------
    >>> round(vc_occam_sauer(rows=484, delta=0.05, vc_dimension=2), 6)
    0.099839
    """
    return vc_occam_growth(rows, delta, vc_dimension=vc_dimension)


def vc_uniform_growth_rows(
    error: Number,
    delta: Number,
    growth: Growth | None = None,
    *,
    vc_dimension: int | None = None,
    halfspaces: int | None = None,
) -> int:
    """Rows after which sample and true error of every hypothesis differ by no more than `error`.

    Examples
    --------
    >>> vc_uniform_growth_rows(error=0.1, delta=0.05, vc_dimension=2)
    19898
    """
    eps, failure = inside_unit("error", error), inside_unit("delta", delta)
    labelings = _labelings(growth, vc_dimension, halfspaces)
    return smallest_rows(lambda m: 8 / eps**2 * _uniform_nats(labelings(2 * m), failure))


@theorem(
    "T58",
    kind="error",
    statement=(
        r"\sup_{h\in H}|\mathrm{err}_S(h)-\mathrm{err}_D(h)|\le"
        r"\sqrt{\frac8m\left[\ln(4H[2m])+\ln\frac1\delta\right]}"
    ),
    assumes=(INDEPENDENT, CLASS_FIXED),
    rows=vc_uniform_growth_rows,
)
def vc_uniform_growth(
    rows: int,
    delta: Number,
    growth: Growth | None = None,
    *,
    vc_dimension: int | None = None,
    halfspaces: int | None = None,
) -> float:
    """How far sample and true error can differ, over all hypotheses of the class.

    Theorem  With probability at least 1 - delta over m independent examples, sample error and
             true error of every member of the class differ by at most
             sqrt((8 / m) (ln(4 H[2m]) + ln(1 / delta))), where H[2m] is the largest number of
             ways in which the class labels 2m points.
    Needs    rows m: whole, >= 1.  delta: 0 < delta < 1.  One of: growth, the number H[2m] or a
             function from points to labelings; vc_dimension: whole, >= 0, for Sauer's sum;
             halfspaces d: whole, >= 1, for the exact growth of affine halfspaces of R^d.
    Gives    an upper bound on the difference, either way, rounded up; it may exceed 1.
    Source   Vapnik & Chervonenkis, On the uniform convergence of relative frequencies (1971);
             Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.20, with the
             constant 4 that its proof needs where 2 is printed.

    Examples
    --------
    >>> round(vc_uniform_growth(rows=1000, delta=0.05, vc_dimension=3), 6)
    0.450715
    """
    m, failure = count("rows", rows, at_least=1), inside_unit("delta", delta)
    labelings = _labelings(growth, vc_dimension, halfspaces)
    return sqrt(8 * _uniform_nats(labelings(2 * m), failure) / m).up()


without_number(
    "T69",
    "fundamental-theorem-order",
    kind="sample-size",
    holds="order",
    statement=(
        r"C_1\frac{\mathrm{VC}+\log(1/\delta)}{\varepsilon}\le m(\varepsilon,\delta)\le "
        r"C_2\frac{\mathrm{VC}\log(1/\varepsilon)+\log(1/\delta)}{\varepsilon}"
    ),
    source=(
        "Blumer, Ehrenfeucht, Haussler & Warmuth, Learnability and the Vapnik-Chervonenkis "
        "dimension (1989); Shalev-Shwartz & Ben-David, Understanding Machine Learning (2014), "
        "the fundamental theorem of statistical learning; Sakulwongtana, Supervised Learning "
        "(lecture notes), Theorem 7.7"
    ),
)


def _occam_bits(labelings: int, delta: Enclosure) -> Enclosure:
    return log2(2 * labelings) + log2(1 / delta)


def _uniform_nats(labelings: int, delta: Enclosure) -> Enclosure:
    return ln(4 * labelings) + ln(1 / delta)


def _labelings(
    growth: Growth | None, vc_dimension: int | None, halfspaces: int | None
) -> Callable[[int], int]:
    """The growth function, from whichever of its three descriptions was given."""
    ways = {"growth": growth, "vc_dimension": vc_dimension, "halfspaces": halfspaces}
    given = [name for name, value in ways.items() if value is not None]
    must = "described by exactly one of growth, vc_dimension and halfspaces"
    require(len(given) == 1, "the class", must, given)
    if vc_dimension is not None:
        return lambda points: sauer_growth(points, vc_dimension)
    if halfspaces is not None:
        d = count("halfspaces", halfspaces, at_least=1)
        return lambda points: growth_halfspaces(points, d)
    number_of = growth if callable(growth) else lambda points: growth
    return lambda points: count("growth", number_of(points), at_least=1)
