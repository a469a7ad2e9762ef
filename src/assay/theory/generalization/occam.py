"""Occam's razor: hypotheses with short descriptions generalize."""

from __future__ import annotations

from typing import Literal

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.generalization.finite_class import CONSISTENT
from assay.theory.needs import Form, count, inside_unit, nonnegative, one_of, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, ln, sqrt
from assay.theory.tail.hoeffding import INDEPENDENT_DRAWS

Code = Literal["prefix-free", "any"]

FIXED_LANGUAGE = Condition(
    "language-fixed", "the language of descriptions was fixed before the examples were seen"
)
_FLOAT_BITS = 64


def _nats(bits: int, code: Code) -> Enclosure:
    """What a description of that many bits costs in a union bound over all descriptions."""
    one_of("code", code, "prefix-free", "any")
    if code == "any":
        # 2^s words of s bits, weighted 4^-s, add up to 1 from s = 1 on.
        return count("bits", bits, at_least=1) * ln(4)
    return count("bits", bits) * ln(2)


def _sure(delta: Number) -> Enclosure:
    return ln(1 / inside_unit("delta", delta))


def occam_bits_rows(bits: int, error: Number, delta: Number) -> int:
    """How many examples promise an error for consistent descriptions of fewer than b bits.

    Examples
    --------
    >>> occam_bits_rows(bits=50, error=0.1, delta=0.05)
    377
    """
    nats = count("bits", bits, at_least=1) * ln(2)
    return ((nats + _sure(delta)) / inside_unit("error", error)).ceil()


@theorem(
    "T45",
    kind="error",
    statement=r"\mathrm{err}_D(h)\le\frac{b\ln2+\ln(1/\delta)}{m}",
    assumes=(
        INDEPENDENT_DRAWS,
        FIXED_LANGUAGE,
        Condition("bits-fixed", "the number of bits was fixed before the examples were seen"),
        CONSISTENT,
    ),
    rows=occam_bits_rows,
)
def occam_bits(bits: int, rows: int, delta: Number) -> float:
    """The error of a consistent hypothesis with a description of limited length.

    Theorem  Fix b. With probability at least 1 - delta over m independent examples, every
             consistent hypothesis described in fewer than b bits has an error of at most
             (b ln 2 + ln(1 / delta)) / m. For a length read off the learned hypothesis this
             is no theorem: use occam-prefix-free.
    Needs    bits b: whole, >= 1, fixed in advance.  rows m: whole, >= 1.  delta: 0 < delta < 1.
    Gives    an upper bound, rounded up; above 1 it says nothing.
    Source   Blumer, Ehrenfeucht, Haussler & Warmuth, Occam's razor (1987); Blum, Hopcroft &
             Kannan, Foundations of Data Science, Theorem 6.5.

    Examples
    --------
    >>> round(occam_bits(bits=50, rows=500, delta=0.05), 7)
    0.0753062
    """
    nats = count("bits", bits, at_least=1) * ln(2)
    return ((nats + _sure(delta)) / count("rows", rows, at_least=1)).up()


def occam_prefix_free_rows(
    bits: int, error: Number, delta: Number, code: Code = "prefix-free"
) -> int:
    """How many examples promise an error for a consistent description of this many bits.

    Examples
    --------
    >>> occam_prefix_free_rows(bits=16, error=0.1, delta=0.05)
    141
    """
    return ((_nats(bits, code) + _sure(delta)) / inside_unit("error", error)).ceil()


@theorem(
    "T46",
    kind="error",
    statement=r"\mathrm{err}_D(h)<\frac{\mathrm{size}(h)\ln2+\ln(1/\delta)}{m}",
    assumes=(INDEPENDENT_DRAWS, FIXED_LANGUAGE, CONSISTENT),
    rows=occam_prefix_free_rows,
)
def occam_prefix_free(bits: int, rows: int, delta: Number, code: Code = "prefix-free") -> float:
    """The error of a consistent hypothesis, by the length of its own description.

    Theorem  With probability at least 1 - delta over m independent examples, all consistent
             hypotheses at once have an error below (size ln 2 + ln(1 / delta)) / m, if the
             descriptions are prefix-free; below (size ln 4 + ln(1 / delta)) / m for any
             descriptions of at least one bit. The size may depend on the examples.
    Needs    bits size: whole, >= 0 (>= 1 for any code).  rows m: whole, >= 1.
             delta: 0 < delta < 1.  code: "prefix-free" or "any".
    Gives    an upper bound, rounded up; above 1 it says nothing.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.5 with the weights
             of Corollary 6.8; constant from the proof, by Kraft's inequality.

    Examples
    --------
    >>> round(occam_prefix_free(bits=16, rows=10, delta=0.05), 6)
    1.408609
    """
    return ((_nats(bits, code) + _sure(delta)) / count("rows", rows, at_least=1)).up()


