"""Ridge regression, by features or by rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import lsqr
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadParameter, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.optimality import ridge_guarantees
from assay.learners.common import kinds
from assay.learners.common.accepted import ANYTHING, Accepted, require_accepted
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.blocks import Blocks, with_targets
from assay.learners.common.guaranteed import Terms
from assay.learners.common.penalties import penalties_of
from assay.learners.common.skipped_checks import NOT_RUN
from assay.learners.linear.batch import BatchLinearRegressor
from assay.learners.linear.block_equations import Equations, Solver, refined
from assay.learners.linear.nonnegative import least_squares_above_zero
from assay.learners.linear.normal_equations import centre, centred_rows, left_over, moved
from assay.learners.registry import register
from assay.record.ridge import RidgeRecord
from assay.types import Floats

# A system whose condition is worse is solved by singular values, whose errors grow with its root only.
_WORST = 1e-9
# Sparse rows with more features, and more rows, are only multiplied by, never by each other.
_LARGEST_SYSTEM = 5000

# What is solved, and scikit-learn's other names, for which the smaller system is.
_FORMS = ("auto", "primal", "dual", "svd")
# What was solved, by the name of the solver of scikit-learn's that solves it.
_SOLVED = {
    "primal": "cholesky",
    "dual": "cholesky",
    "svd": "svd",
    "lsqr": "lsqr",
    "positive": "lbfgs",
}
_OTHER_NAMES = ("cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")

#: What model files may hold of a fit, and how those of earlier versions hold it.
RIDGE_RECORD = kinds.record(RidgeRecord, penalty=kinds.size, distance=kinds.amount)
EARLIER_RIDGE = {("penalty_", "distance_"): lambda *held: {"record_": RidgeRecord(*held)}}


@register(
    "ridge",
    use="a quantity that is a weighted sum, of many columns",
    promise="bounds how far it is from the best fit",
)
@dataclass(eq=False, repr=False)
class Ridge(BatchLinearRegressor):
    r"""Minimise :math:`\sum_i(y_i-w\cdot x_i-b)^2+\alpha\|w\|^2`: a sum of squares, not a mean.

    The same weights come from a system with one equation for each feature, the primal form, or for each row, the
    dual form; the smaller one is solved. Both by Cholesky's factors, and by singular values where the system is
    so near to singular that the factors would lose too many digits.

    Parameters
    ----------
    alpha : float or array of shape (n_targets,), default=1.0
        The weight of the penalty, zero or more; the intercept is not penalised.
    fit_intercept : bool, default=True
        Whether there is an intercept b.
    copy_X, max_iter, tol : default=True, None and 1e-4
        Here for scikit-learn's sake; they change nothing: the rows are never written over, and no search is cut short.
    solver : str, default="auto"
        Which system is solved: ``"primal"``, ``"dual"``, or the smaller one; or the singular values of the rows, by
        ``"svd"``. All find the same weights, so that scikit-learn's other names (``"cholesky"``, ``"lsqr"``,
        ``"sparse_cg"``, ``"sag"``, ``"saga"``, and ``"lbfgs"`` for `positive`) mean ``"auto"``.
    positive : bool, default=False
        Whether weights are sought among those of zero or more. How far they are from the best of these is not promised.
    random_state : default=None
        Here for scikit-learn's sake; it changes nothing.

    Attributes
    ----------
    coef_ : array of shape (n_features,), or (n_targets, n_features) where y has several columns
        In single precision where the rows are.
    intercept_ : float or array
    form_ : str
        What was solved: ``"primal"``, ``"dual"``, ``"svd"``, ``"lsqr"`` for large sparse systems, or
        ``"positive"`` where weights must be zero or more.
    solver_ : str
        The solver that was asked for, by scikit-learn's name; where none was, the one that `form_` comes nearest to.
    n_iter_ : None
        No solver makes passes.
    record_ : RidgeRecord
        How far the weights can be from the best ones.

    References
    ----------
    .. [1] Hoerl & Kennard (1970). Ridge regression: biased estimation for nonorthogonal problems.
    .. [2] Saunders, Gammerman & Vovk (1998). Ridge regression learning algorithm in dual variables.

    Examples
    --------
    >>> from assay import Ridge
    >>> model = Ridge(fit_intercept=False).fit([[1.0], [2.0]], [1.0, 2.0])
    >>> model.coef_.round(6).tolist()
    [0.833333]
    """

    #: The checks of scikit-learn that are not run or cannot hold, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN | {
        "check_non_transformer_estimators_n_iter": "a system is solved at once: n_iter_ is None"
    }
    #: What a fit leaves, all of it or nothing.
    state = kinds.declare(
        record_=RIDGE_RECORD,
        form_=kinds.one_of(*_SOLVED),
        asked_=kinds.one_of(*_FORMS, *_OTHER_NAMES),
        n_iter_=kinds.maybe(kinds.one_of(None)),
    )
    earlier_state: ClassVar[Any] = {
        **EARLIER_RIDGE,
        "solver_": lambda form: {"form_": form, "asked_": "auto"},
    }
    _flat = True

    accepted: ClassVar[Mapping[str, Accepted]] = {
        "copy_X": ANYTHING,
        "max_iter": ANYTHING,
        "tol": ANYTHING,
        "random_state": ANYTHING,
    }

    alpha: float | Any = 1.0
    _: KW_ONLY
    fit_intercept: bool = True
    copy_X: bool = True
    max_iter: int | None = None
    tol: float = 1e-4
    solver: str = "auto"
    positive: bool = False
    random_state: Any = None

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Ridge:
        """Find the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each example's square.

        Returns
        -------
        self
        """
        self._require_solver()
        self.asked_ = self.solver
        sample = self._sample(X, y, sample_weight)
        X, targets, weights = sample.X, sample.targets, sample.weights
        penalties = penalties_of(self.alpha, targets.shape[1])
        means, heights = centre(X, targets, weights, move=self.fit_intercept)
        rest = targets - heights
        if weights is not None:
            rest *= np.sqrt(weights)[:, None]
        coef = self._solve(X, means, rest, weights, penalties)
        coef, free = self._keep(sample, coef, heights - coef @ means)
        self.n_iter_ = None
        if self.positive:
            self.record_ = RidgeRecord(float(penalties.min()), math.inf)
            return self
        gradient, offset = left_over(
            X, targets, coef, free, weights, penalty=penalties, centred=self.fit_intercept
        )
        self.record_ = _record(penalties, gradient, offset)
        return self

    def _fit_blocks(self, blocks: Blocks) -> Ridge:
        """Find the weights from blocks of rows: `fit` by features, where rows are only read and added up."""
        self._require_solver()
        if self.positive:
            raise BadParameter("Ridge does not learn positive weights from blocks of rows.")
        targets, blocks = with_targets(blocks)
        penalties = penalties_of(self.alpha, targets or 1)
        centred = bool(self.fit_intercept)
        equations = Equations.of(blocks, targets or 1, centred=centred)
        solver = Solver(equations)
        coef, free, left = refined(blocks, equations, solver, penalties, centred=centred)
        self._store(coef, free, vector=targets is None)
        self.asked_, self.form_, self.n_iter_ = self.solver, "primal", None
        self.record_ = _record(penalties, left.gradient, left.offset)
        return self

    @property
    def solver_(self) -> str:
        """The solver, by scikit-learn's name."""
        check_is_fitted(self, "form_")
        return self.asked_ if self.asked_ in _OTHER_NAMES else _SOLVED[self.form_]

    def _solve(
        self, X: Any, means: Floats, rest: Floats, weights: Floats | None, penalties: Floats
    ) -> Floats:
        """One row of weights for each target."""
        n, d = X.shape
        if self.positive:
            self.form_ = "positive"
            return least_squares_above_zero(X, means, weights, rest, penalties=penalties)
        if sparse.issparse(X) and self._form == "auto" and min(n, d) > _LARGEST_SYSTEM:
            self.form_ = "lsqr"
            rows = centred_rows(X, means, weights)
            terms = {"atol": 1e-12, "btol": 1e-12, "iter_lim": 10 * max(n, d)}
            return np.array(
                [
                    lsqr(rows, column, damp=np.sqrt(penalty), **terms)[0]
                    for column, penalty in zip(rest.T, penalties, strict=True)
                ]
            )
        dual = d > n if self._form == "auto" else self._form == "dual"
        self.form_ = "dual" if dual else "primal"
        form = _dual if dual else _primal
        coef: Floats | None = None
        if penalties.all() and self._form != "svd":
            coef = form(X, means, rest, weights, penalties)
        if coef is None:
            self.form_ = "svd"
            coef = _by_singular_values(moved(X, means, weights), rest, penalties)
        return coef

    @property
    def _form(self) -> str:
        """Which system is solved."""
        return self.solver if self.solver in _FORMS else "auto"

    def _require_solver(self) -> None:
        require_accepted(self)
        given: Any = self.solver
        known = isinstance(given, str) and given in (*_FORMS, *_OTHER_NAMES)
        require(known, "solver", f"one of {', '.join((*_FORMS, *_OTHER_NAMES))}", given)
        if self.positive and given not in ("auto", "lbfgs"):
            raise BadParameter(
                f"solver={given!r} does not support positive weights. Take 'auto', or set positive=False."
            )
        hint = "Without positive=True take 'auto'."
        require(
            bool(self.positive) or given != "lbfgs", "solver", "another than 'lbfgs'", given, hint
        )

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """How far the objective, summed over targets, is above the least possible (``ridge-primal-dual``).

        Nothing where the penalty is zero, and nothing of weights that must be zero or more.
        """
        return ridge_guarantees(self.record_) if hasattr(self, "record_") else []


