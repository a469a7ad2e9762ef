"""Blocks of separated text that hold nothing but numbers and a label, read without detours.

What is not plain (a missing value, a word among numbers, a row of another width) is left to Arrow, which
knows how to read or refuse it; so a block reads the same either way, to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assay.data.encode import Encoder
from assay.types import Array

#: Makes rows of a block, or None: `assay.compiled.text.delimited.parse_block`.
BlockParser = Callable[..., tuple[Array, NDArray[np.uint8], NDArray[np.int32]] | None]


@dataclass(frozen=True, slots=True)
class PlainRows:
    """Rows of numbers, beside the text of their label column if there is one."""

    X: Array
    labels: pa.Array | None

    @property
    def num_rows(self) -> int:
        """How many rows, as Arrow's batches say it."""
        return len(self.X)

    def slice(self, start: int, length: int | None = None) -> PlainRows:
        """Some of the rows; no copy is made."""
        stop = len(self.X) if length is None else start + length
        labels = None if self.labels is None else self.labels.slice(start, length)
        return PlainRows(self.X[start:stop], labels)


class PlainReader:
    r"""Reads plain blocks once it knows what is wanted of them.

    Parameters
    ----------
    parse : callable
        As `BlockParser`.
    target : str or None
        The column of labels.
    dtype : dtype
        The precision of the numbers.

    Examples
    --------
    >>> reader = PlainReader(lambda *_: None, "kind", np.dtype(float))
    >>> reader.read(b"1,2,a\n", ",", ["x", "y", "kind"]) is None
    True
    """

    def __init__(self, parse: BlockParser, target: str | None, dtype: np.dtype[Any]) -> None:
        self._parse, self._target, self._dtype = parse, target, dtype
        self._numbers: list[str] | None = None

    def want(self, encoder: Encoder) -> None:
        """Read what this encoder takes, if that is numbers only."""
        if encoder.plain and self._dtype in (np.float32, np.float64):
            self._numbers = [column.name for column in encoder.columns]

    def read(self, block: bytes, separator: str, columns: Sequence[str]) -> PlainRows | None:
        """The rows of a block of whole lines without a header; None where it must be read otherwise."""
        if self._numbers is None:
            return None
        places = np.full(len(columns), -2, np.int64)
        for place, name in enumerate(self._numbers):
            places[columns.index(name)] = place
        if self._target is not None:
            places[columns.index(self._target)] = -1
        parsed = self._parse(block, separator, places, self._dtype)
        if parsed is None:
            return None
        X, letters, starts = parsed
        if self._target is None:
            return PlainRows(X, None)
        parts = [None, pa.py_buffer(starts), pa.py_buffer(letters)]
        try:
            return PlainRows(X, pa.Array.from_buffers(pa.binary(), len(X), parts).cast(pa.string()))
        except pa.ArrowInvalid:
            return None  # not UTF-8
