"""Training rows and held-out rows as features, each learner shown them as it wants them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.data.cells import BadCell
from assay.data.prepare import Preparation
from assay.data.target_statistics import Outcomes
from assay.errors import BadData
from assay.tables.candidates import Scaling, many_words, scaling_of, takes_sparse
from assay.tables.source import Loaded, Source
from assay.types import Array, Floats, Ints

# Sparse rows are made dense, for a learner that needs it, up to so many cells.
_MOST_DENSE = 2**28


@dataclass
class Part:
    """Rows that are used together, with their labels; features are made when a learner asks for them.

    Of training rows it may be known what belongs `together`, and in which `order` they came.
    """

    cells: Any
    y: Array
    name: str
    numbers: Ints | None = None
    together: Ints | None = None
    order: Ints | None = None
    made: dict[tuple[bool, str], Any] = field(default_factory=dict)

    @classmethod
    def of(cls, loaded: Loaded, rows: Ints) -> Part:
        """Some rows of a table, by their numbers."""
        numbers = rows if loaded.places is None else loaded.places[rows]
        return cls(loaded.take(rows), loaded.y[rows], loaded.name, numbers)

    def some(self, rows: Ints) -> Part:
        """Some of these rows, by their places."""
        cells = self.cells[rows] if not hasattr(self.cells, "schema") else self.cells.take(rows)
        numbers = None if self.numbers is None else self.numbers[rows]
        return Part(cells, self.y[rows], self.name, numbers)

    def __len__(self) -> int:
        return len(self.y)

    @contextmanager
    def as_numbered(self) -> Iterator[None]:
        """A refusal in here names the row by its number in the table, not by that among these rows."""
        try:
            yield
        except BadCell as bad:
            if self.numbers is None or bad.where is None:
                raise
            row = int(self.numbers[bad.row]) + 1
            raise bad.but(where=replace(bad.where, row=row)) from None


class Features:
    """How the columns of a table become features, learned from one part of its rows and used on all.

    Parameters
    ----------
    loaded : Loaded
        The table.
    source : Source
        How its columns are to be read.
    train : Part
        The rows that means, deviations and categories are taken from. Their own features in columns of many
        categories are made by the outcomes of other rows (`assay.data.target_statistics`).
    seed : int
        What folds for that are drawn by.
    """

    def __init__(self, loaded: Loaded, source: Source, train: Part, seed: int = 0) -> None:
        self._loaded, self._source, self._train, self._seed = loaded, source, train, seed
        self._preparations: dict[bool, Preparation] = {}
        self._ranged: Preparation | None = None

    def preparation(
        self, learner: str, model: Any, scaling: Scaling | None = None
    ) -> Preparation | None:
        """What is done to the columns for this learner; None where features came ready."""
        if self._loaded.sparse:
            return None
        return self._scaled(many_words(model), scaling_of(learner, scaling))

    def matrix(self, part: Part, learner: str, model: Any, scaling: Scaling | None = None) -> Any:
        """The rows of a part as this learner takes them, scaled as suits it or as is asked for."""
        if self._loaded.sparse:
            return part.cells if takes_sparse(model) else dense(part.cells, learner)
        ready = self._scaled(many_words(model), scaling_of(learner, scaling))
        key = (ready.sparse, scaling_of(learner, scaling))
        if key not in part.made:
            if not ready.sparse:
                _require_room(len(part), len(ready.features), learner)
            with part.as_numbered():
                part.made[key] = ready.transform(
                    part.cells,
                    source=part.name,
                    instead=self._out_of_fold if part is self._train else None,
                )
        return part.made[key]

    @cached_property
    def _outcomes(self) -> Outcomes:
        train = self._train
        return Outcomes.of(
            train.y,
            quantity=self._loaded.task == "quantity",
            together=train.together,
            order=train.order,
            seed=self._seed,
        )

    @cached_property
    def _out_of_fold(self) -> dict[str, Floats]:
        ready = next(iter(self._preparations.values()))
        return ready.out_of_fold(self._train.cells, self._outcomes, source=self._train.name)

    def _scaled(self, sparse: bool, scaling: Scaling) -> Preparation:
        ready = self._fitted(sparse)
        # Places of words have no range of their own.
        if scaling == "standard" or (scaling == "range" and ready.sparse):
            return ready
        if scaling == "none":
            return ready.unscaled()
        if self._ranged is None:
            with self._train.as_numbered():
                self._ranged = ready.ranged(self._train.cells, source=self._train.name)
        return self._ranged

    @property
    def texts(self) -> bool:
        """Whether words are among the features."""
        return not self._loaded.sparse and self._fitted(True).words > 0

    def require_readable(self, parts: Iterable[Part], learner: str, model: Any) -> None:
        """Refuse cells that no learner could read, before each learner stumbles over them."""
        for part in () if self._loaded.sparse else parts:
            self.matrix(part, learner, model)

    def width(self, model: Any) -> int:
        """How many features this learner is shown."""
        if self._loaded.sparse:
            return int(self._train.cells.shape[1])
        return len(self._fitted(many_words(model)).features)

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
                    outcomes=self._outcomes,
                )
        return self._preparations[sparse]


def dense(rows: Any, learner: str) -> Array:
    """Sparse rows written out, for a learner that takes no others."""
    _require_room(rows.shape[0], rows.shape[1], learner)
    written: Array = rows.toarray()
    return written


def _require_room(height: int, width: int, learner: str) -> None:
    if height * width > _MOST_DENSE:
        raise BadData(
            f"{learner} takes no sparse rows, and {height:,} rows of {width:,} features written out would not fit. "
            f"Use a learner that takes them, such as logistic-regression or linear-svc."
        )


def some_rows(y: Array, many: int, seed: int) -> Ints:
    """So many rows at random, and one of each class, in their order; all rows where there are no more.

    Examples
    --------
    >>> some_rows(np.array([0] * 9 + [1]), 2, seed=0).tolist()
    [0, 6, 7, 9]
    """
    if many >= len(y):
        return np.arange(len(y))
    drawn = np.random.default_rng(seed).choice(len(y), many, replace=False)
    values, first = np.unique(y, return_index=True)
    return np.union1d(drawn, first) if len(values) <= max(many, 2) else np.sort(drawn)
