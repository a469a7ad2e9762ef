"""Experiments for `check_bound`: data drawn so that the truth is known.

Each function takes the bound to be tried and what the data should look like, and returns an
experiment. A bound is called with plain numbers, once for each distinct count that was drawn, so it
may be slow; its delta is its own business:

>>> from assay.theory.tail.binomial import holdout_exact
>>> def bound(errors, rows):
...     return holdout_exact(errors, rows, delta=0.05)
>>> experiment = holdout(bound, rows=100, rate=0.05)
>>> promised, truth = experiment(np.random.default_rng(0), 3)
>>> promised.shape, truth
((3,), 0.05)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from assay.checks.bound import Experiment
from assay.checks.tabulated import tabulated
from assay.errors import require
from assay.theory.needs import count, unit
from assay.types import Floats, Ints

Generator: TypeAlias = np.random.Generator
Outcome: TypeAlias = tuple[Floats, ArrayLike]
CountBound: TypeAlias = Callable[[int, int], float]
"""From errors and rows to the error rate promised."""
LossBound: TypeAlias = Callable[[Floats], float]
"""From the losses, in their order, to the mean loss promised."""


def holdout(bound: CountBound, rows: int, rate: Any) -> Experiment:
    """One model of known error rate, judged on fresh rows.

    Parameters
    ----------
    bound : callable
        ``bound(errors, rows)``, the error rate promised.
    rows : int
        The size of the holdout.
    rate : number
        The true error rate.
    """
    return best_of(bound, 1, rows, rate)


def interval(
    bound: Callable[[int, int], tuple[float, float]], rows: int, rate: Any, looks: int = 1
) -> Experiment:
    """One model, judged by an interval: the truth must never lie outside.

    What is promised is a distance of zero between the interval and the rate, at every look.

    Parameters
    ----------
    bound : callable
        ``bound(errors, rows)``, the two ends.
    rows : int
        The size of the holdout at the last look.
    rate : number
        The true error rate.
    looks : int
        How often one looks, at equal distances; once, when not given.
    """
    seen, p = _moments(looks, rows), _rate(rate)

    def outside(errors: int, rows: int) -> float:
        low, high = bound(errors, rows)
        return max(low - p, p - high, 0.0)

    def experiment(rng: Generator, trials: int) -> Outcome:
        distance = np.zeros(trials)
        for now, errors in _growing(rng, seen, p, trials):
            distance = np.maximum(distance, tabulated(outside, errors, now))
        return np.zeros(trials), distance

    return experiment


def best_of(bound: CountBound, models: int, rows: int, rate: Any) -> Experiment:
    """Several models of the same true error rate; the one with the fewest errors is certified.

    Parameters
    ----------
    bound : callable
        ``bound(errors, rows)``, the error rate promised for the model that was chosen.
    models : int
        How many there are; they err independently of one another.
    rows : int
        The size of the holdout they share.
    rate : number
        The true error rate of each.
    """
    m, n = count("models", models, at_least=1), count("rows", rows, at_least=1)
    p = _rate(rate)

    def experiment(rng: Generator, trials: int) -> Outcome:
        return tabulated(bound, rng.binomial(n, p, (trials, m)).min(axis=1), n), p

    return experiment


def peeking(bound: CountBound, looks: int, rows: int, rate: Any) -> Experiment:
    """A growing holdout that is looked at again and again; the smallest promise is kept.

    Parameters
    ----------
    bound : callable
        ``bound(errors, rows)``, the error rate promised at each look.
    looks : int
        How often one looks, at equal distances.
    rows : int
        The size of the holdout at the last look.
    rate : number
        The true error rate.
    """
    seen, p = _moments(looks, rows), _rate(rate)

    def experiment(rng: Generator, trials: int) -> Outcome:
        smallest = np.full(trials, np.inf)
        for now, errors in _growing(rng, seen, p, trials):
            smallest = np.minimum(smallest, tabulated(bound, errors, now))
        return smallest, p

    return experiment


def finite_batch(
    bound: Callable[[int, int, int], float], rows: int, population: int, bad: int
) -> Experiment:
    """A finite batch with a known number of bad rows, of which some are checked.

    Parameters
    ----------
    bound : callable
        ``bound(errors, rows, population)``, the share of bad rows promised.
    rows : int
        How many are checked, drawn without replacement.
    population : int
        The size of the batch.
    bad : int
        How many of its rows are bad.
    """
    size, n = count("population", population, at_least=1), count("rows", rows, at_least=1)
    wrong = count("bad", bad)
    require(n <= size, "rows", f"at most the population {size}", rows)
    require(wrong <= size, "bad", f"at most the population {size}", bad)

    def experiment(rng: Generator, trials: int) -> Outcome:
        errors = rng.hypergeometric(wrong, size - wrong, n, trials)
        return tabulated(bound, errors, n, size), wrong / size

    return experiment


def next_rows(
    bound: Callable[[int, int, int], float], rows: int, following: int, rate: Any
) -> Experiment:
    """One model of known error rate, judged on fresh rows; what is promised is errors among those that follow.

    Parameters
    ----------
    bound : callable
        ``bound(errors, rows, following)``, the most errors promised among the rows that follow.
    rows : int
        The size of the holdout.
    following : int
        How many rows follow.
    rate : number
        The true error rate.
    """
    n, more = count("rows", rows, at_least=1), count("following", following, at_least=1)
    p = _rate(rate)

    def experiment(rng: Generator, trials: int) -> Outcome:
        promised = tabulated(bound, rng.binomial(n, p, trials), n, more)
        return promised, rng.binomial(more, p, trials)

    return experiment


def alike_units(
    bound: LossBound,
    units: int,
    rows: int,
    rate: Any,
    correlation: Any = 0.7,
    together: bool = False,
) -> Experiment:
    """Units whose rows go wrong together.

    Parameters
    ----------
    bound : callable
        ``bound(errors)``, the mean error over units promised, from the errors of each unit.
    units : int
        How many units there are.
    rows : int
        How many rows each has.
    rate : number
        The true mean error, between zero and one.
    correlation : number
        How much two rows of a unit go together; below one, unless all of them do.
    together : bool
        Whether a unit, with so much chance, is right or wrong as a whole, and else its rows are independent; by
        default each unit has an error rate of its own, drawn from a beta distribution.
    """
    many, size = count("units", units, at_least=1), count("rows", rows, at_least=1)
    p, alike = _rate(rate), _rate(correlation, "correlation")
    require(0 < p < 1, "rate", "between zero and one, or all units are the same", rate)
    require(together or alike < 1, "correlation", "below one", correlation)

    def rates(rng: Generator, trials: int) -> Floats:
        shape = (trials, many)
        if together:
            sides = (rng.random(shape) < p).astype(np.float64)
            return np.where(rng.random(shape) < alike, sides, p)
        spread = 1 / alike - 1 if alike else np.inf
        return rng.beta(p * spread, (1 - p) * spread, shape) if alike else np.full(shape, p)

    def experiment(rng: Generator, trials: int) -> Outcome:
        errors = rng.binomial(size, rates(rng, trials)).astype(np.float64)
        return np.array([float(bound(each)) for each in errors]), p

    return experiment


def code_words(
    bound: Callable[[int, int, int], float], bits: Sequence[int], rows: int, rate: Any
) -> Experiment:
    """Rules written in a code, all judged on the rows they were chosen by; the smallest promise counts.

    Parameters
    ----------
    bound : callable
        ``bound(errors, rows, bits)``, the error rate promised for a rule of that size.
    bits : sequence of int
        The size of each rule in the code; they err independently of one another.
    rows : int
        The number of training rows.
    rate : number
        The true error rate of each.
    """
    n, p = count("rows", rows, at_least=1), _rate(rate)
    sizes = [count("bits", size, at_least=1) for size in bits]

    def experiment(rng: Generator, trials: int) -> Outcome:
        smallest = np.full(trials, np.inf)
        for size in sizes:
            promised = tabulated(bound, rng.binomial(n, p, trials), n, size)
            smallest = np.minimum(smallest, promised)
        return smallest, p

    return experiment


def runs(bound: CountBound, hypotheses: int, rate: Any) -> Experiment:
    """An online learner's hypotheses, each kept until its first mistake; the smallest promise counts.

    Parameters
    ----------
    bound : callable
        ``bound(run, mistakes)``, the error rate promised for the hypothesis that came after so many
        mistakes and was then right so many times in a row (once or more).
    hypotheses : int
        How many the learner goes through.
    rate : number
        The true error rate of each, above zero.
    """
    times, p = count("hypotheses", hypotheses, at_least=1), _rate(rate)
    require(p > 0, "rate", "above zero, or no run would end", rate)

    def experiment(rng: Generator, trials: int) -> Outcome:
        smallest = np.full(trials, np.inf)
        for mistakes in range(times):
            lengths = rng.geometric(p, trials) - 1
            promised = np.full(trials, np.inf)  # a hypothesis that errs at once is promised nothing
            right = lengths > 0
            promised[right] = tabulated(bound, lengths[right], mistakes)
            smallest = np.minimum(smallest, promised)
        return smallest, p

    return experiment


def bounded_losses(
    bound: LossBound, sampler: Callable[[Generator, int], ArrayLike], mean: float, rows: int
) -> Experiment:
    """Losses in [0, 1] of any distribution whose mean is known.

    Parameters
    ----------
    bound : callable
        ``bound(losses)``, the mean loss promised; called once for each trial.
    sampler : callable
        ``sampler(rng, size)`` draws that many independent losses.
    mean : number
        Their true mean.
    rows : int
        Losses in each trial.
    """
    n, m = count("rows", rows, at_least=1), _rate(mean, "mean")

    def experiment(rng: Generator, trials: int) -> Outcome:
        samples = (np.asarray(sampler(rng, n), dtype=np.float64) for _ in range(trials))
        return np.fromiter((bound(x) for x in samples), dtype=np.float64, count=trials), m

    return experiment


def _rate(value: Any, name: str = "rate") -> float:
    return float(unit(name, value).low)


def _moments(looks: int, rows: int) -> list[int]:
    """How many rows there are at each of some equally distant looks."""
    times, n = count("looks", looks, at_least=1), count("rows", rows, at_least=1)
    require(times <= n, "looks", f"at most the number of rows {n}", looks)
    return [(i + 1) * n // times for i in range(times)]


def _growing(
    rng: Generator, seen: list[int], rate: float, trials: int
) -> Iterator[tuple[int, Ints]]:
    """The rows so far and the errors among them, look by look."""
    errors, before = np.zeros(trials, dtype=np.int64), 0
    for now in seen:
        errors += rng.binomial(now - before, rate, trials)
        yield now, errors
        before = now
