"""A column of labels, from whatever holds it, as small codes into its sorted distinct labels.

Labels are text, whole numbers or truth values. A whole number stored as a float (3.0) is that whole
number; a truth value is the number 0 or 1; anything else is refused with its row. Rows are counted
from 1.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from assay.errors import BadData
from assay.evidence.columns import is_text, missing, read_column, refuse_missing
from assay.evidence.plain_column import PlainColumn
from assay.types import Array, Ints

try:
    import pyarrow as pa
except ModuleNotFoundError:
    pa = None

#: Rows in one block of the canonical digest; a piece of codes never crosses its edge.
BLOCK = 2**20

#: Below this a whole float stands for one number; from here on, for several.
EXACT_FLOAT = 2**53

Family = Literal["text", "whole numbers", "truth values"]
Label = str | int | bool


@dataclass(frozen=True, slots=True)
class Coded:
    """A piece of a column: row i holds ``labels[codes[i]]``.

    The labels are distinct, sorted, and each occurs; truth values are written 0 and 1.
    """

    family: Family
    labels: tuple[str | int, ...]
    codes: Array

    def __len__(self) -> int:
        return len(self.codes)


def coded_pieces(array: pa.Array, name: str, done: int) -> Iterator[Coded]:
    """The column as codes, cut so that no piece crosses the edge of a block.

    Examples
    --------
    >>> [piece] = coded_pieces(pa.array(["spam", "ham", "spam"]), "truth", done=0)
    >>> piece.labels, piece.codes.tolist()
    (('ham', 'spam'), [1, 0, 1])
    """
    start = 0
    while start < len(array):
        stop = min(len(array), start + BLOCK - (done + start) % BLOCK)
        yield encode(array.slice(start, stop - start), name, done + start)
        start = stop


def coded_chunks(chunks: Iterable[Any], name: str) -> Iterator[Coded]:
    """The same of a column that comes in chunks of any kind."""
    done = 0
    for chunk in chunks:
        column = read_column(chunk, name, done)
        yield from coded_pieces(column, name, done)
        done += len(column)


def encode(array: pa.Array, name: str, done: int = 0) -> Coded:
    """The codes of one piece; `done` rows came before it."""
    if isinstance(array, PlainColumn):
        return _encode_plain(array, name, done)
    kind = array.type
    if pa.types.is_dictionary(kind) and (
        not is_text(kind.value_type) or array.dictionary.null_count > 0
    ):
        array = array.dictionary_decode()
        kind = array.type
    refuse_missing(array, name, done)
    if pa.types.is_boolean(kind):
        return _encode_truth_values(array)
    if pa.types.is_integer(kind):
        return _encode_integers(array.to_numpy())
    if pa.types.is_floating(kind):
        values = array.to_numpy(zero_copy_only=False)
        return _encode_integers(_whole_numbers(values, name, done))
    if pa.types.is_decimal(kind):
        return _encode_integers(_whole_decimals(array, name, done).to_numpy())
    if pa.types.is_dictionary(kind) or is_text(kind):
        return _encode_text(array, name)
    raise _no_labels(name, kind)


def _encode_plain(column: PlainColumn, name: str, done: int) -> Coded:
    """The same of a column that Arrow did not read."""
    refuse_missing(column, name, done)
    if column.type == "bool":
        return _sorted("truth values", range(2), column.values.astype(np.uint8))
    if column.type == "double":
        return _encode_integers(_whole_numbers(column.values, name, done))
    if column.values.dtype.kind in "iu":
        return _encode_integers(column.values)
    if column.type != "string":
        raise _no_labels(name, column.type)
    labels, codes = column.codes()
    return _sorted("text", labels, _cut(codes, narrowest(len(labels))))


def _no_labels(name: str, kind: object) -> BadData:
    return BadData(
        f"{name} holds values of type {kind}, which are not labels; labels are text, whole "
        f"numbers or truth values. Turn the column into text."
    )


def merge(pieces: Sequence[Coded]) -> Coded:
    """Several pieces of one column, one after the other, as a single piece."""
    if len(pieces) == 1:
        return pieces[0]
    # Sorting fails where text meets numbers: whoever feeds pieces checks families first.
    labels: tuple[str | int, ...] = tuple(
        sorted({label for piece in pieces for label in piece.labels})
    )
    codes = np.concatenate([recode(piece, labels).codes for piece in pieces])
    families = {piece.family for piece in pieces}
    return Coded(families.pop() if len(families) == 1 else "whole numbers", labels, codes)


def recode(piece: Coded, labels: tuple[str | int, ...]) -> Coded:
    """The same rows as codes into a longer sorted tuple of labels, not all of which need occur."""
    if piece.labels == labels:
        return piece
    place = {label: k for k, label in enumerate(labels)}
    moves = np.fromiter((place[label] for label in piece.labels), np.int64, len(piece.labels))
    return Coded(piece.family, labels, _translate(piece.codes, moves, len(labels)))


def narrowest(labels: int) -> type[np.unsignedinteger[Any]]:
    """The smallest unsigned type that can number so many labels."""
    return np.uint8 if labels <= 2**8 else np.uint16 if labels <= 2**16 else np.uint32


def _whole_numbers(values: Array, name: str, done: int) -> Ints:
    nan = np.isnan(values)
    if nan.any():
        raise missing(name, done + int(nan.argmax()))
    # Compared in this order so that infinities never reach the cast.
    odd = np.abs(values) >= EXACT_FLOAT
    if not odd.any():
        integers: Ints = values.astype(np.int64)
        odd = integers != values
        if not odd.any():
            return integers
    row = int(odd.argmax())
    raise _measured(name, float(values[row]), done + row)


def _whole_decimals(array: pa.Array, name: str, done: int) -> pa.Array:
    try:
        return array.cast(pa.int64())
    except pa.ArrowInvalid:
        for i, value in enumerate(array.to_pylist()):
            if value != int(value) or not -(2**63) <= value < 2**63:
                raise _measured(name, value, done + i) from None
        raise


class Measured(BadData):
    """A column of labels holds what looks like a measured quantity: what is said of it, and what to do instead."""


def _measured(name: str, value: object, row: int) -> Measured:
    return Measured(
        f"{name} holds {value} in row {row + 1}, which looks like a measured quantity, not a label; ",
        "ask for coverage, within or range, or certify a per-example loss instead.",
    )


def _encode_truth_values(array: pa.Array) -> Coded:
    bits = np.frombuffer(array.buffers()[1], dtype=np.uint8)
    start = array.offset // 8
    spare = array.offset - 8 * start
    codes = np.unpackbits(bits[start:], count=spare + len(array), bitorder="little")[spare:]
    return _sorted("truth values", range(2), codes)


def _encode_integers(values: NDArray[np.integer[Any]]) -> Coded:
    low, high, codes = _low_bytes(values)
    width = high - low + 1
    if width > min(2**16, max(2**8, 4 * len(values))):
        if pa is not None:  # hashing is faster than sorting
            return _encode_hashed("whole numbers", pa.array(values).dictionary_encode(), "")
        labels, places = np.unique(values, return_inverse=True)
        return Coded("whole numbers", tuple(labels.tolist()), _cut(places, narrowest(len(labels))))
    if width > 2**8:
        codes = _cut(values, np.uint16)
    if low != 0:
        # Cutting off the high bits and taking the least value away is exact: both wrap around.
        codes -= codes.dtype.type(low % (np.iinfo(codes.dtype).max + 1))
    if width <= 2:  # the least and the greatest occur
        return Coded("whole numbers", tuple(range(low, high + 1)), codes)
    return _sorted("whole numbers", range(low, high + 1), codes)


def _low_bytes(values: NDArray[np.integer[Any]]) -> tuple[int, int, Array]:
    """The least value, the greatest, and each value's lowest byte."""
    codes = scratch(len(values), np.uint8)
    bits = 0
    # In stretches that stay in the cache from one look to the next.
    for start in range(0, len(values), 2**17):
        stretch = values[start : start + 2**17]
        np.copyto(codes[start : start + 2**17], stretch, casting="unsafe")
        bits |= int(np.bitwise_or.reduce(stretch))
    # No bit above the lowest byte: the bytes are the values, and eight times faster to search.
    narrow = codes if 0 <= bits < 2**8 else values
    return int(narrow.min()), int(narrow.max()), codes


