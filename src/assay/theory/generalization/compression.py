"""Certificates from the training rows themselves: few of them fix the classifier, the others test it."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from assay.errors import require
from assay.theory.claim import BUILT, DRAWN, SAID, SETTLED, Condition, training_claim
from assay.theory.generalization.compression_weights import GuessedWeights
from assay.theory.needs import count, inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number
from assay.theory.tail.binomial import IID, upper_rate
from assay.theory.tail.integers import Tail, binomial_tail
from assay.theory.tail.search import smallest_double

SETTINGS_FIXED = Condition(
    "settings-fixed", "the learner and its settings were fixed before the rows were seen"
)
PREFERENT = Condition(
    "stable-kept-rows", "leaving out rows that were not kept never changes which rows are kept"
)
COVERED = Condition(
    "wrong-rows-kept", "a row that the classifier gets wrong would be kept if it were added"
)
GUESS_FIXED = Condition("guess-fixed", "the guess was fixed before the rows were seen")
LEAST_HINGE = Condition(
    "least-penalised-loss",
    "the machine minimises half the squared norm plus C times the summed losses, convex ones that are "
    "zero from a margin of one on and nowhere else, with one C for all rows of a class",
)
KERNEL_FIXED = Condition(
    "kernel-and-c-fixed", "kernel, feature map, scaling and C were fixed before the rows were seen"
)
MISTAKE_DRIVEN = Condition(
    "mistake-driven",
    "the learner changes on mistakes only, or on narrow escapes that are counted as such, by these rows "
    "and their order alone",
)
SAME_ORDER = Condition(
    "same-order-every-pass",
    "the rows were drawn in the order in which they were played, the same in every pass",
)
FRESH_ORDERS = Condition(
    "order-of-each-pass-drawn",
    "the order of every pass was drawn at random, each order alike, without regard to the rows",
)
REBUILT = Condition(
    "rebuilt-from-kept-rows", "the kept rows alone, in their order, give the classifier again"
)

_MOST_ROWS = 10**6
_DOUBLE_BITS = 53
_CLOSE, _GRID_BITS = 1e-12, 40
# Below this a promise is no longer computed in doubles, as the weighted one is.
_LEAST_DELTA = Fraction(1, 10**200)


@theorem(
    kind="error",
    statement=r"\phi(S)\le\varepsilon,\quad"
    r"\delta\,\Pr[\mathrm{Bin}(m,\varepsilon)>k]=m\varepsilon\,\Pr[\mathrm{Bin}(m,\varepsilon)=k]",
    assumes=(IID, SETTINGS_FIXED, PREFERENT, COVERED),
    claim=training_claim(DRAWN, SETTLED, SAID, SAID),
)
def preferent_compression(size: int, rows: int, delta: Number) -> float:
    """The error of a classifier that a few kept rows fix.

    Theorem  A learner keeps k of m rows, which fix its classifier. If rows that were not kept can be
             left out without changing which are kept, then with probability at least 1 - delta
             the chance that one more row would change them is at most the root e of
             delta P[Bin(m, e) > k] = m e P[Bin(m, e) = k]. So is the error, if every row that the
             classifier gets wrong would change them.
    Needs    size k: whole, 0 <= k <= m.  rows m: whole, 1 <= m <= 10^6.  delta: strictly between 0
             and 1.
    Gives    the smallest double that the proof allows, decided without rounding; 1 for k = m.
    Source   Campi & Garatti, Compression, generalization and learning (JMLR 2023). The one-sided
             equation in closed form is from the proof in the documentation.

    Examples
    --------
    >>> round(preferent_compression(size=50, rows=1000, delta=0.05), 12)
    0.07323196174
    """
    return _preferent(*_read(size, rows, delta))


def _read(size: int, rows: int, delta: Number, name: str = "size") -> tuple[int, int, Fraction]:
    m, k = count("rows", rows, at_least=1), count(name, size)
    require(m <= _MOST_ROWS, "rows", f"at most {_MOST_ROWS}", rows)
    require(k <= m, name, f"at most the number of rows {m}", size)
    return k, m, inside_unit("delta", delta).low


def _preferent(k: int, m: int, level: Fraction) -> float:
    if k == m:
        return 1.0

    def settled(rate: float) -> bool:
        if rate >= 1.0:
            return True
        # P[Bin = k] (P[Bin <= k] / P[Bin = k] + m e / delta) is at most one from the root on.
        tail, more = binomial_tail(k, m, Fraction(rate)), m * Fraction(rate) / level
        above = Tail(tail.log_term, tail.ratio_low + more, tail.ratio_high + more)
        return above.at_most(Decimal(0)) is True

    log_choose = math.lgamma(m + 1) - math.lgamma(k + 1) - math.lgamma(m - k + 1)
    log_inverse = math.log(level.denominator) - math.log(level.numerator)

    def height(rate: float) -> float:
        """The logarithm of the same in doubles, for the guess."""
        term = ratio = 1.0
        for i in range(k, 0, -1):
            term *= i * (1 - rate) / ((m - i + 1) * rate)
            ratio += term
            if term < 1e-17 * ratio:
                break
        log_ratio, log_more = math.log(ratio), math.log(m * rate) + log_inverse
        larger = max(log_ratio, log_more)
        larger += math.log1p(math.exp(-abs(log_ratio - log_more)))
        return log_choose + k * math.log(rate) + (m - k) * math.log1p(-rate) + larger

    return smallest_double(settled, 0.0, 1.0, _crossing(height, k, m, level))


def _crossing(height: Callable[[float], float], k: int, m: int, level: Fraction) -> float:
    """A rate at which a falling function is not above zero, and hardly larger than need be."""
    need = math.log(m) + math.log(level.denominator) - math.log(level.numerator)
    low = k / m if 4 * level.numerator < level.denominator else 0.0
    high = (k + need + 2 * math.sqrt((k + 1) * need)) / m
    while high < 1.0 and (below := height(high)) > 0:
        low, high = high, 2 * high
    if high >= 1.0:
        high, below = 1.0, -need
    above, stuck = need, 0
    while high - low > _CLOSE * high:
        # Regula falsi, with the height of an end that stays weighed down, and a bisection now and then.
        stuck += 1
        share = above / (above - below) if stuck % 4 and above > 0 > below else 0.5
        rate = low + (high - low) * min(max(share, 1e-3), 1 - 1e-3)
        if not low < rate < high:
            break
        value = height(rate)
        if value > 0:
            low, above, below = rate, value, below / 2
        else:
            high, below, above = rate, value, above / 2
    return high


@theorem(
    kind="error",
    statement=r"\phi(S)\le\sup\Bigl\{\varepsilon:\sum_{M=k}^{m-1}w_M\binom Mk\binom mk^{-1}"
    r"(1-\varepsilon)^{-(m-M)}<\tfrac1\delta\Bigr\}",
    assumes=(IID, SETTINGS_FIXED, PREFERENT, COVERED, GUESS_FIXED),
    claim=training_claim(DRAWN, SETTLED, SAID, SAID, SETTLED, most=(("rows", 100_000),)),
)
def preferent_compression_weighted(
    size: int, rows: int, delta: Number, guess: int | None = None
) -> float:
    """The same as preferent-compression, tighter where a guess of the size was about right.

    Theorem  For each M < m the quantity C(M, k) / C(m, k) (1 - e)^-(m - M), at e the chance that one
             more row would change the k kept ones, has a mean of at most one; so has any mean of
             them with weights fixed in advance, and by Markov's inequality it reaches 1 / delta
             with probability at most delta. Half of the weights here are equal, and half lie
             around the M that would be best for a guessed size.
    Needs    size k: whole, 0 <= k <= m.  rows m: whole, 1 <= m <= 10^6.  delta: at least 10^-200,
             below 1.  guess: whole, 0 <= guess < m; when not given, 3 rows in a hundred.
    Gives    an upper bound, rounded up; 1 for k = m.
    Source   Campi & Garatti, Compression, generalization and learning (JMLR 2023), for equal
             weights; free weights are from the proof in the documentation.

    Examples
    --------
    >>> round(preferent_compression_weighted(size=50, rows=1000, delta=0.05, guess=30), 10)
    0.0709797759
    """
    k, m, level = _read(size, rows, delta)
    require(level >= _LEAST_DELTA, "delta", "at least 1e-200", delta)
    expected = 3 * m // 100 if guess is None else count("guess", guess)
    require(expected < m, "guess", f"below the number of rows {m}", guess)
    if k == m:
        return 1.0
    mixture = GuessedWeights(m, expected, level)
    about = _crossing(lambda rate: -mixture.log_excess(k, rate), k, m, level)
    return _on_grid(lambda rate: mixture.reached(k, rate), about)


def _on_grid(reached: Callable[[float], bool], rate: float) -> float:
    """The least number of 40 bits from which on a condition holds, near a given one.

    Sums of doubles are good to less than these bits tell apart, so that the number comes out the same on
    every machine, whichever way the search for it went.
    """
    if rate >= 1.0:
        return 1.0
    mantissa, power = math.frexp(rate)
    step = math.ldexp(1.0, power - _GRID_BITS)
    place = math.ceil(mantissa * 2**_GRID_BITS)
    while not reached(place * step):
        place += 1
    while reached((place - 1) * step):
        place -= 1
    return float(min(place * step, 1.0))


@theorem(
    kind="error",
    statement=r"\Pr[y\,f(x)\le1]\le\varepsilon,\quad"
    r"\delta\,\Pr[\mathrm{Bin}(m,\varepsilon)>k]=m\varepsilon\,\Pr[\mathrm{Bin}(m,\varepsilon)=k],"
    r"\quad k=|\{i:y_if(x_i)\le1\}|",
    assumes=(IID, KERNEL_FIXED, LEAST_HINGE),
    claim=training_claim(DRAWN, SETTLED, SAID),
)
def svm_support_compression(support: int, rows: int, delta: Number) -> float:
    """The error of a support vector machine, from the rows that do not clear its margin.

    Theorem  A support vector machine keeps the k rows with y f(x) <= 1: without the others it is the
             same. So with probability at least 1 - delta the chance that a new row does not clear
             the margin, and with it the error, is at most what preferent-compression gives. Where
             several f are minimisers, the rows that do not clear the margin of one of them are
             kept; where there is a machine for each class or for each pair of classes, those that do
             not clear the margin of a machine they were shown to.
    Needs    support k: whole, 0 <= k <= m, rows on the margin included.  rows m: whole,
             1 <= m <= 10^6.  delta: strictly between 0 and 1.
    Gives    the smallest double that the proof allows; 1 for k = m.
    Source   Campi & Garatti, Compression, generalization and learning (JMLR 2023).

    Examples
    --------
    >>> round(svm_support_compression(support=27, rows=400, delta=0.05), 12)
    0.110202611975
    """
    return _preferent(*_read(support, rows, delta, "support"))


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D(h)\le\varepsilon,\quad"
    r"\delta\,\Pr[\mathrm{Bin}(m,\varepsilon)>k]=m\varepsilon\,\Pr[\mathrm{Bin}(m,\varepsilon)=k],"
    r"\quad k=\text{rows mistaken}+\text{further rows wrong at the end}",
    assumes=(IID, SETTINGS_FIXED, MISTAKE_DRIVEN, SAME_ORDER),
    claim=training_claim(DRAWN, SETTLED, BUILT, SAID),
)
def mistake_compression(mistaken: int, rows: int, delta: Number, errors: int = 0) -> float:
    """The error of the last hypothesis of a learner that changes on mistakes only.

    Theorem  Play m rows, in one pass or in several, with a learner that changes on mistakes only. The
             rows it ever mistook and those that its last hypothesis gets wrong, k together,
             are kept under any loss of the others. So with probability at least 1 - delta the error
             of the last hypothesis is at most what preferent-compression gives.
    Needs    mistaken: the rows that changed the learner at least once, whole, >= 0.  rows m: whole,
             1 <= m <= 10^6.  delta: strictly between 0 and 1.  errors: further rows that the last
             hypothesis gets wrong, whole, >= 0.  Both together at most m.
    Gives    the smallest double that the proof allows; 1 for k = m.
    Source   Floyd & Warmuth, Sample compression, learnability, and the Vapnik-Chervonenkis dimension
             (1995), for mistakes as a compression; Campi & Garatti (JMLR 2023) for the equation.
             That the two fit together is shown in the documentation.

    Examples
    --------
    >>> round(mistake_compression(mistaken=12, errors=4, rows=250, delta=0.05), 12)
    0.117915294544
    """
    return _mistaken_or_wrong(mistaken, rows, delta, errors)


def _mistaken_or_wrong(mistaken: int, rows: int, delta: Number, errors: int) -> float:
    first, m, level = _read(mistaken, rows, delta, "mistaken")
    wrong = count("errors", errors)
    rest = m - first
    require(wrong <= rest, "errors", f"at most the number of other rows {rest}", errors)
    return _preferent(first + wrong, m, level)


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D(h)\le\varepsilon,\quad"
    r"\delta\,\Pr[\mathrm{Bin}(m,\varepsilon)>k]=m\varepsilon\,\Pr[\mathrm{Bin}(m,\varepsilon)=k],"
    r"\quad k=\text{rows mistaken}+\text{further rows wrong at the end}",
    assumes=(IID, SETTINGS_FIXED, MISTAKE_DRIVEN, FRESH_ORDERS),
    claim=training_claim(DRAWN, SETTLED, BUILT, SAID),
)
def shuffled_mistake_compression(mistaken: int, rows: int, delta: Number, errors: int = 0) -> float:
    """The error of the last hypothesis of a learner that changes on mistakes only and shuffles in every pass.

    Theorem  Play m rows, in one pass or in several, each in an order of its own drawn at random, with a
             learner that changes on mistakes only. With probability at least 1 - delta over rows and
             orders the error of the last hypothesis is at most what mistake-compression gives.
    Needs    mistaken: the rows that changed the learner at least once, whole, >= 0.  rows m: whole,
             1 <= m <= 10^6.  delta: strictly between 0 and 1.  errors: further rows that the last
             hypothesis gets wrong, whole, >= 0.  Both together at most m.
    Gives    the smallest double that the proof allows; 1 for k = m.
    Source   Campi & Garatti (JMLR 2023) for the equation; that arrival times of every pass may be put into
             the rows is shown in the documentation.

    Examples
    --------
    >>> round(shuffled_mistake_compression(mistaken=12, errors=4, rows=250, delta=0.05), 12)
    0.117915294544
    """
    return _mistaken_or_wrong(mistaken, rows, delta, errors)


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D(h)\le\sup\Bigl\{p:\Pr[\mathrm{Bin}(m-k,p)\le e]"
    r"\ge\frac\delta{(m+1)\binom mk\,N}\Bigr\}",
    assumes=(IID, SETTINGS_FIXED, REBUILT),
    claim=training_claim(DRAWN, SETTLED, SAID, most=(("size", 50_000),)),
)
def compression_classic(
    errors: int, size: int, rows: int, delta: Number, messages: int = 1
) -> float:
    """The error of a classifier that can be rebuilt from a few of its training rows.

    Theorem  Each set of k rows, with each of N messages, rebuilds one classifier, for which the other
             m - k rows are a fresh holdout. Its exact bound is paid for by an equal share of
             delta among the m + 1 sizes, the C(m, k) sets and the messages; so all hold at once.
    Needs    errors e: on the rows outside the set, whole, 0 <= e <= m - k.  size k: whole,
             0 <= k <= m.  rows m: whole, 1 <= m <= 10^6.  delta: strictly between 0 and 1.
             messages N: whole, >= 1, how many further messages the rebuilding could be told.
    Gives    the smallest double that the proof allows; 1 for k = m.
    Source   Littlestone & Warmuth, Relating data compression and learnability (1986); Langford,
             Tutorial on practical prediction theory for classification (JMLR 2005).

    Examples
    --------
    >>> round(compression_classic(errors=30, size=20, rows=1000, delta=0.05), 12)
    0.17720583311
    """
    k, m, level = _read(size, rows, delta)
    wrong, ways = count("errors", errors), count("messages", messages, at_least=1)
    require(wrong <= m - k, "errors", f"at most the number of other rows {m - k}", errors)
    if wrong == m - k:
        return 1.0
    share = level / ((m + 1) * math.comb(m, k) * ways)
    if share.denominator.bit_length() - share.numerator.bit_length() > _DOUBLE_BITS * (m - k):
        return 1.0  # at the double next to 1 the tail is at least 2^-53(m-k): above the share
    return upper_rate(wrong, m - k, share)
