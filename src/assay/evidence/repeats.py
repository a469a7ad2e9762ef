r"""Whether rows came again more than chance allows: a test with a stated rate of false alarms.

Rows of a few discrete columns repeat by chance, and that breaks no promise: a popular row is met again wherever one
looks. A file that is read twice repeats otherwise. Three tests tell them apart; each raises a false alarm on at most
one in 3,000 streams of independent draws from one distribution, whatever the distribution, so all together on at
most one in 1,000 (`FALSE_ALARM`).

**The order.** Given which rows occur how often, independent draws come in every order with the same probability.
Take away the rows that occur once, and go through the others: if M are left, of which U are copies of rows not met
so far, then the next one is *new* with probability p = U / M, given all before it. In the same way, the row just met
comes *at once again* with probability (its copies left) / M, and the row that followed it the last time *follows again*
with (copies of that left) / M. A bettor at these fair odds multiplies a stake by
:math:`\theta^{\xi}/(1+(\theta-1)p)`, where :math:`\xi` is 1 if it came so; on the average the stake stays what it was.
`_BETS` are spread over several :math:`\theta`; that their mean ever reaches 3,000 has probability 1/3,000 at most, by
Markov's inequality. In a second pass over a file nothing is new, and all follows again; of rows written twice in a row
every second one comes at once again.

**The counts.** Copies that were shuffled into the stream leave no trace in the order, but too many rows occur exactly
twice (or five times) and too few once or three times. Were the number of draws a Poisson number of mean n, the values
would be drawn independently of each other, and a value that occurs at all would occur c times with probability
:math:`\lambda^c/(c!(e^\lambda-1))`, which is at most some :math:`\tau_c<1` whatever :math:`\lambda` is; for
exactly n draws every probability is at most :math:`e\sqrt n` times as large. A bettor who thinks that a share of the
values occurs exactly k times, for a k from 2 on, multiplies a stake by the probability that he gives to each count,
over :math:`\tau_c`: again that he reaches 3,000 has probability 1/3,000 at most.

**Their curve.** Where only some rows have copies that comes too late; but among many rows another thing is seen. If
:math:`f_j` values occur j times in n independent draws, then
:math:`a_j=\mathrm E f_j/\binom nj=\sum_v(1-p_v)^{n-j}p_v^j` are moments of one measure, so
:math:`a_j^2\le a_{j-1}a_{j+1}`. The counts of values are negatively associated (Joag-Dev & Proschan, Negative
association of random variables, Annals of Statistics 1983), so the number of values that occur at least j times keeps
to Chernoff's bound for sums of independent indicators: it lies outside of
:math:`\{x:x\ln(x/\mu)-x+\mu<\ln(1/\eta)\}` with probability :math:`2\eta` at most. If no :math:`\mathrm E f_j` within
these bounds meet the inequality, the rows are no independent draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.special import betaln

from assay.types import Bools, Floats, Ints, Words

Heads = Words

#: The most often that independent draws are taken for copies.
FALSE_ALARM = Fraction(1, 1000)
_STAKE = 3 / float(FALSE_ALARM)  # each of three tests has a third of it

_NEW, _AT_ONCE, _FOLLOWS = 0, 1, 2
_BETS = (
    *((_NEW, 4.0**power) for power in (-4, -2, -1, 1, 2, 4)),
    *((_AT_ONCE, 4.0**power) for power in (1, 3, 5)),
    *((_FOLLOWS, 4.0**power) for power in (1, 3, 5, 8)),
)
#: Up to how many occurrences are counted: `_MOST` times twice a bound on a mean.
_MOST = 128


@dataclass(frozen=True)
class Repeats:
    """What was found about rows that came again.

    Attributes
    ----------
    rows : int
        Rows of the stream.
    compared : int
        How many of them were compared: all, or a sample that was chosen by their place.
    again : int
        How many of those had come before, with the same truth.
    alarm : bool
        Whether that is more than chance allows.
    before : int
        How many rows that the learner had learned earlier were compared too.
    again_before : int
        How many of the rows compared are among those.
    """

    rows: int
    compared: int
    again: int
    alarm: bool
    before: int = 0
    again_before: int = 0

    @property
    def evidence(self) -> str:
        """What was found, in words.

        Examples
        --------
        >>> Repeats(4000, 4000, 12, False).evidence
        '12 of 4,000 rows came again, as chance allows'
        >>> Repeats(10**6, 32_000, 900, True).evidence
        '900 of 32,000 rows compared came again, which independent draws do in one of 1,000 streams at most'
        """
        rows = f"{self.compared:,} row{'s' * (self.compared != 1)}"
        if self.compared < self.rows:
            rows += " compared"
        sentence = (
            f"{self.again:,} of {rows} came again" if self.again else f"none of {rows} came again"
        )
        if self.again_before:
            sentence += f", {self.again_before:,} of them learned before this stream"
        elif self.before:
            sentence += f" or is one of {self.before:,} learned before that were compared"
        if self.alarm:
            often = f"one of {FALSE_ALARM.denominator:,} streams"
            return f"{sentence}, which independent draws do in {often} at most"
        return f"{sentence}, as chance allows" if self.again else sentence


def find_repeats(
    heads: Heads, rows: int | None = None, before: Heads | None = None, in_all: Ints | None = None
) -> Repeats:
    """Whether rows came again beyond what chance allows.

    Parameters
    ----------
    heads : array of uint64
        One number for each row compared, in their order: equal for equal rows with equal truth.
    rows : int, optional
        How many rows the stream has, where not all are compared.
    before : array of uint64, optional
        The same of rows that were learned before the stream, in their order.
    in_all : array of int, optional
        How often rows of some fixed set occur in the whole stream, where not all rows are compared.

    Examples
    --------
    >>> once = np.arange(50, dtype=np.uint64)
    >>> find_repeats(once).alarm, find_repeats(np.tile(once, 2)).alarm
    (False, True)
    >>> dice = np.random.default_rng(0).integers(6, size=1000).astype(np.uint64)
    >>> find_repeats(dice).alarm
    False
    """
    earlier = np.zeros(0, np.uint64) if before is None else before
    together = np.concatenate([earlier, heads])
    _, codes, counts = np.unique(together, return_inverse=True, return_counts=True)
    first = np.zeros(len(together), dtype=bool)
    first[_first_places(codes, len(counts))] = True
    known = np.isin(heads, earlier) if len(earlier) else np.zeros(0, dtype=bool)
    return Repeats(
        rows=len(heads) if rows is None else rows,
        compared=len(heads),
        again=int(np.count_nonzero(~first[len(earlier) :])),
        alarm=stake(codes, counts) >= _STAKE or is_too_even(counts, in_all),
        before=len(earlier),
        again_before=int(np.count_nonzero(known)),
    )


def is_too_even(counts: Ints, in_all: Ints | None = None) -> bool:
    """Whether values occur so often as independent draws do in one of 1,000 cases at most, in whatever order.

    Of two samples of one stream each has half of a stake.

    Examples
    --------
    >>> is_too_even(np.full(200, 5)), is_too_even(np.ones(200, dtype=int))
    (True, False)
    """
    if in_all is None:
        return even_stake(counts) >= _STAKE or too_even(counts)
    mean = (even_stake(counts) + even_stake(in_all)) / 2
    return mean >= _STAKE or too_even(counts, samples=2) or too_even(in_all, samples=2)


def _first_places(codes: Ints, values: int) -> Ints:
    places = np.empty(values, np.int64)
    places[codes[::-1]] = np.arange(len(codes))[::-1]
    return places


def stake(codes: Ints, counts: Ints) -> float:
    """What a bettor on the order of rows has made of a stake of 1.

    Parameters
    ----------
    codes : array of int
        The value of each row, as a place in `counts`.
    counts : array of int
        How often each value occurs.

    Examples
    --------
    >>> stake(np.array([0, 1, 2, 3]), np.ones(4, dtype=int))
    1.0
    >>> stake(np.tile(np.arange(20), 2), np.full(20, 2)) > 1e6
    True
    """
    twice = counts[codes] > 1
    codes = codes[twice]
    n = len(codes)
    if n < 2:
        return 1.0
    came, chance = _events(codes, counts, n)
    growth = [
        float(
            np.sum(
                np.where(came[kind], math.log(theta), 0.0) - np.log1p((theta - 1) * chance[kind])
            )
        )
        for kind, theta in _BETS
    ]
    return _mean_of(growth)


def _mean_of(logarithms: Sequence[float]) -> float:
    """The mean of numbers whose logarithms are given; infinity where no double holds it."""
    most = max(logarithms)
    if most > 700:
        return math.inf
    return math.fsum(map(math.exp, logarithms)) / len(logarithms)


def _events(codes: Ints, counts: Ints, n: int) -> tuple[list[Bools], list[Floats]]:
    """For each kind of bet, which rows came so, and with which probability given all before."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.searchsorted(ordered, np.arange(len(counts)))
    earlier = np.empty(n, np.int64)  # how often the row of this place came before it
    earlier[order] = np.arange(n) - starts[ordered]
    left = n - np.arange(n)
    new = earlier == 0
    met = np.cumsum(np.where(new, counts[codes], 0))
    unmet = n - np.concatenate([[0], met[:-1]])
    came, chance = [new], [unmet / left]
    # From the second row on: the row before it, and what followed that the last time.
    previous = codes[:-1]
    copies = counts[previous] - earlier[:-1] - 1
    came.append(np.concatenate([[False], codes[1:] == previous]))
    chance.append(np.concatenate([[0.0], copies / left[1:]]))
    behind = np.flatnonzero(earlier[:-1] > 0)  # places whose row has been met before
    last = order[starts[codes[behind]] + earlier[behind] - 1]
    follower, place = codes[last + 1], behind + 1
    # How often the follower has come up to here: its rank among the sorted pairs of value and place.
    rank = np.searchsorted(ordered * np.int64(n + 1) + order, follower * np.int64(n + 1) + place)
    copies = counts[follower] - (rank - starts[follower])
    follows, odds = np.zeros(n, dtype=bool), np.zeros(n)
    follows[place], odds[place] = codes[place] == follower, copies / left[place]
    return [*came, follows], [*chance, odds]