def _cut(values: Array, kind: type[np.unsignedinteger[Any]]) -> Array:
    codes = scratch(len(values), kind)
    np.copyto(codes, values, casting="unsafe")
    return codes


def scratch(rows: int, kind: type[np.generic]) -> Array:
    """An array with nothing in it yet, from Arrow's memory pool.

    The pool hands out again what was just freed, where NumPy asks the system for fresh pages; that
    alone takes as long as filling them.
    """
    if pa is None:
        return np.empty(rows, dtype=kind)
    return np.frombuffer(pa.allocate_buffer(rows * np.dtype(kind).itemsize), dtype=kind)


def _encode_text(array: pa.Array, name: str) -> Coded:
    if not pa.types.is_dictionary(array.type):
        if pa.types.is_string_view(array.type):
            array = array.cast(pa.large_string())
        array = array.dictionary_encode()
    return _encode_hashed("text", array, name)


def _encode_hashed(family: Family, array: pa.DictionaryArray, name: str) -> Coded:
    indices = array.indices.to_numpy()
    size = len(array.dictionary)
    if len(array) < size / 4:
        # A short piece of a column with a long dictionary: only the entries in use count.
        used, indices = np.unique(indices, return_inverse=True)
        entries = array.dictionary.take(pa.array(used))
        size = len(entries)
    else:
        entries = array.dictionary
    try:
        labels = entries.to_pylist()
    except UnicodeDecodeError:
        raise BadData(f"{name} holds text that is not valid UTF-8; write it as UTF-8.") from None
    return _sorted(family, labels, _cut(indices, narrowest(size)))


