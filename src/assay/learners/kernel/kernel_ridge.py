"""Ridge regression in the feature space of a kernel."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.certificates.assumption import Assumption
from assay.certificates.fits import excess_guarantee
from assay.certificates.guarantee import Guarantee
from assay.errors import BadData, require
from assay.kernels import Kernel, Precomputed, as_kernel
from assay.learners.kernel.penalised import Factored, Spectrum
from assay.learners.linear.batch import require_whole
from assay.learners.linear.ridge import penalties_of
from assay.learners.linear.sgd_player import row_weights
from assay.learners.registry import register
from assay.learners.rows import Rows
from assay.learners.skipped_checks import NOT_RUN

# Cells of a block of kernel values when predicting.
_CELLS = 1 << 23


@register("kernel-ridge")
class KernelRidge(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    r"""Solve :math:`(K+\alpha I)a=y` and predict :math:`f(x)=\sum_ia_ik(x_i,x)`.

    This minimises :math:`\sum_i(y_i-f(x_i))^2+\alpha\|f\|^2` over all functions of the kernel's space. The factors are
    written over the kernel matrix, so that hardly more memory is needed than for that matrix.

    Parameters
    ----------
    alpha : float or array of shape (n_targets,), default=1.0
        The weight of the penalty, zero or more.
    kernel : str, Kernel or callable, default="linear"
        A kernel of `assay.kernels`; one of scikit-learn's names; or a function of two matrices that gives the whole
        block.
    gamma, degree, coef0 : default None, 3, 1
        For kernels given by name, as in scikit-learn.
    alphas : sequence of float or None, default=None
        Penalties to choose from instead of `alpha`: by their leave-one-out error, all from one decomposition, which
        needs a second matrix of the same size.
    loo : bool, default=False
        Whether leave-one-out predictions are kept; they triple the work, and need no more memory.
    dtype : {"float64", "float32"}, default="float64"
        The precision of the kernel matrix. Single precision halves time and memory; `guarantees` says what it costs.

    Attributes
    ----------
    dual_coef_ : array of shape (n_samples,) or (n_samples, n_targets)
    X_fit_ : array or CSR matrix
        The training rows; not kept for ``kernel="precomputed"``.
    alpha_ : float or array
        The penalty used.
    loo_predictions_ : array
        What each training row would be predicted to be, had it been left out; if asked for.
    loo_errors_ : array
        The mean square of what leaving one out misses, for each of `alphas`.

    References
    ----------
    .. [1] Saunders, Gammerman & Vovk (1998). Ridge regression learning algorithm in dual variables.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import KernelRidge
    >>> X = np.linspace(0, 6, 30)[:, None]
    >>> model = KernelRidge(kernel="rbf", gamma=0.5, alphas=[0.001, 0.1, 10]).fit(X, np.sin(X[:, 0]))
    >>> model.alpha_, round(model.predict([[1.5]]).item(), 3)
    (0.001, 0.997)
    """

    #: The checks of scikit-learn that are not run, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN

    #: What a fit leaves, all of it or nothing.
    learned: ClassVar[tuple[str, ...]] = ("dual_coef_", "alpha_", "penalty_", "distance_")

    def __init__(
        self,
        alpha: float | Any = 1.0,
        *,
        kernel: Any = "linear",
        gamma: float | str | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        alphas: Any = None,
        loo: bool = False,
        dtype: Literal["float64", "float32"] = "float64",
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.alphas = alphas
        self.loo = loo
        self.dtype = dtype

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelRidge:
        """Solve for the dual weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            For ``kernel="precomputed"``, the kernel matrix.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each example's square.

        Returns
        -------
        self
        """
        kinds = ("float64", "float32")
        known = self.dtype in kinds
        require(known, "dtype", "'float64' or 'float32'", self.dtype)
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=self.dtype, y_numeric=True, multi_output=True
        )
        for name in ("X_fit_", "loo_predictions_", "loo_errors_"):
            if hasattr(self, name):
                delattr(self, name)
        kernel = self._kernel_of(X)
        if isinstance(kernel, Precomputed):
            if X.shape[0] != X.shape[1]:
                raise BadData(
                    f"A precomputed kernel matrix must be square, but has shape {X.shape}."
                )
        else:
            self.X_fit_ = X
        shape = np.shape(y)
        targets = np.asarray(y, dtype=self.dtype).reshape(shape[0], -1)
        system = _System(kernel, X, targets, sample_weight)
        if self.alphas is not None:
            penalties, coef, inverse = self._choose(system)
        else:
            penalties = penalties_of(self.alpha, targets.shape[1])
            coef, inverse = self._solve(system, penalties)
        single = targets.shape[1] == 1 or bool((penalties == penalties[0]).all())
        self.alpha_ = float(penalties[0]) if single else penalties
        self.penalty_ = float(penalties.min())
        self.distance_ = system.distance(coef, penalties) if self.penalty_ > 0 else 0.0
        if self.loo:
            self.loo_predictions_ = system.left_out(coef, inverse).reshape(shape)
        self.dual_coef_ = np.ascontiguousarray(system.roots[:, None] * coef).reshape(shape)
        return self

    def _kernel_of(self, X: Any) -> Kernel:
        return as_kernel(self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, X=X)

    def _solve(
        self, system: _System, penalties: NDArray[np.float64]
    ) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """The weights, and the diagonals of the inverse where they are wanted."""
        if bool((penalties == penalties[0]).all()):
            factored = Factored(system.matrix(), float(penalties[0]))
            if factored.fine:
                coef = factored.solve(system.y)
                system.product = factored.times(coef)
                inverse = factored.inverse_diagonal()[:, None] if self.loo else None
                return coef, inverse
            del factored
            if penalties[0] > 0:
                warnings.warn(
                    f"alpha = {penalties[0]:.3g} is lost in the rounding of the kernel matrix, or that matrix "
                    "is not positive semidefinite: eigenvalues below zero are taken for zero, and alpha is raised "
                    "to the size of the rounding.",
                    linalg.LinAlgWarning,
                    stacklevel=3,
                )
        spectrum = Spectrum(system.matrix())
        coef = spectrum.solve(system.y, penalties)
        return coef, spectrum.inverse_diagonals(penalties) if self.loo else None

    def _choose(
        self, system: _System
    ) -> tuple[NDArray[np.float64], NDArray[Any], NDArray[Any] | None]:
        """The penalty of the least leave-one-out error, and what it gives."""
        listed = np.atleast_1d(np.asarray(self.alphas, dtype=np.float64))
        fine = listed.ndim == 1 and listed.size > 0 and bool((listed > 0).all())
        fine = fine and bool(np.isfinite(listed).all())
        require(fine, "alphas", "a sequence of finite numbers above zero", self.alphas)
        spectrum = Spectrum(system.matrix())
        inverse = spectrum.inverse_diagonals(listed)
        count = system.y.shape[1]
        errors, best = np.empty(len(listed)), None
        for place, penalty in enumerate(listed):
            penalties = np.full(count, penalty)
            coef = spectrum.solve(system.y, penalties)
            # Weighted as the objective is: the roots of the weights are in the residuals already.
            missed = coef / inverse[:, place : place + 1]
            errors[place] = float(np.sum(missed**2)) / (float(np.sum(system.roots**2)) * count)
            if best is None or errors[place] < errors[best[0]]:
                best = place, penalties, coef
        assert best is not None
        self.loo_errors_ = errors
        return best[1], best[2], inverse[:, best[0]][:, None]

    def predict(self, X: Any) -> NDArray[Any]:
        """The predicted number of every row; for a precomputed kernel, of every row of values."""
        check_is_fitted(self, "dual_coef_")
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=self.dtype)
        kernel = self._kernel_of(getattr(self, "X_fit_", X))
        if isinstance(kernel, Precomputed):
            return np.asarray(X @ self.dual_coef_)
        step = max(1, _CELLS // len(self.dual_coef_))
        parts = [
            kernel(X[i : i + step], self.X_fit_) @ self.dual_coef_
            for i in range(0, X.shape[0], step)
        ]
        return np.concatenate(parts)

    def guarantees(self) -> list[Guarantee]:
        """How far the objective, summed over targets, is above the least possible (``ridge-primal-dual``).

        For the kernel matrix as it was computed. Nothing where the penalty is zero.
        """
        if not hasattr(self, "dual_coef_") or self.penalty_ == 0 or math.isinf(self.distance_):
            return []
        spec = self.kernel
        by_name = isinstance(spec, str) and spec != "precomputed"
        known = by_name or (isinstance(spec, Kernel) and spec.known_psd)
        psd = Assumption(
            "the kernel matrix is positive semidefinite", "by construction" if known else "assumed"
        )
        inputs = {"penalty": self.penalty_, "distance": self.distance_}
        return [excess_guarantee("ridge-primal-dual", inputs, (psd,))]

    def _require_state(self) -> None:
        if not hasattr(self, "dual_coef_"):
            return
        require_whole(self)
        rows = len(self.dual_coef_)
        if hasattr(self, "X_fit_"):
            fits = self.X_fit_.shape == (rows, self.n_features_in_)
            fits = fits and self.X_fit_.dtype == self.dual_coef_.dtype
        else:
            fits = self.kernel == "precomputed" and rows == self.n_features_in_
        if not fits or self.dual_coef_.dtype != self.dtype:
            raise ValueError("its weights do not fit its rows")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.target_tags.multi_output = True
        return tags


class _System:
    """The kernel matrix and the targets, rows and columns times the roots of the weights."""

    def __init__(self, kernel: Kernel, X: Any, y: NDArray[Any], sample_weight: Any) -> None:
        self.kernel, self.X = kernel, X
        self._weighted = sample_weight is not None
        weights = row_weights(sample_weight, Rows.of(X)) if self._weighted else np.ones(len(y))
        self.roots = np.sqrt(weights).astype(y.dtype)
        self._plain = y
        self.y = y * self.roots[:, None] if self._weighted else y
        self.product: NDArray[Any] | None = None

    def matrix(self) -> NDArray[Any]:
        """The kernel matrix, a new one that may be overwritten."""
        K = np.ascontiguousarray(self.kernel(self.X), dtype=self.y.dtype)
        if self._weighted:
            K *= self.roots[:, None]
            K *= self.roots
        return K

    def _times(self, coef: NDArray[Any]) -> NDArray[Any]:
        """K coef, block by block."""
        heavy = self.roots[:, None] * coef
        n = len(coef)
        step = max(1, _CELLS // n)
        parts = [self.kernel(self.X[i : i + step], self.X) @ heavy for i in range(0, n, step)]
        return np.asarray(self.roots[:, None] * np.concatenate(parts))

    def distance(self, coef: NDArray[Any], penalties: NDArray[np.float64]) -> float:
        """How far the two forms of the fit are apart in the kernel's space, from above.

        With the residuals r = y - K a - lambda a, that is at most the sum of |r_i| sqrt(k(x_i, x_i)) over lambda; what
        rounding may have done to r is added to it. Every product in K a is at most the product of the two lengths.
        """
        if self.product is None:
            self.product = self._times(coef)
        unit = float(np.finfo(self.y.dtype).eps) / 2
        part = (len(coef) + 8) * unit
        if part >= 0.5:
            return math.inf
        a, y, product = (
            block.astype(np.float64, copy=False) for block in (coef, self.y, self.product)
        )
        squared = self.kernel.diagonal(self.X).astype(np.float64)
        # From above, where the diagonal is rounded too.
        lengths = np.sqrt(np.maximum(squared, 0.0)) * self.roots.astype(np.float64) * (1 + 8 * unit)
        rest = y - product - penalties * a
        sizes = lengths[:, None] * (lengths @ np.abs(a))
        doubt = part / (1 - part) * (np.abs(y) + sizes + penalties * np.abs(a))
        apart = lengths @ (np.abs(rest) + doubt) / penalties
        least = float(penalties.min())
        # Single precision may already have rounded the product; doubt covers it, being in its unit.
        return float(np.sqrt(np.sum(apart**2 * (penalties / least)))) * (1 + 1e-9)

    def left_out(self, coef: NDArray[Any], inverse: NDArray[Any] | None) -> NDArray[Any]:
        """What every row is predicted to be by the others: y_i - a_i / (inverse)_ii."""
        assert inverse is not None
        missed = coef / inverse
        kept = self.roots > 0
        found = self._plain.astype(np.float64)
        found[kept] -= missed[kept] / self.roots[kept, None]
        if not kept.all():  # a row of no weight was left out to begin with
            places = np.flatnonzero(~kept)
            values = self.kernel(self.X[places], self.X)
            found[places] = values @ (self.roots[:, None] * coef)
        return found
