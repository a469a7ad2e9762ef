"""AdaBoost over a list of hypotheses, written from its definition."""

from __future__ import annotations

import math
from typing import NamedTuple


class Run(NamedTuple):
    chosen: list  # which hypothesis, round by round
    errors: list  # its weighted error
    votes: list
    normalizers: list
    distributions: list  # before the first round and after each
    scores: list  # f(x_i) = sum_t vote_t h_t(x_i)

    def training_error(self, y):
        """Ties count as wrong."""
        return sum(f * label <= 0 for f, label in zip(self.scores, y, strict=True)) / len(y)


def adaboost(hypotheses, y, rounds):
    """Each hypothesis is its list of predictions -1 / +1; the first of the best ones is taken.

    Stops early at a weighted error of 0 (that hypothesis decides alone) or of 1/2 and more.
    """
    m = len(y)
    d, scores = [1.0 / m] * m, [0.0] * m
    run = Run([], [], [], [], [d], scores)
    for _ in range(rounds):
        weighted = [
            math.fsum(p for p, guess, label in zip(d, h, y, strict=True) if guess != label)
            for h in hypotheses
        ]
        best = min(range(len(hypotheses)), key=lambda j: (round(weighted[j], 12), j))
        error, h = weighted[best], hypotheses[best]
        if error >= 0.5:
            break
        if error == 0:
            return run._replace(
                chosen=[*run.chosen, best],
                errors=[*run.errors, 0.0],
                scores=[float(guess) for guess in h],
            )
        vote = 0.5 * math.log((1 - error) / error)
        raw = [p * math.exp(-vote * label * guess) for p, guess, label in zip(d, h, y, strict=True)]
        z = math.fsum(raw)
        d = [x / z for x in raw]
        scores = [f + vote * guess for f, guess in zip(scores, h, strict=True)]
        run = Run(
            [*run.chosen, best],
            [*run.errors, error],
            [*run.votes, vote],
            [*run.normalizers, z],
            [*run.distributions, d],
            scores,
        )
    return run


def stumps(x, thresholds):
    """For each threshold, "s where x < threshold, else -s", s = +1 before s = -1."""
    return [[s if xi < cut else -s for xi in x] for cut in thresholds for s in (1, -1)]
