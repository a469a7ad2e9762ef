"""The linear support vector classifier."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadData, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.halfspaces import halfspace_guarantees
from assay.guarantees.margin import linear_machine_guarantees
from assay.learners.common import kinds, number_records
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Terms
from assay.learners.common.linear_fit import MAYBE_FIT, keep_fit
from assay.learners.common.row_weights import row_weights
from assay.learners.common.rows import Rows
from assay.learners.common.settings import Settled
from assay.learners.common.skipped_checks import WITHIN_TOLERANCE
from assay.learners.common.sparse_coef import dense_coef
from assay.learners.linear.batch import BatchLinearClassifier, double
from assay.learners.linear.coordinate_descent import CoordinateDescent
from assay.learners.linear.support_promises import LinearSupportPromises
from assay.learners.registry import register
from assay.record.margin import SIGNED, LinearMachineRecord, MarginRecord
from assay.types import Floats

# The spread of the gradients to which the dual is first solved; where the gap is then too wide, it is cut down
# within these bounds. The gap falls a little faster than the spread does.
_FIRST_SPREAD = 0.1
_LEAST_CUT, _MOST_CUT = 0.7, 0.01
_FALL = 0.7
_UNIT = 2.0**-53
# Examples so near the margin are taken to lie on it.
_NEAR = 1e-9


@register(
    "linear-svc",
    use="many columns, sparse rows, texts",
    promise="bounds its error from training rows alone",
)
@dataclass(eq=False, repr=False)
class LinearSVC(LinearSupportPromises, Settled, BatchLinearClassifier):
    r"""Minimise :math:`\tfrac12\|w\|^2+C\sum_i\ell(1-y_i\,w\cdot x_i)`, :math:`\ell(z)=\max(0,z)` or its square.

    The intercept is the weight of a feature that is `intercept_scaling` everywhere, so it is part of
    :math:`\|w\|`, as in scikit-learn. `fit` walks through the dual one example at a time, and ends when the
    objective is proven to be within a share `tol` of the least possible: no w is below the dual
    (``svm-duality-kkt``), and `record_` has both.

    Parameters
    ----------
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        The loss.
    tol : float, default=1e-4
        The duality gap, as a share of the objective, at which `fit` ends.
    C : float, default=1.0
        The weight of the losses.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    intercept_scaling : float, default=1.0
        The constant feature; the larger, the less the intercept is penalised.
    class_weight : dict, "balanced" or None, default=None
        Factors of C for each class.
    random_state : int, RandomState instance or None, default=None
        The seed of the orders in which examples are taken.
    max_iter : int, default=1000
        The most passes over the examples.

    Attributes
    ----------
    classes_ : array
        The labels.
    coef_, intercept_ : array
        The weights; with more than two classes those of each against the rest.
    n_iter_ : int
        Passes made, the most of any class.
    record_ : LinearMachineRecord, or list of them
        Objectives, gap, gradient spread and margin.

    References
    ----------
    .. [1] Hsieh, Chang, Lin, Keerthi and Sundararajan (2008). A dual coordinate descent method for
       large-scale linear SVM.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import LinearSVC
    >>> X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    >>> model = LinearSVC(loss="hinge", C=10.0, tol=1e-9, random_state=0).fit(X, [0, 1, 1, 1])
    >>> model.coef_.round(6).tolist(), model.intercept_.round(6).tolist()
    ([[2.0, 2.0]], [-1.0])
    >>> round(model.record_.primal, 6)
    4.5
    """

    #: The checks of scikit-learn that are not run or cannot hold, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = WITHIN_TOLERANCE
    state = kinds.declare(
        records_=kinds.each(number_records.kind_of(MarginRecord, SIGNED), "problems"),
        n_iter_=kinds.count,
        linear_fit_=MAYBE_FIT,
    )
    earlier_state: ClassVar[Any] = {"facts_": number_records.read_rows(MarginRecord)}

    settings = ("C", "fit_intercept", "intercept_scaling", "loss", "tol")

    loss: Literal["squared_hinge", "hinge"] = "squared_hinge"
    _: KW_ONLY
    tol: float = 1e-4
    C: float = 1.0
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    class_weight: Any = None
    random_state: Any = None
    max_iter: int = 1000

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Find the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Factors of C for each example.

        Returns
        -------
        self
        """
        self._require_parameters()
        X, labels = self._sample(X, y)
        X = double(X)
        rows = Rows.of(X)
        weights = np.asarray(row_weights(sample_weight, rows), dtype=np.float64)
        some = labels if sample_weight is None else labels[weights > 0]
        if len(np.unique(some)) < 2:
            raise BadData(
                "sample_weight must leave rows of at least two classes, but leaves one class."
            )
        pulls = compute_class_weight(self.class_weight, classes=self.classes_, y=labels)
        constant = float(self.intercept_scaling) if self.fit_intercept else 0.0
        squares = rows.squares() + constant**2
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        coefs, frees, records, scores = [], [], [], []
        binary = len(self.classes_) == 2
        for place, signs in enumerate(self._signs(labels)):
            # A class's weight counts in its own problem; with two classes both have theirs.
            other = pulls[0] if binary else 1.0
            costs = self.C * weights * np.where(signs > 0, pulls[1 if binary else place], other)
            descent = _Descent(rows, constant, signs, costs, squares, self.loss, seed)
            records.append(descent.run(self.tol, self.max_iter))
            coefs.append(descent.w)
            frees.append(descent.w0[0] * constant)
            scores.append(descent.margins * signs)
        self.coef_, self.intercept_ = np.array(coefs), np.array(frees)
        self.records_ = [number_records.plain(record) for record in records]
        self.n_iter_ = int(max(record.passes for record in records))
        columns = np.column_stack(scores)
        keep_fit(
            self, X, labels, self._chosen_of_columns, constant=self.fit_intercept, scores=columns
        )
        self._hold_settings()
        self._warn()
        return self

    def _require_parameters(self) -> None:
        known = self.loss in ("hinge", "squared_hinge")
        require(known, "loss", "'hinge' or 'squared_hinge'", self.loss)
        for name in ("C", "tol", "intercept_scaling"):
            value = getattr(self, name)
            number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
            require(number and 0 < value < math.inf, name, "a finite number above zero", value)
        most: Any = self.max_iter
        counts = isinstance(most, int | np.integer) and bool(most >= 1)
        require(counts, "max_iter", "a whole number, at least 1", most)

    def _warn(self) -> None:
        worst = max((r.gap / r.primal if r.primal > 0 else 0.0) for r in self._records)
        if worst > self.tol:
            warnings.warn(
                f"LinearSVC stopped after {self.n_iter_} passes with a duality gap of {worst:.2g} of the objective. "
                "Scale the features, raise max_iter, or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )

    @property
    def _records(self) -> list[MarginRecord]:
        check_is_fitted(self, "records_")
        return list(self.records_)

    @property
    def record_(self) -> LinearMachineRecord | list[LinearMachineRecord]:
        """What the fit left behind; a list where there are more than two classes."""
        records, used = self._records, self.settings_
        weights = dense_coef(self)
        if used["fit_intercept"]:
            free = self.intercept_ / float(used["intercept_scaling"])
            weights = np.column_stack([weights, free])
        machines = [
            LinearMachineRecord(
                **vars(record),
                weights=w,
                hinge=used["loss"] == "hinge",
                cost=used["C"],
                tolerance=used["tol"],
                fit=getattr(self, "linear_fit_", None),
            )
            for record, w in zip(records, weights, strict=True)
        ]
        return machines[0] if len(machines) == 1 else machines

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What the support vectors and the duality gap promise, of each class against the rest where there are more;
        of two classes also what the capacity of halfspaces says about the error.
        """
        records = self.record_ if isinstance(self.record_, list) else [self.record_]
        machines = [g for record in records for g in linear_machine_guarantees(record)]
        return [*machines, *halfspace_guarantees(records[0].fit, terms.delta)]


class _Descent:
    """One binary problem."""

    def __init__(
        self,
        rows: Rows,
        constant: float,
        signs: Floats,
        costs: Floats,
        squares: Floats,
        loss: str,
        seed: int,
    ) -> None:
        live = np.flatnonzero(costs > 0)
        self.rows, self.constant, self.signs, self.costs = rows, constant, signs, costs
        self.squares, self.squared = squares, loss == "squared_hinge"
        self.live = live
        n = len(signs)
        self.cap = np.full(n, np.inf) if self.squared else costs
        self.ridge = np.zeros(n)
        if self.squared:
            self.ridge[live] = 0.5 / costs[live]
        self.descent = CoordinateDescent(
            rows, constant, signs, self.cap, self.ridge, squares, live, seed
        )
        self.alpha, self.w, self.w0 = self.descent.alpha, self.descent.w, self.descent.w0

    def run(self, tolerance: float, most: int) -> MarginRecord:
        spread, passes = _FIRST_SPREAD, 0
        while True:
            made, reached = self.descent.run(spread, most - passes)
            passes += made
            record = self._record(passes)
            done = record.gap <= tolerance * record.primal or record.residual == 0.0
            if done or passes >= most:
                return self._proven(record)
            if record.residual > 2 * spread:
                # Rows that were set aside have to move after all.
                self.descent.look_again(self.live[self.slope != 0])
                continue
            share = tolerance * record.primal / record.gap
            spread = min(reached, spread) * max(_MOST_CUT, min(_LEAST_CUT, share**_FALL))

    def _record(self, passes: int) -> MarginRecord:
        free = float(self.w0[0])
        square = float(self.w @ self.w) + free * free
        margins = self.signs * (self.rows.whole @ self.w + self.constant * free)
        self.margins = margins
        slack = np.maximum(0.0, 1.0 - margins)
        lost = slack * slack if self.squared else slack
        alpha = self.alpha
        slope = (margins - 1.0 + self.ridge * alpha)[self.live]
        own = alpha[self.live]
        slope[(own == 0) & (slope > 0)] = 0.0
        slope[(own == self.cap[self.live]) & (slope < 0)] = 0.0
        self.slope = slope
        # Where all slopes have one sign, it is zero that they should be near to.
        residual = float(slope.max(initial=0.0) - slope.min(initial=0.0))
        idle = (alpha == 0) & (self.costs > 0)
        dual = float(alpha.sum()) - 0.5 * (square + float(self.ridge @ (alpha * alpha)))
        return MarginRecord(
            rows=len(self.live),
            support=int(np.count_nonzero(alpha)),
            bounded=int(np.count_nonzero((alpha > 0) & (alpha == self.cap))),
            primal=0.5 * square + float(self.costs @ lost),
            dual=dual,
            residual=residual,
            norm=math.sqrt(square),
            least=float(margins[self.live].min()),
            steps=passes * len(self.live),
            passes=passes,
            beside=int(np.count_nonzero(idle & (margins <= 1.0 + residual + _NEAR))),
        )

    def _proven(self, record: MarginRecord) -> MarginRecord:
        """The record with what rounding may hide, and with the dual of the weights that the variables stand for.

        The descent adds to its weights example by example, so they are these up to rounding.
        """
        alpha, signed = self.alpha, self.alpha * self.signs
        lengths = np.sqrt(self.squares)
        n, width = len(alpha), self.rows.width + 16
        meant = math.hypot(
            float(np.linalg.norm(self.rows.whole.T @ signed)), self.constant * float(signed.sum())
        )
        meant = (meant + 2 * (n + 16) * _UNIT * float(alpha @ lengths)) * (1 + width * _UNIT)
        prices = 0.5 * float(self.ridge @ (alpha * alpha))
        total = float(alpha.sum())
        dual = total - 0.5 * meant**2 - prices
        # Scores err by a unit for each feature, sums by one for each example.
        doubt = 2 * width * _UNIT * lengths * record.norm
        lost = np.maximum(0.0, 1.0 - self.margins + doubt)
        lost = self.costs * (lost * lost if self.squared else lost)
        primal = 0.5 * record.norm**2 * (1 + width * _UNIT) + float(lost.sum())
        noise = 2 * (n + 16) * _UNIT * (primal + total + meant**2 + prices)
        terms = lost + alpha * (self.margins - 1.0) + 0.5 * self.ridge * alpha * alpha
        return replace(
            record,
            slack=max(0.0, float(terms[self.live].max())),
            rounding=max(0.0, primal - dual + noise - record.gap),
            floor=max(0.0, dual - noise),
            radius=float(lengths[self.live].max()) * (1 + 1e-12),
        )
