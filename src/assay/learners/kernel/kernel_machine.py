"""Classifiers of any differentiable loss in the feature space of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.sign_labels import signs_of, two_classes_or_more
from assay.learners.kernel.examples import read_sample
from assay.learners.kernel.representer_machine import RepresenterMachine, coefficients
from assay.learners.kernel.smooth_losses import FOR_CLASSES, smooth_loss
from assay.learners.kernel.support_promises import KernelMachinePromises
from assay.learners.registry import register
from assay.record.training_loss import TrainingLossRecord
from assay.types import Array, Floats

# The losses that are at least one on an error, by the names of the theorem.
_ABOVE_ERRORS = {"squared_error": "square", "exponential": "exponential", "log_loss": "logistic"}


@register(
    "kernel-machine",
    use="any loss with any kernel",
    promise="bounds how far it is from the best fit",
)
@dataclass(eq=False, repr=False)
class KernelMachine(KernelMachinePromises, ClassifierMixin, RepresenterMachine):  # type: ignore[misc]
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
    objective_, residual_, gradient_, excess_ : float
        The least value found; the largest violation of the equations above; the length of the gradient; and what the
        value can at most be above the least possible. Values and excesses are sums over the problems.
    n_iter_ : int
        Steps made.
    record_ : RepresenterRecord
        How near to the least the objective is, and the loss on the training rows.

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

    state = kinds.declare(
        classes_=kinds.labels,
        dual_coef_=coefficients("problems"),
        rows_=kinds.maybe(kinds.whole(1)),
        training_errors_=kinds.maybe(kinds.whole(most="rows_"), along="rows_"),
        training_loss_=kinds.maybe(kinds.size, along="rows_"),
    )

    tol: float = 1e-8
    max_iter: int = 100

    def _require_state(self) -> None:
        super()._require_state()
        if len(self.classes_) == 2 and not hasattr(self, "rows_"):
            raise ValueError("it has no rows_")

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelMachine:
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
        loss = smooth_loss(self.loss, FOR_CLASSES)
        X, y = read_sample(self, X, y, dtype=np.float64)
        labels = np.asarray(y)
        classes = two_classes_or_more(self, labels)
        self.classes_ = classes
        wanted = classes[1:] if len(classes) == 2 else classes
        signs = [signs_of(labels, one, classes, np.dtype(np.float64)) for one in wanted]
        machines = self._machines(X, signs, loss, sample_weight)
        if len(classes) == 2:
            f = machines[0].scores
            self.rows_ = len(labels)
            self.training_errors_ = int((np.where(f >= 0, 1.0, -1.0) != signs[0]).sum())
            self.training_loss_ = float(np.sum(loss.value(signs[0], f))) * (1 + 1e-12)
        return self

    def decision_function(self, X: Any) -> Floats:
        """f of every row; with more than two classes, one column for each."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> Array:
        """The predicted label of every row: the second class where f is zero or more."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.asarray(self.classes_[(scores >= 0).astype(int)])
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def _training(self) -> TrainingLossRecord | None:
        loss = self.settings_["loss"]
        if len(self.classes_) != 2 or loss not in _ABOVE_ERRORS:
            return None
        counted = self.rows_, self.training_errors_
        return TrainingLossRecord(*counted, _ABOVE_ERRORS[loss], self.training_loss_)
