"""The error of a vote of decision stumps, from the rows between which its thresholds lie."""

from __future__ import annotations

from assay.errors import require
from assay.theory.claim import BUILT, DRAWN, SAID, SETTLED, Condition, training_claim
from assay.theory.generalization.compression import REBUILT, SETTINGS_FIXED, compression_classic
from assay.theory.needs import count
from assay.theory.registry import theorem
from assay.theory.rounding import Number
from assay.theory.tail.binomial import IID

MIDWAY = Condition(
    "stumps-from-kept-rows",
    "each threshold lies midway between the values of two kept rows, and each stump says the label of a "
    "kept row below it and one above it, or one everywhere",
)
_DOUBLES = 2**64
_MOST_STUMPS = 100_000


@theorem(
    kind="error",
    statement=(
        r"\mathrm{err}_D(h)\le\sup\Bigl\{p:\Pr[\mathrm{Bin}(m-k,p)\le e]"
        r"\ge\frac\delta{(m+1)\binom mk\,N}\Bigr\},\quad N=T_{\max}\bigl((dk^2C^2+C)\,V\bigr)^T"
    ),
    assumes=(IID, SETTINGS_FIXED, REBUILT, MIDWAY),
    claim=training_claim(DRAWN, SETTLED, SAID, BUILT, most=(("size", 50_000),)),
)
def stump_vote_compression(
    errors: int,
    size: int,
    rows: int,
    delta: Number,
    stumps: int,
    features: int,
    classes: int = 2,
    most_stumps: int | None = None,
    weighted: bool = True,
) -> float:
    """The error of a vote of stumps that was learned from the rows themselves.

    Theorem  A stump on d features is one of d k^2 C^2 + C, once the k rows are known on whose values
             the thresholds rest: a feature, a row below, a row above, and for each side a label of the
             C that kept rows have; or one label. With its vote, a double, it is one of V = 2^64 times
             as many. T of them, T <= T_max, are therefore one of N messages, and compression-classic
             holds: all sets of rows and all messages at once.
    Needs    errors e: on the rows outside the k kept ones, whole, 0 <= e <= m - k.  size k: whole,
             0 <= k <= m.  rows m: whole, 1 <= m <= 10^6.  delta: strictly between 0 and 1.  stumps
             T: whole, >= 1.  features d: whole, >= 1.  classes C: whole, >= 2, the labels of kept
             rows or more.  most_stumps T_max: whole, T <= T_max <= 10^5, fixed in advance; T when not
             given.  weighted: whether votes are weighed.
    Gives    the smallest double that the proof allows; 1 for k = m, and where it would exceed 15/16
             because the message is long.
    Source   Littlestone & Warmuth, Relating data compression and learnability (1986); the messages
             are counted in the documentation.

    Examples
    --------
    >>> settings = {"features": 57, "stumps": 9, "size": 15, "weighted": False}
    >>> round(stump_vote_compression(errors=300, rows=4000, delta=0.05, **settings), 6)
    0.187944
    """
    t, k = count("stumps", stumps, at_least=1), count("size", size)
    d, c = count("features", features, at_least=1), count("classes", classes, at_least=2)
    most = t if most_stumps is None else count("most_stumps", most_stumps, at_least=1)
    require(most <= _MOST_STUMPS, "most_stumps", f"at most {_MOST_STUMPS}", most)
    require(t <= most, "stumps", f"at most most_stumps, {most}", stumps)
    require(weighted in (True, False), "weighted", "True or False", weighted)
    one = (d * k * k * c * c + c) * (_DOUBLES if weighted else 1)
    m = count("rows", rows, at_least=1)
    # With p at most 15/16, (1 - p)^(m - k) is at least 2^-4(m - k): above the share of so long a message.
    too_long = t * (one.bit_length() - 1) > 4 * max(m - k, 0)
    messages = 1 if too_long else most * one**t
    bound = compression_classic(errors, size, rows, delta, messages=messages)
    return 1.0 if too_long else bound
