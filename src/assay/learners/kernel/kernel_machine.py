"""Kernel machines of any differentiable loss."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.certificates.certificate import Certificate
from assay.certificates.fits import training_guarantee
from assay.certificates.guarantee import Guarantee
from assay.errors import BadData
from assay.kernels import Kernel, Precomputed, as_kernel
from assay.kernels.kernel import above_zero, at_least_zero
from assay.learners.kernel.newton import Machine, minimise
from assay.learners.kernel.smooth_losses import (
    FOR_CLASSES,
    SQUARED,
    SmoothLoss,
    huber,
    smooth_loss,
    squared_epsilon_insensitive,
)
from assay.learners.linear.labels import classes_of, signs_of
from assay.learners.linear.sgd_player import row_weights
from assay.learners.registry import register
from assay.learners.rows import Rows
from assay.learners.skipped_checks import NOT_RUN
from assay.theory.needs import count

# Values of the kernel that are computed at a time when predicting.
_VALUES = 1 << 22
# The losses that are at least one on an error, by the names of the theorem.
_ABOVE_ERRORS = {"squared_error": "square", "exponential": "exponential", "log_loss": "logistic"}


class _KernelMachine(BaseEstimator):  # type: ignore[misc]
    """What the machines share: the kernel matrix, the search, the scores."""

    #: The checks of scikit-learn that are not run, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN

    kernel: Any
    gamma: Any
    degree: int
    coef0: float
    alpha: float
    tol: float
    max_iter: int

    def _machines(
        self,
        X: Any,
        targets: list[NDArray[np.float64]],
        loss: SmoothLoss,
        sample_weight: Any,
    ) -> list[Machine]:
        """Find one machine for each column of targets, all with one kernel matrix."""
        penalty = above_zero("alpha", self.alpha)
        tol = above_zero("tol", self.tol)
        most = count("max_iter", self.max_iter, at_least=1)
        self.kernel_ = self._kernel_of(X)
        if isinstance(self.kernel_, Precomputed):
            if X.shape[0] != X.shape[1]:
                raise BadData(
                    f"A precomputed kernel matrix must be square, but has shape {X.shape}."
                )
            self.__dict__.pop("X_fit_", None)
        else:
            self.X_fit_ = X
        weights = np.ones(X.shape[0])
        if sample_weight is not None:
            weights = np.asarray(row_weights(sample_weight, Rows.of(X)), dtype=np.float64)
        K = np.asarray(self.kernel_(X), dtype=np.float64)
        found = [minimise(K, y, weights, loss, penalty, tol, most) for y in targets]
        self.dual_coef_ = np.stack([machine.alpha for machine in found])
        self.objective_ = float(sum(machine.objective for machine in found))
        self.residual_ = max(machine.residual for machine in found)
        self.excess_ = float(sum(machine.excess for machine in found))
        self.n_iter_ = max(1, *(machine.steps for machine in found))
        if self.residual_ > 1e3 * tol * max(1.0, float(np.abs(self.dual_coef_).max())):
            warnings.warn(
                f"The search ended with a residual of {self.residual_:.3g}: make max_iter larger.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return found

    def _kernel_of(self, X: Any) -> Kernel:
        return as_kernel(self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, X=X)

    def _scores(self, X: Any) -> NDArray[np.float64]:
        """One column for each machine."""
        check_is_fitted(self, "dual_coef_")
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        if isinstance(self.kernel_, Precomputed):
            return np.asarray(X @ self.dual_coef_.T)
        found = np.empty((X.shape[0], len(self.dual_coef_)))
        step = max(1, _VALUES // self.dual_coef_.shape[1])
        for start in range(0, X.shape[0], step):
            part = slice(start, start + step)
            found[part] = self.kernel_(X[part], self.X_fit_) @ self.dual_coef_.T
        return found

    def _require_state(self) -> None:
        """Refuse coefficients that do not fit the rows, as a changed file may hold them."""
        if not hasattr(self, "dual_coef_"):
            return
        shape = self.dual_coef_.shape
        fits = len(shape) == 2 and hasattr(self, "kernel_")
        if fits and isinstance(self.kernel_, Precomputed):
            fits = shape[1] == self.n_features_in_
        elif fits:
            fits = self.X_fit_.shape == (shape[1], self.n_features_in_)
        if isinstance(self, ClassifierMixin):
            classes = len(self.classes_)
            fits = fits and shape[0] == (1 if classes == 2 else classes)
        if not fits or self.dual_coef_.dtype != np.float64:
            raise ValueError("its coefficients do not fit its rows")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed" or isinstance(
            self.kernel, Precomputed
        )
        return tags


@register("kernel-machine")
class KernelMachine(ClassifierMixin, _KernelMachine):  # type: ignore[misc]
    r"""Classify by the sign of the function f that makes :math:`\sum_iV(y_i,f(x_i))+\alpha\|f\|^2` least.

    Whatever the loss V, the best function is :math:`f(x)=\sum_ia_ik(x_i,x)` with
    :math:`a_i=-V'(y_i,f(x_i))/2\alpha` (``representer``), so it is looked for there, by Newton's steps. There is no
    intercept: add a constant to the kernel instead, as in ``1 + Gaussian()``.

    Parameters
    ----------
    loss : {"log_loss", "squared_hinge", "modified_huber", "exponential", "squared_error"} or SmoothLoss
        V, of labels -1 and +1; `assay.learners.kernel.smooth_losses.SmoothLoss` is one of your own.
    kernel : Kernel, str or callable, default="rbf"
        A kernel of `assay.kernels`, one of scikit-learn's names, or a function of two matrices.
    alpha : float, default=1.0
        The weight of the penalty, above zero; 1 / (2 C) in the terms of support vector machines.
    gamma, degree, coef0 : default "auto", 3, 1.0
        For kernels given by name.
    tol : float, default=1e-8
        The search ends where :math:`a_i` and :math:`-V'/2\alpha` differ by so much of the largest :math:`a_i`.
    max_iter : int, default=100
        The most steps.

    Attributes
    ----------
    classes_ : array
        The labels; of two, the second one is the positive one.
    dual_coef_ : array of shape (n_problems, n_samples)
        The coefficients; with more than two classes, of each class against the rest.
    X_fit_ : array or CSR matrix
        The training rows; not kept for ``kernel="precomputed"``.
    kernel_ : Kernel
        The kernel that was meant.
    objective_, residual_, excess_ : float
        The least value found; the largest violation of the equations above; and what the value can at most be
        above the least possible. Values and excesses are sums over the problems.
    n_iter_ : int
        Steps made.

    References
    ----------
    .. [1] Schölkopf, Herbrich & Smola (2001). A generalized representer theorem.
    .. [2] Chapelle (2007). Training a support vector machine in the primal.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import KernelMachine
    >>> X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    >>> model = KernelMachine("log_loss", "poly", alpha=0.01, degree=2, gamma=1.0).fit(X, [0, 1, 1, 0])
    >>> model.predict(X).tolist(), model.residual_ < 1e-6
    ([0, 1, 1, 0], True)
    """

    def __init__(
        self,
        loss: str | SmoothLoss = "log_loss",
        kernel: Kernel | str | Callable[[Any, Any], Any] = "rbf",
        alpha: float = 1.0,
        gamma: float | str | None = "auto",
        degree: int = 3,
        coef0: float = 1.0,
        tol: float = 1e-8,
        max_iter: int = 100,
    ) -> None:
        self.loss = loss
        self.kernel = kernel
        self.alpha = alpha
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelMachine:
        """Find the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            For ``kernel="precomputed"``, the kernel matrix.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each example's loss.

        Returns
        -------
        self
        """
        loss = smooth_loss(self.loss, FOR_CLASSES)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        labels = np.asarray(y)
        classes = classes_of(labels)
        if len(classes) < 2:
            only = classes[0].item() if isinstance(classes[0], np.generic) else classes[0]
            raise BadData(
                f"{type(self).__name__} needs at least two classes, but y holds 1 class: {only!r}."
            )
        self.classes_ = classes
        wanted = classes[1:] if len(classes) == 2 else classes
        signs = [signs_of(labels, one, classes, np.dtype(np.float64)) for one in wanted]
        found = self._machines(X, signs, loss, sample_weight)
        if len(classes) == 2:
            f = found[0].scores
            self.rows_ = len(labels)
            self.training_errors_ = int((np.where(f >= 0, 1.0, -1.0) != signs[0]).sum())
            self.training_loss_ = float(np.sum(loss.value(signs[0], f))) * (1 + 1e-12)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """f of every row; with more than two classes, one column for each."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The predicted label of every row: the second class where f is zero or more."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.asarray(self.classes_[(scores >= 0).astype(int)])
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def guarantees(self) -> list[Guarantee]:
        """What the loss on the training rows says about the errors there, for a loss that lies above them."""
        check_is_fitted(self, "dual_coef_")
        if len(self.classes_) != 2 or self.loss not in _ABOVE_ERRORS:
            return []
        name = _ABOVE_ERRORS[str(self.loss)]
        return [training_guarantee(self.training_errors_, self.rows_, self.training_loss_, name)]

    def certificate(self, X: Any, y: Any, **terms: Any) -> Certificate:
        """A certificate from a holdout this learner has not seen; see `assay.certify`."""
        from assay.certificates.certify import certify  # only here: a first fit should not wait

        return certify(self, X, y, **terms)


