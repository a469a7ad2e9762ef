"""Three conversions of an online learner, written from their definitions.

A learner is a starting hypothesis with `predict(h, x)` and `update(h, x, y)`; all three runs are
conservative: the learner is shown an example only when its hypothesis errs on it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple


class Learner(NamedTuple):
    start: Any
    predict: Any
    update: Any


class Run(NamedTuple):
    hypothesis: Any
    mistakes: int
    used: int  # examples looked at
    stopped: bool  # False when the stream ended first


def hypotheses_used(learner, stream):
    """The hypothesis that predicted each example of the stream."""
    h, used = learner.start, []
    for x, y in stream:
        used.append(h)
        if learner.predict(h, x) != y:
            h = learner.update(h, x, y)
    return used


def gap(mistakes, accuracy, delta):
    return math.ceil(math.log((mistakes + 2) ** 2 / delta) / accuracy)


def large_gap(learner, stream, accuracy, delta):
    """Stop once the hypothesis has been right on enough examples in a row."""
    h, mistakes, run, used = learner.start, 0, 0, 0
    for x, y in stream:
        used += 1
        if learner.predict(h, x) == y:
            run += 1
            if run >= gap(mistakes, accuracy, delta):
                return Run(h, mistakes, used, True)
        else:
            h, mistakes, run = learner.update(h, x, y), mistakes + 1, 0
    return Run(h, mistakes, used, False)


def blocks(learner, stream, most, accuracy, delta):
    """Stop at the first of `most` blocks without a mistake; after the last, take what there is."""
    size = math.ceil(math.log(most / delta) / accuracy)
    h, mistakes, used, examples = learner.start, 0, 0, iter(stream)
    for _ in range(most):
        before = mistakes
        for _ in range(size):
            x, y = next(examples)
            used += 1
            if learner.predict(h, x) != y:
                h, mistakes = learner.update(h, x, y), mistakes + 1
        if mistakes == before:
            return Run(h, mistakes, used, True)
    return Run(h, mistakes, used, False)


def elimination(d):
    """The online disjunction learner: drop every variable set in a false positive; d mistakes."""
    return Learner(
        frozenset(range(d)),
        lambda h, x: 1 if any(x[j] for j in h) else -1,
        lambda h, x, y: h if y == 1 else frozenset(j for j in h if not x[j]),
    )
