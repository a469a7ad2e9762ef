"""SAMME, which is AdaBoost for two classes and more, over any weak learner, written from the paper."""

from __future__ import annotations

import math
from typing import NamedTuple


class Run(NamedTuple):
    hypotheses: list
    errors: list
    votes: list  # as scikit-learn counts them: ln((1 - e) / e) + ln(K - 1)
    ballots: list  # for each example the votes of every class


def samme(weak, labels, classes, rounds, weights=None, rate=1.0):
    """`weak(weights)` gives a hypothesis and what it says of every example."""
    m = len(labels)
    w = [1.0 / m] * m if weights is None else [v / math.fsum(weights) for v in weights]
    run = Run([], [], [], [[0.0] * classes for _ in labels])
    for _ in range(rounds):
        hypothesis, said = weak(w)
        wrong = [s != label for s, label in zip(said, labels, strict=True)]
        error = math.fsum(v for v, bad in zip(w, wrong, strict=True) if bad)
        if error >= 1 - 1 / classes - 1e-12:
            break
        vote = 1.0 + sum(run.votes)
        if error > 0:
            vote = rate * (math.log((1 - error) / error) + math.log(classes - 1))
        run.hypotheses.append(hypothesis)
        run.errors.append(error)
        run.votes.append(vote)
        for ballot, s in zip(run.ballots, said, strict=True):
            ballot[s] += vote
        if error == 0:
            break
        w = [v * math.exp(vote) if bad else v for v, bad in zip(w, wrong, strict=True)]
        total = math.fsum(w)
        w = [v / total for v in w]
    return run
