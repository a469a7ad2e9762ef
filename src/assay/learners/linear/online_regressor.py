"""What linear online regressors share: chunks, single examples, predicting numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadData
from assay.learners.common.guaranteed import CertifiedQuantity
from assay.learners.common.learned_rows import begin, learned_one
from assay.learners.common.online_model import OnlineLinearModel
from assay.learners.common.player import NotANumber
from assay.learners.common.rows import Rows
from assay.types import Array, Floats


class OnlineLinearRegressor(CertifiedQuantity, RegressorMixin, OnlineLinearModel):  # type: ignore[misc]
    """Base of the linear online regressors; a subclass provides the player and `fit`."""

    def _validated(self, X: Any, y: Any, *, reset: bool) -> tuple[Rows, Floats]:
        X, y = self._read(X, y, reset=reset, order="C", y_numeric=True)
        return Rows.of(X), np.asarray(y, dtype=np.float64)

    def _open(self, width: int) -> None:
        self.__dict__.pop("sparse_coef_", None)
        self.players_ = [self._begin(width, np.dtype(np.float64))]

    def _learn(self, rows: Rows, play: Callable[[], int], *, kept: bool = True) -> int:
        try:
            return play()
        except NotANumber as bad:
            refusal = self.players_[0].refusal(rows, bad.place, self._names())
            kept_too = " Everything before this row was learned." if kept else ""
            raise BadData(*refusal.args, kept_too) from None

    # Predicting

    def _weights(self) -> Array:
        return self._fitted()[0].coef

    @property
    def intercept_(self) -> Array:
        """What is added to every prediction, as an array of one."""
        return self._fitted()[0].intercept

    def predict(self, X: Any) -> Floats:
        """The predicted number of every row."""
        check_is_fitted(self, "players_")
        X = self._read(X)
        scores = np.asarray(X @ self._weights() + self.intercept_, dtype=np.float64)
        bad = np.flatnonzero(~np.isfinite(scores))
        if bad.size:
            raise self.players_[0].refusal(Rows.of(X), int(bad[0]), self._names())
        return scores

    # One example at a time

    def learn_one(self, x: Any, y: Any) -> None:
        """Learn from one example, a vector or a dict of features, and its number.

        Gives the same bits as `partial_fit` on the same examples, given in the same form: one example is
        dense, and sums over a sparse row are added up in another order. A feature that a dict names for
        the first time gets a place of its own; one that it leaves out is zero.
        """
        if not isinstance(y, float | int | np.number) or not math.isfinite(y):
            raise BadData(f"y must be a finite number, but is {y!r}.")
        if not hasattr(self, "players_"):
            self._refuse_cells(x)
            self._open_one(x)
            begin(self)
        rows = self._row(x, grow=True)
        player = self.players_[0]
        try:
            player.play(rows, np.array([y], dtype=np.float64))
        except NotANumber:
            raise self._refusal_of_one(x) from None
        assert rows.dense is not None
        learned_one(self, rows.dense, float(y))

    def predict_one(self, x: Any) -> float | None:
        """The predicted number of one example; changes nothing. None before anything was learned."""
        if not hasattr(self, "players_"):
            return None
        rows, player = self._row(x, grow=False), self.players_[0]
        assert rows.dense is not None
        score = player.score(rows.dense[0])
        if not math.isfinite(score):
            raise self._refusal_of_one(x)
        return score

    def _open_one(self, x: Any) -> None:
        if isinstance(x, Mapping):
            self.feature_index_ = {}
            self._open(0)
        else:
            row = self._vector(x, np.dtype(np.float64))
            self._open(len(row))
            self.n_features_in_ = len(row)
