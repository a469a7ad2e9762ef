"""A probabilistic certificate and its broken twin, and what both are tried on."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

from assay.checks import Experiment
from assay.theory.tail.binomial_many import holdout_exact_many

DELTA = 0.05


@dataclass(frozen=True)
class Case:
    """A certificate, its broken twin, what was broken, and the data to try them on.

    The suite tries it in so many trials, in which the twin must show; `make guarantees` in many more.
    """

    theorem: str
    broken_by: str
    certificate: Callable[..., object]
    twin: Callable[..., object]
    experiment: Callable[[Callable[..., object]], Experiment]
    trials: int = 2_000

    def __str__(self) -> str:
        return f"{self.theorem}, {self.broken_by}"


def at(bound: Callable[..., object], *more: object, delta: object = DELTA) -> Callable[..., object]:
    """The bound as a function of what an experiment draws, each value worked out once."""
    return functools.cache(lambda *numbers: bound(*numbers, *more, delta))


def fast_exact(errors: int, rows: int) -> float:
    return float(holdout_exact_many(errors, rows, DELTA))
