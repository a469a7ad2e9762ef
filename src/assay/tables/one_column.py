"""Whether a single column tells the target: a rule learned from half of the rows, judged on the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.data.cells import Place, is_text, kind_of_cells, kind_of_type, numbers
from assay.errors import BadData
from assay.types import Array, Floats, Ints

# More rows than this tell nothing more.
_MOST_ROWS = 20_000
_FEWEST_ROWS = 40
# Wrong on so few rows, and on so small a part of what the commonest class gets wrong.
_WRONG, _OF_BASELINE = 0.005, 0.02
# A quantity is told by a column that leaves so little of its variance.
_VARIANCE_LEFT = 1e-3


def tells_alone(
    column: Any, y: Array, *, untyped: bool = False, seed: int = 0, name: str = ""
) -> tuple[int, int] | None:
    """How many rows a rule by this column alone gets wrong, of how many; None where that is not next to none.

    The rule says of a value what the nearest value among the other half of the rows says, or of a word what most rows
    with that word say.

    Examples
    --------
    >>> y = np.array([0, 1] * 50)
    >>> tells_alone(pa.array([float(label) for label in y]), y)
    (0, 50)
    >>> tells_alone(pa.array(np.arange(100.0) // 2), y) is None
    True
    """
    if len(y) < _FEWEST_ROWS:
        return None
    order = np.random.default_rng(seed).permutation(len(y))[:_MOST_ROWS]
    half = len(order) // 2
    y, column = y[order], column.take(pa.array(order))
    learn, judge = np.arange(half), np.arange(half, len(order))
    quantity = y.dtype.kind == "f"
    codes, classes = (None, None) if quantity else np.unique(y, return_inverse=True)[::-1]
    if codes is not None and _commonest_wrong(codes[learn], codes[judge]) == 0:
        return None
    try:
        values = _values(column, untyped, name)
    except (BadData, pa.ArrowException):
        return None  # what is wrong is said where the column is read
    if codes is None:
        return _quantity(values, y.astype(np.float64), learn, judge)
    assert classes is not None
    wrong = _wrong(values, codes, len(classes), learn, judge)
    rare = _commonest_wrong(codes[learn], codes[judge])
    if wrong > _WRONG * len(judge) or wrong > _OF_BASELINE * rare or rare < 5:
        return None
    return wrong, len(judge)


def _commonest_wrong(learn: Ints, judge: Ints) -> int:
    return int(np.count_nonzero(judge != np.bincount(learn).argmax()))


def _values(column: Any, untyped: bool, name: str) -> tuple[Floats, bool]:
    """The cells as numbers, or as the codes of words; and whether they are numbers."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    kind = kind_of_cells(array) if untyped and is_text(array.type) else kind_of_type(array.type)
    if kind in ("whole", "number"):
        return numbers(array, Place("", name)), True
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    coded = pc.dictionary_encode(array, null_encoding="encode").indices
    return coded.to_numpy(zero_copy_only=False).astype(np.float64), False


def _nearest(values: Floats, learn: Ints, judge: Ints) -> Ints:
    """For each judging row the learning row with the nearest value; gaps are one value beyond all others."""
    held = np.where(np.isnan(values), np.inf, values)
    sorted_rows = learn[np.argsort(held[learn], kind="stable")]
    known = held[sorted_rows]
    right = np.searchsorted(known, held[judge]).clip(0, len(known) - 1)
    left = (right - 1).clip(0)
    with np.errstate(invalid="ignore"):
        nearer = np.abs(held[judge] - known[left]) < np.abs(known[right] - held[judge])
    return sorted_rows[np.where(nearer, left, right)]


def _wrong(told: tuple[Floats, bool], codes: Ints, classes: int, learn: Ints, judge: Ints) -> int:
    values, ordered = told
    if ordered:
        # The commonest class among rows of the same value, and so one answer for each value.
        distinct, code = np.unique(values, return_inverse=True, equal_nan=True)
        if len(distinct) > len(values) // 4:
            return int(np.count_nonzero(codes[_nearest(values, learn, judge)] != codes[judge]))
    else:
        distinct, code = np.unique(values, return_inverse=True)
    counts = np.zeros((len(distinct), classes), np.int64)
    np.add.at(counts, (code[learn], codes[learn]), 1)
    commonest = int(np.bincount(codes[learn]).argmax())
    answer = np.where(counts.sum(axis=1) > 0, counts.argmax(axis=1), commonest)
    return int(np.count_nonzero(answer[code[judge]] != codes[judge]))


def _quantity(
    told: tuple[Floats, bool], y: Floats, learn: Ints, judge: Ints
) -> tuple[int, int] | None:
    values, ordered = told
    if not ordered or not np.isfinite(y).all():
        return None
    spread = float(np.var(y[judge]))
    error = y[judge] - y[_nearest(values, learn, judge)]
    left = float(np.mean(error**2))
    if not spread or left > _VARIANCE_LEFT * spread:
        return None
    far = np.abs(error) > 0.1 * np.sqrt(spread)
    return int(np.count_nonzero(far)), len(judge)
