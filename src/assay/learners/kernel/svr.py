"""The support vector regressor."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from assay.errors import require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.kernel_machines import regressor_guarantees
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import CertifiedQuantity, Terms
from assay.learners.common.skipped_checks import WITHIN_TOLERANCE
from assay.learners.kernel.binary_machine import part_of
from assay.learners.kernel.dual_search import Dual
from assay.learners.kernel.support import SupportVectorMachine, record_from
from assay.learners.registry import register
from assay.record.margin import SupportMachineRecord
from assay.types import Floats, Ints


@register(
    "svr",
    use="a quantity that varies smoothly, with outliers",
    promise="bounds how far it is from the best fit",
)
@dataclass(eq=False, repr=False)
class SVR(RegressorMixin, CertifiedQuantity, SupportVectorMachine):  # type: ignore[misc]
    r"""Minimise :math:`\tfrac12\|w\|^2+C\sum_i\max(0,|y_i-f(x_i)|-\varepsilon)`, :math:`f=\langle w,\phi\rangle+b`.

    Differences up to :math:`\varepsilon` cost nothing. The minimiser is :math:`f(x)=\sum_i\beta_ik(x_i,x)+b` with
    :math:`|\beta_i|\le C`, found through its dual: `fit` ends when the KKT conditions hold to `tol`, and `record_` has
    both objectives and the gap between them, which no better machine can exceed (``penalised-duality``).

    Parameters
    ----------
    kernel : Kernel, str or callable, default="rbf"
        As for `SVC`.
    degree, gamma, coef0
        The parameters of named kernels, as in scikit-learn.
    tol : float, default=1e-3
        By how much the KKT conditions may fail, in units of y.
    C : float, default=1.0
        The weight of the losses; ``inf`` where no difference may be larger than `epsilon`: nothing is promised then.
    epsilon : float, default=0.1
        The difference that costs nothing, in units of y.
    shrinking : bool, default=True
        Whether examples that no step can move are set aside while the search goes on.
    cache_size : float, default=1000
        Megabytes of kernel values that are kept.
    verbose : bool, default=False
        Here for scikit-learn's sake; it changes nothing.
    max_iter : int, default=-1
        The most steps, -1 for no limit.

    Attributes
    ----------
    support_, support_vectors_ : array
        The places of the support vectors, and they themselves.
    dual_coef_ : array of shape (1, n_support)
        The coefficients of the support vectors.
        Sparse where the rows were.
    n_support_ : array of shape (1,)
        How many support vectors there are.
    fit_status_ : int
        Zero, or one where the search stopped before the KKT conditions hold to `tol`.
    intercept_ : array of shape (1,)
        b.
    record_ : SupportMachineRecord
        Objectives, gap and KKT residual.

    References
    ----------
    .. [1] Drucker, Burges, Kaufman, Smola and Vapnik (1996). Support vector regression machines.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import SVR
    >>> X = np.arange(5.0)[:, None]
    >>> model = SVR(kernel="linear", C=100.0, epsilon=0.5, tol=1e-6).fit(X, 2 * X[:, 0] + 1)
    >>> model.coef_.round(4).tolist(), model.intercept_.round(4).tolist()
    ([[1.75]], [1.5])
    """

    #: The checks of scikit-learn that are not run or cannot hold, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = WITHIN_TOLERANCE

    kernel: Any = "rbf"
    _: KW_ONLY
    degree: int = 3
    gamma: Any = "scale"
    coef0: float = 0.0
    tol: float = 1e-3
    C: float = 1.0
    epsilon: float = 0.1
    shrinking: bool = True
    cache_size: float = 1000
    verbose: bool = False
    max_iter: int = -1

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Find the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of strings
            The examples; the square matrix of a precomputed kernel; or strings for a kernel of strings.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Factors of C for each example; those of weight zero or less are left out.

        Returns
        -------
        self
        """
        self._require_parameters()
        tube: Any = self.epsilon
        fine = isinstance(tube, int | float | np.number) and bool(0 <= tube < math.inf)
        require(fine, "epsilon", "a finite number, zero or more", tube)
        X, y, weights = self._rows(X, y, sample_weight, y_numeric=True)
        members = np.flatnonzero(weights > 0)
        kernel = self._looked_at(X)
        targets, caps = y.astype(np.float64, copy=False)[members], self.C * weights[members]
        gram = self._gram(kernel, part_of(kernel, X, members))
        dual = _dual_of(targets, caps, float(tube))
        best, bias = self._solve(dual, gram)
        n = len(members)
        beta = np.zeros((1, X.shape[0]))
        beta[0, members] = best.beta[:n] + best.beta[n:]
        self._keep(X, beta, [bias], np.zeros(X.shape[0], dtype=np.int64))

        def losses(f: Floats) -> Floats:
            return np.asarray(np.maximum(0.0, np.abs(targets - f) - tube))

        self._hold([record_from(dual, best, bias, losses, caps, gram)])
        return self

    #: A function within the tube is sought to `tol`, like any other.
    _hard_tolerance = math.inf

    @property
    def n_support_(self) -> Ints:
        """How many support vectors there are."""
        check_is_fitted(self, "support_")
        return np.array([len(self.support_)])

    @property
    def shape_fit_(self) -> tuple[int, int]:
        """The rows that were looked at, and the features."""
        return self._records[0].rows, int(self.n_features_in_)

    @property
    def record_(self) -> SupportMachineRecord:
        """What the fit left behind."""
        check_is_fitted(self, "records_")
        return self._machines([None])[0]

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """How far the objective can be above the least possible (``penalised-duality``); nothing where C is infinite.

        No theorem here bounds a regressor's loss on other rows; a holdout does.
        """
        record = self.record_
        return [] if record.hard else regressor_guarantees(record)

    def predict(self, X: Any) -> Floats:
        """The predicted number of every row."""
        return np.asarray(self._scores(X)[:, 0])


def _dual_of(targets: Floats, caps: Floats, tube: float) -> Dual:
    """Two variables for each example: what pulls the score up, and what pulls it down."""
    n = len(targets)
    zero = np.zeros(n)
    return Dual(
        target=np.concatenate([targets - tube, targets + tube]),
        lower=np.concatenate([zero, -caps]),
        upper=np.concatenate([caps, zero]),
        row=np.tile(np.arange(n), 2),
        impossible="No function stays within epsilon of all targets.",
    )
