"""What linear online learners share, whatever they predict: players, features by name, single examples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadData, Where
from assay.learners.common.rows import Rows
from assay.learners.common.skipped_checks import NOT_RUN
from assay.learners.linear.light_path import UNREADABLE, LightPath
from assay.learners.linear.player import Player
from assay.record.online import OnlineRecord


class OnlineLinearModel(BaseEstimator):  # type: ignore[misc]
    """Base of the linear online learners; a subclass provides the player of one problem."""

    #: The checks of scikit-learn that are not run or cannot hold, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN

    trace: bool

    #: Worked out for examples that come one at a time; never saved or copied.
    _light: LightPath | None = None

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        """A fresh player for one problem."""
        raise NotImplementedError

    def _names(self) -> Sequence[Any] | None:
        """What the features are called, if they have names."""
        if hasattr(self, "feature_names_in_"):
            return list(self.feature_names_in_)
        index = getattr(self, "feature_index_", {})
        return None if all(isinstance(name, int) for name in index) else list(index)

    def _fitted(self) -> list[Player]:
        check_is_fitted(self, "players_")
        players: list[Player] = self.players_
        return players

    def _row(self, x: Any, *, grow: bool) -> Rows:
        """One example as a block of one row."""
        return Rows(dense=self._one(x, grow=grow).reshape(1, -1))

    def _one(self, x: Any, *, grow: bool) -> NDArray[Any]:
        """One example as a vector."""
        player = self.players_[0]
        if type(x) is not dict and not isinstance(x, Mapping):
            row = self._vector(x, player.bias.dtype)
            if len(row) != player.width:
                raise BadData(f"x must have {player.width} features, but has {len(row)}.")
            return row
        light = self._light
        if light is not None and len(x) == light.width:
            try:
                return light.row(light.read(x))
            except UNREADABLE:
                pass  # other features, or a cell that is no number: both are found below
        # Before any feature gets a place, so that an example that is refused leaves nothing behind.
        numbers = {name: self._number(name, value) for name, value in x.items()}
        index = self._index()
        if grow:
            # Only learning may leave anything behind.
            self.feature_index_ = index
            if not x.keys() <= index.keys():
                self._grow(x, index)
        row = np.zeros(player.width, dtype=player.bias.dtype)
        for name, number in numbers.items():
            place = index.get(name)
            if place is not None:
                row[place] = number
        return row

    def _number(self, name: Any, value: Any) -> float:
        """A cell of one example; refuses what no learner could make anything of."""
        try:
            number = float("text" if isinstance(value, str | bytes) else value)
        except OverflowError:
            raise BadData(Where(column=name, of="x"), " is too large to be learned from.") from None
        except (TypeError, ValueError):
            raise BadData(
                Where(column=name, of="x"), f" must be a number, but is {value!r}."
            ) from None
        if not math.isfinite(number):
            raise BadData(
                Where(column=name, of="x"), f" must be a finite number, but is {number!r}."
            )
        return number

    def _refuse_cells(self, x: Any) -> None:
        """Refuse an example with a cell that no learner, or not this one, can take."""
        vector = not isinstance(x, Mapping)
        cells = enumerate(self._vector(x, np.dtype(np.float64))) if vector else x.items()
        for name, value in cells:
            self._number(name, value)

    def _refusal_of_one(self, x: Any) -> BadData:
        """Why one example could not be played."""
        try:
            self._refuse_cells(x)
        except BadData as refusal:
            return refusal
        return BadData("x is too large to be learned from: its score overflows.")

    @staticmethod
    def _vector(x: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
        try:
            row = np.asarray(x, dtype=dtype, order="C")  # as the loops take it
        except OverflowError:
            raise BadData("x holds a number that is too large to be learned from.") from None
        except (TypeError, ValueError):
            raise BadData(f"x must hold one number per feature, but is {x!r}.") from None
        if row.ndim != 1:
            raise BadData(f"x must be a vector or a dict, but has shape {row.shape}.")
        return row

    def _index(self) -> dict[Any, int]:
        """The place of every feature a dict may name."""
        if hasattr(self, "feature_index_"):
            known: dict[Any, int] = self.feature_index_
            return known
        names = getattr(self, "feature_names_in_", range(self.players_[0].width))
        return {name: place for place, name in enumerate(names)}

    def _grow(self, x: Mapping[Any, Any], index: dict[Any, int]) -> None:
        """Make room for features that are new."""
        # In the order of their names, so that the order within the dict makes no difference.
        fresh = sorted((name for name in x if name not in index), key=str)
        by_number = all(isinstance(name, int) for name in index)
        if index and by_number and not all(isinstance(name, int) for name in fresh):
            raise BadData(
                f"x names a feature {fresh[0]!r}, but this learner knows its features by their numbers, "
                f"0 to {len(index) - 1}."
            )
        self._light = None
        for name in fresh:
            index[name] = len(index)
        for player in self.players_:
            player.widen(len(index))
        self.n_features_in_ = len(index)
        if all(isinstance(name, str) for name in index):
            self.feature_names_in_ = np.array(list(index), dtype=object)

    @property
    def record_(self) -> OnlineRecord | tuple[OnlineRecord, ...]:
        """What happened: one record, or one for each class against the rest."""
        records = tuple(player.record(trace=self.trace) for player in self._fitted())
        return records[0] if len(records) == 1 else records

    def __getstate__(self) -> Any:
        return {name: part for name, part in super().__getstate__().items() if name != "_light"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