def even_stake(counts: Ints) -> float:
    """What a bettor on values that occur exactly k times has made of a stake of 1.

    Examples
    --------
    >>> even_stake(np.full(30, 2)) > 1e4, even_stake(np.ones(30, dtype=int)) < 1
    (True, True)
    """
    n, values = int(counts.sum()), len(counts)
    if n == values:
        return 0.0  # nothing came again
    times = np.bincount(np.minimum(counts, _MOST + 1), minlength=_MOST + 2)[1:]
    # Any other count c is given 2^-c; more than can be told apart, all that is left: its probability is below 1.
    others = float(times[:-1] @ (np.log(0.5) * _COUNTED - _LOG_MOST)) + times[
        -1
    ] * _MOST * math.log(0.5)
    growth = []
    for k in (np.flatnonzero(times[1:-1]) + 2).tolist():
        such = int(times[k - 1])
        share = betaln(such + 0.5, values - such + 0.5) - betaln(0.5, 0.5)
        growth.append(others + float(share) + such * k * math.log(2.0))
    if not growth:
        return 0.0
    spread = math.log(len(growth) / (_MOST - 1))  # a bet on every k from 2 on, most of them lost
    return _mean_of([grown + spread - 1.0 - 0.5 * math.log(n) for grown in growth])


def _log_most() -> Floats:
    """The logarithm of the largest probability of each count, given that it is not 0."""
    logarithms = np.zeros(_MOST)
    for k in range(2, _MOST + 1):
        low, high = 1e-9, float(k)
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if middle / -math.expm1(-middle) < k else (low, middle)
        logarithms[k - 1] = (
            k * math.log(high) - math.lgamma(k + 1) - math.log(math.expm1(high)) + 1e-12
        )
    return logarithms


