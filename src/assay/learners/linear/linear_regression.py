"""Least squares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import lsqr
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadParameter
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.optimality import least_squares_guarantees
from assay.learners.common import kinds
from assay.learners.common.accepted import ANYTHING, Accepted, require_accepted
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.blocks import Blocks, with_targets
from assay.learners.common.guaranteed import Terms
from assay.learners.common.known_to_tools import known_to_tools
from assay.learners.linear.batch import BatchLinearRegressor
from assay.learners.linear.block_equations import Equations, Solver, refined
from assay.learners.linear.nonnegative import least_squares_above_zero
from assay.learners.linear.normal_equations import centre, centred_rows, left_over, moved
from assay.learners.registry import register
from assay.record.least_squares import LeastSquaresRecord
from assay.types import Floats


@register(
    "linear-regression",
    use="a quantity that is a weighted sum",
    promise="bounds how far it is from the best fit",
)
@known_to_tools("linear_model")  # RANSACRegressor asks, which then knows how few rows give a fit
class LinearRegression(BatchLinearRegressor):
    r"""Minimise the sum of squares :math:`\sum_i(y_i-w\cdot x_i-b)^2`.

    Dense rows are solved by their singular values, never by an inverse or by the normal equations, whose
    condition would be the square of theirs. Where several weights are equally good, the shortest are taken. Sparse
    rows are solved by LSQR, which only multiplies by them.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether there is an intercept b.
    copy_X, tol, n_jobs : default=True, 1e-6 and None
        Here for scikit-learn's sake; they change nothing: the rows are never written over, and no search is cut short.
    positive : bool, default=False
        Whether weights are sought among those of zero or more. How far they are from the best of these is not promised.

    Attributes
    ----------
    coef_ : array of shape (n_features,), or (n_targets, n_features) where y has columns
        In single precision where the rows are.
    intercept_ : float or array
    rank_ : int
        The rank of the rows, less their mean if there is an intercept; for dense rows.
    singular_ : array
        Their singular values; for dense rows.
    record_ : LeastSquaresRecord
        How nearly the normal equations are met.

    References
    ----------
    .. [1] Paige & Saunders (1982). LSQR: an algorithm for sparse linear equations and sparse least squares.

    Examples
    --------
    >>> from assay import LinearRegression
    >>> model = LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.coef_.round(9).tolist(), round(float(model.intercept_), 9)
    ([2.0], 1.0)
    """

    state = kinds.declare(
        singular_=kinds.maybe(kinds.amounts()),
        rank_=kinds.maybe(kinds.whole(most="singular_"), along="singular_"),
        left_=kinds.maybe(kinds.size, along="singular_"),
    )

    accepted: ClassVar[Mapping[str, Accepted]] = {
        "copy_X": ANYTHING,
        "tol": ANYTHING,
        "n_jobs": ANYTHING,
    }

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        tol: float = 1e-6,
        n_jobs: int | None = None,
        positive: bool = False,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearRegression:
        """Find the weights of the least sum of squares.

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
        require_accepted(self)
        sample = self._sample(X, y, sample_weight)
        X, targets, weights = sample.X, sample.targets, sample.weights
        means, heights = centre(X, targets, weights, move=self.fit_intercept)
        rest = targets - heights
        if weights is not None:
            rest *= np.sqrt(weights)[:, None]
        for name in ("rank_", "singular_", "left_"):
            if hasattr(self, name):
                delattr(self, name)
        if self.positive:
            coef = least_squares_above_zero(
                X, means, weights, rest, penalties=np.zeros(rest.shape[1])
            )
        elif sparse.issparse(X):
            coef = _by_products(X, means, rest, weights)
        else:
            cutoff = max(X.shape) * float(np.finfo(np.float64).eps)
            solved, _, rank, self.singular_ = linalg.lstsq(
                moved(X, means, weights),
                rest,
                cond=cutoff,
                overwrite_a=True,
                overwrite_b=True,
                check_finite=False,
            )
            coef, self.rank_ = solved.T, int(rank)
        coef, free = self._keep(sample, coef, heights - coef @ means)
        if hasattr(self, "singular_"):
            self.left_ = self._left(X, targets, coef, free, weights)
        return self

    def _fit_blocks(self, blocks: Blocks) -> LinearRegression:
        """Find the weights from blocks of rows, which are only read and added up."""
        require_accepted(self)
        if self.positive:
            raise BadParameter(
                "LinearRegression does not learn positive weights from blocks of rows."
            )
        targets, blocks = with_targets(blocks)
        centred, penalties = bool(self.fit_intercept), np.zeros(targets or 1)
        equations = Equations.of(blocks, targets or 1, centred=centred)
        solver = Solver(equations)
        coef, free, left = refined(blocks, equations, solver, penalties, centred=centred)
        self._store(coef, free, vector=targets is None)
        # From below: the least of them stands behind the promise.
        self.singular_, self.rank_ = solver.singular, solver.rank
        self.left_ = self._length(left.gradient, left.offset)
        return self

    def _left(self, X: Any, y: Any, coef: Any, free: Any, weights: Any) -> float:
        """The length of what all normal equations lack, a misplaced intercept included."""
        gradient, offset = left_over(
            X, y, coef, free, weights, penalty=np.zeros(len(coef)), centred=self.fit_intercept
        )
        return self._length(gradient, offset)

    def _length(self, gradient: Floats, offset: Floats) -> float:
        least = self._least()
        extra = np.sqrt(offset) * least
        length = float(np.hypot(linalg.norm(gradient), linalg.norm(extra)))
        return length * (1 + 1e-12)

    def _least(self) -> float:
        """The least singular value above zero, from below."""
        if not self.rank_:
            return 0.0
        # LAPACK's singular values are off by a modest multiple of a rounding of the largest.
        unit = 10 * len(self.singular_) * float(np.finfo(np.float64).eps)
        doubt = unit * float(self.singular_[0])
        return max(0.0, float(self.singular_[self.rank_ - 1]) - doubt)

    @property
    def record_(self) -> LeastSquaresRecord:
        """What the fit left behind; of sparse rows nothing."""
        check_is_fitted(self, "coef_")
        if not hasattr(self, "left_"):
            return LeastSquaresRecord()
        return LeastSquaresRecord(self.left_, self._least(), self.rank_, len(self.singular_))

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """How far the sum of squares is above the least possible (``ols-normal-equations``).

        Nothing for sparse rows, whose singular values are not known, and nothing of weights that must be zero or more.
        """
        return least_squares_guarantees(self.record_) if hasattr(self, "record_") else []


def _by_products(X: Any, means: Floats, rest: Floats, weights: Floats | None) -> Floats:
    """Least squares on sparse rows less their means, which would be dense if they were written down."""
    rows = centred_rows(X, means, weights)
    most = 10 * max(X.shape)
    solutions = [lsqr(rows, column, atol=1e-14, btol=1e-14, iter_lim=most)[0] for column in rest.T]
    return np.array(solutions)