@theorem(
    "T47",
    kind="sample-size",
    statement=(
        r"m\ge\frac1\varepsilon\left(64q\ln2+\ln\frac1\delta\right),\qquad "
        r"m\ge\frac1{2\varepsilon^2}\left(64q\ln2+\ln\frac2\delta\right)"
    ),
    assumes=(
        INDEPENDENT_DRAWS,
        Condition("shape-fixed", "the shape of the model was fixed before the examples were seen"),
    ),
)
def occam_float64(
    weights: int,
    error: Number,
    delta: Number,
    case: Literal["consistent", "agnostic"] = "consistent",
) -> int:
    """Examples that make any model stored in so many 64-bit numbers trustworthy.

    Theorem  A model of q stored numbers is one of at most 2^(64 q). From
             (64 q ln 2 + ln(1 / delta)) / epsilon examples on, one without errors on them has
             an error below epsilon; from (64 q ln 2 + ln(2 / delta)) / (2 epsilon^2) on, the
             error of any model is within epsilon of its rate on them. Both with probability
             at least 1 - delta.
    Needs    weights q: whole, >= 1.  error epsilon: 0 < epsilon < 1.  delta: 0 < delta < 1.
             case: "consistent" or "agnostic".
    Gives    a number of examples that is certainly enough.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Theorems 6.4 and 6.7 for a
             class of 2^(64 q) hypotheses.

    Examples
    --------
    >>> occam_float64(weights=2, error=0.1, delta=0.05)
    918
    >>> occam_float64(weights=2, error=0.1, delta=0.05, case="agnostic")
    4621
    """
    one_of("case", case, "consistent", "agnostic")
    nats = _FLOAT_BITS * count("weights", weights, at_least=1) * ln(2)
    e, d = inside_unit("error", error), inside_unit("delta", delta)
    if case == "consistent":
        return ((nats + ln(1 / d)) / e).ceil()
    return ((nats + ln(2 / d)) / (2 * e**2)).ceil()


def _penalty(bits: int, delta: Number, code: Code, form: Form) -> Enclosure:
    one_of("form", form, "sharp", "textbook")
    sides = 2 if form == "textbook" else 1
    return _nats(bits, code) + ln(sides / inside_unit("delta", delta))


def regularized_occam_rows(
    bits: int,
    error: Number,
    delta: Number,
    observed: Number = 0,
    code: Code = "any",
    form: Form = "sharp",
) -> int:
    """How many examples promise an error for a description that errs on a given part of them.

    Examples
    --------
    >>> regularized_occam_rows(bits=20, error=0.2, delta=0.05, observed=0.1)
    1537
    """
    target, seen = inside_unit("error", error), unit("observed", observed)
    require(target.low > seen.low, "error", f"above the observed rate {observed!r}", error)
    return (_penalty(bits, delta, code, form) / (2 * (target - seen) ** 2)).ceil()


@theorem(
    "T54",
    kind="error",
    statement=(
        r"\mathrm{err}_D(h)\le\mathrm{err}_S(h)"
        r"+\sqrt{\frac{\mathrm{size}(h)\ln4+\ln(1/\delta)}{2m}}"
    ),
    assumes=(INDEPENDENT_DRAWS, FIXED_LANGUAGE),
    rows=regularized_occam_rows,
)
def regularized_occam(
    errors: Number, rows: int, bits: int, delta: Number, code: Code = "any", form: Form = "sharp"
) -> float:
    """The error of any hypothesis, by its errors on the sample and the length of its description.

    Theorem  With probability at least 1 - delta over m independent examples, all hypotheses at
             once have err_D <= err_S + sqrt((size ln 4 + ln(1 / delta)) / (2 m)), with ln 2 in
             the place of ln 4 if the descriptions are prefix-free. The textbook's form has
             2 / delta, and then bounds err_S - err_D as well.
    Needs    errors: 0 <= errors <= m, a count or a sum of losses.  rows m: whole, >= 1.
             bits size: whole, >= 1 (>= 0 if prefix-free).  delta: 0 < delta < 1.
             code: "prefix-free" or "any".  form: "sharp" or "textbook".
    Gives    an upper bound, rounded up; above 1 it says nothing.
    Source   Blum, Hopcroft & Kannan, Foundations of Data Science, Corollary 6.8; the one-sided
             and the prefix-free constants are from its proof.

    Examples
    --------
    >>> round(regularized_occam(errors=30, rows=400, bits=18, delta=0.05, code="prefix-free"), 6)
    0.21407
    """
    k, m = nonnegative("errors", errors), count("rows", rows, at_least=1)
    require(k.low <= m, "errors", f"at most the number of rows {m}", errors)
    return (k / m + sqrt(_penalty(bits, delta, code, form) / (2 * m))).up()
