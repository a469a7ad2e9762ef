"""Regressors of any differentiable loss in the feature space of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import RegressorMixin

from assay.kernels.kernel import above_zero, at_least_zero
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import CertifiedQuantity
from assay.learners.kernel.examples import read_sample
from assay.learners.kernel.representer_machine import RepresenterMachine
from assay.learners.kernel.smooth_losses import (
    SQUARED,
    SmoothLoss,
    huber,
    smooth_loss,
    squared_epsilon_insensitive,
)
from assay.learners.registry import register
from assay.types import Floats


@register(
    "kernel-machine-regressor",
    use="a quantity, with any loss and any kernel",
    promise="bounds how far it is from the best fit",
)
@dataclass(eq=False, repr=False)
class KernelMachineRegressor(RegressorMixin, CertifiedQuantity, RepresenterMachine):  # type: ignore[misc]
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
    X_fit_, kernel_, objective_, residual_, gradient_, excess_, n_iter_, record_
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

    loss: Literal["huber", "squared_error", "squared_epsilon_insensitive"] | SmoothLoss = "huber"
    epsilon: float = 1.0
    tol: float = 1e-8
    max_iter: int = 100

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelMachineRegressor:
        """Find the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of strings
            For ``kernel="precomputed"``, the kernel matrix; strings for a kernel of strings.
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
        X, y = read_sample(self, X, y, dtype=np.float64, y_numeric=True)
        self._machines(X, [np.asarray(y, dtype=np.float64)], loss, sample_weight)
        return self

    def predict(self, X: Any) -> Floats:
        """f of every row."""
        return self._scores(X)[:, 0]