def _record(penalties: Floats, gradient: Floats, offset: Floats) -> RidgeRecord:
    # In units of each target's penalty, so that penalty * distance^2 is the excess of all targets.
    least, distance = float(penalties.min()), 0.0
    if least > 0:
        apart = np.sum((gradient / penalties) ** 2 * penalties / least) + np.sum(offset) / least
        distance = float(np.sqrt(apart)) * (1 + 1e-12)
    return RidgeRecord(least, distance)


def _primal(
    X: Any, means: Floats, rest: Floats, weights: Floats | None, penalties: Floats
) -> Floats | None:
    """One equation for each feature."""
    if sparse.issparse(X):
        rows = X if weights is None else sparse.diags_array(np.sqrt(weights)) @ X
        pulled = np.asarray(rows.T @ rest)
        system = np.asarray((rows.T @ rows).toarray())
        if means.any():
            total = X.shape[0] if weights is None else weights.sum()
            roots = np.ones(X.shape[0]) if weights is None else np.sqrt(weights)
            system -= total * np.outer(means, means)
            pulled -= np.outer(means, roots @ rest)
    else:
        rows = moved(X, means, weights)
        system, pulled = rows.T @ rows, rows.T @ rest
    solution = _each_penalty(system, pulled, penalties)
    return None if solution is None else solution.T


