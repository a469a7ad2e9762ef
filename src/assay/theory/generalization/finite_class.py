"""Learning from a finite class: consistent hypotheses, uniform convergence, sample minimizers."""

from __future__ import annotations

from typing import Literal

from assay.theory.claim import Condition
from assay.theory.needs import Form, count, inside_unit, nonnegative, one_of
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, exp, ln, sqrt
from assay.theory.tail.hoeffding import INDEPENDENT_DRAWS, one_or_two

FIXED_CLASS = Condition(
    "class-fixed-before-examples", "the class was fixed before the examples were seen"
)
CONSISTENT = Condition("consistent-hypothesis", "the hypothesis makes no error on the examples")


def _log_ways(class_size: int, ways: int, delta: Number) -> Enclosure:
    """What a union bound over a class costs: the logarithm of its size times ways over delta."""
    size = count("class_size", class_size, at_least=1)
    return ln(size) + ln(ways / inside_unit("delta", delta))


def occam_finite_class_rows(
    class_size: int, error: Number, delta: Number, form: Form = "sharp"
) -> int:
    """How many examples make every consistent hypothesis good.

    Examples
    --------
    >>> occam_finite_class_rows(class_size=1000, error=0.1, delta=0.05, form="textbook")
    100
    """
    one_of("form", form, "sharp", "textbook")
    e = inside_unit("error", error)
    per_row = e if form == "textbook" else ln(1 / (1 - e))
    return (_log_ways(class_size, 1, delta) / per_row).ceil()


@theorem(
    "T43",
    kind="error",
    statement=r"\mathrm{err}_D(h)<1-(\delta/|H|)^{1/m}\le\frac1m\left(\ln|H|+\ln\frac1\delta\right)",
    assumes=(INDEPENDENT_DRAWS, FIXED_CLASS, CONSISTENT),
    rows=occam_finite_class_rows,
)
def occam_finite_class(class_size: int, rows: int, delta: Number, form: Form = "sharp") -> float:
    """The error of a hypothesis from a finite class that fits every example.

    Theorem  With probability at least 1 - delta over m independent examples, every hypothesis
             of a class of size H that is consistent with them has an error below
             1 - (delta / H)^(1/m) (sharp), hence below ln(H / delta) / m (textbook).
    Needs    class_size H: whole, >= 1.  rows m: whole, >= 1.  delta: 0 < delta < 1.
             form: "sharp" or "textbook".
    Gives    an upper bound, rounded up; the textbook's may exceed 1 and then says nothing.
    Source   Blumer, Ehrenfeucht, Haussler & Warmuth, Occam's razor (1987); Blum, Hopcroft &
             Kannan, Foundations of Data Science, Theorem 6.4. The sharp form is the last step
             but one of its proof.

    Examples
    --------
    >>> round(occam_finite_class(class_size=1000, rows=500, delta=0.05), 7)
    0.0196121
    """
    one_of("form", form, "sharp", "textbook")
    textbook = _log_ways(class_size, 1, delta) / count("rows", rows, at_least=1)
    if form == "textbook":
        return textbook.up()
    # 1 - e^-x cancels when x is tiny; x itself is a bound as well and then the better double.
    return (1 - exp(-textbook)).enclose(textbook, min).up()


@theorem(
    "T44",
    kind="sample-size",
    statement=r"m\ge\frac1\varepsilon\left(d\ln2+\ln\frac1\delta\right)",
    assumes=(
        INDEPENDENT_DRAWS,
        Condition(
            "labels-monotone-disjunction",
            "the labels are a monotone disjunction of the boolean features",
        ),
    ),
)
def disjunction_pac(features: int, error: Number, delta: Number) -> int:
    """Examples after which the simple disjunction learner is good.

    Theorem  The learner that drops every feature set in a negative example is consistent, and
             there are 2^d disjunctions: after (d ln 2 + ln(1 / delta)) / epsilon examples its
             error is below epsilon, with probability at least 1 - delta.
    Needs    features d: whole, >= 1.  error epsilon: 0 < epsilon < 1.  delta: 0 < delta < 1.
    Gives    a number of examples that is certainly enough.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Lemmas 6.1 and 6.2 and
             Theorem 6.3.

    Examples
    --------
    >>> disjunction_pac(features=10, error=0.1, delta=0.05)
    100
    """
    d = count("features", features, at_least=1)
    bits = d * ln(2) + ln(1 / inside_unit("delta", delta))
    return (bits / inside_unit("error", error)).ceil()


