"""The margin perceptron."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compiled.linear.margin_perceptron import NORM, STARTED, margin_perceptron_pass
from assay.errors import BadData, Where, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.online import margin_perceptron_guarantees
from assay.learners.common import kinds
from assay.learners.common.online_classifier import OnlineLinearClassifier
from assay.learners.common.player import Player
from assay.learners.common.rows import Rows
from assay.learners.common.training_promises import MistakePromises
from assay.learners.registry import register
from assay.learners.search.comparator_store import Hindsight
from assay.record.online import MarginPerceptronRecord
from assay.theory.needs import positive
from assay.types import Array, Ints


@register(
    "margin-perceptron",
    use="a wide margin, row by row",
    promise="bounds its mistakes on any stream",
)
@dataclass(eq=False, repr=False)
class MarginPerceptron(MistakePromises, OnlineLinearClassifier):
    r"""Like the perceptron, but move also when :math:`y\,w\cdot x/\|w\|<(1-\varepsilon)\gamma`.

    Every example is scaled to length one, the constant feature included, and the weights start at the
    first one, which is not predicted. If some unit vector separates these examples with margin
    :math:`\gamma`, there are at most
    :math:`2/(\varepsilon\gamma)^2+2/(\varepsilon\gamma)-2/\varepsilon` updates, mistakes and narrow
    escapes together (``margin-perceptron-updates``); and once a pass changes nothing, every example of
    it has margin at least :math:`(1-\varepsilon)\gamma`.

    Parameters
    ----------
    margin : float, default=0.1
        The margin :math:`\gamma` that the examples are believed to have, above 0 and at most 1.
    eps : float, default=0.5
        The part :math:`\varepsilon` of it that is given up, above 0 and at most 1.
    fit_intercept : bool, default=True
        Whether a constant feature of one is appended before scaling.
    max_iter : int, default=1000
        The most passes `fit` makes over the sample.
    n_iter_no_change : int, default=5
        `fit` also stops after so many passes without fewer updates than before.
    warm_start : bool, default=False
        Whether `fit` goes on from the weights it has.
    trace : bool, default=False
        Whether `record_` holds, update by update, what the proof follows: the length of the weights.
    shuffle : bool, default=True
        Whether `fit` plays the rows in a new random order in every pass. What is promised holds in any order.
        `partial_fit`, `learn_one` and `assay.play` keep the order in which examples come.
    random_state : int, RandomState instance or None, default=0
        The seed of these orders; the same by default, as that of scikit-learn's Perceptron is.

    Attributes
    ----------
    classes_ : array
        The labels.
    coef_, intercept_ : array
        The weights, which apply to examples of any length.
    n_iter_ : int
        Passes made.
    record_ : MarginPerceptronRecord
        Rounds, mistakes, updates, and the margin reached.

    References
    ----------
    .. [1] Mansour (2012). Introduction to Machine Learning, lecture 4.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import MarginPerceptron
    >>> X = np.array([[1.0, 2.0], [2.0, -1.5], [-1.0, -2.0], [-2.0, 0.5]])
    >>> model = MarginPerceptron(margin=0.5, fit_intercept=False).fit(X, [1, 1, 0, 0])
    >>> round(model.record_.margin, 6)
    0.640747
    >>> print(model.guarantees()[0])
    updates: at most 36, observed 1, by margin-perceptron-updates
    """

    declares = ()
    #: The weights start from the first example, which its own count leaves out.
    predicts_first = False

    margin: float = 0.1
    eps: float = 0.5
    fit_intercept: bool = True
    max_iter: int = 1000
    n_iter_no_change: int = 5
    warm_start: bool = False
    trace: bool = False
    shuffle: bool = True
    random_state: Any = 0

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        wide = positive("margin", self.margin).low <= 1
        require(wide, "margin", "at most 1, the length of the examples", self.margin)
        part = positive("eps", self.eps).low <= 1
        require(part, "eps", "at most 1, the whole margin", self.eps)
        # In double precision whatever the examples are: the rule compares lengths.
        asked = {"margin": float(self.margin), "eps": float(self.eps)}
        return MarginPerceptronPlayer(width, np.dtype(np.float64), self.fit_intercept, **asked)

    def _guarantees(
        self, record: MarginPerceptronRecord, of: str, declared: Mapping[str, Any]
    ) -> list[Guarantee]:
        return margin_perceptron_guarantees(record, of)


class MarginPerceptronPlayer(Player):
    """The margin perceptron on one binary problem."""

    arrays = ("weights", "bias", "state")
    state = kinds.declare(reached=kinds.number)

    def __init__(
        self,
        width: int,
        dtype: np.dtype[Any],
        constant: bool,
        margin: float = 0.1,
        eps: float = 0.5,
    ) -> None:
        super().__init__(width, dtype, constant)
        self.margin, self.eps = margin, eps
        self.threshold = (1 - eps) * margin
        self.state = np.zeros(3)
        self.hindsight = Hindsight(unit=True)
        self.reached = math.inf

    def play(self, rows: Rows, signs: Array) -> int:
        """Predict and learn row by row; return the number of updates."""
        self.reached = math.inf
        return super().play(rows, signs)

    def _played(self, rows: Rows, signs: Array) -> int:
        before = self.updates
        super()._played(rows, signs)
        return self.updates - before

    def _pass(self, rows: Rows, signs: Array, updated: Ints) -> tuple[int, int, int]:
        first = self.state[STARTED] == 0
        mistakes, moves, played, smallest = margin_perceptron_pass(
            rows.block,
            signs,
            rows.order,
            self.weights,
            self.bias,
            self.constant,
            self.threshold,
            self.state,
            updated,
        )
        self.reached = min(self.reached, smallest)
        # The first example is what the weights start from: it is kept, but is no update.
        self.updates -= int(first and moves > 0)
        return mistakes, moves, played

    def refusal(self, rows: Rows, place: int, names: Sequence[Any] | None) -> BadData:
        """Why a row could not be played."""
        if not rows.row(place).any():
            return BadData(
                Where(row=place),
                " of X holds only zeros, so it cannot be scaled to length one. "
                "Set fit_intercept=True, or leave the row out.",
            )
        return super().refusal(rows, place, names)

    def record(self, *, trace: bool, names: Sequence[Any] | None = None) -> MarginPerceptronRecord:
        """What happened so far, and what was asked for."""
        return MarginPerceptronRecord(
            **self._recorded(trace), declared_margin=self.margin, eps=self.eps
        )

    def _recorded(self, trace: bool) -> dict[str, Any]:
        margin = self.reached if self.clean else None
        return super()._recorded(trace) | {"threshold": self.threshold, "margin": margin}

    def _require_state(self) -> None:
        """Refuse, in a model file, a threshold that is not that of the margin."""
        super()._require_state()
        fits = 0 < self.margin <= 1 and 0 < self.eps <= 1
        if not fits or self.threshold != (1 - self.eps) * self.margin:
            raise ValueError("its threshold is not that of its margin")

    def _marks(self) -> dict[str, float]:
        return {"norm": math.sqrt(self.state[NORM])}
