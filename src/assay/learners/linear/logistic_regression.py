"""Logistic regression, with two classes or more."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import optimize
from scipy.special import expit, log_softmax, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight

from assay.errors import BadData, BadParameter, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.halfspaces import halfspace_guarantees
from assay.guarantees.optimality import penalised_loss_guarantees
from assay.learners.common import kinds
from assay.learners.common.accepted import ANYTHING, Accepted, require_accepted
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.blocks import Blocks, coded
from assay.learners.common.class_weights import class_pulls
from assay.learners.common.guaranteed import Terms
from assay.learners.common.linear_fit import FIT, linear_fit
from assay.learners.common.linear_fit_blocks import linear_fit_of_blocks
from assay.learners.common.number_kinds import is_number, is_whole
from assay.learners.common.row_weights import row_weights
from assay.learners.common.rows import Rows
from assay.learners.common.sign_labels import require_two_classes
from assay.learners.common.sparse_coef import dense_coef
from assay.learners.linear.batch import BatchLinearClassifier, double, stored
from assay.learners.linear.block_logistic import (
    BlockObjective,
    Costs,
    block_proof,
    heavy_of,
    losses_of_blocks,
    require_weighed,
    with_constant,
)
from assay.learners.linear.damped_newton import damped_newton
from assay.learners.linear.logistic_dual import dual_proof
from assay.learners.linear.logistic_problem import MeanObjective, SeveralClasses, TwoClasses
from assay.learners.linear.proximal_newton import proximal_newton, split_descent
from assay.learners.registry import register
from assay.record.training_loss import PenalisedLossRecord
from assay.types import Array, Floats

# Newton's method solves a system of this many weights at most in each step, unless it is asked for.
_MOST_WEIGHTS = 500

# "deprecated" is what scikit-learn's own default says where `l1_ratio` is to decide.
_PENALTIES = ("auto", "l2", "l1", "elasticnet", "deprecated")
_SOLVERS = ("auto", "newton", "lbfgs", "newton-cg", "newton-cholesky", "sag", "saga", "liblinear")


@register(
    "logistic-regression",
    use="probabilities from weighted sums; a strong first try",
    promise="bounds its error from training rows alone",
)
@dataclass(eq=False, repr=False)
class LogisticRegression(BatchLinearClassifier):
    r"""Minimise :math:`C\sum_is_i\ln(1+e^{-y_i(w\cdot x_i+b)})+\frac12\|w\|^2`.

    With more than two classes, every class has its weights, and the loss is :math:`-\ln p` of the right class under
    the softmax of the scores. The objective is scikit-learn's, with all its penalties. How far it can be above the
    least possible is promised where the squared length is the penalty.

    Parameters
    ----------
    penalty : {"auto", "l2", "l1", "elasticnet", None}, default="auto"
        ``"l2"`` is the one above; ``"l1"`` is :math:`\|w\|_1`, which sets weights to zero; ``"elasticnet"`` is a part
        of each, as `l1_ratio` says; None is none. ``"auto"``: what `l1_ratio` says.
    C : float, default=1.0
        How much the loss weighs against the penalty, above zero; ``inf`` for no penalty. The intercept is not
        penalised.
    l1_ratio : float, default=0.0
        The part r of the penalty :math:`\frac{1-r}2\|w\|^2+r\|w\|_1`, from 0 to 1.
    dual : bool, default=False
        Here for scikit-learn's sake; it changes nothing.
    fit_intercept : bool, default=True
        Whether there is an intercept b.
    intercept_scaling : float, default=1
        The constant feature whose weight is the intercept with ``solver="liblinear"``.
    class_weight : dict, "balanced" or None, default=None
        The weights of the classes; ``"balanced"``: in inverse proportion to how frequent they are.
    random_state, verbose, n_jobs : default=None, 0 and None
        Here for scikit-learn's sake; they change nothing: nothing is drawn, printed or shared among processes.
    solver : str, default="auto"
        ``"newton"``, Newton's method, or ``"lbfgs"``, which needs no system of equations. ``"auto"``: Newton's for up
        to 500 weights. Either finds the minimum of any penalty, so that of scikit-learn's names ``"newton-cholesky"``
        means ``"newton"``, and ``"newton-cg"``, ``"sag"`` and ``"saga"`` mean ``"auto"``. With ``"liblinear"``, for two
        classes, the intercept is penalised, as the weight of a constant feature.
    tol : float, default=1e-4
        The learner stops when no entry of the gradient of the mean objective is larger.
    max_iter : int, default=100
        The most steps.
    warm_start : bool, default=False
        Whether `fit` starts from the weights there are.

    Attributes
    ----------
    classes_ : array
    coef_ : array of shape (1, n_features), or (n_classes, n_features) with more than two
        In single precision where the rows are.
    intercept_ : array of shape (1,) or (n_classes,)
    n_iter_ : array of shape (1,)
        Steps made.
    record_ : PenalisedLossRecord
        Loss and errors on the training rows, and how near to the least the objective is.

    References
    ----------
    .. [1] Cox (1958). The regression analysis of binary sequences.

    Examples
    --------
    >>> from assay import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict_proba([[1.5]]).round(6).tolist()
    [[0.5, 0.5]]
    """

    #: What a fit leaves, all of it or nothing.
    state = kinds.declare(
        n_iter_=kinds.counts(1),
        record_=kinds.record(
            PenalisedLossRecord,
            rows=kinds.whole(1),
            errors=kinds.count,
            loss=kinds.one_of("logistic"),
            total=kinds.size,
            objective=kinds.number,
            square=kinds.amount,
            conjugate=kinds.number,
            fit=kinds.optional(FIT),
        ).where(lambda record: record.errors <= record.rows),
    )
    earlier_state: ClassVar[Any] = {
        (
            "rows_",
            "training_errors_",
            "training_loss_",
            "proof_",
        ): lambda rows, errors, total, proof: {
            "record_": PenalisedLossRecord(rows, errors, "logistic", total, *proof.tolist())
        },
        "n_iter_": lambda steps: {"n_iter_": np.atleast_1d(np.asarray(steps))},
    }

    accepted: ClassVar[Mapping[str, Accepted]] = {
        "dual": ANYTHING,
        "random_state": ANYTHING,
        "verbose": ANYTHING,
        "n_jobs": ANYTHING,
    }

    penalty: str | None = "auto"
    _: KW_ONLY
    C: float = 1.0
    l1_ratio: float | None = 0.0
    dual: bool = False
    fit_intercept: bool = True
    intercept_scaling: float = 1
    class_weight: Any = None
    random_state: Any = None
    solver: str = "auto"
    tol: float = 1e-4
    max_iter: int = 100
    verbose: int = 0
    warm_start: bool = False
    n_jobs: int | None = None

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LogisticRegression:
        """Find the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each example's loss.

        Returns
        -------
        self
        """
        self._require_parameters()
        X, labels = self._sample(X, y)
        dtype = np.dtype(np.float64) if self.solver == "liblinear" else X.dtype
        width, X = X.shape[1], double(X)
        places: Array = np.searchsorted(self.classes_, labels)
        if self._lifted:
            self._require_lifted_classes()
            constant = np.full(X.shape[0], float(self.intercept_scaling))
            X = Rows.of(X).with_column(constant).whole
        free = bool(self.fit_intercept) and not self._lifted
        weights = self._weights(X, labels, places, sample_weight)
        solution, steps = self._minimise(self._problem(X, places, weights, free=free))
        self.n_iter_ = np.array([steps])
        parts, frees = self._ended(solution, X.shape[1], free=free)
        self.coef_, self.intercept_ = stored(dtype, parts[:, :width], frees)
        proof = self._proof(X, places, weights, free=free)
        rows = X[:, :width] if self._lifted else X  # of sparse rows it would be a copy
        self.record_ = self._recorded(rows, labels, places, proof)
        return self

    def _fit_blocks(self, blocks: Blocks) -> LogisticRegression:
        """Find the weights from blocks of rows: the same search, where every step reads all rows."""
        self._require_parameters()
        self.classes_, blocks = coded(blocks)
        require_two_classes(self, self.classes_)
        many, width, before = len(self.classes_), blocks.width, blocks
        if self._lifted:
            self._require_lifted_classes()
            blocks = with_constant(blocks, float(self.intercept_scaling))
        free = bool(self.fit_intercept) and not self._lifted
        heavy = blocks.total(heavy_of, many)
        require_weighed(heavy)
        each = class_pulls(self.classes_, heavy, self.class_weight)
        total = float((each * heavy).sum())
        length, sizes = (part / total for part in self._parted)
        problem = BlockObjective(
            blocks, many, Costs(each / total), penalty=length, sizes=sizes, free=free
        )
        solution, steps = self._minimise(problem)
        self.n_iter_ = np.array([steps])
        parts, frees = self._ended(solution, blocks.width, free=free)
        self.coef_, self.intercept_ = np.ascontiguousarray(parts[:, :width]), frees
        proof = np.full(3, math.inf)
        if length and not sizes:
            coef, ends = np.ascontiguousarray(parts[:, : blocks.width]), frees
            ends = np.zeros(len(frees)) if self._lifted else ends
            proof = block_proof(blocks, many, Costs(self.C * each), coef, ends, constant=free)
        errors, fit = linear_fit_of_blocks(self, before, constant=self.fit_intercept)
        losses = losses_of_blocks(before, self.coef_, self.intercept_)
        # From above: sums and logarithms are a few units in the last place off.
        losses *= 1 + 1e-12 + blocks.rows * 2e-16
        self.record_ = PenalisedLossRecord(
            blocks.rows, errors, "logistic", losses, *proof.tolist(), fit=fit
        )
        return self

    def _ended(self, solution: Floats, width: int, *, free: bool) -> tuple[Floats, Floats]:
        """A row for each class, of weights and the intercept if it is one; and the intercepts."""
        parts = solution.reshape(-1, width + int(free))
        frees = parts[:, -1] * (float(self.intercept_scaling) if self._lifted else 1.0)
        frees = frees if self.fit_intercept else np.zeros(len(parts))
        if len(parts) > 1:
            # Intercepts that rise together change nothing; rounding may have raised them. So may weights where
            # nothing holds them.
            frees = frees - frees.mean()
            if not any(self._parted):
                parts = parts - parts.mean(axis=0)
        return parts, frees

    def _require_lifted_classes(self) -> None:
        if len(self.classes_) > 2:
            raise BadParameter(
                "The 'liblinear' solver does not support multiclass classification, and y holds "
                f"{len(self.classes_)} classes. Take 'auto', or OneVsRestClassifier of scikit-learn."
            )

    @property
    def _lifted(self) -> bool:
        """Whether the intercept is the weight of a constant feature, penalised like the others."""
        return bool(self.fit_intercept) and self.solver == "liblinear"

    @property
    def _parted(self) -> tuple[float, float]:
        """How much half the squared length weighs beside the weighted loss, and how much the sum of sizes."""
        if self.penalty is None or math.isinf(self.C):
            return 0.0, 0.0
        shares = {"l2": 0.0, "l1": 1.0}
        ratio = shares.get(self.penalty, float(self.l1_ratio or 0.0))
        return (1.0 - ratio) / self.C, ratio / self.C

    def _problem(self, X: Any, places: Array, weights: Floats, *, free: bool) -> MeanObjective:
        total = float(weights.sum())
        length, sizes = (part / total for part in self._parted)
        terms = {"free": free, "penalty": length, "sizes": sizes}
        if len(self.classes_) == 2:
            return TwoClasses(X, np.where(places, 1.0, -1.0), weights / total, **terms)
        return SeveralClasses(X, places, len(self.classes_), weights / total, **terms)

    def _start(self, problem: MeanObjective | BlockObjective) -> Floats:
        """Zeros, or the weights there are, where they fit."""
        if self.warm_start and hasattr(self, "coef_"):
            frees = double(self.intercept_)[:, None]
            if self._lifted:
                frees = frees / float(self.intercept_scaling)
            parts = [double(dense_coef(self))] + [frees] * (problem.free or self._lifted)
            before = np.hstack(parts).ravel()
            if len(before) == problem.size:
                if not np.isfinite(before).all():
                    raise BadData(
                        "coef_ and intercept_ must hold finite numbers for a warm start. Set warm_start=False."
                    )
                return before
        return np.zeros(problem.size)

    def _proof(self, X: Any, places: Array, weights: Floats, *, free: bool) -> Floats:
        """The objective and the point of the dual; without number where the squared length is not the whole penalty."""
        length, sizes = self._parted
        if sizes or not length:
            return np.full(3, math.inf)
        coef, frees = double(self.coef_), double(self.intercept_)
        if self._lifted:
            coef = np.column_stack([coef, frees / float(self.intercept_scaling)])
            frees = np.zeros(len(frees))
        return dual_proof(X, places, self.C * weights, coef, frees, free=free)

    def _require_parameters(self) -> None:
        require_accepted(self)
        given: Any = self.C
        fine = is_number(given) and bool(given > 0)
        require(fine, "C", "a number above zero, or inf for no penalty", given)
        known = self.penalty is None or self.penalty in _PENALTIES
        require(known, "penalty", "'auto', 'l2', 'l1', 'elasticnet' or None", self.penalty)
        ratio: Any = self.l1_ratio
        part = is_number(ratio) and bool(0 <= ratio <= 1)
        if self.penalty == "elasticnet" or ratio is not None:
            require(part, "l1_ratio", "a number from 0 to 1", ratio)
        solvers = ", ".join(map(repr, _SOLVERS))
        require(self.solver in _SOLVERS, "solver", f"one of {solvers}", self.solver)
        scale: Any = self.intercept_scaling
        fine = is_number(scale) and bool(0 < scale < math.inf)
        require(fine, "intercept_scaling", "a finite number above zero", scale)
        require(0 < self.tol < math.inf, "tol", "a finite number above zero", self.tol)
        most: Any = self.max_iter
        fine = is_whole(most) and bool(most >= 0)
        require(fine, "max_iter", "a whole number, zero or more", most)
        self._warn_of_what_is_ignored()

    def _warn_of_what_is_ignored(self) -> None:
        given, ratio = self.penalty, self.l1_ratio
        if given is None and self.C not in (1.0, math.inf):
            ignored = f"Setting penalty=None will ignore the C given, {self.C!r}."
        elif given in ("l1", "l2") and ratio and ratio != float(given == "l1"):
            ignored = (
                f"Inconsistent values: penalty={given} with l1_ratio={ratio}. The first one counts."
            )
        else:
            return
        warnings.warn(ignored, UserWarning, stacklevel=5)

    def _weights(self, X: Any, labels: Array, places: Array, sample_weight: Any) -> Floats:
        weights = row_weights(sample_weight, Rows.of(X))
        if sample_weight is not None and len(np.unique(places[weights > 0])) < 2:
            raise BadData(
                "sample_weight must leave rows of at least two classes, but leaves one class."
            )
        if self.class_weight is not None:
            each = compute_class_weight(
                self.class_weight, classes=self.classes_, y=labels, sample_weight=sample_weight
            )
            weights = weights * each[places]
        return weights

    def _minimise(self, problem: MeanObjective | BlockObjective) -> tuple[Floats, int]:
        """Weights near the minimum, and the steps taken."""
        start, terms = self._start(problem), (self.tol, self.max_iter)
        if self.max_iter == 0:
            return start, 0
        small = self.solver != "lbfgs" and problem.size <= _MOST_WEIGHTS
        newton = self.solver in ("newton", "newton-cholesky") or (
            small and self.solver == "newton-cg"
        )
        if problem.sizes:
            search = proximal_newton if newton or small else split_descent
            solution, steps, left = search(problem, start, problem.each(problem.sizes), *terms)
            self._warn(left, steps)
            return solution, steps
        if newton or small:
            solution, steps, left = damped_newton(problem, start, *terms)
            if left <= self.tol or newton:
                self._warn(left, steps)
                return solution, steps
            start = solution
        options = {
            "maxiter": self.max_iter,
            "gtol": self.tol,
            "ftol": 64 * np.finfo(float).eps,
            "maxls": 50,
        }
        done = optimize.minimize(problem, start, jac=True, method="L-BFGS-B", options=options)
        self._warn(float(np.abs(done.jac).max()), int(done.nit))
        return np.asarray(done.x), max(1, int(done.nit))

    def _warn(self, left: float, steps: int) -> None:
        if left > self.tol and steps >= self.max_iter:
            searcher = type(self).__name__ if self.solver == "auto" else self.solver
            warnings.warn(
                f"{searcher} failed to converge: after {steps} steps the largest entry of the gradient is {left:.3g}, "
                "above tol. Increase the number of iterations, or scale the features.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _recorded(self, X: Any, labels: Array, places: Array, proof: Floats) -> PenalisedLossRecord:
        """What the theorems need: the loss and the errors on the rows, and the point of the dual."""
        scores = np.asarray(X @ double(self.coef_).T + self.intercept_)
        columns = scores
        if len(self.classes_) == 2:
            scores = scores[:, 0]
            losses = np.logaddexp(0.0, -(2.0 * places - 1.0) * scores)
        else:
            losses = -log_softmax(scores, axis=1)[np.arange(len(places)), places]
        # From above: sums and logarithms are a few units in the last place off.
        total = float(losses.sum()) * (1 + 1e-12 + len(places) * 2e-16)
        fit = linear_fit(
            self, X, labels, self._chosen_of_columns, constant=self.fit_intercept, scores=columns
        )
        errors = (
            int(np.count_nonzero(self._chosen(scores) != labels)) if fit is None else fit.errors
        )
        return PenalisedLossRecord(len(places), errors, "logistic", total, *proof.tolist(), fit=fit)

    def predict_proba(self, X: Any) -> Floats:
        """The probability of every class in every row."""
        scores, dtype = self._scored(X)
        if scores.shape[1] == 1:
            chances = np.column_stack([expit(-scores[:, 0]), expit(scores[:, 0])])
        else:
            chances = np.asarray(softmax(scores, axis=1))
        return chances.astype(dtype, copy=False)

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of the probabilities."""
        scores, dtype = self._scored(X)
        if scores.shape[1] == 1:
            logs = -np.logaddexp(0.0, np.column_stack([scores[:, 0], -scores[:, 0]]))
        else:
            logs = np.asarray(log_softmax(scores, axis=1))
        return logs.astype(dtype, copy=False)

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """The training error, from the loss without weights on the same rows (``surrogate-upper-bounds``).

        And, where the squared length is the penalty, how far the objective can be above the least possible
        (``penalised-duality``). Of two classes also what the capacity of halfspaces says about the error.
        """
        if not hasattr(self, "record_"):
            return []
        capacity = halfspace_guarantees(self.record_.fit, terms.delta)
        return [*penalised_loss_guarantees(self.record_), *capacity]
