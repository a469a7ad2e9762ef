"""Disjunctions by elimination, online."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.compiled.boolean.elimination import elimination_pass, elimination_pass_csr
from assay.guarantees.boolean import elimination_guarantees
from assay.guarantees.boolean_text import Literal, disjunction_text
from assay.guarantees.guarantee import Guarantee
from assay.learners.boolean.online import BooleanPlayer, OnlineBooleanClassifier
from assay.learners.common import kinds
from assay.learners.common.online_classifier import OnlineLinearClassifier
from assay.learners.common.player import Player
from assay.learners.common.rows import Rows
from assay.learners.common.skipped_checks import OTHER_FEATURES_AND_WEIGHTS
from assay.learners.registry import register
from assay.record.boolean import EliminationRecord
from assay.types import Array, Floats, Ints


@register(
    "online-disjunction",
    use="an OR of yes/no features, row by row",
    promise="bounds its mistakes on any stream",
)
@dataclass(eq=False, repr=False)
class OnlineDisjunction(OnlineBooleanClassifier):
    """Start with the OR of all features; on a mistake drop those that are set.

    If the labels are an OR of some of the d features, at most d mistakes are made, all of them on
    examples of the first class (``online-disjunction-mistakes``), and no deterministic learner does better
    in the worst case (``online-disjunction-lower``). With negations the hypothesis starts as the OR of
    all 2 d literals, and makes at most d + 1 mistakes (``literal-disjunction-mistakes``).

    Parameters
    ----------
    negations : bool, default=False
        Whether every feature also stands for its negation.
    max_iter : int, default=1000
        The most passes `fit` makes over the sample.
    n_iter_no_change : int, default=5
        `fit` also stops after so many passes without fewer mistakes than before.
    warm_start : bool, default=False
        Whether `fit` goes on from the hypothesis it has.
    trace : bool, default=False
        Whether `record_` holds, mistake by mistake, how many literals are left.

    Attributes
    ----------
    classes_ : array
        The labels; the second one is the positive one.
    formula_ : str, or tuple of str
        What was learned, as text; one formula for each class when there are more than two.
    coef_, intercept_ : array
        One for each feature that is left, minus those of negations left; and minus one, plus these.
    n_iter_ : int
        Passes made.
    record_ : EliminationRecord
        Rounds and mistakes.

    References
    ----------
    .. [1] Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.4.1.
    .. [2] Mansour, Introduction to Machine Learning, lecture 4 (2012), section 4.5.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import OnlineDisjunction
    >>> X = np.eye(8)
    >>> model = OnlineDisjunction().fit(X, [1, 0, 0, 1, 0, 0, 0, 0])
    >>> model.formula_
    'x0 OR x3'
    >>> print(model.guarantees()[0])
    mistakes: at most 8, observed 6, by online-disjunction-mistakes
    """

    #: Nothing is learned from a right prediction.
    conservative = True

    negations: bool = False
    max_iter: int = 1000
    n_iter_no_change: int = 5
    warm_start: bool = False
    trace: bool = False

    # A disjunction does have a weight for each feature.
    has_weights = True
    skipped_checks: ClassVar[Mapping[str, str]] = OTHER_FEATURES_AND_WEIGHTS
    coef_ = OnlineLinearClassifier.coef_
    intercept_ = OnlineLinearClassifier.intercept_

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        return EliminationPlayer(width, np.dtype(np.float64), bool(self.negations))

    def _grow(self, x: Mapping[Any, Any], index: dict[Any, int]) -> None:
        # Here a feature may come late: until then it was zero, so nothing spoke against it.
        OnlineLinearClassifier._grow(self, x, index)

    def _guarantees(
        self, record: EliminationRecord, of: str, declared: Mapping[str, Any]
    ) -> list[Guarantee]:
        return elimination_guarantees(record, of)


class EliminationPlayer(BooleanPlayer):
    """Elimination on one binary problem: 1 for a literal that is left, 0 for one that was dropped."""

    arrays = ("weights", "bias", "negated")
    state = kinds.declare(negations=kinds.same)

    def __init__(self, width: int, dtype: np.dtype[Any], negations: bool) -> None:
        super().__init__(width, dtype, constant=False)
        self.weights = np.ones(width)
        self.negated = np.ones(width if negations else 0)
        self.negations = negations
        self.bias[0] = -1.0
        self.missed_positives = 0

    @property
    def coef(self) -> Array:
        """What each feature counts in the score."""
        return self.weights - self.negated if self.negations else self.weights

    @property
    def intercept(self) -> Array:
        """Minus one, plus the negations that are true when nothing is set."""
        return np.asarray(self.bias + self.negated.sum())

    @property
    def left(self) -> list[Literal]:
        """The literals that are left, in the order of the features."""
        return self.record(trace=False).literals_left

    def record(self, *, trace: bool, names: Sequence[Any] | None = None) -> EliminationRecord:
        """What happened so far; the names are those of the features."""
        return EliminationRecord(
            **self._recorded(trace),
            negations=self.negations,
            missed_positives=self.missed_positives,
            features_left=self.weights > 0,
            negations_left=self.negated > 0,
            names=names,
        )

    def scores(self, rows: Rows) -> Floats:
        """How many of the literals left are true, less one."""
        # Whole numbers below 2^53: exact in any order.
        weights = self.coef
        return np.asarray(rows.whole @ weights + self.intercept, dtype=np.float64)

    def _pass(self, rows: Rows, signs: Array, updated: Ints) -> tuple[int, int, int]:
        loop = elimination_pass if rows.dense is not None else elimination_pass_csr
        dropped, refused, played = loop(*rows.arrays, signs, self.weights, self.negated, updated)
        self.missed_positives += refused
        return dropped + refused, dropped, played

    def widen(self, width: int) -> None:
        """Make room for features that were not there before, as if they had been zero all along."""
        more = width - len(self.weights)
        self.weights = np.append(self.weights, np.ones(more))
        if self.negations:
            # A negation was true in every negative example that was mistaken.
            alive = float(self.updates == 0)
            self.negated = np.append(self.negated, np.full(more, alive))

    def formula(self, names: Sequence[Any] | None) -> str:
        """The OR of the literals that are left."""
        return disjunction_text(self.left, names)

    def _marks(self) -> dict[str, float]:
        return {
            "literals_left": float(self.weights.sum() + self.negated.sum()),
            "missed_positives": float(self.missed_positives),
        }
