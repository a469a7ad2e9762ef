"""Logistic regression, with two classes or more."""

from __future__ import annotations

import math
import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import optimize, sparse
from scipy.special import expit, log_softmax, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight

from assay.errors import BadData, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.halfspaces import halfspace_guarantees
from assay.guarantees.optimality import penalised_loss_guarantees
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Terms
from assay.learners.common.linear_fit import FIT, linear_fit
from assay.learners.common.row_weights import row_weights
from assay.learners.common.rows import Rows
from assay.learners.linear.batch import BatchLinearClassifier
from assay.learners.linear.damped_newton import State, damped_newton
from assay.learners.linear.logistic_dual import dual_proof
from assay.learners.registry import register
from assay.record.training_loss import PenalisedLossRecord
from assay.types import Array, Floats

# Newton's method solves a system of this many weights at most in each step, unless it is asked for.
_MOST_WEIGHTS = 500


@register(
    "logistic-regression",
    use="probabilities from weighted sums; a strong first try",
    promise="bounds its error from training rows alone",
)
@dataclass(eq=False, repr=False)
class LogisticRegression(BatchLinearClassifier):
    r"""Minimise :math:`C\sum_is_i\ln(1+e^{-y_i(w\cdot x_i+b)})+\frac12\|w\|^2`.

    With more than two classes, every class has its weights, and the loss is :math:`-\ln p` of the right class under the
    softmax of the scores. The objective is scikit-learn's.

    Parameters
    ----------
    C : float, default=1.0
        How much the loss weighs against the penalty, above zero; the intercept is not penalised.
    fit_intercept : bool, default=True
        Whether there is an intercept b.
    class_weight : dict, "balanced" or None, default=None
        The weights of the classes; ``"balanced"``: in inverse proportion to how frequent they are.
    solver : {"auto", "newton", "lbfgs"}, default="auto"
        Newton's method, or L-BFGS, which needs no system of equations. ``"auto"``: Newton's for up to 500 weights.
    tol : float, default=1e-4
        The learner stops when no entry of the gradient of the mean objective is larger.
    max_iter : int, default=100
        The most steps.

    Attributes
    ----------
    classes_ : array
    coef_ : array of shape (1, n_features), or (n_classes, n_features) with more than two
    intercept_ : array of shape (1,) or (n_classes,)
    n_iter_ : int
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
        n_iter_=kinds.count,
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
        }
    }

    C: float = 1.0
    _: KW_ONLY
    fit_intercept: bool = True
    class_weight: Any = None
    solver: Literal["auto", "newton", "lbfgs"] = "auto"
    tol: float = 1e-4
    max_iter: int = 100

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
        places: Array = np.searchsorted(self.classes_, labels)
        weights = self._weights(X, labels, places, sample_weight)
        shares = weights / weights.sum()
        penalty = 1.0 / (self.C * float(weights.sum()))
        problem: _Problem
        if len(self.classes_) == 2:
            problem = _Two(X, np.where(places, 1.0, -1.0), shares, penalty, free=self.fit_intercept)
        else:
            count = len(self.classes_)
            problem = _Several(X, places, count, shares, penalty, free=self.fit_intercept)
        solution, self.n_iter_ = self._minimise(problem)
        parts = solution.reshape(-1, X.shape[1] + int(self.fit_intercept))
        self.coef_ = np.ascontiguousarray(parts[:, : X.shape[1]])
        self.intercept_ = parts[:, -1].copy() if self.fit_intercept else np.zeros(len(parts))
        if len(parts) > 1:
            # Intercepts that rise together change nothing; rounding may have raised them.
            self.intercept_ -= self.intercept_.mean()
        proof = dual_proof(
            X, places, self.C * weights, self.coef_, self.intercept_, free=bool(self.fit_intercept)
        )
        self.record_ = self._recorded(X, labels, places, proof)
        return self

    def _require_parameters(self) -> None:
        given: Any = self.C
        number = isinstance(given, float | int | np.number) and not isinstance(given, bool)
        fine = number and bool(0 < given < math.inf)
        require(fine, "C", "a finite number above zero", given)
        solvers = ("auto", "newton", "lbfgs")
        known = self.solver in solvers
        require(known, "solver", "'auto', 'newton' or 'lbfgs'", self.solver)
        require(0 < self.tol < math.inf, "tol", "a finite number above zero", self.tol)
        require(self.max_iter >= 1, "max_iter", "a whole number of at least 1", self.max_iter)

    def _weights(self, X: Any, labels: Array, places: Array, sample_weight: Any) -> Floats:
        weights = row_weights(sample_weight, Rows.of(X))
        if len(np.unique(places[weights > 0])) < 2:
            raise BadData(
                "sample_weight must leave rows of at least two classes, but leaves one class."
            )
        if self.class_weight is not None:
            each = compute_class_weight(
                self.class_weight, classes=self.classes_, y=labels, sample_weight=sample_weight
            )
            weights = weights * each[places]
        return weights

    def _minimise(self, problem: _Problem) -> tuple[Floats, int]:
        """Weights near the minimum, and the steps taken."""
        small = self.solver == "auto" and problem.size <= _MOST_WEIGHTS
        start = np.zeros(problem.size)
        if self.solver == "newton" or small:
            solution, steps, left = damped_newton(problem, start, self.tol, self.max_iter)
            if left <= self.tol or self.solver == "newton":
                self._warn(left, steps)
                return solution, steps
            start = solution
        terms = {
            "maxiter": self.max_iter,
            "gtol": self.tol,
            "ftol": 64 * np.finfo(float).eps,
            "maxls": 50,
        }
        done = optimize.minimize(problem, start, jac=True, method="L-BFGS-B", options=terms)
        self._warn(float(np.abs(done.jac).max()), int(done.nit))
        return np.asarray(done.x), max(1, int(done.nit))

    def _warn(self, left: float, steps: int) -> None:
        if left > self.tol and steps >= self.max_iter:
            warnings.warn(
                f"After {steps} steps the largest entry of the gradient is {left:.3g}, above tol. "
                "Scale the features, or raise max_iter.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _recorded(self, X: Any, labels: Array, places: Array, proof: Floats) -> PenalisedLossRecord:
        """What the theorems need: the loss and the errors on the rows, and the point of the dual."""
        scores = np.asarray(X @ self.coef_.T + self.intercept_)
        if len(self.classes_) == 2:
            scores = scores[:, 0]
            losses = np.logaddexp(0.0, -(2.0 * places - 1.0) * scores)
        else:
            losses = -log_softmax(scores, axis=1)[np.arange(len(places)), places]
        errors = int(np.count_nonzero(self._chosen(scores) != labels))
        # From above: sums and logarithms are a few units in the last place off.
        total = float(losses.sum()) * (1 + 1e-12 + len(places) * 2e-16)
        fit = linear_fit(self, X, labels, self._chosen_of_columns, constant=self.fit_intercept)
        return PenalisedLossRecord(len(places), errors, "logistic", total, *proof.tolist(), fit=fit)

    def predict_proba(self, X: Any) -> Floats:
        """The probability of every class in every row."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        return np.asarray(softmax(scores, axis=1))

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of the probabilities."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return -np.logaddexp(0.0, np.column_stack([scores, -scores]))
        return np.asarray(log_softmax(scores, axis=1))

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """The training error, from the loss without weights on the same rows (``surrogate-upper-bounds``); and how
        far the objective can be above the least possible (``penalised-duality``). Of two classes also what the
        capacity of halfspaces says about the error.
        """
        if not hasattr(self, "record_"):
            return []
        capacity = halfspace_guarantees(self.record_.fit, terms.delta)
        return [*penalised_loss_guarantees(self.record_), *capacity]


