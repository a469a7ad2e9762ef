"""A sum of a kernel over mistaken examples, whatever these are: what the players of the kernel perceptron share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.guarantees.kernels import defect_of
from assay.kernels import AllProducts, Kernel
from assay.learners.common import kinds
from assay.learners.common.player import Player
from assay.learners.kernel.feature_space import KeptMistakes
from assay.record.kernel import KernelRecord
from assay.types import Floats


class MistakeSum(Player):
    """Base of the players that keep mistaken examples and their labels.

    Attributes
    ----------
    squared_length : float
        Of the weights in feature space.
    largest_square : float
        The largest k(x, x) of a mistaken example.
    """

    mistakes_only = True
    keeps_rows = False  # its support are the mistaken examples
    state = kinds.declare(
        kernel=kinds.same, support_labels=kinds.optional(kinds.array("<f8", least=-1, most=1))
    )

    # What a fit knows of its rows from pass to pass, these standing first; never saved.
    _keeping: Any = None
    _known: tuple[Any, ...] | None = None

    def __init__(self, width: int, kernel: Kernel, zero: int | str, budget: int | None) -> None:
        super().__init__(width, np.dtype(np.float64), constant=False)
        self.zero = 0.0 if zero == "mistake" else float(zero)
        self.budget = budget or 0
        self.squared_length = self.largest_square = 0.0
        self.kernel = kernel
        self.support_labels: Floats | None = None

    @property
    def labels(self) -> Floats:
        """The labels of the mistaken examples that are in use."""
        return np.zeros(0) if self.support_labels is None else self.support_labels

    @property
    def examples(self) -> Any:
        """The mistaken examples in use."""
        raise NotImplementedError

    def values(self) -> Floats | None:
        """The kernel between the mistaken examples in use; None where that is not known any more."""
        return self._kept().values()

    def _kept(self) -> KeptMistakes:
        """The mistaken examples in use; what is in use is never written over, so that they do not change."""
        return KeptMistakes(self.kernel, self.examples, self.labels)

    def wrong(self, score: float, sign: float) -> bool:
        """Whether a score is a mistake on an example of this label."""
        return not (sign * score > 0 or (score == 0 and self.zero == sign))

    def scores(self, rows: Any) -> Floats:
        """The sum over the mistaken examples for every row."""
        raise NotImplementedError

    def keep(self, rows: Any) -> None:
        """Keep what is computed of these rows from pass to pass."""
        self._keeping = rows

    def let_go(self) -> None:
        """Keep nothing any more."""
        for name in ("_keeping", "_known"):
            self.__dict__.pop(name, None)

    def record(self, *, trace: bool, names: Any = None) -> KernelRecord:
        """What happened so far; the names are those of the features."""
        kept = self._kept()
        return KernelRecord(
            rounds=self.rounds,
            mistakes=self.mistakes,
            updates=self.updates,
            passes=self.passes,
            clean=self.clean,
            radius=math.sqrt(self.largest_square) * (1 + 1e-12),
            kept=len(kept.labels),
            trace=self._trace() if trace else None,
            largest_square=self.largest_square,
            features=self.width,
            squared_length=self.squared_length,
            defect=None,  # a sample's: a player knows none
            kernel=self.kernel,
            all_products=self.kernel == AllProducts(),
            labels=kept.labels,
            examples=kept.examples,
            mistaken=kept,
            names=names,
        )

    def _marks(self) -> dict[str, float]:
        squared = self.squared_length
        if self.budget and len(self.labels):
            values = self.values()
            squared = squared if values is None else float(self.labels @ values @ self.labels)
        return {"squared_norm": squared, "largest_square": self.largest_square}

    def _require_state(self) -> None:
        """Refuse, in a model file, numbers that no run leaves behind."""
        super()._require_state()
        fits = len(self.labels) <= self.updates and bool((np.abs(self.labels) == 1).all())
        below = self.squared_length < 0 and not self._may_be_negative()
        if not fits or below or self.largest_square < 0:
            raise ValueError("the mistaken examples do not fit this learner")

    def _may_be_negative(self) -> bool:
        """Whether the square of the length can be: only where the matrix is that of no kernel."""
        values = None if self.kernel.known_psd else self.values()
        if values is None:
            return not self.kernel.known_psd
        return defect_of(values) is not None
