"""How a gradient moves the weights, and how fast."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.compiled.neural.network_steps import adam_step, momentum_step
from assay.types import Array

_SLOWEST = 1e-6  # an adaptive step that is this small is not made smaller


class Steps:
    """The steps of a solver, and all it remembers between them.

    Attributes
    ----------
    moments : array of shape (1 or 2, q)
        The velocity, or the running means of the gradient and of its square.
    taken : int
        Steps so far.
    rate : float
        How far the next one goes.
    """

    def __init__(self, model: Any, size: int, dtype: np.dtype[Any]) -> None:
        self.model = model
        self.moments = np.zeros((2 if model.solver == "adam" else 1, size), dtype=dtype)
        self.taken = 0
        self.rate = float(model.learning_rate_init)

    def step(self, weights: Array, gradient: Array) -> None:
        """Move the weights."""
        model = self.model
        self.taken += 1
        if model.solver == "sgd":
            ahead = bool(model.nesterovs_momentum)
            momentum_step(
                weights, gradient, self.moments[0], self.rate, float(model.momentum), ahead
            )
            return
        one, two = float(model.beta_1), float(model.beta_2)
        self.rate = model.learning_rate_init * math.sqrt(1 - two**self.taken)
        self.rate /= 1 - one**self.taken
        first, second = self.moments
        adam_step(weights, gradient, first, second, self.rate, one, two, float(model.epsilon))

    def end_pass(self, rows: int) -> None:
        """After a pass, so many rows having been seen in all."""
        if self.model.solver == "sgd" and self.model.learning_rate == "invscaling":
            self.rate = float(self.model.learning_rate_init) / (rows + 1) ** self.model.power_t

    def slower(self) -> bool:
        """Go on with smaller steps where the schedule says so; False where it is time to stop."""
        model = self.model
        if model.solver != "sgd" or model.learning_rate != "adaptive" or self.rate <= _SLOWEST:
            return False
        self.rate /= 5.0
        return True
