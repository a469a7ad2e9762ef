"""Experiments for `check_bound`: what stands in the report of an evaluation, drawn so that the truth is known.

Two models on the same rows, F1, groups, a judge's batch, pairs for the area under the ROC curve. As in
`assay.checks.experiments`, a bound is called with plain numbers, once for each distinct outcome that was drawn. Where
the promise is that something is *at least* so much, it is broken by a truth that lies below it:

>>> from assay.checks import check_bound
>>> from assay.theory.tail.difference import paired_difference
>>> def bound(only_old, only_new, rows):
...     return paired_difference(only_old, only_new, rows, delta=0.05)
>>> experiment = two_models(bound, rows=40, only_old=0.1, only_new=0.1)
>>> check_bound(experiment, delta=0.05, trials=5000).verdict
'not broken'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.checks.bound import Experiment
from assay.checks.experiments import Generator, Outcome
from assay.checks.tabulated import tabulated
from assay.errors import require
from assay.theory.needs import count, unit
from assay.theory.tail.rates import whole_list
from assay.types import Floats


def two_models(
    bound: Callable[[int, int, int], float], rows: int, only_old: Any, only_new: Any
) -> Experiment:
    """Two models on the same rows; what is promised is by how much the new one's error is lower, at least.

    Parameters
    ----------
    bound : callable
        ``bound(only_old, only_new, rows)``, from the rows on which exactly one is wrong.
    rows : int
        How many rows there are.
    only_old, only_new : number
        The chance that only the old model is wrong on a row, and that only the new one is.
    """
    n = count("rows", rows, at_least=1)
    chances = _shares(only_old=only_old, only_new=only_new)

    def experiment(rng: Generator, trials: int) -> Outcome:
        drawn = rng.multinomial(n, chances, trials)[:, :2]
        return _at_least(tabulated(bound, drawn, n), chances[0] - chances[1])

    return experiment


def f1_score(
    bound: Callable[[int, int, int], float], rows: int, prevalence: Any, precision: Any, recall: Any
) -> Experiment:
    """One model of a class; what is promised is its F1 score, at least.

    Parameters
    ----------
    bound : callable
        ``bound(true_positives, false_positives, false_negatives)``; where all are zero it is not called, and nothing
        is promised.
    rows : int
        How many rows there are, of all classes.
    prevalence, precision, recall : number
        The chance that a row is of the class; that one taken for it is; that one of it is taken for it.
    """
    n = count("rows", rows, at_least=1)
    share, flagged, hit = (
        float(unit(name, value).low)
        for name, value in (
            ("prevalence", prevalence),
            ("precision", precision),
            ("recall", recall),
        )
    )
    require(flagged > 0 or hit == 0, "precision", "above zero with such a recall", precision)
    hits = share * hit
    alarms = hits / flagged - hits if hits else 0.0
    chances = _shares(true_positives=hits, false_positives=alarms, false_negatives=share - hits)
    truth = 2 * hits / (2 * hits + alarms + share - hits) if share else 0.0

    def defined(*cells: int) -> float:
        return bound(*cells) if any(cells) else 0.0

    def experiment(rng: Generator, trials: int) -> Outcome:
        return _at_least(tabulated(defined, rng.multinomial(n, chances, trials)[:, :3]), truth)

    return experiment


def groups_at_once(
    bound: Callable[[int, int], float], rows: Sequence[int], rates: Sequence[Any]
) -> Experiment:
    """One model judged on several groups; every group's promise must hold.

    What is promised is that no rate lies above its bound by more than nothing.

    Parameters
    ----------
    bound : callable
        ``bound(errors, rows)``, the error rate promised for a group.
    rows : sequence of int
        The size of each group's holdout.
    rates : sequence of number
        The true error rate of each group.
    """
    sizes = whole_list("rows", rows)
    true = [float(unit(f"rates[{place}]", rate).low) for place, rate in enumerate(rates)]
    require(len(sizes) == len(true), "rates", f"as many as rows, {len(sizes)}", len(true))

    def experiment(rng: Generator, trials: int) -> Outcome:
        over = np.full(trials, -np.inf)
        for n, p in zip(sizes, true, strict=True):
            over = np.maximum(over, p - tabulated(bound, rng.binomial(n, p, trials), n))
        return np.zeros(trials), over

    return experiment


def judged_batch(
    bound: Callable[[list[int]], float],
    sizes: Sequence[int],
    labelled: Sequence[int],
    wrong: Sequence[int],
) -> Experiment:
    """A batch that a judge has split into strata, of which a few rows each are labelled.

    Parameters
    ----------
    bound : callable
        ``bound(seen)``, from the number of labelled rows that are wrong in each stratum to the most rows of the batch
        that are.
    sizes, labelled, wrong : sequence of int
        Of each stratum how many rows it has, how many are labelled, and how many are wrong.
    """
    columns = [
        whole_list(name, column)
        for name, column in (("sizes", sizes), ("labelled", labelled), ("wrong", wrong))
    ]
    for name, column in zip(("labelled", "wrong"), columns[1:], strict=True):
        must = f"as many as sizes, {len(columns[0])}"
        require(len(column) == len(columns[0]), name, must, len(column))
    strata = list(zip(*columns, strict=True))
    for place, (size, n, bad) in enumerate(strata):
        require(n <= size, f"labelled[{place}]", f"at most the size {size}", n)
        require(bad <= size, f"wrong[{place}]", f"at most the size {size}", bad)

    def seen(*counts: int) -> float:
        return bound(list(counts))

    def experiment(rng: Generator, trials: int) -> Outcome:
        drawn = [rng.hypergeometric(bad, size - bad, n, trials) for size, n, bad in strata]
        return tabulated(seen, np.stack(drawn, axis=1)), float(sum(columns[2]))

    return experiment


def scored_pairs(
    bound: Callable[[int, int, int], float], pairs: int, concordant: Any, tied: Any = 0
) -> Experiment:
    """Pairs of a positive and a negative row; what is promised is the area under the ROC curve, at least.

    Parameters
    ----------
    bound : callable
        ``bound(concordant, tied, pairs)``, from how many pairs the positive row scores above the negative one in, and
        in how many the two score alike.
    pairs : int
        How many disjoint pairs there are.
    concordant, tied : number
        The chances of both; the area is the first and half of the second.
    """
    n = count("pairs", pairs, at_least=1)
    chances = _shares(concordant=concordant, tied=tied)

    def experiment(rng: Generator, trials: int) -> Outcome:
        drawn = rng.multinomial(n, chances, trials)[:, :2]
        return _at_least(tabulated(bound, drawn, n), chances[0] + chances[1] / 2)

    return experiment


def _at_least(promised: Floats, truth: float) -> Outcome:
    """Promises from below, turned round: they are broken where the truth is the smaller."""
    return -promised, -truth


def _shares(**given: Any) -> list[float]:
    """Chances of outcomes that exclude each other, and that of none of them."""
    chances = [float(unit(name, value).low) for name, value in given.items()]
    total = sum(chances)
    name = next(iter(given))
    require(total <= 1 + 1e-12, name, "at most 1 together with the others", given[name])
    return [*chances, max(1.0 - total, 0.0)]
