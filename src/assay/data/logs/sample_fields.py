"""What else a log says of each sample, as far as it could divide them into groups."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

# Longer texts, and fields of more values, are contents and names.
_LONGEST = 200
_MOST_VALUES = 500


class SampleFields:
    """Fields by name, each with a value for every sample, or None where it has none.

    A field that divides into no groups is dropped as soon as that is seen, so that little is kept of a large log.

    Examples
    --------
    >>> fields = SampleFields()
    >>> fields.add(0, {"topic": "sums", "steps": [1, 2]})
    >>> fields.add(2, {"topic": "words"})
    >>> fields.columns(4), fields.dropped
    ({'topic': ['sums', None, 'words', None]}, ['steps'])
    """

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = {}
        self._values: dict[str, set[Any]] = {}
        self._dropped: dict[str, None] = {}

    @property
    def dropped(self) -> list[str]:
        """Fields that hold long texts, lists or too many values."""
        return list(self._dropped)

    def add(self, place: int, cells: Any) -> None:
        """What is said of the sample at a place, in the order of places; anything but a mapping says nothing."""
        if not isinstance(cells, Mapping):
            return
        for name, value in cells.items():
            if not isinstance(name, str) or not name or name in self._dropped:
                continue
            if value is None or (isinstance(value, float) and math.isnan(value)):
                continue
            values = self._values.setdefault(name, set())
            if not _divides(value) or (value not in values and len(values) == _MOST_VALUES):
                self._drop(name)
                continue
            values.add(value)
            column = self._columns.setdefault(name, [])
            column += [None] * (place - len(column))
            column.append(value)

    def _drop(self, name: str) -> None:
        self._dropped[name] = None
        self._columns.pop(name, None)
        self._values.pop(name, None)

    def columns(self, rows: int) -> dict[str, list[Any]]:
        """Every field that is left, with a value for each of so many samples."""
        return {name: [*c, *[None] * (rows - len(c))] for name, c in self._columns.items()}

    def join(self, place: int, other: SampleFields, rows: int) -> None:
        """Take the fields of the next samples, from `place` on."""
        for name in other.dropped:
            self._drop(name)
        for name, column in other.columns(rows).items():
            for i, value in enumerate(column):
                self.add(place + i, {name: value})


def _divides(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST
    return isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value))
