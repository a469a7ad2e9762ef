"""The perceptron."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from assay.compiled.common.rows import affine, affine_packed
from assay.compiled.linear.perceptron import perceptron_one, perceptron_pass
from assay.errors import require
from assay.learners.common.online_classifier import OnlineLinearClassifier
from assay.learners.common.player import NotANumber, Player
from assay.learners.common.rows import Rows
from assay.learners.common.skipped_checks import NOT_RUN
from assay.learners.common.training_promises import MistakePromises
from assay.learners.registry import register
from assay.types import Array, Floats, Ints

if TYPE_CHECKING:
    from assay.guarantees.guarantee import Guarantee
    from assay.learners.common.accepted import Accepted
    from assay.record.linear_fit import LinearFitRecord
    from assay.record.online import OnlineRecord
    from assay.theory.rounding import Number

# Where the parameters are that the theorems do not know.
_SGD = "SGDClassifier(loss='perceptron', learning_rate='constant', eta0=1.0) has it."


@register(
    "perceptron",
    use="a linear rule on a stream, nothing to tune",
    promise="bounds its mistakes on any stream",
)
@dataclass(eq=False, repr=False)
class Perceptron(MistakePromises, OnlineLinearClassifier):
    r"""Predict :math:`\operatorname{sgn}(w\cdot x)`; on a mistake add :math:`y\,x` to :math:`w`.

    If every example has length at most R and some unit vector separates them with margin
    :math:`\gamma`, the perceptron makes at most :math:`(R/\gamma)^2` mistakes, in any order and over any
    number of passes (``perceptron-margin-mistakes``). On any data at all it makes at most
    :math:`R^2\|u\|^2+2L(u)` mistakes, for every vector u with total hinge loss L(u)
    (``perceptron-hinge-mistakes``).

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether a constant feature of one is appended; radius and margin then include it.
    zero : {1, -1, "mistake"}, default=1
        The label predicted at a score of exactly zero, or that such a score counts as wrong.
    max_iter : int, default=1000
        The most passes `fit` makes over the sample.
    n_iter_no_change : int, default=5
        `fit` also stops after so many passes without fewer mistakes than before.
    warm_start : bool, default=False
        Whether `fit` goes on from the weights it has.
    trace : bool, default=False
        Whether `record_` holds, update by update, what the proof follows.
    shuffle : bool, default=True
        Whether `fit` plays the rows in a new random order in every pass. What is promised holds in any order.
        `partial_fit`, `learn_one` and `assay.play` keep the order in which examples come.
    random_state : int, RandomState instance or None, default=0
        The seed of these orders; the same by default, as that of scikit-learn's Perceptron is.
    tol : float or None, default=1e-3
        By how many mistakes a pass must be better than the best before it, to count as better. A number below one asks
        for one mistake less; None goes on until a pass is clean, or `max_iter`.
    penalty, alpha, l1_ratio, eta0, class_weight, early_stopping, validation_fraction, verbose, n_jobs
        Here for scikit-learn's sake. The theorems know no penalties, weights of classes and rows set aside, and a step
        only says how long the weights are: other values than scikit-learn's defaults are refused, unless they change
        nothing. `SGDClassifier` with ``loss="perceptron"`` has them all.

    Attributes
    ----------
    classes_ : array
        The labels.
    coef_, intercept_ : array
        The weights.
    n_iter_ : int
        Passes made.
    t_ : float
        One more than the rows played.
    record_ : OnlineRecord
        Rounds, mistakes, radius.

    References
    ----------
    .. [1] Novikoff (1962). On convergence proofs on perceptrons.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import Perceptron
    >>> X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    >>> model = Perceptron().fit(X, [0, 1, 1, 1])
    >>> model.record_.mistakes, model.coef_.tolist(), model.intercept_.tolist()
    (5, [[1.0, 1.0]], [-1.0])
    >>> print(model.guarantees()[0])
    mistakes: at most 18, observed 5, by perceptron-hinge-mistakes
    """

    #: The checks of scikit-learn that are not run or cannot hold, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN | {
        "check_class_weight_classifiers": "weights of classes would break the mistake bound, and are refused"
    }

    conservative = True
    counts_errors = True
    declares = ("radius", "margin", "literals")

    fit_intercept: bool = True
    zero: Literal[1, -1, "mistake"] = 1
    max_iter: int = 1000
    n_iter_no_change: int = 5
    warm_start: bool = False
    trace: bool = False
    shuffle: bool = True
    random_state: Any = 0
    _: KW_ONLY
    tol: float | None = 1e-3
    penalty: str | None = None
    alpha: float = 0.0001
    l1_ratio: float = 0.15
    eta0: float = 1.0
    class_weight: Any = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    verbose: int = 0
    n_jobs: int | None = None

    @property
    def accepted(self) -> Mapping[str, Accepted]:
        """Keywords of scikit-learn's that the theorems do not know."""
        from assay.learners.common.accepted import (  # only here: a class shall cost little
            ANYTHING,
            only,
        )

        return {
            "penalty": only(None, instead=_SGD),
            "alpha": ANYTHING,
            "l1_ratio": ANYTHING,
            "eta0": only(1.0, 1, instead=_SGD),
            "class_weight": only(None, instead=_SGD),
            "early_stopping": only(False, instead=_SGD),
            "validation_fraction": ANYTHING,
            "verbose": ANYTHING,
            "n_jobs": ANYTHING,
        }

    def _require_parameters(self) -> None:
        from assay.learners.common.accepted import require_accepted
        from assay.learners.common.number_kinds import is_number

        require_accepted(self)
        tol = self.tol
        fine = tol is None or (is_number(tol) and bool(0 <= tol < math.inf))
        require(fine, "tol", "None or a finite number, not negative", tol)

    @property
    def t_(self) -> float:
        """One more than the rows played, those of all passes together, as in scikit-learn; the most of any class."""
        return 1.0 + max(player.rounds for player in self._fitted())

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        require(self.zero in (1, -1, "mistake"), "zero", "1, -1 or 'mistake'", self.zero)
        return PerceptronPlayer(width, dtype, self.fit_intercept, self.zero)

    def _sides(self, scores: Array) -> NDArray[np.int_]:
        return ((scores > 0) if self.zero == -1 else (scores >= 0)).astype(int)

    def _guarantees(
        self, record: OnlineRecord, of: str, declared: Mapping[str, Any]
    ) -> list[Guarantee]:
        # Only here: a first fit should not wait for the theorems.
        from assay.guarantees.online import perceptron_guarantees

        return perceptron_guarantees(record, of, declared)

    def _from_fit(self, fit: LinearFitRecord | None, delta: Number) -> list[Guarantee]:
        from assay.guarantees.halfspaces import halfspace_guarantees, length_guarantees

        return [*length_guarantees(fit, delta), *halfspace_guarantees(fit, delta)]


