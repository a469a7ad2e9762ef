"""Winnow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from assay.compiled.linear.winnow import weight_of_true, winnow_pass, winnow_pass_csr
from assay.errors import BadData, Where, require
from assay.guarantees.boolean_text import threshold_formula
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.winnow import winnow_guarantees
from assay.learners.common import kinds
from assay.learners.common.online_classifier import OnlineLinearClassifier
from assay.learners.common.player import Player
from assay.learners.common.rows import Rows, cell
from assay.learners.common.skipped_checks import OTHER_FEATURES_AND_WEIGHTS
from assay.learners.common.training_promises import MistakePromises
from assay.learners.registry import register
from assay.record.online import WinnowRecord
from assay.theory.needs import positive
from assay.types import Array, Ints

# Between these the theorems and the weights are far from the ends of the floats.
_LEAST, _LARGEST = 1.0001, 1e6


@register(
    "winnow",
    use="few of very many yes/no features matter",
    promise="bounds its mistakes on any stream",
)
@dataclass(eq=False, repr=False)
class Winnow(MistakePromises, OnlineLinearClassifier):
    r"""Predict the second class when :math:`w\cdot x\ge d`; on a mistake double or halve what is set.

    Features are 0 or 1, the d weights start at one, and stay powers of two. If the labels are a
    disjunction of k of the features, Winnow makes at most :math:`3k\lceil\log_2 d\rceil+1` mistakes,
    however many features are irrelevant (``winnow-disjunction-mistakes``).

    With a smaller `factor` it learns linear separators with weights of zero or more, of which negations make
    any (``winnow-separator-mistakes``). Where at least r of k features decide, a majority for example,
    :math:`1+\frac1{2r}` is such a factor, and the mistakes grow with :math:`rk\log d`. What the labels are is
    declared: ``guarantees(literals=k, at_least=r)``, or ``guarantees(separator=w, threshold=c)``, which is compared
    with the examples that were mistaken.

    Parameters
    ----------
    negations : bool, default=False
        Whether every feature also stands for its negation; d is then twice the number of features.
    max_iter : int, default=1000
        The most passes `fit` makes over the sample.
    n_iter_no_change : int, default=5
        `fit` also stops after so many passes without fewer mistakes than before.
    warm_start : bool, default=False
        Whether `fit` goes on from the weights it has.
    trace : bool, default=False
        Whether `record_` holds, mistake by mistake, what the proof follows: the total weight, the
        largest weight, and the mistakes on positive and on negative examples.
    factor : float, default=2.0
        By what weights are multiplied, or divided, on a mistake; for a separator with a gap g below
        :math:`1/(1-g)`, for example :math:`1+g/2`.

    Attributes
    ----------
    classes_ : array
        The labels; the second one is the positive one.
    coef_, intercept_ : array
        The weights, less those of the negations, and minus d, plus those of the negations.
    formula_ : str, or tuple of str
        What was learned, as text; one formula for each class when there are more than two.
    n_iter_ : int
        Passes made.
    record_ : OnlineRecord
        Rounds and mistakes.

    References
    ----------
    .. [1] Littlestone (1988). Learning quickly when irrelevant attributes abound.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import Winnow
    >>> X = np.eye(8)
    >>> model = Winnow().fit(X, [1, 0, 0, 1, 0, 0, 0, 0])
    >>> model.formula_
    'x0 OR x3'
    >>> print(model.guarantees()[0])
    mistakes: at most 19, observed 6, by winnow-disjunction-mistakes

    A majority of three among eight features:

    >>> X = (np.random.default_rng(0).random((500, 8)) < 0.5).astype(int)
    >>> model = Winnow(factor=1.25).fit(X, X[:, :3].sum(axis=1) >= 2)
    >>> print(model.guarantees(literals=3, at_least=2)[0])
    mistakes: at most 108, observed 23, by winnow-separator-mistakes
    """

    #: The checks of scikit-learn that are not run or cannot hold, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = OTHER_FEATURES_AND_WEIGHTS
    #: Nothing is learned from a right prediction.
    conservative = True
    declares = ("literals", "at_least", "separator", "threshold")

    negations: bool = False
    max_iter: int = 1000
    n_iter_no_change: int = 5
    warm_start: bool = False
    trace: bool = False
    factor: float = 2.0

    @property
    def formula_(self) -> str | tuple[str, ...]:
        """What was learned, as text."""
        formulas = tuple(
            threshold_formula(player.weights, player.negated, self._names())
            for player in self._fitted()
            if isinstance(player, WinnowPlayer)
        )
        return formulas[0] if len(formulas) == 1 else formulas

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        # Powers of two are exact in double precision, whatever the precision of the examples.
        return WinnowPlayer(width, np.dtype(np.float64), bool(self.negations), self._factor())

    def _factor(self) -> float:
        factor = float(positive("factor", self.factor).low)
        must = "a number from 1.0001 to 1000000"
        require(_LEAST <= factor <= _LARGEST, "factor", must, self.factor)
        return factor

    def _validated(self, X: Any, y: Any, *, reset: bool) -> tuple[Rows, Array]:
        rows, labels = super()._validated(X, y, reset=reset)
        if rows.dense is None and not rows.matrix.has_canonical_format:
            matrix = rows.matrix.copy()
            matrix.sum_duplicates()
            rows = Rows(matrix=matrix)
        return rows, labels

    def _check_cells(self, X: Any) -> None:
        cells = X.data if sparse.issparse(X) else X
        if ((cells == 0) | (cells == 1)).all():
            return
        table = X.toarray() if sparse.issparse(X) else X
        row, column = map(int, np.argwhere((table != 0) & (table != 1))[0])
        raise _not_boolean(cell(row, column, self._names()), table[row, column])

    def _number(self, name: Any, value: Any) -> float:
        number = super()._number(name, value)
        if number not in (0.0, 1.0):
            raise BadData(
                "Winnow needs features that are 0 or 1, but ",
                Where(column=name, of="x"),
                f" is {number!r}.",
            )
        return number

    def predict_one(self, x: Any) -> Any:
        """The predicted label of one example; changes nothing. None before anything was learned."""
        label = super().predict_one(x)
        if label is not None:
            self._refuse_cells(x)
        return label

    def _guarantees(
        self, record: WinnowRecord, of: str, declared: Mapping[str, Any]
    ) -> list[Guarantee]:
        return winnow_guarantees(record, of, declared)


class WinnowPlayer(Player):
    """Winnow on one binary problem."""

    arrays = ("weights", "bias", "negated")
    state = kinds.declare(
        negations=kinds.same,
        # Files of before it could be chosen have none, and were played with two.
        factor=kinds.maybe(
            kinds.plain(lambda value: type(value) is float and _LEAST <= value <= _LARGEST)
        ),
    )

    def __init__(
        self, width: int, dtype: np.dtype[Any], negations: bool, factor: float = 2.0
    ) -> None:
        super().__init__(width, dtype, constant=False)
        self.factor = factor
        self.weights = np.ones(width)
        self.negated = np.ones(width if negations else 0)
        self.negations = negations
        self.bias[0] = -self.literals
        self.missed_positives = self.missed_negatives = 0
        #: Whether features appeared after a mistake, so that the threshold was not that of all of them.
        self.late = False

    def _require_state(self) -> None:
        """Refuse kept examples that are not boolean; for model files."""
        super()._require_state()
        block = self.hindsight.examples()[0]
        cells = block.arrays[0]
        once = block.matrix is None or block.matrix.has_canonical_format
        if not once or not ((cells == 0) | (cells == 1)).all():
            raise ValueError("an example that was kept has a feature that is not 0 or 1")

    @property
    def literals(self) -> int:
        """The threshold: the number of features, negated ones included."""
        return len(self.weights) + len(self.negated)

    @property
    def coef(self) -> Array:
        """The weights of the features in the score."""
        return self.weights - self.negated if self.negations else self.weights

    @property
    def intercept(self) -> Array:
        """Minus the threshold, plus the weight of the negations when nothing is set."""
        return np.asarray(self.bias + self.negated.sum())

    def score(self, row: Array) -> float:
        """The score of one example, as the loop computes it."""
        return float(weight_of_true(row, self.weights, self.negated)) - self.literals

    def _pass(self, rows: Rows, signs: Array, updated: Ints) -> tuple[int, int, int]:
        loop = winnow_pass if rows.dense is not None else winnow_pass_csr
        mistakes, played = loop(
            *rows.arrays,
            signs,
            self.weights,
            self.negated,
            float(self.literals),
            self.factor,
            updated,
        )
        positive = int((signs[updated[:mistakes]] > 0).sum())
        self.missed_positives += positive
        self.missed_negatives += mistakes - positive
        return mistakes, mistakes, played

    def record(self, *, trace: bool, names: Sequence[Any] | None = None) -> WinnowRecord:
        """What happened so far; the names are those of the features."""
        return WinnowRecord(
            **self._recorded(trace),
            literals=self.literals,
            negations=self.negations,
            late=self.late,
            names=names,
            factor=self.factor,
        )

    def refusal(self, rows: Rows, place: int, names: Sequence[Any] | None) -> BadData:
        """Why a row could not be played."""
        row = rows.row(place)
        odd = np.flatnonzero((row != 0) & (row != 1))
        if not np.isfinite(row).all() or not odd.size:
            return super().refusal(rows, place, names)
        return _not_boolean(cell(place, int(odd[0]), names), row[odd[0]])

    def widen(self, width: int) -> None:
        """Make room for features that were not there before; their weights start at one."""
        more = np.ones(width - len(self.weights))
        self.weights = np.append(self.weights, more)
        if self.negations:
            self.negated = np.append(self.negated, more)
        self.bias[0] = -self.literals
        self.late |= self.mistakes > 0

    def _marks(self) -> dict[str, float]:
        both = np.append(self.weights, self.negated)
        return {
            "total_weight": float(both.sum()),
            "largest_weight": float(both.max()),
            "missed_positives": float(self.missed_positives),
            "missed_negatives": float(self.missed_negatives),
        }


def _not_boolean(where: Where, value: float) -> BadData:
    return BadData(
        "Winnow needs features that are 0 or 1, but ", where, f" holds {float(value)!r}."
    )
