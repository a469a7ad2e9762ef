"""Rows as bits: a column of up to 64 rows in one word, or a row in as many words as it needs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.learners.common.rows import Rows
from assay.types import Array, Bools, Words

BLOCK = 64
"""How many rows one word holds."""


def column_words(block: Bools) -> Words:
    """The columns of a block of up to 64 rows: bit t of a word is the column's value in row t.

    Examples
    --------
    >>> column_words(np.array([[True, False], [True, True]])).tolist()
    [3, 2]
    """
    rows, columns = block.shape
    padded = np.zeros((columns, BLOCK), dtype=bool)
    padded[:, :rows] = block.T
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").ravel().astype(np.uint64)


def row_words(block: Bools) -> Words:
    """The rows of a block, each in as many words as it needs: bit j is the value of column j.

    Examples
    --------
    >>> row_words(np.array([[True, False], [True, True]])).tolist()
    [[1], [3]]
    """
    rows, columns = block.shape
    padded = np.zeros((rows, -(-max(columns, 1) // BLOCK) * BLOCK), dtype=bool)
    padded[:, :columns] = block
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def label_word(signs: Array) -> np.uint64:
    """Up to 64 labels in one word: bit t is set where label t is positive."""
    return np.uint64(column_words(np.asarray(signs).reshape(-1, 1) > 0)[0])


def blocks(rows: Rows, stop: int, size: int = BLOCK) -> Iterator[tuple[int, Array]]:
    """The first rows, some at a time, as dense blocks, each with the place of its first row."""
    for start in range(0, stop, size):
        yield start, dense(rows.part(start, min(start + size, stop)))


def dense(rows: Rows) -> Array:
    """The rows as an array."""
    cells: Array = rows.dense if rows.dense is not None else rows.matrix.toarray()
    return cells


def first_bad(rows: Rows, *, boolean: bool) -> int:
    """The first row that is not all 0 and 1, or not all finite; the number of rows if there is none."""
    cells = rows.arrays[0]
    bad = ((cells != 0) & (cells != 1)) if boolean else ~np.isfinite(cells)
    if not bad.any():
        return len(rows)
    if rows.dense is not None:
        return int(np.flatnonzero(bad.any(axis=1))[0])
    place = np.flatnonzero(bad)[0]
    return int(np.searchsorted(rows.matrix.indptr, place, side="right") - 1)
