"""The linear support vector classifier."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadData, BadParameter, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.halfspaces import halfspace_guarantees, linear_fit_guarantees
from assay.guarantees.margin import linear_machine_guarantees
from assay.learners.common import kinds, number_records
from assay.learners.common.accepted import ANYTHING, Accepted, only, require_accepted
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.blocks import Blocks, coded
from assay.learners.common.class_weights import class_counts, class_pulls
from assay.learners.common.guaranteed import Terms
from assay.learners.common.linear_fit import MAYBE_FIT, keep_fit
from assay.learners.common.linear_fit_blocks import linear_fit_of_blocks
from assay.learners.common.row_weights import row_weights
from assay.learners.common.rows import Rows
from assay.learners.common.settings import Settled
from assay.learners.common.sign_labels import require_two_classes
from assay.learners.common.skipped_checks import WITHIN_TOLERANCE
from assay.learners.common.sparse_coef import dense_coef
from assay.learners.linear.batch import BatchLinearClassifier, double
from assay.learners.linear.block_hinge import Side, machine_of_blocks
from assay.learners.linear.block_logistic import heavy_of, require_weighed, with_constant
from assay.learners.linear.dual_descent import DualDescent
from assay.learners.linear.squared_hinge import squared_hinge_by_sizes
from assay.learners.linear.support_promises import LinearSupportPromises
from assay.learners.registry import register
from assay.record.linear_fit import LinearFitRecord
from assay.record.margin import SIGNED, LinearMachineRecord, MarginRecord
from assay.types import Array, Floats

# Of blocks of rows a system of so many equations is solved in each step, at most.
_MOST_WEIGHTS = 5000

# Labels of -1 and +1, and what the loss of each row costs; weights, that of the constant feature, and margins.
Problem: TypeAlias = tuple[Floats, Floats]
Solved: TypeAlias = tuple[Floats, float, Floats]


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
    penalty : {"l2", "l1"}, default="l2"
        ``"l1"``: the sum of the sizes of the weights in place of half their squared length, which sets weights to zero;
        for the squared loss. There is no duality gap then, and no promise by support vectors.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        The loss.
    dual : {"auto", True, False}, default="auto"
        Here for scikit-learn's sake; it changes nothing, but what scikit-learn refuses is refused: the hinge loss has
        no solver without the dual, and ``penalty="l1"`` none with it.
    tol : float, default=1e-4
        The duality gap, as a share of the objective, at which `fit` ends; with ``penalty="l1"`` the largest entry of
        the subgradient of the mean objective.
    C : float, default=1.0
        The weight of the losses.
    multi_class : {"ovr"}, default="ovr"
        Each class against the rest; scikit-learn's other value is refused.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    intercept_scaling : float, default=1.0
        The constant feature; the larger, the less the intercept is penalised.
    class_weight : dict, "balanced" or None, default=None
        Factors of C for each class.
    verbose : int, default=0
        Here for scikit-learn's sake; it changes nothing.
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
        Objectives, gap, gradient spread and margin; with ``penalty="l1"`` a LinearFitRecord.

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
        # None of them where the sizes of the weights are the penalty.
        records_=kinds.each(number_records.kind_of(MarginRecord, SIGNED), "problems")
        | kinds.one_of([]),
        n_iter_=kinds.count,
        linear_fit_=MAYBE_FIT,
    )
    earlier_state: ClassVar[Any] = {"facts_": number_records.read_rows(MarginRecord)}

    settings = ("C", "fit_intercept", "intercept_scaling", "loss", "tol")

    accepted: ClassVar[Mapping[str, Accepted]] = {
        "dual": only("auto", True, False, instead="Any of them finds the same weights."),
        "multi_class": only(
            "ovr",
            instead="SVC(kernel='linear') compares the classes in pairs, with a promise for each.",
        ),
        "verbose": ANYTHING,
    }

    penalty: Literal["l2", "l1"] = "l2"
    loss: Literal["squared_hinge", "hinge"] = "squared_hinge"
    _: KW_ONLY
    dual: bool | str = "auto"
    tol: float = 1e-4
    C: float = 1.0
    multi_class: str = "ovr"
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    class_weight: Any = None
    verbose: int = 0
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
        if sample_weight is not None and len(np.unique(labels[weights > 0])) < 2:
            raise BadData(
                "sample_weight must leave rows of at least two classes, but leaves one class."
            )
        pulls = compute_class_weight(self.class_weight, classes=self.classes_, y=labels)
        self.records_: list[MarginRecord] = []
        constant = float(self.intercept_scaling) if self.fit_intercept else 0.0
        problems = list(self._costs(labels, weights, pulls))
        if self.penalty == "l1":
            solved = self._by_sizes(rows, constant, problems)
        else:
            solved = self._by_dual(rows, constant, problems)
        coefs, frees, margins = (np.array(part) for part in zip(*solved, strict=True))
        self.coef_, self.intercept_ = coefs, frees * constant
        scores = [m * signs for m, (signs, _) in zip(margins, problems, strict=True)]
        keep_fit(
            self,
            X,
            labels,
            self._chosen_of_columns,
            constant=self.fit_intercept,
            scores=np.column_stack(scores),
        )
        self._hold_settings()
        self._warn()
        return self

    def _fit_blocks(self, blocks: Blocks) -> LinearSVC:
        """Find the weights from blocks of rows, by Newton's method; the gap is computed from all rows."""
        self._require_parameters()
        if self.penalty == "l1":
            raise BadParameter(
                "LinearSVC does not learn from blocks of rows with penalty='l1'. Take 'l2', or LogisticRegression."
            )
        constant = float(self.intercept_scaling) if self.fit_intercept else 0.0
        width = blocks.width + bool(constant)
        require(width <= _MOST_WEIGHTS, "the features of X", f"at most {_MOST_WEIGHTS:,}", width)
        self.classes_, before = coded(blocks)
        require_two_classes(self, self.classes_)
        require_weighed(before.total(heavy_of, len(self.classes_)))
        # Rows count here, not their weights, as in the ordinary fit.
        counts = before.total(class_counts, len(self.classes_))
        pulls = class_pulls(self.classes_, counts, self.class_weight)
        blocks = with_constant(before, constant) if constant else before
        binary, squared = len(self.classes_) == 2, self.loss == "squared_hinge"
        solved = []
        for place in [1] if binary else range(len(self.classes_)):
            other = pulls[0] if binary else 1.0
            side = Side(place, self.C * float(pulls[place]), self.C * float(other), squared)
            solved.append(machine_of_blocks(blocks, side, self.tol, int(self.max_iter)))
        weights = np.array([kept for kept, _ in solved])
        self.coef_ = np.ascontiguousarray(weights[:, : before.width])
        frees = weights[:, before.width] * constant if constant else np.zeros(len(weights))
        self.intercept_ = np.array(frees)
        self.records_ = [number_records.plain(record) for _, record in solved]
        self.n_iter_ = int(max(record.passes for _, record in solved))
        _, fit = linear_fit_of_blocks(self, before, constant=self.fit_intercept)
        if fit is not None:
            self.linear_fit_ = fit
        self._hold_settings()
        self._warn()
        return self

    def _costs(self, labels: Array, weights: Floats, pulls: Floats) -> Iterator[Problem]:
        """Each problem's labels of -1 and +1, and what the loss of every row costs."""
        binary = len(self.classes_) == 2
        for place, signs in enumerate(self._signs(labels)):
            # A class's weight counts in its own problem; with two classes both have theirs.
            other = pulls[0] if binary else 1.0
            yield (
                signs,
                self.C * weights * np.where(signs > 0, pulls[1 if binary else place], other),
            )

    def _by_dual(self, rows: Rows, constant: float, problems: list[Problem]) -> list[Solved]:
        """The weights, that of the constant feature and the margins of every problem."""
        squares = rows.squares() + constant**2
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        solved, records = [], []
        for signs, costs in problems:
            descent = DualDescent(rows, constant, signs, costs, squares, self.loss, seed)
            records.append(descent.run(self.tol, self.max_iter))
            solved.append((descent.w, descent.w0[0], descent.margins))
        self.records_ = [number_records.plain(record) for record in records]
        self.n_iter_ = int(max(record.passes for record in records))
        return solved

    def _by_sizes(self, rows: Rows, constant: float, problems: list[Problem]) -> list[Solved]:
        """The same where the sum of the sizes of the weights is the penalty."""
        X = rows.with_column(np.full(len(rows), constant)).whole if constant else rows.whole
        solved = [squared_hinge_by_sizes(X, *one, self.tol, self.max_iter) for one in problems]
        self.n_iter_ = max(1, *(steps for _, steps, _ in solved))
        left = max(rest for _, _, rest in solved)
        if left > self.tol:
            warnings.warn(
                f"LinearSVC stopped after {self.n_iter_} steps, and the largest entry of the gradient is {left:.2g}, "
                "above tol. Scale the features, raise max_iter, or lower C.",
                ConvergenceWarning,
                stacklevel=4,
            )
        width = rows.width
        return [
            (w[:width], w[width] if constant else 0.0, signs * np.asarray(X @ w))
            for (w, _, _), (signs, _) in zip(solved, problems, strict=True)
        ]

    def _require_parameters(self) -> None:
        require_accepted(self)
        known = self.penalty in ("l2", "l1")
        require(known, "penalty", "'l2' or 'l1'", self.penalty)
        known = self.loss in ("hinge", "squared_hinge")
        require(known, "loss", "'hinge' or 'squared_hinge'", self.loss)
        told = f"penalty={self.penalty!r} with loss={self.loss!r} and dual={self.dual!r}"
        if self.penalty == "l1" and self.loss == "hinge":
            raise BadParameter(
                f"Unsupported set of arguments: {told}. Take loss='squared_hinge', or HingeLossLP, which finds the "
                "least hinge loss without a penalty."
            )
        if (self.penalty == "l1" and self.dual is True) or (
            self.loss == "hinge" and self.dual is False
        ):
            raise BadParameter(f"Unsupported set of arguments: {told}. Take dual='auto'.")
        for name in ("C", "tol", "intercept_scaling"):
            value = getattr(self, name)
            number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
            require(number and 0 < value < math.inf, name, "a finite number above zero", value)
        most: Any = self.max_iter
        counts = isinstance(most, int | np.integer) and bool(most >= 1)
        require(counts, "max_iter", "a whole number, at least 1", most)

    def _warn(self) -> None:
        shares = [r.gap / r.primal if r.primal > 0 else 0.0 for r in self._records]
        worst = max(shares, default=0.0)
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
    def record_(self) -> LinearMachineRecord | list[LinearMachineRecord] | LinearFitRecord | None:
        """What the fit left behind; a list where there are more than two classes."""
        records, used = self._records, self.settings_
        if not records:
            return getattr(self, "linear_fit_", None)
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
        of two classes also what the capacity of halfspaces says about the error. Where the sizes of the weights are the
        penalty, what the number of weights, the loss and that capacity say.
        """
        record = self.record_
        if not isinstance(record, LinearMachineRecord | list):
            return linear_fit_guarantees(record, terms.delta)
        records = record if isinstance(record, list) else [record]
        machines = [g for record in records for g in linear_machine_guarantees(record)]
        return [*machines, *halfspace_guarantees(records[0].fit, terms.delta)]
