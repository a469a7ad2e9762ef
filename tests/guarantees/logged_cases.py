"""Rounds of another policy: a rare arm that loses 0.3, a usual one that loses 0.6, and who prefers the rare one."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from assay.checks import Experiment
from assay.checks.tabulated import tabulated
from assay.theory.tail.logged import (
    logged_improvement,
    logged_improvement_apart,
    logged_loss_at_least,
    logged_loss_at_most,
)
from tests.guarantees.case import DELTA, Case

DRAWN, POLICY, LOSSES = (0.2, 0.8), (0.9, 0.1), (0.3, 0.6)
WEIGHTS = tuple(p / m for p, m in zip(POLICY, DRAWN, strict=True))
OLD, NEW = (sum(p * x for p, x in zip(chances, LOSSES, strict=True)) for chances in (DRAWN, POLICY))
ROUNDS = 60

Counts = tuple[tuple[float, float, int], ...]
"""Weight and loss of each outcome, and in how many rounds it was met."""


def rounds_of_a_log(
    truth: float, at_least: bool
) -> Callable[[Callable[[Counts], float]], Experiment]:
    """Sixty rounds: four outcomes, for each arm that it lost or did not."""
    cells = [(w, loss) for w in WEIGHTS for loss in (1.0, 0.0)]
    chances = [
        m * (x if loss else 1 - x)
        for m, x in zip(DRAWN, LOSSES, strict=True)
        for loss in (1.0, 0.0)
    ]

    def experiment(bound: Callable[[Counts], float]) -> Experiment:
        def seen(*counts: int) -> float:
            met = zip(cells, counts, strict=True)
            return bound(tuple((w, loss, many) for (w, loss), many in met if many))

        def draw(rng: np.random.Generator, trials: int) -> tuple[np.ndarray, float]:
            promised = tabulated(seen, rng.multinomial(ROUNDS, chances, trials))
            return (-promised, -truth) if at_least else (promised, truth)

        return draw

    return experiment


def losses(counts: Counts) -> list[tuple[float, int]]:
    return [(w * loss, n) for w, loss, n in counts]


def gains(counts: Counts) -> list[tuple[float, int]]:
    return [(w * (1 - loss), n) for w, loss, n in counts]


def paired(counts: Counts) -> list[tuple[float, int]]:
    return [(loss + w * (1 - loss), n) for w, loss, n in counts]


def normal(returns: list[tuple[float, int]]) -> float:
    """The mean less 1.645 standard errors."""
    mean = sum(y * n for y, n in returns) / ROUNDS
    spread = sum((y - mean) ** 2 * n for y, n in returns) / ROUNDS
    return mean - 1.645 * math.sqrt(spread / ROUNDS)


def own(counts: Counts) -> list[tuple[float, int]]:
    """What the log itself lost."""
    return [(loss, n) for _, loss, n in counts]


def normal_most(counts: Counts) -> float:
    """The mean of weighted losses and 1.645 standard errors."""
    negated = [(-y, n) for y, n in losses(counts)]
    return -normal(negated)


CASES = [
    Case(
        "logged-loss-at-least",
        "losses weighed as if they were drawn alike",
        lambda counts: logged_loss_at_least(losses(counts), DELTA),
        lambda counts: logged_loss_at_least([(w * y / 0.45, n) for w, y, n in counts], DELTA),
        rounds_of_a_log(NEW, True),
        trials=600,
    ),
    Case(
        "logged-loss-at-most",
        "the normal approximation",
        lambda counts: logged_loss_at_most(gains(counts), DELTA),
        lambda counts: normal_most(counts),
        rounds_of_a_log(NEW, False),
        trials=600,
    ),
    Case(
        "logged-improvement",
        "the shift that makes returns nonnegative not taken off",
        lambda counts: logged_improvement(paired(counts), DELTA),
        lambda counts: logged_loss_at_least(paired(counts), DELTA),
        rounds_of_a_log(OLD - NEW, True),
        trials=600,
    ),
    Case(
        "logged-improvement-apart",
        "the new policy's estimate taken for its upper end",
        lambda counts: logged_improvement_apart(own(counts), gains(counts), DELTA),
        lambda counts: normal(own(counts)) - sum(y * n for y, n in losses(counts)) / ROUNDS,
        rounds_of_a_log(OLD - NEW, True),
        trials=600,
    ),
]
