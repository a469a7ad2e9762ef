"""Training rows and held-out rows as features, each learner shown them as it wants them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assay.data.cells import BadCell
from assay.data.prepare import Preparation
from assay.errors import BadData
from assay.tables.candidates import takes_sparse, wants_scale
from assay.tables.source import Loaded, Source

# Sparse rows are made dense, for a learner that needs it, up to so many cells.
_MOST_DENSE = 2**28


@dataclass
class Part:
    """Rows that are used together, with their labels; features are made when a learner asks for them."""

    cells: Any
    y: NDArray[Any]
    name: str
    numbers: NDArray[np.int64] | None = None
    made: dict[tuple[bool, bool], Any] = field(default_factory=dict)

    @classmethod
    def of(cls, loaded: Loaded, rows: NDArray[np.int64]) -> Part:
        """Some rows of a table, by their numbers."""
        return cls(loaded.take(rows), loaded.y[rows], loaded.name, rows)

    def __len__(self) -> int:
        return len(self.y)

    @contextmanager
    def as_numbered(self) -> Iterator[None]:
        """A refusal in here names the row by its number in the table, not by that among these rows."""
        try:
            yield
        except BadCell as bad:
            if self.numbers is None:
                raise
            before, _, after = str(bad).rpartition(f", row {bad.row + 1}")
            raise BadData(f"{before}, row {self.numbers[bad.row] + 1}{after}") from None


class Features:
    """How the columns of a table become features, learned from one part of its rows and used on all.

    Parameters
    ----------
    loaded : Loaded
        The table.
    source : Source
        How its columns are to be read.
    train : Part
        The rows that means, deviations and categories are taken from.
    """

    def __init__(self, loaded: Loaded, source: Source, train: Part) -> None:
        self._loaded, self._source, self._train = loaded, source, train
        self._preparations: dict[bool, Preparation] = {}

    def preparation(self, learner: str, model: Any) -> Preparation | None:
        """What is done to the columns for this learner; None where features came ready."""
        if self._loaded.sparse:
            return None
        ready = self._fitted(takes_sparse(model))
        return ready if wants_scale(learner) else ready.unscaled()

    def matrix(self, part: Part, learner: str, model: Any) -> Any:
        """The rows of a part as this learner takes them."""
        sparse, scaled = takes_sparse(model), wants_scale(learner)
        if self._loaded.sparse:
            return part.cells if sparse else dense(part.cells, learner)
        ready = self._fitted(sparse)
        key = (ready.sparse, scaled)
        if key not in part.made:
            if not ready.sparse:
                _require_room(len(part), len(ready.features), learner)
            ready = ready if scaled else ready.unscaled()
            with part.as_numbered():
                part.made[key] = ready.transform(part.cells, source=part.name)
        return part.made[key]

    def require_readable(self, parts: Iterable[Part], learner: str, model: Any) -> None:
        """Refuse cells that no learner could read, before each learner stumbles over them."""
        for part in () if self._loaded.sparse else parts:
            self.matrix(part, learner, model)

    def width(self, model: Any) -> int:
        """How many features this learner is shown."""
        if self._loaded.sparse:
            return int(self._train.cells.shape[1])
        return len(self._fitted(takes_sparse(model)).features)

    def names(self, learner: str, model: Any) -> NDArray[np.object_] | None:
        """The names of the features."""
        ready = self.preparation(learner, model)
        if ready is None:
            return None
        return np.array(ready.features, dtype=object)

    def _fitted(self, sparse: bool) -> Preparation:
        if sparse not in self._preparations:
            columns = self._loaded.columns
            with self._train.as_numbered():
                self._preparations[sparse] = Preparation.fit(
                    self._train.cells,
                    columns=columns,
                    **self._source.ways_of(columns),
                    untyped=self._loaded.untyped,
                    source=self._loaded.name,
                    sparse=sparse,
                )
        return self._preparations[sparse]


def dense(rows: Any, learner: str) -> NDArray[Any]:
    """Sparse rows written out, for a learner that takes no others."""
    _require_room(rows.shape[0], rows.shape[1], learner)
    written: NDArray[Any] = rows.toarray()
    return written


def _require_room(height: int, width: int, learner: str) -> None:
    if height * width > _MOST_DENSE:
        raise BadData(
            f"{learner} takes no sparse rows, and {height:,} rows of {width:,} features written out would not fit. "
            f"Use a learner that takes them, such as logistic-regression or linear-svc."
        )


def repeated(train: Part, test: Part) -> int:
    """How many rows to test on are, cell by cell, also among the training rows; 0 for libsvm text.

    Rows are told apart by 64-bit numbers made of their cells, so that a large table takes little.
    """
    tables = train.cells, test.cells
    if not all(isinstance(table, pa.Table) for table in tables):
        return 0
    if tables[0].schema.types != tables[1].select(tables[0].schema.names).schema.types:
        return 0
    marks = np.zeros(len(train) + len(test), np.uint64)
    for name in tables[0].schema.names:
        column = pa.chunked_array([c for t in tables for c in t.column(name).chunks])
        marks = marks * np.uint64(0x9E3779B97F4A7C15) + _marks(column)
        marks ^= marks >> np.uint64(29)
    return int(np.isin(marks[len(train) :], marks[: len(train)]).sum())


def _marks(column: pa.ChunkedArray) -> NDArray[np.uint64]:
    """A number for each cell, the same for the same cell."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    coded = pa.concat_arrays(column.chunks).dictionary_encode()
    # A missing value has a number of its own, the first.
    places = coded.indices.fill_null(-1).to_numpy() + 1
    drawn = np.asarray(np.random.PCG64(0).random_raw(len(coded.dictionary) + 2))
    taken: NDArray[np.uint64] = drawn[places]
    return taken