class _Problem:
    """The mean objective over rows X, the weights of which are shares that sum to one."""

    def __init__(self, X: Any, shares: Floats, penalty: float, *, free: bool) -> None:
        self.X, self.shares, self.penalty, self.free = X, shares, penalty, free

    @property
    def size(self) -> int:
        """How many numbers are sought."""
        raise NotImplementedError

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """The objective and its gradient."""
        value, gradient, _ = self.at(weights)
        return value, gradient

    def at(self, weights: Floats) -> State:
        """The objective, its gradient, and the probabilities that its curvature is made of."""
        raise NotImplementedError

    def curvature(self, chances: Floats) -> Floats:
        """The Hessian where the probabilities are these."""
        raise NotImplementedError

    def _bent(self, bend: Floats) -> Floats:
        """X' diag(bend) X, the constant feature last."""
        width = self.X.shape[1]
        size = width + int(self.free)
        block = np.empty((size, size))
        if sparse.issparse(self.X):
            block[:width, :width] = (self.X.T @ (sparse.diags_array(bend) @ self.X)).toarray()
        else:
            block[:width, :width] = self.X.T @ (self.X * bend[:, None])
        if self.free:
            block[width, :width] = block[:width, width] = self.X.T @ bend
            block[width, width] = bend.sum()
        return block