class PerceptronPlayer(Player):
    """The perceptron on one binary problem."""

    mistakes_only = True

    def __init__(self, width: int, dtype: np.dtype[Any], constant: bool, zero: int | str) -> None:
        super().__init__(width, dtype, constant)
        self.zero = 0.0 if zero == "mistake" else float(zero)

    def _pass(self, rows: Rows, signs: Array, updated: Ints) -> tuple[int, int, int]:
        mistakes, played = perceptron_pass(
            rows.block,
            signs,
            rows.order,
            self.weights,
            self.bias,
            self.constant,
            self.zero,
            updated,
        )
        return mistakes, mistakes, played

    def play_one(self, row: Array, positive: bool) -> None:
        """Predict and learn one example: the same step, without the bookkeeping of a block."""
        if self.tracing:
            super().play_one(row, positive)
            return
        sign = 1.0 if positive else -1.0
        mistakes = perceptron_one(row, sign, self.weights, self.bias, self.constant, self.zero)
        if mistakes < 0:
            raise NotANumber(0)
        if mistakes:
            self.mistakes += 1
            self.updates += 1
            self.hindsight.add_one(row, sign, self.constant)
        self.rounds += 1

    def score(self, row: Array) -> float:
        """The score of one example; its weights are those of the loop."""
        return affine(row, self.weights, self.bias)  # type: ignore[no-any-return]

    def score_packed(self, raw: bytes) -> float:
        """The same of an example whose numbers are packed into bytes."""
        return affine_packed(raw, self.weights, self.bias)  # type: ignore[no-any-return]

    def _marks(self) -> dict[str, float]:
        w, b = self.weights.astype(np.float64), float(self.bias[0])
        return {"squared_norm": float(w @ w) + b * b}

    def _trace(self) -> dict[str, Floats]:
        columns = super()._trace()
        best = self.hindsight.best()
        if best is not None and best.margin is not None and len(self._log) == self.hindsight.count:
            X, ones, y = self.hindsight.examples()
            unit = best.vector / np.linalg.norm(best.vector)
            columns["progress"] = np.cumsum(y * (X.whole @ unit[:-1] + ones * unit[-1]))
        return columns