@register("kernel-machine-regressor")
class KernelMachineRegressor(RegressorMixin, _KernelMachine):  # type: ignore[misc]
    r"""Predict by the function f that makes :math:`\sum_iV(y_i,f(x_i))+\alpha\|f\|^2` least.

    As `KernelMachine`, for targets that are numbers; with the squared error it is `KernelRidge`.

    Parameters
    ----------
    loss : {"huber", "squared_error", "squared_epsilon_insensitive"} or SmoothLoss
        V: half the square up to `epsilon` and a line beyond it; the square; or the square of what is missed
        beyond `epsilon`.
    kernel, alpha, gamma, degree, coef0, tol, max_iter
        As in `KernelMachine`.
    epsilon : float, default=1.0
        What the loss needs, above zero for ``"huber"``.

    Attributes
    ----------
    dual_coef_ : array of shape (1, n_samples)
    X_fit_, kernel_, objective_, residual_, excess_, n_iter_
        As in `KernelMachine`.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import KernelMachineRegressor
    >>> X = np.linspace(0, 6, 30)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> y[7] = 50.0  # a slip that a square would follow
    >>> model = KernelMachineRegressor("huber", "rbf", alpha=0.001, gamma=0.5, epsilon=0.1).fit(X, y)
    >>> abs(model.predict([[1.5]]).item() - float(np.sin(1.5))) < 0.1
    True
    """

    def __init__(
        self,
        loss: Literal["huber", "squared_error", "squared_epsilon_insensitive"]
        | SmoothLoss = "huber",
        kernel: Kernel | str | Callable[[Any, Any], Any] = "rbf",
        alpha: float = 1.0,
        gamma: float | str | None = "auto",
        degree: int = 3,
        coef0: float = 1.0,
        epsilon: float = 1.0,
        tol: float = 1e-8,
        max_iter: int = 100,
    ) -> None:
        self.loss = loss
        self.kernel = kernel
        self.alpha = alpha
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.epsilon = epsilon
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelMachineRegressor:
        """Find the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            For ``kernel="precomputed"``, the kernel matrix.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each example's loss.

        Returns
        -------
        self
        """
        epsilon = at_least_zero("epsilon", self.epsilon)
        if self.loss == "huber":
            above_zero("epsilon", self.epsilon)
        losses = {
            "huber": huber(epsilon),
            "squared_error": SQUARED,
            "squared_epsilon_insensitive": squared_epsilon_insensitive(epsilon),
        }
        loss = smooth_loss(self.loss, losses)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, y_numeric=True)
        self._machines(X, [np.asarray(y, dtype=np.float64)], loss, sample_weight)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """f of every row."""
        return self._scores(X)[:, 0]

    def guarantees(self) -> list[Guarantee]:
        """None: what is known of the fit is in `residual_` and `excess_`."""
        check_is_fitted(self, "dual_coef_")
        return []
