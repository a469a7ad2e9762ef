"""Ridge regression, by features or by rows."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import lsqr

from assay.errors import require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.optimality import ridge_guarantees
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Terms
from assay.learners.common.penalties import penalties_of
from assay.learners.linear.batch import BatchLinearRegressor
from assay.learners.linear.linear_regression import centred_rows
from assay.learners.linear.normal_equations import centre, left_over, moved
from assay.learners.registry import register
from assay.record.ridge import RidgeRecord
from assay.types import Floats

# A system whose condition is worse is solved by singular values, whose errors grow with its root only.
_WORST = 1e-9
# Sparse rows with more features, and more rows, are only multiplied by, never by each other.
_LARGEST_SYSTEM = 5000

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
    solver : {"auto", "primal", "dual"}, default="auto"
        Which system is solved; ``"auto"``: the smaller one.

    Attributes
    ----------
    coef_ : array of shape (n_features,), or (n_targets, n_features) where y has columns
    intercept_ : float or array
    solver_ : str
        What was solved: ``"primal"``, ``"dual"``, ``"svd"``, or ``"lsqr"`` for large sparse systems.
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

    #: What a fit leaves, all of it or nothing.
    state = kinds.declare(
        record_=RIDGE_RECORD, solver_=kinds.one_of("primal", "dual", "svd", "lsqr")
    )
    earlier_state: ClassVar[Any] = EARLIER_RIDGE

    alpha: float | Any = 1.0
    _: KW_ONLY
    fit_intercept: bool = True
    solver: Literal["auto", "primal", "dual"] = "auto"

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
        solvers = ("auto", "primal", "dual")
        require(self.solver in solvers, "solver", "'auto', 'primal' or 'dual'", self.solver)
        X, targets, weights, one = self._sample(X, y, sample_weight)
        penalties = penalties_of(self.alpha, targets.shape[1])
        means, heights = centre(X, targets, weights, move=self.fit_intercept)
        rest = targets - heights
        if weights is not None:
            rest *= np.sqrt(weights)[:, None]
        coef = self._solve(X, means, rest, weights, penalties)
        free = heights - coef @ means
        self._keep(coef, free, one=one)
        gradient, offset = left_over(
            X, targets, coef, free, weights, penalty=penalties, centred=self.fit_intercept
        )
        # In units of each target's penalty, so that penalty * distance^2 is the excess of all targets.
        least, distance = float(penalties.min()), 0.0
        if least > 0:
            apart = np.sum((gradient / penalties) ** 2 * penalties / least) + np.sum(offset) / least
            distance = float(np.sqrt(apart)) * (1 + 1e-12)
        self.record_ = RidgeRecord(least, distance)
        return self

    def _solve(
        self, X: Any, means: Floats, rest: Floats, weights: Floats | None, penalties: Floats
    ) -> Floats:
        """One row of weights for each target."""
        n, d = X.shape
        if sparse.issparse(X) and self.solver == "auto" and min(n, d) > _LARGEST_SYSTEM:
            self.solver_ = "lsqr"
            roots = np.ones(n) if weights is None else np.sqrt(weights)
            rows = centred_rows(X, means, roots)
            terms = {"atol": 1e-12, "btol": 1e-12, "iter_lim": 10 * max(n, d)}
            return np.array(
                [
                    lsqr(rows, column, damp=np.sqrt(penalty), **terms)[0]
                    for column, penalty in zip(rest.T, penalties, strict=True)
                ]
            )
        dual = d > n if self.solver == "auto" else self.solver == "dual"
        self.solver_ = "dual" if dual else "primal"
        form = _dual if dual else _primal
        coef: Floats | None = None
        if penalties.all():
            coef = form(X, means, rest, weights, penalties)
        if coef is None:
            self.solver_ = "svd"
            coef = _by_singular_values(moved(X, means, weights), rest, penalties)
        return coef

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """How far the objective, summed over targets, is above the least possible (``ridge-primal-dual``).

        Nothing where the penalty is zero.
        """
        return ridge_guarantees(self.record_) if hasattr(self, "record_") else []


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
