"""A batch that a judge has gone through, and a few labels: how many of its rows are wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from assay.errors import require
from assay.theory.claim import DRAWN, TOLD, Condition, judged_claim
from assay.theory.needs import inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number
from assay.theory.tail.integers import MOST_ROWS, hypergeometric_tail, log_level, sixty_digits
from assay.theory.tail.rates import whole_list

LABELLED_AT_RANDOM = Condition(
    "uniform-sample-of-each-stratum",
    "in each stratum the labelled rows are a uniform sample, without replacement, drawn independently of the others",
)
STRATA_FIRST = Condition(
    "strata-first",
    "the strata, and how many rows of each to label, were settled before any label was seen",
)

#: More labels than people give: a verifier has to sum their tails.
MOST_LABELS = 10**6
# Sixty digits are off by far less; whatever is closer than this counts as admissible, which can only raise the bound.
_SLACK = Decimal("1e-30")


def _confirm(inputs: Mapping[str, Any], promised: Fraction, at_length: bool) -> tuple[bool, bool]:
    strata = _strata(inputs["sizes"], inputs["labelled"], inputs["wrong"])
    most = _most_wrong(strata, inside_unit("delta", inputs["delta"]).low)
    return promised.denominator == 1 and promised >= most, promised <= most


@theorem(
    kind="error",
    statement=r"K\le\max\Big\{\sum_hK_h:-2\sum_h\ln\Pr[\mathrm{Hyp}(N_h,K_h,n_h)\le k_h]\le\chi^2_{2H,1-\delta}\Big\}",
    assumes=(LABELLED_AT_RANDOM, STRATA_FIRST),
    claim=judged_claim(
        DRAWN, TOLD, quantities=("errors-in-batch",), whole=True, most=(("labelled", MOST_LABELS),)
    ),
    checker=_confirm,
)
def judged_strata(
    sizes: Sequence[int], labelled: Sequence[int], wrong: Sequence[int], delta: Number
) -> int:
    """The most rows of a batch that are wrong, from the labels of a few in each stratum.

    Theorem  A judge's verdicts split a batch into strata of N_h rows; n_h of them, drawn at random, are labelled,
             and k_h of those are wrong. If K_h rows of stratum h are wrong, the chance of so few is a p-value, and
             those of the strata are independent. Fisher's combination of the true ones exceeds the quantile of
             chi-square with 2 H degrees of freedom with probability delta at most: so the true numbers are
             among those whose combination does not.
    Needs    sizes N_h, labelled n_h, wrong k_h: as many whole numbers as strata, 0 <= k_h <= n_h <= N_h, N_h >= 1,
             at most 10^12 rows in all.  delta: strictly between 0 and 1. Strata with no label, or with nothing
             but labels, leave nothing to combine and do not count in H.
    Gives    a count of rows.
    Source   Fisher, Statistical Methods for Research Workers (4th edition 1932), section 21.1; Chung & DeLury,
             Confidence limits for the hypergeometric distribution (1950); Stark, Risk-limiting postelection
             audits (2009), combines strata so.

    Examples
    --------
    >>> judged_strata(sizes=[1000, 9000], labelled=[100, 300], wrong=[80, 3], delta=0.05)
    1077
    """
    return _most_wrong(_strata(sizes, labelled, wrong), inside_unit("delta", delta).low)


@dataclass
class _Stratum:
    """The cost -ln P[Hyp(N, K, n) <= k] of K wrong rows, which is convex in K."""

    size: int
    labelled: int
    wrong: int
    _costs: dict[int, Decimal] = field(default_factory=dict)
    _hazards: dict[int, float] = field(default_factory=dict)

    @property
    def most(self) -> int:
        """Every row that was not labelled may be wrong."""
        return self.size - self.labelled + self.wrong

    def cost(self, bad: int) -> Decimal:
        """To sixty digits, less an error far below the slack."""
        if bad not in self._costs:
            sure = bad == self.wrong or self.labelled == self.wrong
            tail = (
                hypergeometric_tail(self.wrong, self.labelled, bad, self.size) if not sure else None
            )
            self._costs[bad] = Decimal(0) if tail is None else -tail.log
        return self._costs[bad]

    @sixty_digits
    def step(self, bad: int) -> Decimal:
        """What the last of so many wrong rows costs; no more than the next one does."""
        return self.cost(bad) - self.cost(bad - 1)

    def rough_cost(self, bad: int) -> float:
        """The cost in floating point."""
        if bad == self.wrong or self.labelled == self.wrong:
            return 0.0
        good = self.size - bad
        log = _log_choose(bad, self.wrong) + _log_choose(good, self.labelled - self.wrong)
        return max(_log_choose(self.size, self.labelled) - log - self._log_ratio(bad), 0.0)

    def hazard(self, bad: int) -> float:
        """1 - P[Hyp(N, K, n) <= k] / P[Hyp(N, K - 1, n) <= k]: grows with the cost of a step, in floating point."""
        if self.labelled == self.wrong:
            return 0.0
        if bad not in self._hazards:
            share = math.log((self.labelled - self.wrong) / (self.size - bad + 1))
            self._hazards[bad] = math.exp(share - self._log_ratio(bad - 1))
        return self._hazards[bad]

    def _log_ratio(self, bad: int) -> float:
        """The logarithm of the tail over its last term."""
        n, good, log = self.labelled, self.size - bad, 0.0
        term = total = 1.0
        for i in range(self.wrong, max(0, n - good), -1):
            term *= i * (good - n + i) / ((bad - i + 1) * (n - i + 1))
            total += term
            if term < 1e-17 * total:
                break
            if total > 1e200:
                term, total, log = term / total, 1.0, log + math.log(total)
        return log + math.log(total)

    def reach(self, hazard: float, low: int, high: int) -> int:
        """The most wrong rows of which each costs no more than so much, between two numbers."""
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.hazard(middle) <= hazard else (low, middle - 1)
        return low


def _most_wrong(strata: Sequence[_Stratum], level: Fraction) -> int:
    """The cheapest rows first: all steps count alike, and in each stratum they grow dearer."""
    settled = sum(s.most for s in strata if s.labelled in (0, s.size))
    unsettled = [s for s in strata if s.labelled not in (0, s.size)]
    if not unsettled:
        return settled
    return settled + sum(_repaired(unsettled, _start(unsettled, level), level))


@sixty_digits
def _repaired(strata: Sequence[_Stratum], start: Sequence[int], level: Fraction) -> list[int]:
    """From nearly the right numbers to those that no admissible ones exceed, decided in sixty digits."""
    bad = list(start)
    places = range(len(strata))
    while True:
        last = [(strata[h].step(bad[h]), h) for h in places if bad[h] > strata[h].wrong]
        following = [(strata[h].step(bad[h] + 1), h) for h in places if bad[h] < strata[h].most]
        dearest, cheapest = max(last, default=None), min(following, default=None)
        cost = sum((strata[h].cost(bad[h]) for h in places), Decimal(0))
        if dearest and cheapest and dearest[0] > cheapest[0] + _SLACK:
            bad[dearest[1]] -= 1
            bad[cheapest[1]] += 1
        elif dearest and not _admissible(cost, len(strata), level):
            bad[dearest[1]] -= 1
        elif cheapest and _admissible(cost + cheapest[0], len(strata), level):
            bad[cheapest[1]] += 1
        else:
            return bad


def _admissible(cost: Decimal, strata: int, level: Fraction) -> bool:
    """Whether chi-square with 2 H degrees of freedom exceeds twice the cost with probability delta or more.

    For an even number of degrees that is exp(-x) (1 + x + ... + x^(H-1) / (H-1)!), by Erlang.
    """
    x = max(cost - _SLACK * (strata + 1), Decimal(0))
    term = total = Decimal(1)
    for i in range(1, strata):
        term *= x / i
        total += term
    return total * (-x).exp() * level.denominator >= level.numerator


def _start(strata: Sequence[_Stratum], level: Fraction) -> list[int]:
    """About the answer, in floating point: every stratum as far as one hazard allows, bisected."""
    budget = _budget(len(strata), float(log_level(level)))
    low, high = [s.wrong for s in strata], [s.most for s in strata]
    while True:
        wide, h = max((high[h] - low[h], h) for h in range(len(strata)))
        if wide <= 1:
            return low
        hazard = strata[h].hazard((low[h] + high[h] + 1) // 2)
        middle = [s.reach(hazard, low[g], high[g]) for g, s in enumerate(strata)]
        if sum(s.rough_cost(k) for s, k in zip(strata, middle, strict=True)) <= budget:
            if middle == low:
                return low
            low = middle
        else:
            if middle == high:
                return low
            high = middle


def _budget(strata: int, log_delta: float) -> float:
    """Half the quantile of chi-square, in floating point."""

    def log_tail(x: float) -> float:
        terms = [i * math.log(x) - math.lgamma(i + 1) for i in range(strata)]
        most = max(terms)
        return most + math.log(sum(math.exp(term - most) for term in terms)) - x

    low, high = 1e-12, 2.0 * strata - 4.0 * log_delta + 10
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if log_tail(middle) >= log_delta else (low, middle)
    return high


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _strata(sizes: Any, labelled: Any, wrong: Any) -> list[_Stratum]:
    all_rows = whole_list("sizes", sizes)
    columns = {"labelled": whole_list("labelled", labelled), "wrong": whole_list("wrong", wrong)}
    require(bool(all_rows), "sizes", "of at least one stratum", 0)
    for name, column in columns.items():
        require(
            len(column) == len(all_rows), name, f"as many as sizes, {len(all_rows)}", len(column)
        )
    require(sum(all_rows) <= MOST_ROWS, "sizes", f"at most {MOST_ROWS} rows in all", sum(all_rows))
    strata = []
    for place, size in enumerate(all_rows):
        n, k = columns["labelled"][place], columns["wrong"][place]
        require(size >= 1, f"sizes[{place}]", "at least 1", size)
        require(n <= size, f"labelled[{place}]", f"at most the size {size}", n)
        require(k <= n, f"wrong[{place}]", f"at most the labelled rows {n}", k)
        strata.append(_Stratum(size, n, k))
    return strata
