"""Some rows of a table as lists of Python values, for where pyarrow is not installed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PlainBatch:
    """Columns by name, each a list; None is a missing value.

    Examples
    --------
    >>> PlainBatch({"truth": [1, 0, 1]}).slice(1, 2).column("truth")
    [0, 1]
    """

    columns: dict[str, list[Any]]

    @property
    def num_rows(self) -> int:
        """How many rows, as Arrow's batches say it."""
        return len(next(iter(self.columns.values())))

    def column(self, which: int | str) -> list[Any]:
        """A column, by its name or its place."""
        return self.columns[which if isinstance(which, str) else list(self.columns)[which]]

    def select(self, names: Sequence[str]) -> PlainBatch:
        """These columns, in this order."""
        return PlainBatch({name: self.columns[name] for name in names})

    def slice(self, start: int, length: int) -> PlainBatch:
        """Some of the rows."""
        return PlainBatch({n: c[start : start + length] for n, c in self.columns.items()})