_COUNTED = np.arange(1, _MOST + 1)
_LOG_MOST = _log_most()


def too_even(counts: Ints, samples: int = 1) -> bool:
    """Whether too many values occur exactly j times, and too few once less or once more, in one of so many samples.

    Examples
    --------
    >>> too_even(np.full(1000, 2)), too_even(np.random.default_rng(0).poisson(2.0, 1000))
    (True, False)
    """
    n, most = int(counts.sum()), min(int(counts.max(initial=0)), _MOST)
    if most < 2:
        return False
    at_least = np.array([np.count_nonzero(counts >= j) for j in range(1, _MOST + 3)], dtype=float)
    low, high = _means(at_least, math.log(2 * len(at_least) * samples * _STAKE))
    # exactly[j - 1]: bounds on the mean number of values that occur j times.
    under = np.maximum(low[:-1] - high[1:], 0.0)
    over = high[:-1] - low[1:]
    for j in range(2, min(most, n - 1) + 1):
        share = (n - j + 1) * (j + 1) / (j * (n - j))
        if under[j - 1] ** 2 > share * over[j - 2] * over[j]:
            return True
    return False


def _means(seen: Floats, surprise: float) -> tuple[Floats, Floats]:
    """Between which means numbers lie that were seen, by Chernoff's bound; rounded outward."""
    some = seen > 0
    inside = np.stack([seen, seen])
    outside = np.stack([np.full_like(seen, 1e-300), 2 * seen + 4 * surprise])
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(60):
            middle = (inside + outside) / 2
            cost = np.where(some, seen * np.log(seen / middle), 0.0) - seen + middle
            near = cost < surprise
            inside, outside = np.where(near, middle, inside), np.where(near, outside, middle)
    return outside[0] * (1 - 1e-9), outside[1] * (1 + 1e-9)
