"""How many bits the questions of a decision tree take beyond naming the feature."""

from __future__ import annotations

import math
import struct
from decimal import Decimal

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count
from assay.theory.registry import theorem

_SINGLE_BITS = 32
_MOST_DIGITS = 9


def single_below(threshold: float) -> float:
    """The largest float32 that is at most a number: cells that are float32 cannot tell the two apart.

    Examples
    --------
    >>> single_below(0.1), single_below(0.5)
    (0.09999999403953552, 0.5)
    """
    if math.isinf(threshold):
        return threshold
    bits = _bits_of_single(threshold)
    near = _single(bits)
    if near <= threshold:
        return near
    if near == 0.0:
        return _single(0x80000001)
    return _single(bits + 1 if near < 0 else bits - 1)


def _bits_of_single(value: float) -> int:
    try:
        packed = struct.pack("<f", value)
    except OverflowError:
        packed = struct.pack("<f", math.copysign(math.inf, value))
    return int(struct.unpack("<I", packed)[0])


def _single(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


def short_threshold(threshold: float) -> str:
    """The shortest decimal number that divides all float32 cells as a threshold does.

    Examples
    --------
    >>> short_threshold(0.44999998807907104), short_threshold(37.5), short_threshold(1e30)
    ('0.45', '37.5', '1e+30')
    """
    wanted = single_below(threshold)
    for digits in range(1, 18):
        text = f"{threshold:.{digits}g}"
        if single_below(float(text)) == wanted:
            return text
    return repr(threshold)


@theorem(
    kind="complexity",
    statement=(
        r"\mathrm{size}(t)=\min\{33,\;2+\gamma(e')+\delta(m+1)\},\quad t\sim\pm m\,10^e,\quad"
        r"\gamma(k)=2\lfloor\log_2k\rfloor+1,\quad"
        r"\delta(k)=\lfloor\log_2k\rfloor+\gamma(\lfloor\log_2k\rfloor+1)"
    ),
    assumes=(Condition("float32-cells", "cells are compared as float32 numbers"),),
)
def threshold_description_length(threshold: float) -> int:
    """Bits that write down a threshold in a prefix-free code.

    Theorem  Cells that are float32 numbers are divided by a threshold as by the largest float32 at
             most it. Write a bit 0 and the 32 bits of that; or a bit 1, a sign and a decimal
             number m 10^e that divides them alike, e by Elias's gamma code (0, -1, 1, -2, 2, ...
             counted from 1) and m + 1 by his delta code. Whichever is shorter counts; no word
             begins another.
    Needs    threshold: a number, not NaN; infinity stands above every cell.
    Gives    the exact number of bits, 33 at most.
    Source   Elias, Universal codeword sets and representations of the integers (1975).

    Examples
    --------
    >>> [threshold_description_length(t) for t in (0.5, 37.5, 3.14159274, float("inf"))]
    [10, 20, 33, 33]
    """
    given: object = threshold
    fine = isinstance(given, float | int) and not isinstance(given, bool)
    require(fine and not math.isnan(threshold), "threshold", "a number", threshold)
    raw = 1 + _SINGLE_BITS
    if math.isinf(threshold):
        return raw
    _, digits, exponent = Decimal(short_threshold(threshold)).as_tuple()
    if len(digits) > _MOST_DIGITS or not isinstance(exponent, int):
        return raw
    mantissa = int("".join(map(str, digits)))
    while mantissa and mantissa % 10 == 0:
        mantissa, exponent = mantissa // 10, exponent + 1
    exponent = exponent if mantissa else 0
    folded = 2 * exponent + 1 if exponent >= 0 else -2 * exponent
    return min(raw, 2 + _gamma(folded) + _delta(mantissa + 1))


def _gamma(number: int) -> int:
    return 2 * number.bit_length() - 1


def _delta(number: int) -> int:
    return number.bit_length() - 1 + _gamma(number.bit_length())


@theorem(
    kind="complexity",
    statement=r"\mathrm{size}=\lceil\log_2(2^{v-1}-1)\rceil",
    assumes=(
        Condition(
            "feature-values-known", "the values of the feature are known before the examples"
        ),
    ),
)
def grouping_description_length(values: int) -> int:
    """Bits that say which values of a feature go to the left child, which to the right.

    Theorem  There are 2^(v-1) - 1 ways to divide v values into two groups that are not empty, and
             which of them comes first makes no other tree. Their numbers, all written with the
             same bits, are a prefix-free code; a feature of two values needs none.
    Needs    values v: whole, >= 2; a missing value, where there can be one, counts.
    Gives    the exact number of bits.
    Source   Constant from the proof; Breiman, Friedman, Olshen & Stone (1984), section 2.4, count
             the groupings.

    Examples
    --------
    >>> grouping_description_length(2), grouping_description_length(3), grouping_description_length(6)
    (0, 2, 5)
    """
    groupings: int = 2 ** (count("values", values, at_least=2) - 1) - 1
    return (groupings - 1).bit_length()