class _Two(_Problem):
    """Labels of -1 and +1; the intercept stands last."""

    def __init__(self, X: Any, y: Floats, *rest: Any, free: bool) -> None:
        super().__init__(X, *rest, free=free)
        self.y = y

    @property
    def size(self) -> int:
        return int(self.X.shape[1]) + int(self.free)

    def at(self, weights: Floats) -> State:
        width = self.X.shape[1]
        w = weights[:width]
        margin = self.y * (self.X @ w + (weights[-1] if self.free else 0.0))
        value = self.shares @ np.logaddexp(0.0, -margin) + 0.5 * self.penalty * (w @ w)
        wrong = expit(-margin)
        pull = -self.shares * self.y * wrong
        gradient = np.empty(self.size)
        gradient[:width] = self.X.T @ pull + self.penalty * w
        if self.free:
            gradient[-1] = pull.sum()
        return float(value), gradient, wrong

    def curvature(self, chances: Floats) -> Floats:
        hessian = self._bent(self.shares * chances * (1 - chances))
        width = self.X.shape[1]
        hessian.flat[: width * (self.size + 1) : self.size + 1] += self.penalty
        return hessian


class _Several(_Problem):
    """Labels 0, 1, 2, ...; one row of weights for each, its intercept last."""

    def __init__(self, X: Any, places: Array, count: int, *rest: Any, free: bool) -> None:
        super().__init__(X, *rest, free=free)
        self.places, self.count = places, count

    @property
    def size(self) -> int:
        return self.count * (int(self.X.shape[1]) + int(self.free))

    def at(self, weights: Floats) -> State:
        width = self.X.shape[1]
        parts = weights.reshape(self.count, -1)
        w = parts[:, :width]
        scores = self.X @ w.T + (parts[:, width] if self.free else 0.0)
        chances = log_softmax(scores, axis=1)
        rows = np.arange(len(self.places))
        value = -self.shares @ chances[rows, self.places] + 0.5 * self.penalty * np.sum(w * w)
        likely = np.exp(chances)
        pull = likely.copy()
        pull[rows, self.places] -= 1.0
        pull *= self.shares[:, None]
        gradient = np.empty_like(parts)
        gradient[:, :width] = (self.X.T @ pull).T + self.penalty * w
        if self.free:
            gradient[:, width] = pull.sum(axis=0)
        return float(value), gradient.ravel(), likely

    def curvature(self, chances: Floats) -> Floats:
        each, width = self.size // self.count, self.X.shape[1]
        hessian = np.empty((self.count, each, self.count, each))
        for k in range(self.count):
            for j in range(k + 1):
                bend = chances[:, k] * ((k == j) - chances[:, j])
                hessian[k, :, j] = hessian[j, :, k] = self._bent(self.shares * bend)
        square = hessian.reshape(self.size, self.size)
        ridge = np.full((self.count, each), self.penalty)
        if self.free:
            # All intercepts may rise together and nothing changes; the gradient has no part in that direction.
            ridge[:, width] = 1e-10
        square.flat[:: self.size + 1] += ridge.ravel()
        return square
