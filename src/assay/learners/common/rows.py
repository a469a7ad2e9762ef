"""Examples in the form the compiled loops take: dense, or compressed rows with unsigned indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from scipy import sparse

from assay.errors import Where
from assay.types import Array, Floats, Ints

#: The order of the rows themselves, as compiled loops take it.
IN_ORDER: Final = np.empty(0, dtype=np.int64)


class Rows:
    """A block of examples, dense or sparse, and the order in which they are played.

    Attributes
    ----------
    width : int
        The number of features.
    dense : array or None
        The examples, when they are dense.
    matrix : CSR matrix or None
        The examples, when they are sparse.
    arrays : tuple of arrays
        The dense block, or data, indices and pointers.
    order : array
        The places of the rows in the order of play; empty where that is their own.
    """

    __slots__ = ("arrays", "dense", "matrix", "order", "width")

    def __init__(
        self, dense: Array | None = None, matrix: Any = None, order: Ints = IN_ORDER
    ) -> None:
        self.dense, self.matrix, self.order = dense, matrix, order
        self.arrays: tuple[Array, ...]
        self.width: int
        if dense is not None:
            self.width = dense.shape[1]
            self.arrays = (dense,)
        else:
            self.width = matrix.shape[1]
            # Read as unsigned, which spares the loops a check for negative indices.
            indices = matrix.indices.view(f"u{matrix.indices.itemsize}")
            self.arrays = (matrix.data, indices, matrix.indptr.astype(np.uint64))

    def __reduce__(self) -> tuple[Any, ...]:
        # As tools want it that keep an object by what it is made from.
        return type(self), (self.dense, self.matrix, self.order)

    @classmethod
    def of(cls, X: Any) -> Rows:
        """Rows of a validated array or CSR matrix, copied only where the layout asks for it."""
        return cls(matrix=X) if sparse.issparse(X) else cls(dense=np.ascontiguousarray(X))

    @property
    def whole(self) -> Any:
        """The examples as they were given: an array or a CSR matrix."""
        return self.matrix if self.dense is None else self.dense

    @property
    def block(self) -> Array | tuple[Array, ...]:
        """What a compiled loop takes that plays dense and sparse rows alike."""
        return self.arrays if self.dense is None else self.dense

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the examples."""
        return self.arrays[0].dtype

    def __len__(self) -> int:
        return int(self.whole.shape[0])

    @property
    def cells(self) -> int:
        """How many numbers the block holds."""
        return int(self.arrays[0].size)

    def turn(self, number: int) -> int:
        """The place of the row that is played at this turn."""
        return int(self.order[number]) if self.order.size else number

    def part(self, start: int, stop: int) -> Rows:
        """Some neighbouring rows."""
        if self.dense is not None:
            return Rows(dense=self.dense[start:stop])
        return Rows(matrix=self.matrix[start:stop])

    def take(self, places: Ints) -> Rows:
        """Some rows, copied as float64."""
        if self.dense is not None:
            return Rows(dense=self.dense[places].astype(np.float64, copy=False))
        picked = self.matrix[places]
        picked.data = picked.data.astype(np.float64, copy=False)
        return Rows(matrix=picked)

    @staticmethod
    def stacked(blocks: Sequence[Rows]) -> Rows:
        """Blocks under one another, earlier ones widened with zeros; one sparse makes all sparse."""
        width = max(block.width for block in blocks)
        if all(block.dense is not None for block in blocks):
            table = np.zeros((sum(map(len, blocks)), width))
            start = 0
            for block in blocks:
                table[start : start + len(block), : block.width] = block.dense
                start += len(block)
            return Rows(dense=table)
        parts = []
        for block in blocks:
            part = sparse.csr_matrix(block.whole)
            part.resize(len(block), width)
            parts.append(part)
        return Rows(matrix=sparse.vstack(parts, format="csr"))

    def squares(self) -> Floats:
        """The squared length of every row."""
        from assay.compiled.common.either_rows import row_squares

        return np.asarray(row_squares(self.block), dtype=np.float64)

    def scaled(self, factors: Floats) -> Rows:
        """Every row times its own factor."""
        if self.dense is not None:
            return Rows(dense=self.dense * factors[:, None])
        return Rows(matrix=sparse.csr_matrix(self.matrix.multiply(factors[:, None])))

    def with_column(self, values: Floats) -> Rows:
        """The rows with one more feature, which stands last."""
        if self.dense is not None:
            return Rows(dense=np.column_stack([self.dense, values]))
        column = sparse.csr_matrix(values[:, None])
        return Rows(matrix=sparse.csr_matrix(sparse.hstack([self.matrix, column], format="csr")))

    def row(self, place: int) -> Floats:
        """One row as a dense vector of its own."""
        taken = self.take(np.array([place])).whole
        row: Floats = (taken.toarray() if sparse.issparse(taken) else taken)[0]
        return row

    def bad_cell(self, place: int, names: Sequence[Any] | None = None) -> tuple[Where, str]:
        """Which cell of a row is not a finite number, as pieces of a refusal."""
        row = self.row(place)
        columns = np.flatnonzero(~np.isfinite(row))
        if not columns.size:
            return Where(row=place), " is too large to be learned from"
        value = "NaN" if np.isnan(row[columns[0]]) else "infinity"
        return cell(place, int(columns[0]), names), f" holds {value}"


def cell(row: int, column: int, names: Sequence[Any] | None) -> Where:
    """One cell of an array, for a refusal."""
    return Where(row=row, column=column, name=None if names is None else names[column])


def column_name(place: int, names: Sequence[Any] | None) -> str:
    """How a refusal calls a column: by its number, and by its name where it has one.

    Examples
    --------
    >>> column_name(2, None), column_name(0, ["price"])
    ('column 2', "column 0 ('price')")
    """
    return f"column {place}" if names is None else f"column {place} ({names[place]!r})"
