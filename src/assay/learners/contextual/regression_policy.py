"""Policies that choose by the forecasts of a regression: the library's forward least squares, or another learner."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone

from assay.compiled.bandits.contextual_game import LOSS, SQUARES, TOLD, WEIGHED, choose_by_forecasts
from assay.errors import BadParameter
from assay.learners.common import kinds
from assay.learners.contextual.least_squares_policy import _SHARED, LeastSquaresPolicy
from assay.learners.registry import make_learner
from assay.record.contextual import ContextualRecord
from assay.types import Bools, Floats


class RegressionPolicy(LeastSquaresPolicy):
    """Base of the policies over a regression, which learns one loss after the other."""

    settings: ClassVar[tuple[str, ...]] = _SHARED
    declares = ("oracle_regret",)
    state = kinds.declare(forecaster_=kinds.maybe(kinds.instance(BaseEstimator)))

    regressor: Any

    def _begin(self, d: int, models: int) -> None:
        if self.regressor is None:
            super()._begin(d, models)
            return
        made = self.regressor
        made = make_learner(made, {}) if isinstance(made, str) else clone(made)
        if not (hasattr(made, "partial_fit") and hasattr(made, "predict")):
            raise BadParameter(
                "regressor must be a learner of quantities that learns row by row, such as 'sgd-regressor', but is "
                f"{self.regressor!r}."
            )
        self.forecaster_ = made

    def _chosen(
        self, seen: Floats, table: Floats, allowed: Bools, chances: Floats
    ) -> tuple[int, Floats]:
        if not hasattr(self, "forecaster_"):
            return super()._chosen(seen, table, allowed, chances)
        rows = self._rows(seen, table).T
        shown = rows if len(table) else self._apart(rows[0])
        forecasts = np.full(len(allowed), 0.5)
        if self.tally_[TOLD]:
            forecasts = np.clip(np.asarray(self.forecaster_.predict(shown), dtype=float), 0.0, 1.0)
        given = self.generator_, self.tally_, forecasts, allowed, chances
        action = choose_by_forecasts(self._kind, self.numbers_, *given)
        return action, np.ascontiguousarray(rows[action if len(table) else 0])

    def _learn_row(self, row: Floats, model: int, loss: float, weight: float) -> None:
        if not hasattr(self, "forecaster_"):
            super()._learn_row(row, model, loss, weight)
            return
        shown = row[None] if self.n_action_ >= 0 else self._apart(row)[model][None]
        said = float(self.forecaster_.predict(shown)[0]) if self.tally_[TOLD] else 0.5
        said = min(1.0, max(0.0, said))
        weighs = {} if weight == 1.0 else {"sample_weight": np.array([weight])}
        self.forecaster_.partial_fit(shown, np.array([loss]), **weighs)
        self.sums_[LOSS] += loss
        self.sums_[SQUARES] += (said - loss) ** 2
        self.tally_[TOLD] += 1
        self.tally_[WEIGHED] += weight != 1.0

    def _oracle(self) -> Any:
        return clone(self.forecaster_) if hasattr(self, "forecaster_") else super()._oracle()

    def _learn_estimates(
        self,
        oracle: Any,
        seen: Floats,
        table: Floats,
        action: int,
        loss: float,
        chance: float,
        robust: bool,
    ) -> None:
        if not hasattr(self, "forecaster_"):
            super()._learn_estimates(oracle, seen, table, action, loss, chance, robust)
            return
        rows = self._rows(seen, table).T
        shown = np.ascontiguousarray(rows) if len(table) else self._apart(rows[0])
        estimates = np.zeros(len(shown))
        if robust:
            begun = hasattr(oracle, "n_features_in_")
            estimates = np.clip(oracle.predict(shown), 0.0, 1.0) if begun else estimates + 0.5
            oracle.partial_fit(shown[action][None], np.array([loss]))
        estimates[action] += (loss - estimates[action]) / chance
        self.forecaster_.partial_fit(shown, estimates)
        self.sums_[LOSS] += loss

    def _apart(self, row: Floats) -> Floats:
        """The row where each action has features of its own, action by action."""
        shown: Floats = np.kron(np.eye(self.arms_), row).astype(np.float64)
        return shown

    @property
    def record_(self) -> ContextualRecord:
        """What happened so far."""
        if not hasattr(self, "forecaster_"):
            return super().record_
        return ContextualRecord(**self._happened())

    def _require_state(self) -> None:
        if not hasattr(self, "forecaster_"):
            super()._require_state()
            return
        self._require_choice()
        told = int(self.tally_[TOLD])
        fits = [
            not hasattr(self, "models_"),
            hasattr(self.forecaster_, "partial_fit"),
            np.array_equal(self._numbers_of(self.settings_), self.numbers_),
            not told or hasattr(self.forecaster_, "n_features_in_"),
        ]
        if not all(fits):
            raise ValueError("its memory is none that it could have come to")
