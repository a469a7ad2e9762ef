"""EXP3, written from its definition, and its exact expectation over all possible draws."""

from __future__ import annotations

import math
from typing import NamedTuple

from tests.naive.hedge import weights_for


class Run(NamedTuple):
    probability: float  # of these draws
    loss: float  # of the drawn arms
    estimates: list  # for each arm, the sum of its estimated losses
    squared_estimates: float  # the sum of l^2 / v over the draws
    weights: list  # before each round; from `exp3` also after the last


def exp3(losses, draws, rate):
    """Play the given draws. `rate` is a number, or gives the rate of round 1, 2, ..."""
    at = rate if callable(rate) else lambda t: rate
    run = Run(1.0, 0.0, [0.0] * len(losses[0]), 0.0, [])
    for t, (row, arm) in enumerate(zip(losses, draws, strict=True), start=1):
        run = _step(run, row, arm, at(t))
    return run._replace(weights=[*run.weights, weights_for(run.estimates, at(len(losses)))])


def _step(run, row, arm, rate):
    """Draw one arm by the weights; count its loss over its probability, nothing for the others."""
    v = weights_for(run.estimates, rate)
    estimates = list(run.estimates)
    estimates[arm] += row[arm] / v[arm]
    return Run(
        run.probability * v[arm],
        run.loss + row[arm],
        estimates,
        run.squared_estimates + row[arm] ** 2 / v[arm],
        [*run.weights, v],
    )


def all_runs(losses, rate):
    """One run for every sequence of draws that can happen (in floats: of at least 1e-100)."""
    at = rate if callable(rate) else lambda t: rate
    arms = range(len(losses[0]))
    runs = [Run(1.0, 0.0, [0.0] * len(arms), 0.0, [])]
    for t, row in enumerate(losses, start=1):
        runs = [
            _step(run, row, arm, at(t))
            for run in runs
            for arm, v in zip(arms, weights_for(run.estimates, at(t)), strict=True)
            if run.probability * v > 1e-100
        ]
    return runs


def expected_loss(losses, rate):
    return math.fsum(run.probability * run.loss for run in all_runs(losses, rate))
