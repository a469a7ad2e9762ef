"""Textbook theorems whose proof is a binomial tail and a union bound, with the tail left exact.

The textbook bounds the tail by an exponential to get a formula one can read; the exact tail gives
the smaller number the same proof allows. Both are shown, one beside the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from assay.errors import require
from assay.theory.claim import BUILT, DRAWN, SETTLED, Condition, choice_claim, training_claim
from assay.theory.needs import count, counts, inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, exact, ln, sqrt
from assay.theory.tail.binomial import IID, upper_rate
from assay.theory.tail.integer_verifier import confirm_rate, read_counts
from assay.theory.tail.integers import MOST_ROWS
from assay.theory.tail.progressive_anytime import PREDICTED_FIRST

CODE_FIXED = Condition(
    "code-fixed", "the code was fixed before the rows were seen, and no code word begins another"
)
CLASS_FIXED = Condition("class-fixed", "the class was fixed before the rows were seen")
_DOUBLE_BITS = 53
# A file is not trusted: a larger power of two would be a way to make a verifier work for hours.
_MOST_BITS = 1_000_000


def _read(errors: int, rows: int, delta: Number) -> tuple[int, int, Fraction]:
    return *counts(errors, rows), inside_unit("delta", delta).low


def _hoeffding(errors: int, rows: int, log_share: Enclosure) -> float:
    return (exact(errors) / rows + sqrt(log_share / (2 * rows))).up()


def occam_hoeffding(errors: int, rows: int, bits: int, delta: Number) -> float:
    """`occam-exact` with Hoeffding's exponential in place of the tail."""
    k, n, level = _read(errors, rows, delta)
    return _hoeffding(k, n, count("bits", bits, at_least=1) * ln(2) + ln(1 / level))


def _confirm_occam(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    errors, rows, delta = read_counts(inputs)
    bits = count("bits", inputs["bits"], at_least=1)
    if promised >= 1 and errors < rows and bits > _MOST_BITS:
        return True, True  # so long a description leaves nothing to promise
    require(bits <= _MOST_BITS, "bits", f"at most {_MOST_BITS}", bits)
    return confirm_rate(errors, rows, delta / 2**bits, promised, at_length)


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D(h)\le\sup\{p:\Pr[\mathrm{Bin}(m,p)\le k]\ge\delta\,2^{-\mathrm{size}(h)}\}",
    assumes=(IID, CODE_FIXED),
    textbook=("regularized-occam", occam_hoeffding),
    claim=(training_claim(DRAWN, SETTLED), choice_claim(DRAWN, BUILT)),
    checker=_confirm_occam,
)
def occam_exact(errors: int, rows: int, bits: int, delta: Number) -> float:
    """The error of a rule chosen on the very rows it is judged by, paid for by its description.

    Theorem  In a prefix-free code the rules share delta as delta 2^-size, a sum of at most delta
             by Kraft; so all of them at once obey their own exact binomial bound.
    Needs    errors k: whole, 0 <= k <= m, on the training rows.  rows m: whole, >= 1.
             bits: the size of the chosen rule, whole, >= 1.  delta: strictly between 0 and 1.
    Gives    the smallest double that the proof allows.
    Source   Blumer, Ehrenfeucht, Haussler & Warmuth, Occam's razor (1987); Langford, Tutorial on
             practical prediction theory for classification (JMLR 2005).

    Examples
    --------
    >>> round(occam_exact(errors=30, rows=400, bits=18, delta=0.05), 12)
    0.161885546745
    """
    k, n, level = _read(errors, rows, delta)
    size = count("bits", bits, at_least=1)
    if size > _DOUBLE_BITS * n:
        return 1.0  # at the double next to 1 the tail is at least 2^-53n: above delta 2^-size
    return upper_rate(k, n, level / 2**size)


def finite_class_hoeffding(errors: int, rows: int, class_size: int, delta: Number) -> float:
    """`finite-class-exact` with Hoeffding's exponential in place of the tail."""
    k, n, level = _read(errors, rows, delta)
    return _hoeffding(k, n, ln(count("class_size", class_size, at_least=1) / level))


def _confirm_finite_class(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    errors, rows, delta = read_counts(inputs)
    size = count("class_size", inputs["class_size"], at_least=1)
    return confirm_rate(errors, rows, delta / size, promised, at_length)


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D(h)\le\sup\{p:\Pr[\mathrm{Bin}(m,p)\le k]\ge\delta/|H|\}",
    assumes=(IID, CLASS_FIXED),
    textbook=("uniform-convergence-finite", finite_class_hoeffding),
    checker=_confirm_finite_class,
)
def finite_class_exact(errors: int, rows: int, class_size: int, delta: Number) -> float:
    """The error of whichever member of a finite class was chosen, on the rows it was chosen by.

    Theorem  Each of the #H rules breaks its exact binomial bound at delta / #H with probability
             at most delta / #H, so none does with probability at least 1 - delta.
    Needs    errors k: whole, 0 <= k <= m.  rows m: whole, >= 1.  class_size #H: whole, >= 1.
             delta: strictly between 0 and 1.
    Gives    the smallest double that the proof allows.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.7, with the tail exact.

    Examples
    --------
    >>> round(finite_class_exact(errors=50, rows=1000, class_size=1000, delta=0.05), 12)
    0.082196104862
    """
    k, n, level = _read(errors, rows, delta)
    return upper_rate(k, n, level / count("class_size", class_size, at_least=1))


