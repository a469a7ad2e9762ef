"""Kernels of strings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from assay.errors import BadData
from assay.kernels.kernel import Kernel, whole
from assay.kernels.points import dots
from assay.types import Array


@dataclass(frozen=True)
class Substring(Kernel):
    """k(s, t): how many different strings of length p occur in both s and t.

    One feature for every string of length p: one where it occurs, however often. Examples are a list or an
    array of strings, or a table of one column.

    Parameters
    ----------
    length : int, default=3
        p, at least 1.

    Examples
    --------
    >>> from assay.kernels import Substring
    >>> Substring(3)(["banana"], ["ananas", "banana", "an"]).tolist()
    [[2.0, 3.0, 0.0]]
    """

    length: int = 3

    takes = "strings"

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", whole("length", self.length))

    def _read(self, X: Any) -> list[str]:
        return texts(X)

    def _match(self, A: Any, B: Any) -> tuple[Any, Any]:
        return A, B

    def _block(self, A: Any, B: Any) -> Array:
        columns: dict[str, int] = {}
        left = self._occurs(A, columns)
        right = left if A is B else self._occurs(B, columns)
        width = len(columns)
        left.resize(left.shape[0], width)
        right.resize(right.shape[0], width)
        return dots(left, right)

    def _diagonal(self, A: Any) -> Array:
        return np.array([float(len(self._parts(text))) for text in A])

    def _parts(self, text: str) -> set[str]:
        p = self.length
        return {text[i : i + p] for i in range(len(text) - p + 1)}

    def _occurs(self, A: list[str], columns: dict[str, int]) -> Any:
        """One row for each string, one column for each substring that was met."""
        start, places = [0], []
        for text in A:
            places += sorted(columns.setdefault(part, len(columns)) for part in self._parts(text))
            start.append(len(places))
        ones = np.ones(len(places))
        return sparse.csr_matrix(
            (ones, np.array(places, dtype=np.int64), start), shape=(len(A), len(columns))
        )


def takes_strings(kernel: Any) -> bool:
    """Whether the examples of a kernel are strings.

    Examples
    --------
    >>> from assay.kernels import Linear, Normalized
    >>> takes_strings(1 + Normalized(Substring(3))), takes_strings(Linear())
    (True, False)
    """
    reader = kernel._reader() if isinstance(kernel, Kernel) else None
    return reader is not None and reader.takes == "strings"


def texts(X: Any) -> list[str]:
    """The strings of a list, an array, or a table of one column."""
    if isinstance(X, str):
        raise BadData(f"Examples must be a list of strings, but are one string. Write [{X!r}].")
    try:
        # A table of one column is the list of its cells.
        array = None if isinstance(X, (list, tuple)) else np.asarray(X, dtype=object)
        if array is not None and array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        cells = list(X) if array is None else array.tolist()
    except TypeError:
        raise BadData(f"Examples must be a list of strings, but are {X!r}.") from None
    for i, cell in enumerate(cells):
        if isinstance(cell, (list, tuple)) and len(cell) == 1:
            cells[i] = cell = cell[0]
        if not isinstance(cell, str):
            raise BadData(f"Examples must be strings, but number {i} is {cell!r}.")
    return [str(cell) for cell in cells]
