"""What kernel machines of differentiable losses share: the kernel matrix, the search, the scores."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from assay.guarantees.guarantee import Guarantee
from assay.guarantees.kernel_machines import representer_guarantees
from assay.kernels import Kernel, Precomputed
from assay.kernels.kernel import above_zero
from assay.kernels.strings import takes_strings
from assay.learners.common import kinds
from assay.learners.common.guaranteed import Guaranteed, Terms
from assay.learners.common.row_weights import row_weights
from assay.learners.common.settings import OWN, Settled
from assay.learners.common.skipped_checks import NOT_RUN
from assay.learners.kernel.examples import are_strings, read_examples
from assay.learners.kernel.kernel_learner import KernelLearner, block_sums
from assay.learners.kernel.newton import Machine, minimise
from assay.learners.kernel.smooth_losses import SmoothLoss
from assay.record.representer import RepresenterRecord
from assay.record.training_loss import TrainingLossRecord
from assay.theory.needs import count
from assay.types import Floats

# Values of the kernel that are computed at a time when predicting.
_VALUES = 1 << 22


def coefficients(machines: int | str | None) -> kinds.Kind:
    """What a model file may hold of so many machines: a row of coefficients each, one for every example."""
    return kinds.floats(machines, "rows", dtypes="<f8")


@dataclass(eq=False, repr=False)
class RepresenterMachine(KernelLearner, Settled, Guaranteed, BaseEstimator):  # type: ignore[misc]
    """Base of the machines whose coefficients the representer theorem gives."""

    #: The checks of scikit-learn that are not run, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN

    state = kinds.declare(
        dual_coef_=coefficients(None),
        excess_=kinds.amount,
        gradient_=kinds.amount,
        kernel_=kinds.instance(Kernel),
        n_iter_=kinds.count,
        objective_=kinds.finite,
        residual_=kinds.amount,
        X_fit_=kinds.maybe(kinds.examples("rows", "n_features_in_")),
    )

    settings = ("alpha", "loss")

    loss: str | SmoothLoss = "log_loss"
    kernel: Kernel | str | Callable[[Any, Any], Any] = "rbf"
    alpha: float = 1.0
    gamma: float | str | None = "auto"
    degree: int = 3
    coef0: float = 1.0

    def _machines(
        self, X: Any, targets: list[Floats], loss: SmoothLoss, sample_weight: Any
    ) -> list[Machine]:
        """Find one machine for each column of targets, all with one kernel matrix."""
        penalty = above_zero("alpha", self.alpha)
        # The subclasses declare these two, behind a parameter that only one of them has.
        tol = above_zero("tol", self.tol)
        most = count("max_iter", self.max_iter, at_least=1)
        self.kernel_ = self._looked_at(X)
        if isinstance(self.kernel_, Precomputed):
            self.__dict__.pop("X_fit_", None)
        else:
            self.X_fit_ = X
        weights = np.ones(X.shape[0])
        if sample_weight is not None:
            weights = row_weights(sample_weight, range(X.shape[0]))
        K = np.asarray(self.kernel_(X), dtype=np.float64)
        machines = [minimise(K, y, weights, loss, penalty, tol, most) for y in targets]
        self.dual_coef_ = np.stack([machine.alpha for machine in machines])
        self.objective_ = float(sum(machine.objective for machine in machines))
        self.residual_ = max(machine.residual for machine in machines)
        # All problems together are one, and its gradient has a part for each.
        self.gradient_ = math.hypot(*(machine.gradient for machine in machines))
        self.excess_ = self.gradient_**2 / (4 * penalty) * (1 + 1e-15)
        self.n_iter_ = max(1, *(machine.steps for machine in machines))
        self._hold_settings()
        if self.residual_ > 1e3 * tol * max(1.0, float(np.abs(self.dual_coef_).max())):
            warnings.warn(
                f"The search ended with a residual of {self.residual_:.3g}: make max_iter larger.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return machines

    def _scores(self, X: Any) -> Floats:
        """One column for each machine."""
        check_is_fitted(self, "dual_coef_")
        X = read_examples(self, X, dtype=np.float64)
        if isinstance(self.kernel_, Precomputed):
            return np.asarray(X @ self.dual_coef_.T)
        return block_sums(self.kernel_, X, self.X_fit_, self.dual_coef_.T, _VALUES)

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """How far the objective can be above the least possible (``strongly-convex-excess``).

        For the kernel matrix as it was computed.
        """
        return representer_guarantees(self.record_)

    @property
    def record_(self) -> RepresenterRecord:
        """What the fit left behind."""
        check_is_fitted(self, "dual_coef_")
        return RepresenterRecord(
            gradient=self.gradient_,
            penalty=float(self.settings_["alpha"]),
            own_loss=self.settings_["loss"] == OWN,
            known_psd=bool(self.kernel_.known_psd),
            defect=getattr(self, "defect_", None),
            training=self._training(),
        )

    def _training(self) -> TrainingLossRecord | None:
        """The loss on the training rows, where it lies above the errors there."""
        return None

    def _require_state(self) -> None:
        """Refuse, in a model file, coefficients that do not fit the kernel."""
        if isinstance(self.kernel_, Precomputed):
            fits = self.dual_coef_.shape[1] == self.n_features_in_
        else:
            fits = are_strings(self.X_fit_) == takes_strings(self.kernel_)
        if not fits:
            raise ValueError("its coefficients do not fit its rows")
