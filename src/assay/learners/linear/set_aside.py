"""Rows of a sample that gradient descent does not learn from, but judges its passes by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import BadData, require
from assay.learners.common.rows import Rows
from assay.types import Array, Floats, Ints

# The score of predictions on rows, from their targets, what the learner says of them, and their weights.
Score = Callable[[Array, Floats, Floats], float]


@dataclass(frozen=True)
class SetAside:
    """Which rows are learned from, the places of those set aside, and how a pass is judged by these."""

    learned: NDArray[np.bool_]
    aside: Ints
    score: Score

    @classmethod
    def of(
        cls, learner: Any, labels: Array, weights: Floats, score: Score, *, by_class: bool
    ) -> SetAside | None:
        """Those that a learner's parameters describe, drawn by its seed as scikit-learn draws them."""
        if not learner.early_stopping:
            return None
        from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

        share = learner.validation_fraction
        fits = isinstance(share, float) and 0 < share < 1
        require(fits, "validation_fraction", "above 0 and below 1", share)
        split = (StratifiedShuffleSplit if by_class else ShuffleSplit)(
            n_splits=1, test_size=share, random_state=learner.random_state
        )
        _, aside = next(split.split(np.zeros((len(labels), 1)), labels))
        if not weights[aside].any():
            raise BadData(
                "sample_weight must leave a row of those set aside for early_stopping, but is zero for all of them. "
                "Another random_state sets others aside."
            )
        learned = np.ones(len(labels), dtype=bool)
        learned[aside] = False
        return cls(learned, aside, score)

    def judge(self, rows: Rows, targets: Array, weights: Floats) -> Callable[[Array, Array], float]:
        """From weights and intercept to the score of what they say of the rows set aside."""
        X, y, each = rows.whole[self.aside], targets[self.aside], weights[self.aside]

        def judged(coef: Array, intercept: Array) -> float:
            return self.score(y, np.asarray(X @ coef + intercept), each)

        return judged


def accuracy(signs: Array, scores: Floats, weights: Floats) -> float:
    """The share of signs that scores have, too, by weight; a score of zero is negative."""
    return float(np.average((scores > 0) == (signs > 0), weights=weights))


def explained(targets: Array, scores: Floats, weights: Floats) -> float:
    """The share of the variance of targets that predictions explain."""
    from sklearn.metrics import r2_score

    return float(r2_score(targets, scores, sample_weight=weights))
