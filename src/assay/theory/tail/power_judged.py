"""How many labels make a promise about a judged batch likely, and how many of each stratum.

A plan promises nothing, so the bound of `judged_strata` is worked out here in floating point, for many counts at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.errors import require
from assay.theory.tail.power import enough_rows
from assay.theory.tail.search import smallest_whole

if TYPE_CHECKING:
    from assay.types import Floats, Ints

# The budget of Fisher's statistic is spent in so many steps; what wrong rows cost is known at so many numbers of them.
_STEPS, _KNOTS = 96, 300
# Where there are more combinations of counts than this, so many samples are drawn, always the same.
_MOST_COUNTS, _DRAWS = 20_000, 4000
# Labels are shared out by size and spread to one of these powers.
_SKEWS = (0.75, 1.0, 1.3, 1.6)
# Counts of a stratum that are further from their mean than so many standard deviations are left out.
_SPREADS = 4.5


def judged_power(
    sizes: Sequence[int], bad: Sequence[int], most: int, delta: float, labelled: Sequence[int]
) -> float:
    """How likely these labels promise that at most so many items are wrong, by `judged_strata`.

    Over all counts that may be seen; where these are many, as for several strata, over 4,000 samples.

    Examples
    --------
    >>> round(judged_power((1000, 9000), (800, 90), 1100, 0.05, (100, 300)), 2)
    0.63
    """
    import numpy as np
    from scipy import stats

    open_ = sum(n < size for n, size in zip(labelled, sizes, strict=True))
    budget = float(stats.chi2.isf(delta, 2 * open_)) / 2 if open_ else 0.0
    strata = [_Stratum(*row, budget) for row in zip(sizes, bad, labelled, strict=True)]
    if math.prod(len(s.seen) for s in strata) > _MOST_COUNTS:
        # The same uniform numbers whatever the labels, so that more labels never look worse by chance.
        uniform = np.random.default_rng(0).random((len(strata), _DRAWS))
        places = [s.drawn(u) for s, u in zip(strata, uniform, strict=True)]
        weights = np.full(_DRAWS, 1 / _DRAWS)
    else:
        places = list(np.indices([len(s.seen) for s in strata]).reshape(len(strata), -1))
        weights = np.prod([s.chances[p] for s, p in zip(strata, places, strict=True)], axis=0)
    steps = np.concatenate([s.steps[p] for s, p in zip(strata, places, strict=True)], axis=1)
    # The cheapest steps first: all cost alike, and in each stratum they bring fewer and fewer rows.
    spent = -np.partition(-steps, _STEPS - 1, axis=1)[:, :_STEPS].sum(axis=1)
    bound = spent + sum(s.seen[p] for s, p in zip(strata, places, strict=True))
    return float(np.sum(weights[bound < most + 1]))


class _Stratum:
    """Which counts may be seen, how likely each is, and by how much the bound rises with each step of the budget."""

    def __init__(self, size: int, bad: int, labelled: int, budget: float) -> None:
        import numpy as np

        share = bad / size
        spread = math.sqrt(labelled * share * (1 - share) * (1 - labelled / size))
        low, high = (labelled * share + side * (_SPREADS * spread + 2) for side in (-1, 1))
        least, top = max(0, labelled - (size - bad)), min(labelled, bad)
        self.seen = np.arange(max(math.floor(low), least), min(math.ceil(high), top) + 1)
        chances = np.exp(_log_chances(self.seen, np.array([[bad]]), size, labelled))[0]
        self.chances = chances / chances.sum()
        self.steps = np.zeros((len(self.seen), _STEPS))
        if labelled < size and budget > 0:
            self._fill(size, labelled, budget)

    def _fill(self, size: int, labelled: int, budget: float) -> None:
        import numpy as np
        from scipy import stats

        seen = self.seen
        most = size - labelled + seen
        # The binomial bound is above the hypergeometric one.
        above = stats.beta.isf(math.exp(-budget) / 4, seen + 1, np.maximum(labelled - seen, 1e-9))
        high = np.where(seen < labelled, np.minimum(np.ceil(above * size) + 1, most), most)
        bad = np.unique(np.rint(np.linspace(seen[0], high.max(), _KNOTS)).astype(np.int64))
        # Where few are wrong, all that matters lies below the first count that is summed, and far below those seen.
        window = 12 * math.sqrt(labelled) + 50
        first = max(0, int(seen[0] - window))
        sure = bad * (labelled / size) < seen[0] - window / 2
        counts = np.arange(first, seen[-1] + 1)
        tails = np.cumsum(np.exp(_log_chances(counts, bad[:, None], size, labelled)), axis=1)
        with np.errstate(divide="ignore"):
            costs = np.where(sure[:, None], 0.0, -np.log(tails[:, seen - first]))
        spent = np.linspace(0, budget, _STEPS + 1)
        for place, (count, end) in enumerate(zip(seen, most, strict=True)):
            possible = (bad >= count) & (bad <= end)
            cost = np.maximum.accumulate(np.maximum(costs[possible, place], 0))
            reach = np.interp(spent, cost, bad[possible])
            self.steps[place] = np.diff(reach)
            self.steps[place, 0] += reach[0] - count

    def drawn(self, uniform: Floats) -> Ints:
        """Places among the counts, one for each uniform number."""
        import numpy as np

        places = np.searchsorted(np.cumsum(self.chances), uniform)
        return np.asarray(np.minimum(places, len(self.seen) - 1))


def _log_chances(counts: Ints, bad: Ints, size: int, labelled: int) -> Floats:
    """ln P[Hyp(size, bad, labelled) = count]; minus infinity where that cannot be."""
    import numpy as np
    from scipy.special import gammaln

    def choose(n: Ints, k: Ints) -> Floats:
        possible = (k >= 0) & (k <= n)
        n, k = np.where(possible, n, 0), np.where(possible, k, 0)
        log = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        return np.asarray(np.where(possible, log, -np.inf))

    whole = gammaln(size + 1) - gammaln(labelled + 1) - gammaln(size - labelled + 1)
    logs: Floats = choose(bad, counts) + choose(size - bad, labelled - counts) - whole
    return logs


def shared_power(
    sizes: Sequence[int],
    bad: Sequence[int],
    most: int,
    delta: float,
    weights: Sequence[float],
    labels: int,
) -> float:
    """How likely so many labels, shared out by weights, promise that at most so many items are wrong.

    Examples
    --------
    >>> round(shared_power((1000, 9000), (800, 90), 1100, 0.05, (0.25, 0.75), 400), 2)
    0.63
    """
    labelled = shared_out(sizes, weights, max(labels, len(sizes)))
    return judged_power(sizes, bad, most, delta, labelled)


def label_weights(
    sizes: Sequence[int], bad: Sequence[int], most: int, delta: float, power: float
) -> tuple[float, ...]:
    """In which proportions labels tell most: by size and spread (Neyman), or a little more or less evenly.

    Examples
    --------
    >>> flagged, passed = label_weights((1000, 9000), (800, 90), 1100, 0.05, 0.8)
    >>> round(flagged / (flagged + passed), 2)
    0.22
    """
    spread = _spreads(sizes, bad)
    labels = _guess(sizes, bad, most, delta, power)
    tried = [tuple(w**skew for w in spread) for skew in _SKEWS]
    return max(tried, key=lambda w: shared_power(sizes, bad, most, delta, w, labels))


def labels_needed(
    sizes: Sequence[int],
    bad: Sequence[int],
    most: int,
    delta: float,
    power: float,
    weights: Sequence[float],
) -> tuple[int, ...]:
    """How many labels of each stratum reach the power, shared out by weights.

    Examples
    --------
    >>> labels_needed((1000, 9000), (800, 90), 1100, 0.05, 0.8, (0.25, 0.75))
    (132, 397)
    """
    items, least = sum(sizes), len(sizes)

    def reached(labels: int) -> bool:
        # Once every item is labelled, the promise is the truth.
        return labels >= items or shared_power(sizes, bad, most, delta, weights, labels) >= power

    low = top = min(max(_guess(sizes, bad, most, delta, power), least), items)
    while not reached(top):
        low, top = top, min(top + max(1, top // 4), items)
    while low > least and reached(low):
        low, top = max(low * 4 // 5, least), low
    return shared_out(sizes, weights, smallest_whole(reached, min(low, top - 1), top))


def _spreads(sizes: Sequence[int], bad: Sequence[int]) -> list[float]:
    """Size times standard deviation of each stratum."""
    return [
        size * math.sqrt((k + 0.5) * (size - k + 0.5)) / (size + 1)
        for size, k in zip(sizes, bad, strict=True)
    ]


def _guess(sizes: Sequence[int], bad: Sequence[int], most: int, delta: float, power: float) -> int:
    """About how many labels, by the normal distribution."""
    from statistics import NormalDist

    z = -NormalDist().inv_cdf(delta) + NormalDist().inv_cdf(power)
    slack = most + 1 - sum(bad)
    many = math.ceil((max(z, 0.5) * sum(_spreads(sizes, bad)) / slack) ** 2)
    return min(max(many, len(sizes)), sum(sizes))


def shared_out(sizes: Sequence[int], weights: Sequence[float], labels: int) -> tuple[int, ...]:
    """So many labels in all, in proportion to weights, but no more than items and at least one in each stratum.

    Examples
    --------
    >>> shared_out((1000, 9000), (0.25, 0.75), 400), shared_out((10, 90), (0.9, 0.1), 50)
    ((100, 300), (10, 40))
    """
    given = [1] * len(sizes)
    left = min(labels, sum(sizes)) - len(sizes)
    require(left >= 0, "labels", f"at least {len(sizes)}, one for each stratum", labels)
    while left > 0:
        open_ = [h for h, size in enumerate(sizes) if given[h] < size]
        total = sum(weights[h] for h in open_)
        aims = {h: min(left * weights[h] / total, sizes[h] - given[h]) for h in open_}
        more = {h: math.floor(aim) for h, aim in aims.items()}
        if not any(more.values()):
            more |= dict.fromkeys(sorted(open_, key=lambda h: -aims[h])[:left], 1)
        for h, extra in more.items():
            given[h] += extra
        left -= sum(more.values())
    return tuple(given)


def batch_rows(items: int, bad: int, most: int, delta: float, power: float) -> int:
    """How many labels a random sample of the whole batch takes, by `holdout_finite_population`.

    Examples
    --------
    >>> batch_rows(10_000, 890, 1100, 0.05, 0.8)
    1123
    """
    from scipy import stats

    def reached(rows: int) -> bool:
        if rows >= items:
            return True
        allowed = stats.hypergeom.ppf(delta, items, most + 1, rows) - 1
        return bool(allowed >= 0 and stats.hypergeom.cdf(allowed, items, bad, rows) >= power)

    return min(enough_rows(reached, "error", most / items), items)
