"""What is measured of the numbers of training rows: means, deviations and gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.types import Floats

if TYPE_CHECKING:
    from assay.data.prepare import Preparation


class Measures:
    """Means and deviations of the columns of numbers, and which columns have gaps, batch after batch.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from assay.data.prepare import Preparation
    >>> table = pa.table({"age": [30.0, None, 50.0]})
    >>> measures = Measures(Preparation.fit(table)).add(table)
    >>> measures.mean.tolist(), measures.deviation.tolist(), measures.flagged
    ([40.0], [10.0], ['age'])
    """

    def __init__(self, preparation: Preparation) -> None:
        self._preparation = preparation
        numbers = len(preparation._places)
        self._count = np.zeros(numbers)
        self._mean, self._squares = np.zeros(numbers), np.zeros(numbers)
        self._gaps: set[str] = set()

    def add(self, table: Any, *, source: str = "The table", done: int = 0) -> Self:
        """Count in the rows of a table."""
        ready = self._preparation
        batch = ready._held(table, source)
        return self.add_cells(ready._cells(batch, np.float64, source, done))

    def add_cells(self, X: Floats) -> Self:
        """Count in rows whose columns were read, but neither filled nor scaled."""
        starts = self._preparation._starts
        columns = [column for column in self._preparation.columns if column.kind != "text"]
        self._gaps |= {c.name for c in columns if np.isnan(X[:, starts[c.name]]).any()}
        cells = X[:, self._preparation._places]
        held = ~np.isnan(cells)
        count = held.sum(axis=0)
        some = np.maximum(count, 1)
        # What overflows is refused when all rows were seen.
        with np.errstate(over="ignore", invalid="ignore"):
            mean = np.where(held, cells, 0).sum(axis=0) / some
            squares = np.where(held, (cells - mean) ** 2, 0).sum(axis=0)
            total = np.maximum(self._count + count, 1)
            step = mean - self._mean
            self._mean = self._mean + step * count / total
            self._squares += squares + step**2 * self._count * count / total
        self._count += count
        return self

    @property
    def mean(self) -> Floats:
        """Of each column of numbers."""
        return self._mean

    @property
    def deviation(self) -> Floats:
        """Of each column of numbers; 1 where it does not vary."""
        deviation = np.sqrt(self._squares / np.maximum(self._count, 1))
        # What rounding leaves of a constant column is no deviation.
        return np.where(deviation <= 1e-12 * np.abs(self._mean), 1.0, deviation)

    @property
    def flagged(self) -> list[str]:
        """The columns with gaps, in their order."""
        return [c.name for c in self._preparation.columns if c.name in self._gaps]