def _sorted(family: Family, labels: Sequence[str | int], codes: Array) -> Coded:
    """The piece over those of the given labels that occur, each once and in order."""
    used = _occurring(codes, len(labels))
    distinct = tuple(sorted({labels[i] for i in used}))
    if distinct == tuple(labels):
        return Coded(family, distinct, codes)
    place = {label: k for k, label in enumerate(distinct)}
    moves = np.zeros(len(labels), dtype=np.int64)
    moves[used] = [place[labels[i]] for i in used]
    return Coded(family, distinct, _translate(codes, moves, len(distinct)))


def _occurring(codes: Array, size: int) -> list[int]:
    """Which of the codes 0 .. size - 1 occur, most often settled by the first few thousand rows."""
    seen = np.bincount(codes[:4096], minlength=size) > 0
    rare = np.flatnonzero(~seen)
    if len(rare) > 16:
        return np.flatnonzero(np.bincount(codes, minlength=size)).tolist()
    for code in rare:
        seen[code] = bool((codes == code).any())
    return np.flatnonzero(seen).tolist()


def _translate(codes: Array, moves: Ints, size: int) -> Array:
    """Row by row ``moves[codes]``, in the narrowest type for `size` labels."""
    table = moves.astype(narrowest(size))
    if codes.dtype == np.uint8 and table.dtype == np.uint8:
        padded = np.zeros(256, dtype=np.uint8)
        padded[: len(table)] = table
        return np.frombuffer(codes.tobytes().translate(padded.tobytes()), dtype=np.uint8)
    return cast("Array", table.take(codes))


def little_endian(codes: Array) -> Array:
    """The same codes with their low byte first, whatever the machine."""
    return codes if sys.byteorder == "little" else codes.astype(codes.dtype.newbyteorder("<"))
