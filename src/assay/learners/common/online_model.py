"""What linear online learners share, whatever they predict: players, features by name, single examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.errors import BadData
from assay.learners.common import kinds
from assay.learners.common.example_reader import ExampleReader
from assay.learners.common.player import Player
from assay.learners.common.rows import Rows
from assay.learners.common.skipped_checks import NOT_RUN
from assay.types import Array

if TYPE_CHECKING:
    from assay.learners.common.light_path import LightPath
    from assay.record.online import OnlineRecord


def _has_weights(model: Any) -> bool:
    return bool(model.has_weights)


class OnlineLinearModel(ExampleReader, BaseEstimator):  # type: ignore[misc]
    """Base of the linear online learners; a subclass provides the player of one problem."""

    #: The checks of scikit-learn that are not run or cannot hold, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN
    #: What a model file holds: see `assay.learners.common.kinds`.
    state = kinds.declare(
        players_=kinds.parts(1),
        n_iter_=kinds.maybe(kinds.count),
        sparse_coef_=kinds.maybe(kinds.flag),
    )

    enough: ClassVar[tuple[str, ...]] = ("players_", "classes_")

    #: Whether there is a weight for each feature, for `coef_` to show.
    has_weights: ClassVar[bool] = True

    trace: bool

    #: Worked out for examples that come one at a time; never saved or copied.
    _light: LightPath | None = None

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        """A fresh player for one problem."""
        raise NotImplementedError

    def _require_state(self) -> None:
        """Refuse, in a model file, a log that no player of this learner writes."""
        for player in self.players_:
            fresh = self._begin(player.width, player.weights.dtype)
            if player._log and player._log[0].keys() != fresh._log_columns():
                raise ValueError("the log of a player has other columns")

    def _fitted(self) -> list[Player]:
        check_is_fitted(self, "players_")
        players: list[Player] = self.players_
        return players

    def _read(self, X: Any, *y: Any, reset: bool = False, **more: Any) -> Any:
        """Rows, and targets where they are given. Finite or not the loops see, which saves a pass over the data."""
        return validate_data(
            self,
            X,
            *y,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            **more,
        )

    def _row(self, x: Any, *, grow: bool) -> Rows:
        """One example as a block of one row."""
        return Rows(dense=self._one(x, grow=grow).reshape(1, -1))

    def _form(self) -> tuple[int, np.dtype[Any]]:
        player = self.players_[0]
        return player.width, player.bias.dtype

    def _one(self, x: Any, *, grow: bool) -> Array:
        if type(x) is np.ndarray:
            # Most examples are vectors as the loops take them: then nothing is to be read.
            player = self.players_[0]
            if x.dtype is player.bias.dtype and x.shape == (player.width,) and x.flags.c_contiguous:
                return x
        light = self._light
        if light is not None and isinstance(x, dict) and len(x) == light.width:
            try:
                return light.row(light.read(x))
            except light.UNREADABLE:
                pass  # other features, or a cell that is no number: both are found out below
        return super()._one(x, grow=grow)

    def _widen(self, width: int) -> None:
        self._light = None
        for player in self.players_:
            player.widen(width)

    def _refusal_of_one(self, x: Any) -> BadData:
        """Why one example could not be played."""
        try:
            self._refuse_cells(x)
        except BadData as refusal:
            return refusal
        return BadData("x is too large to be learned from: its score overflows.")

    @property
    def coef_(self) -> Any:
        """The weights: an array, or a sparse matrix of one row for each problem once `sparsify` was called."""
        if getattr(self, "sparse_coef_", False):
            from scipy import sparse

            return sparse.csr_matrix(np.atleast_2d(self._weights()))
        return self._weights()

    def _weights(self) -> Array:
        """The weights of the features in the score, shaped as scikit-learn shapes them."""
        raise NotImplementedError

    @available_if(_has_weights)  # type: ignore[untyped-decorator]
    def sparsify(self) -> Self:
        """Show `coef_` as a sparse matrix from now on."""
        self._fitted()
        self.sparse_coef_ = True
        return self

    @available_if(_has_weights)  # type: ignore[untyped-decorator]
    def densify(self) -> Self:
        """Show `coef_` as an array again."""
        self._fitted()
        self.__dict__.pop("sparse_coef_", None)
        return self

    @property
    def record_(self) -> OnlineRecord | tuple[OnlineRecord, ...]:
        """What happened: one record, or one for each class against the rest."""
        records = self._records(trace=self.trace)
        return records[0] if len(records) == 1 else records

    def _records(self, *, trace: bool = False) -> tuple[OnlineRecord, ...]:
        """The record of each binary problem."""
        names = self._names()
        return tuple(player.record(trace=trace, names=names) for player in self._fitted())

    def __getstate__(self) -> Any:
        return {name: part for name, part in super().__getstate__().items() if name != "_light"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