def _dual(
    X: Any, means: Floats, rest: Floats, weights: Floats | None, penalties: Floats
) -> Floats | None:
    """One equation for each row."""
    if sparse.issparse(X):
        product, leaning = np.asarray((X @ X.T).toarray()), np.asarray(X @ means)
        system = product - leaning[:, None] - leaning + means @ means
        roots = np.ones(X.shape[0]) if weights is None else np.sqrt(weights)
        system *= roots[:, None]
        system *= roots
        solution = _each_penalty(system, rest, penalties)
        if solution is None:
            return None
        heavy = roots[:, None] * solution
        return np.asarray(X.T @ heavy - np.outer(means, heavy.sum(axis=0))).T
    rows = moved(X, means, weights)
    solution = _each_penalty(rows @ rows.T, rest, penalties)
    return None if solution is None else (rows.T @ solution).T


def _each_penalty(system: Floats, right: Floats, penalties: Floats) -> Floats | None:
    """(system + penalty I)^-1 right, column by column; None where too many digits would be lost."""
    solution = np.empty_like(right)
    diagonal = system.diagonal().copy()
    for penalty in np.unique(penalties):
        # The triangle that stays is read again for the next penalty.
        shifted = system.copy()
        shifted.flat[:: len(system) + 1] = diagonal + penalty
        size = np.abs(shifted).sum(axis=0).max(initial=0.0)
        factor, info = linalg.lapack.dpotrf(shifted.T, lower=False, clean=False, overwrite_a=True)
        if info != 0 or linalg.lapack.dpocon(factor, size)[0] < _WORST:
            return None
        wanted = penalties == penalty
        solution[:, wanted] = linalg.lapack.dpotrs(factor, right[:, wanted])[0]
    return solution


def _by_singular_values(rows: Floats, rest: Floats, penalties: Floats) -> Floats:
    left, values, right = linalg.svd(
        rows, full_matrices=False, overwrite_a=True, check_finite=False
    )
    part = left.T @ rest
    cutoff = max(rows.shape) * np.finfo(np.float64).eps * values.max(initial=0.0)
    kept = values > cutoff
    # Without a penalty, directions that only rounding has put there are left out.
    shrink = np.zeros_like(part)
    with np.errstate(divide="ignore", invalid="ignore"):
        shrink = values[:, None] / (values[:, None] ** 2 + penalties)
    shrink = np.where(kept[:, None] | (penalties > 0), shrink, 0.0)
    return np.asarray((right.T @ (shrink * part)).T)