def uniform_convergence_finite_rows(
    class_size: int, slack: Number, delta: Number, sides: Literal[1, 2] = 2
) -> int:
    """How many examples bring every sample error this close to the true one.

    Examples
    --------
    >>> uniform_convergence_finite_rows(class_size=1000, slack=0.1, delta=0.05)
    530
    """
    s = inside_unit("slack", slack)
    return (_log_ways(class_size, one_or_two(sides), delta) / (2 * s**2)).ceil()


@theorem(
    "T51",
    kind="error",
    statement=(
        r"\forall h\in H:\ |\mathrm{err}_S(h)-\mathrm{err}_D(h)|"
        r"\le\sqrt{\frac{\ln|H|+\ln(2/\delta)}{2m}}"
    ),
    assumes=(INDEPENDENT_DRAWS, FIXED_CLASS),
    rows=uniform_convergence_finite_rows,
)
def uniform_convergence_finite(
    class_size: int, rows: int, delta: Number, sides: Literal[1, 2] = 2
) -> float:
    """How far any hypothesis of a finite class can be from its error on the sample.

    Theorem  With probability at least 1 - delta over m independent examples, all H hypotheses
             have |err_S - err_D| <= sqrt((ln H + ln(2 / delta)) / (2 m)). For err_D - err_S
             alone (one side) 1 / delta takes the place of 2 / delta.
    Needs    class_size H: whole, >= 1.  rows m: whole, >= 1.  delta: 0 < delta < 1.
             sides: 1 or 2.
    Gives    an upper bound on the difference, rounded up.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.7; Mohri,
             Rostamizadeh & Talwalkar, Foundations of Machine Learning, Theorem 2.2 (first
             edition).

    Examples
    --------
    >>> round(uniform_convergence_finite(class_size=1000, rows=500, delta=0.05), 6)
    0.10294
    """
    m = count("rows", rows, at_least=1)
    return sqrt(_log_ways(class_size, one_or_two(sides), delta) / (2 * m)).up()


@theorem(
    "T52",
    kind="sample-size",
    statement=r"m=\left\lceil\frac{2\ln(2|H|/\delta)}{\varepsilon^2}\right\rceil",
    assumes=(
        INDEPENDENT_DRAWS,
        FIXED_CLASS,
        Condition(
            "fewest-errors-in-class",
            "the hypothesis has the fewest errors on the examples of all in the class",
        ),
    ),
)
def agnostic_erm_finite(class_size: int, excess: Number, delta: Number) -> int:
    """Examples after which the best hypothesis on the sample is nearly the best of its class.

    Theorem  From 2 ln(2 H / delta) / epsilon^2 independent examples on, the hypothesis with the
             fewest errors on them has a true error of at most the smallest in the class of size
             H plus epsilon, with probability at least 1 - delta; no target is assumed.
    Needs    class_size H: whole, >= 1.  excess epsilon: 0 < epsilon < 1.  delta: 0 < delta < 1.
    Gives    a number of examples that is certainly enough.
    Source   Sakulwongtana, Supervised Learning (lecture notes), Theorem 7.8; Shalev-Shwartz &
             Ben-David, Understanding Machine Learning, Corollary 4.6.

    Examples
    --------
    >>> agnostic_erm_finite(class_size=1000, excess=0.1, delta=0.05)
    2120
    """
    # A sample is representative to half the excess: the slack of uniform convergence, halved.
    half = inside_unit("excess", excess) / 2
    return (_log_ways(class_size, 2, delta) / (2 * half**2)).ceil()


@theorem(
    "T53",
    kind="error",
    statement=(
        r"\max_{h\in H}|\mathrm{err}_S(h)-\mathrm{err}_D(h)|\le\tfrac\varepsilon2"
        r"\;\Rightarrow\;\mathrm{err}_D(\mathrm{ERM})\le\min_{h\in H}\mathrm{err}_D(h)+\varepsilon"
    ),
    assumes=(
        Condition(
            "representative-sample", "every sample error is within the slack of the true error"
        ),
        Condition(
            "fewest-errors-in-class",
            "the hypothesis has the fewest errors on the examples of all in the class",
        ),
    ),
)
def representative_sample_erm(slack: Number) -> float:
    """How much worse than the best of its class the best hypothesis on the sample can be.

    Theorem  If err_S and err_D differ by at most s for every hypothesis of the class, then the
             hypothesis of smallest err_S has a true error of at most the smallest err_D plus 2 s.
    Needs    slack s: finite, >= 0.
    Gives    an upper bound on the excess error, rounded up.
    Source   Shalev-Shwartz & Ben-David, Understanding Machine Learning, Lemma 4.2;
             Sakulwongtana, Supervised Learning (lecture notes), Lemma 7.2.

    Examples
    --------
    >>> representative_sample_erm(slack=0.05)
    0.1
    """
    return (2 * nonnegative("slack", slack)).up()
