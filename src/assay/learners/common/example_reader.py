"""One example, a vector or a dict of features, as a row of numbers, for learners that take one at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.errors import BadData, Where
from assay.types import Array


class ExampleReader:
    """What a learner gains that says how many features it has, and can make room for more."""

    n_features_in_: int
    feature_index_: dict[Any, int]

    def _form(self) -> tuple[int, np.dtype[Any]]:
        """How many numbers a row has, and their type."""
        return self.n_features_in_, np.dtype(np.float64)

    def _widen(self, width: int) -> None:
        """Make room for features that were zero in all rows so far."""
        raise NotImplementedError

    def _one(self, x: Any, *, grow: bool) -> Array:
        """One example as a vector; where it may `grow`, features that a dict names first get a place."""
        width, dtype = self._form()
        # Asking for an abstract class takes as long as all the rest.
        if type(x) is np.ndarray or (type(x) is not dict and not isinstance(x, Mapping)):
            row = self._vector(x, dtype)
            if len(row) != width:
                raise BadData(f"x must have {width} features, but has {len(row)}.")
            return row
        # Before any feature gets a place, so that an example that is refused leaves nothing behind.
        numbers = {name: self._number(name, value) for name, value in x.items()}
        index = self._index()
        if grow:
            # Only learning may leave anything behind.
            self.feature_index_ = index
            if not x.keys() <= index.keys():
                self._grow(x, index)
        row = np.zeros(len(index), dtype=dtype)
        for name, number in numbers.items():
            place = index.get(name)
            if place is not None:
                row[place] = number
        return row

    @staticmethod
    def _vector(x: Any, dtype: np.dtype[Any]) -> Array:
        try:
            row = np.asarray(x, dtype=dtype, order="C")  # as the loops take it
        except OverflowError:
            raise BadData("x holds a number that is too large to be learned from.") from None
        except (TypeError, ValueError):
            raise BadData(f"x must hold one number per feature, but is {x!r}.") from None
        if row.ndim != 1:
            raise BadData(f"x must be a vector or a dict, but has shape {row.shape}.")
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

    def _names(self) -> Sequence[Any] | None:
        """What the features are called, if they have names."""
        if hasattr(self, "feature_names_in_"):
            return list(self.feature_names_in_)
        index = getattr(self, "feature_index_", {})
        return None if all(isinstance(name, int) for name in index) else list(index)

    def _index(self) -> dict[Any, int]:
        """The place of every feature a dict may name."""
        if hasattr(self, "feature_index_"):
            return self.feature_index_
        names = getattr(self, "feature_names_in_", range(self._form()[0]))
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
        self._widen(len(index) + len(fresh))
        for name in fresh:
            index[name] = len(index)
        self._name(index)

    def _name(self, index: dict[Any, int]) -> None:
        """Know the features by these names from now on."""
        self.feature_index_ = index
        self.n_features_in_ = len(index)
        if index and all(isinstance(name, str) for name in index):
            self.feature_names_in_ = np.array(list(index), dtype=object)
