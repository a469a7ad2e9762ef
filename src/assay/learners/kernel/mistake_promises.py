"""What the rows promise that changed a learner whose weights lie in the feature space of a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.guarantees.assumption import Assumption
from assay.learners.common.rows import Rows
from assay.learners.common.training_promises import MistakePromises, kernel_margins
from assay.learners.kernel.trust import taken_on_trust
from assay.types import Floats


class KernelMistakePromises(MistakePromises):
    """Of learners that change on mistakes and whose weights lie in the feature space of a kernel."""

    @property
    def _trusted(self) -> tuple[Assumption, ...]:
        return taken_on_trust(self.kernel_, getattr(self, "defect_", None))  # type: ignore[attr-defined]

    def _row_margins(self, X: Any, y: Any) -> Floats | None:
        X, labels = self._sample_of(X, y)
        signs = self._signed(labels)
        if signs is None:
            return None
        if hasattr(self, "defect_"):
            return np.zeros(len(labels))  # without a feature space nothing is wide
        kernel, player = self.kernel_, self.players_[0]  # type: ignore[attr-defined]
        examples, coefficients = player.examples, player.labels
        sizes = np.sqrt(np.asarray(kernel.diagonal(examples), dtype=np.float64))
        own = player.scores(Rows.of(examples)) if len(coefficients) else np.zeros(0)
        scores = player.scores(Rows.of(X))
        squares = np.asarray(kernel.diagonal(X), dtype=np.float64)
        return kernel_margins(signs * scores, float(coefficients @ own), squares, sizes)