def _gap_share(delta: Number, mistakes: int | None, hypotheses: int | None) -> Fraction:
    level = inside_unit("delta", delta).low
    one = (mistakes is None) != (hypotheses is None)
    require(one, "mistakes or hypotheses", "given, one of the two", (mistakes, hypotheses))
    if hypotheses is not None:
        return level / count("hypotheses", hypotheses, at_least=1)
    i = count("mistakes", mistakes)
    return level / ((i + 1) * (i + 2))


def large_gap_textbook(
    run: int, delta: Number, mistakes: int | None = None, hypotheses: int | None = None
) -> float:
    """`large-gap-exact` with e^(-pn) in place of (1 - p)^n."""
    share = _gap_share(delta, mistakes, hypotheses)
    return (ln(1 / share) / count("run", run, at_least=1)).up()


def _confirm_large_gap(
    inputs: Mapping[str, Any], promised: Fraction, at_length: bool
) -> tuple[bool, bool]:
    share = _gap_share(inputs["delta"], inputs.get("mistakes"), inputs.get("hypotheses"))
    return confirm_rate(0, count("run", inputs["run"], at_least=1), share, promised, at_length)


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D(h)\le1-\delta_i^{1/g},\quad\delta_i=\tfrac{\delta}{(i+1)(i+2)}",
    assumes=(
        IID,
        Condition("unchanged-hypothesis", "the hypothesis did not change during the run"),
    ),
    textbook=("online-to-batch-large-gap", large_gap_textbook),
    checker=_confirm_large_gap,
)
def large_gap_exact(
    run: int, delta: Number, mistakes: int | None = None, hypotheses: int | None = None
) -> float:
    """The error of an online learner's hypothesis after a run without mistakes.

    Theorem  The run after the i-th mistake is geometric, so (1 - p)^run falls below delta_i with
             probability at most delta_i; the delta_i sum to delta. With a number N of hypotheses
             declared in advance, delta_i = delta / N.
    Needs    run g: correct predictions in a row, whole, >= 1.  delta: strictly between 0 and 1.
             mistakes i: made before the run, whole, >= 0; or hypotheses N: whole, >= 1.
    Gives    the smallest double that the proof allows.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.15, with the
             geometric tail exact and weights 1 / ((i + 1)(i + 2)).

    Examples
    --------
    >>> round(large_gap_exact(run=200, delta=0.05, mistakes=3), 12)
    0.029513049607
    """
    share = _gap_share(delta, mistakes, hypotheses)
    length = count("run", run, at_least=1)
    require(length <= MOST_ROWS, "run", f"at most {MOST_ROWS}", run)
    return upper_rate(0, length, share)


@theorem(
    kind="error",
    statement=r"\frac1g\sum_{t}\mathrm{err}_D(h_t)\le1-\delta_i^{1/g},\quad\delta_i=\tfrac{\delta}{(i+1)(i+2)}",
    assumes=(IID, PREDICTED_FIRST),
    textbook=("online-to-batch-large-gap", large_gap_textbook),
    checker=_confirm_large_gap,
)
def large_gap_average(run: int, mistakes: int, delta: Number) -> float:
    """The mean error of the hypotheses that an online learner held during a run without mistakes.

    Theorem  Let e_t be the error of the hypothesis that predicts row t, which may change after every
             row. From the i-th mistake on, the product of 1 / (1 - e_t), counted as zero once a row
             is mistaken, has mean one at every moment; by Ville's inequality it ever reaches
             1 / delta_i with probability at most delta_i, and the delta_i sum to delta. By the means'
             inequality it is at least (1 - e)^-g after g right rows with mean error e.
    Needs    run g: correct predictions in a row, whole, >= 1.  mistakes i: made before the run,
             whole, >= 0.  delta: strictly between 0 and 1.
    Gives    the smallest double that the proof allows; it holds for all i and g at once.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.4.4, the remark after
             Theorem 6.15; the product in place of the tail is derived.

    Examples
    --------
    >>> round(large_gap_average(run=200, mistakes=3, delta=0.05), 12)
    0.029513049607
    """
    return large_gap_exact(run, delta, mistakes=mistakes)


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D(\mathrm{vote})\le2\,\varepsilon,\quad\varepsilon\text{ the bound of large-gap-average}",
    assumes=(IID, PREDICTED_FIRST),
)
def large_gap_average_vote(run: int, mistakes: int, delta: Number) -> float:
    """The error of the vote of the hypotheses that were held during a run without mistakes.

    Theorem  Where the vote is wrong, at least half of the hypotheses err. By Markov's inequality it
             errs with at most twice their mean error, which large-gap-average bounds; the two fail
             together.
    Needs    as large-gap-average.
    Gives    an upper bound, rounded up; it may exceed 1.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.4.4, for the mean;
             the vote is derived.

    Examples
    --------
    >>> round(large_gap_average_vote(run=200, mistakes=3, delta=0.05), 12)
    0.059026099214
    """
    return 2 * large_gap_average(run, mistakes, delta)
