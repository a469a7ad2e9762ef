"""Ridge regression in the feature space of a kernel."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from assay.errors import require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.kernel_machines import kernel_ridge_guarantees
from assay.kernels import Kernel, Precomputed
from assay.kernels.strings import takes_strings
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import CertifiedQuantity, Terms
from assay.learners.common.penalties import penalties_of
from assay.learners.common.skipped_checks import NOT_RUN
from assay.learners.kernel.examples import are_strings, is_precomputed, read_examples, read_sample
from assay.learners.kernel.kernel_learner import KernelLearner, block_sums
from assay.learners.kernel.penalised import Spectrum
from assay.learners.kernel.ridge_system import CELLS, RidgeSystem
from assay.learners.registry import register
from assay.record.ridge import KernelRidgeRecord
from assay.types import Array, Floats


@register(
    "kernel-ridge",
    use="a quantity that varies smoothly; up to some thousand rows",
    promise="bounds how far it is from the best fit",
)
@dataclass(eq=False, repr=False)
class KernelRidge(KernelLearner, CertifiedQuantity, RegressorMixin, BaseEstimator):  # type: ignore[misc]
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
        Penalties to choose from instead of `alpha`: by their leave-one-out error, one after the other in the place of
        the kernel matrix; of up to 2000 rows all from one decomposition.
    loo : bool, default=False
        Whether leave-one-out predictions are kept; they triple the work, and need no more memory.
    kernel_params : dict or None, default=None
        What a function is told besides, by name; other kernels have parameters of their own.
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
    record_ : KernelRidgeRecord
        How far the function can be from the best one.
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

    enough: ClassVar[tuple[str, ...]] = ("dual_coef_",)
    state = kinds.declare(
        dual_coef_=kinds.floats("rows") | kinds.floats("rows", None),
        alpha_=kinds.amount | kinds.amounts(),
        penalty_=kinds.size,
        distance_=kinds.amount,
        known_psd_=kinds.flag,
        X_fit_=kinds.maybe(kinds.examples("rows", "n_features_in_")),
        loo_predictions_=kinds.maybe(kinds.floats("rows") | kinds.floats("rows", None)),
        loo_errors_=kinds.maybe(kinds.amounts()),
    )
    later_state: ClassVar[Any] = {"known_psd_": lambda model: model._is_known_psd()}

    alpha: float | Any = 1.0
    _: KW_ONLY
    kernel: Any = "linear"
    gamma: float | str | None = None
    degree: int = 3
    coef0: float = 1.0
    alphas: Any = None
    loo: bool = False
    dtype: Literal["float64", "float32"] = "float64"
    kernel_params: Any = None

    @property
    def _given_kernel(self) -> Any:
        kernel = self.kernel
        if self.kernel_params and callable(kernel) and not isinstance(kernel, Kernel):
            return functools.partial(kernel, **self.kernel_params)
        return kernel

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelRidge:
        """Solve for the dual weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of strings
            For ``kernel="precomputed"``, the kernel matrix; strings for a kernel of strings.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each example's square.

        Returns
        -------
        self
        """
        known = self.dtype in ("float64", "float32")
        require(known, "dtype", "'float64' or 'float32'", self.dtype)
        X, y = read_sample(self, X, y, dtype=self.dtype, y_numeric=True, multi_output=True)
        for name in ("X_fit_", "loo_predictions_", "loo_errors_"):
            if hasattr(self, name):
                delattr(self, name)
        kernel = self._looked_at(X)
        if not isinstance(kernel, Precomputed):
            self.X_fit_ = X
        shape = np.shape(y)
        targets = np.asarray(y, dtype=self.dtype).reshape(shape[0], -1)
        system = RidgeSystem(kernel, X, targets, sample_weight)
        if self.alphas is not None:
            penalties, coef, inverse = self._choose(system)
        else:
            penalties = penalties_of(self.alpha, targets.shape[1])
            coef, inverse = self._solve(system, penalties)
        single = targets.shape[1] == 1 or bool((penalties == penalties[0]).all())
        self.alpha_ = float(penalties[0]) if single else penalties
        self.known_psd_ = self._is_known_psd()
        self.penalty_ = float(penalties.min())
        self.distance_ = system.distance(coef, penalties) if self.penalty_ > 0 else 0.0
        if self.loo:
            self.loo_predictions_ = system.left_out(coef, inverse).reshape(shape)
        self.dual_coef_ = np.ascontiguousarray(system.roots[:, None] * coef).reshape(shape)
        return self

    def _solve(self, system: RidgeSystem, penalties: Floats) -> tuple[Array, Array | None]:
        """The weights, and the diagonals of the inverse where they are wanted."""
        solved = system.factored(penalties, inverse=self.loo)
        if solved is not None:
            coef, inverse, system.product = solved
            return coef, inverse
        if penalties.min() > 0:
            warnings.warn(
                f"alpha = {penalties.min():.3g} is lost in the rounding of the kernel matrix, or that matrix "
                "is not positive semidefinite: eigenvalues below zero are taken for zero, and alpha is raised "
                "to the size of the rounding.",
                linalg.LinAlgWarning,
                stacklevel=3,
            )
        spectrum, scaled = Spectrum(system.matrix()), penalties / system.heaviest
        coef = spectrum.solve(system.y, scaled)
        return coef, spectrum.inverse_diagonals(scaled) if self.loo else None

    def _choose(self, system: RidgeSystem) -> tuple[Floats, Array, Array | None]:
        """The penalty of the least leave-one-out error, and what it gives."""
        listed = np.atleast_1d(np.asarray(self.alphas, dtype=np.float64))
        fine = listed.ndim == 1 and listed.size > 0 and bool((listed > 0).all())
        fine = fine and bool(np.isfinite(listed).all())
        require(fine, "alphas", "a sequence of finite numbers above zero", self.alphas)
        errors, best = np.empty(len(listed)), None
        for place, (coef, inverse, product) in enumerate(system.each(listed)):
            # Weighted as the objective is: the roots of the weights are in the residuals already.
            missed = np.sum((coef / inverse).astype(np.float64) ** 2)
            errors[place] = float(missed) / (float(np.sum(system.roots**2)) * coef.shape[1])
            if best is None or errors[place] < errors[best[0]]:
                best = place, coef, inverse
                system.product = product
        assert best is not None
        self.loo_errors_ = errors
        return np.full(system.y.shape[1], listed[best[0]]), best[1], best[2]

    def predict(self, X: Any) -> Array:
        """The predicted number of every row; for a precomputed kernel, of every row of values."""
        check_is_fitted(self, "dual_coef_")
        X = read_examples(self, X, dtype=self.dtype)
        kernel = self._kernel_of(getattr(self, "X_fit_", X))
        if isinstance(kernel, Precomputed):
            return np.asarray(X @ self.dual_coef_)
        return block_sums(kernel, X, self.X_fit_, self.dual_coef_, CELLS)

    def _is_known_psd(self) -> bool:
        spec = self.kernel
        by_name = isinstance(spec, str) and spec not in ("precomputed", "sigmoid")
        return by_name or (isinstance(spec, Kernel) and bool(spec.known_psd))

    @property
    def record_(self) -> KernelRidgeRecord:
        """What the fit left behind."""
        check_is_fitted(self, "dual_coef_")
        defect = getattr(self, "defect_", None)
        return KernelRidgeRecord(self.penalty_, self.distance_, self.known_psd_, defect)

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """How far the objective, summed over targets, is above the least possible (``ridge-primal-dual``).

        For the kernel matrix as it was computed. Nothing where the penalty is zero, or where the matrix is found not
        to be that of a kernel.
        """
        return kernel_ridge_guarantees(self.record_) if hasattr(self, "record_") else []

    def _require_state(self) -> None:
        """Refuse, in a model file, rows that do not fit the kernel."""
        rows, dtype = getattr(self, "X_fit_", None), self.dual_coef_.dtype
        if rows is None:
            fits = is_precomputed(self.kernel) and len(self.dual_coef_) == self.n_features_in_
        else:
            fits = are_strings(rows) == takes_strings(self.kernel)
            fits = fits and (are_strings(rows) or rows.dtype == dtype)
        if not fits or dtype != self.dtype:
            raise ValueError("its weights do not fit its rows")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
