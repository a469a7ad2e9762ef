"""Whoever may choose the distribution: the one under which a promise about a few rows fails most often.

Rows take a few kinds. Every sample of so many rows is put together once, up to its order, and asked for its promises;
then the chance that one of them fails is a polynomial in the shares of the kinds, and a climber looks for the shares
that make it large. Nothing is simulated, so a failure just above delta shows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterable

import numpy as np

from assay.errors import AssayError

#: What was promised (a name for what it is of, the number, whether the truth must not be above it).
Promises = Iterable[tuple[Hashable, float, bool]]

# Below and above are told from equal by so much: bounds are met with equality at their worst.
_HAIR = 1e-12


class Adversary:
    """All samples of `rows` rows of `kinds` kinds, what each promises, and how often that fails.

    `ask` gets how many rows are of each kind; a refusal promises nothing. `truth` gets the name and the shares.
    """

    def __init__(
        self,
        kinds: int,
        rows: int,
        ask: Callable[[np.ndarray], Promises],
        truth: Callable[[Hashable, np.ndarray], float],
    ) -> None:
        self.kinds, self.truth = kinds, truth
        samples = [
            np.bincount(chosen, minlength=kinds)
            for chosen in itertools.combinations_with_replacement(range(kinds), rows)
        ]
        promised = [self._answer(ask, sample) for sample in samples]
        self.names = sorted({(of, above) for each in promised for of, above in each}, key=str)
        self._bounds = np.array(
            [[each.get(name, np.nan) for name in self.names] for each in promised]
        )
        self._above = np.array([above for _, above in self.names])
        self._counts = np.array(samples, dtype=float)
        orders = [
            math.factorial(rows) / math.prod(map(math.factorial, s.tolist())) for s in samples
        ]
        self._orders = np.array(orders)

    @staticmethod
    def _answer(ask, sample) -> dict[tuple[Hashable, bool], float]:
        try:
            return {(of, above): float(bound) for of, bound, above in ask(sample)}
        except AssayError:
            return {}

    def failure(
        self, shares: np.ndarray, only: Callable[[Hashable], bool] = lambda of: True
    ) -> float:
        """How likely some promise fails if the kinds have these shares; `only` some promises may be meant."""
        true = np.array([self.truth(of, shares) for of, _ in self.names])
        wrong = np.where(self._above, self._bounds < true - _HAIR, self._bounds > true + _HAIR)
        meant = np.array([only(of) for of, _ in self.names])
        chance = self._orders * np.prod(shares**self._counts, axis=1)
        return float(chance @ (wrong & meant).any(axis=1))

    def worst(
        self, seed: int, only: Callable[[Hashable], bool] = lambda of: True, starts=12, steps=250
    ) -> float:
        """The largest failure that a climber comes upon from several starts."""
        rng = np.random.default_rng(seed)
        return max(self._climbed(rng, only, steps) for _ in range(starts))

    def _climbed(self, rng: np.random.Generator, only, steps: int) -> float:
        shares = rng.dirichlet(np.full(self.kinds, rng.choice([0.1, 0.3, 1.0])))
        here, stride = self.failure(shares, only), 1.0
        for _ in range(steps):
            trial = shares.copy()
            if rng.random() < 0.5:
                trial *= np.exp(
                    stride * rng.normal(size=self.kinds) * (rng.random(self.kinds) < 0.5)
                )
            else:
                taken, given = rng.choice(self.kinds, 2, replace=False)
                part = trial[taken] * rng.random() * min(stride, 1.0)
                trial[taken] -= part
                trial[given] += part
            trial /= trial.sum()
            there = self.failure(trial, only)
            if there >= here:
                stride = min(stride * 1.3, 2.0) if there > here else stride
                shares, here = trial, there
            else:
                stride *= 0.97
        return here
