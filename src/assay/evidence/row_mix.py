"""The mix behind the digest of a row: from canonical cells to two 64-bit sums.

Everything is arithmetic on unsigned 64-bit numbers, modulo 2**64.

**Keys.** Every cell becomes a key. The cell that holds the number 0 (or -0, or False) has none and
adds nothing, so that sparse rows equal dense ones and columns of zeros do not matter.

- A number v below 2**24 in size is rounded to single precision; its key is the bits of the result as
  a double. (Whole numbers of that size are exact there.) A result of 0 has no key.
- Any other number has the bits of its double as key, infinities too.
- A whole number that no double equals (some beyond 2**53) has as key its 64 bits, two's complement
  where it is negative, xor `WIDE`.
- NaN, null and empty text have the key `MISSING`, the bits of the quiet NaN.
- Other text has two keys, one for each lane: the BLAKE2b digest of its UTF-8 bytes, of 16 bytes,
  read as two little-endian numbers. (Which text stands for a number says `assay.evidence.row_text`.)

**A lane.** Lane i is 0 or 1, with its own `START` and `STEP`. For the cell with key k in column c,
counted from 0::

    mix(z):      z = z xor (z >> 30);  z = z * M1
                 z = z xor (z >> 27);  z = z * M2
                 z = z xor (z >> 31)
    seed(c, i) = mix(START[i] + (c + 1) * STEP[i])
    cell(c, k, i) = mix(k xor seed(c, i))

**A row** is, in each lane, the sum of its cells. A label that belongs to the row is a cell in column
`LABEL`. The digest is lane 0 and then lane 1, eight little-endian bytes each.

The sums are not a cryptographic digest: whoever wants two different rows with one digest can make
them. By chance it does not happen: 10**9 different rows collide with probability below 10**-20.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from assay.types import Array, Words

START = (0x243F6A8885A308D3, 0x13198A2E03707344)
STEP = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
M1 = 0xBF58476D1CE4E5B9
M2 = 0x94D049BB133111EB
WIDE = 0xA4093822299F31D0
MISSING = 0x7FF8000000000000
LABEL = 2**64 - 1

_SINGLE = float(2**24)
_EXACT = 2**53
# Cells worked on at a time, so that every pass over them stays in the cache.
_STRETCH = 2**14


def mix(z: Words) -> Words:
    """The mix of the module's docstring, in place.

    Examples
    --------
    >>> mix(np.array([1], np.uint64)).tolist()
    [6238072747940578789]
    """
    moved = z >> np.uint64(30)
    np.bitwise_xor(z, moved, out=z)
    np.multiply(z, np.uint64(M1), out=z)
    np.right_shift(z, np.uint64(27), out=moved)
    np.bitwise_xor(z, moved, out=z)
    np.multiply(z, np.uint64(M2), out=z)
    np.right_shift(z, np.uint64(31), out=moved)
    np.bitwise_xor(z, moved, out=z)
    return z


def seeds(columns: Words, lane: int) -> Words:
    """The seed of each column in a lane."""
    return mix((columns + np.uint64(1)) * np.uint64(STEP[lane]) + np.uint64(START[lane]))


def number_keys(values: Array) -> Words:
    """The keys of numbers or truth values; 0 where there is none.

    Examples
    --------
    >>> number_keys(np.array([0.1])) == number_keys(np.array([0.1], np.float32))
    array([ True])
    """
    if values.dtype.kind in "iu":
        return _whole_keys(values)
    doubles = np.ascontiguousarray(values, dtype=np.float64)
    if values.dtype.kind == "f" and values.dtype.itemsize > 4:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            single = doubles.astype(np.float32).astype(np.float64)
            doubles = np.where(np.abs(doubles) < _SINGLE, single, doubles)
    # Adding 0 makes -0 into 0; a value that is not itself is missing.
    keys: Words = (doubles + 0.0).view(np.uint64)
    absent = np.isnan(doubles)
    if absent.any():
        keys[absent] = MISSING
    return keys


def _whole_keys(values: Array) -> Words:
    with np.errstate(invalid="ignore"):
        doubles = values.astype(np.float64)
    keys: Words = (doubles + 0.0).view(np.uint64)
    if values.dtype.itemsize < 8 or not (np.abs(doubles) >= _EXACT).any():
        return keys
    # Compared as Python numbers: a cast of 2**63 or 2**64 back would not be defined.
    for i in np.flatnonzero(np.abs(doubles) >= _EXACT).tolist():
        exact = int(values.flat[i])
        if exact != int(doubles.flat[i]):
            keys.flat[i] = (exact % 2**64) ^ WIDE
    return keys


def text_keys(texts: Iterable[bytes]) -> Words:
    """The two keys of each text, one column for each lane."""
    digests = [hashlib.blake2b(text, digest_size=16).digest() for text in texts]
    keys = np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)
    return keys.reshape(-1, 2)


def hashed(keys: Words, seed: Words) -> Words:
    """Cells in one lane, from their keys and the seeds of their columns; 0 where there is no key."""
    cells = mix(keys ^ seed)
    cells *= keys != 0
    return cells


def dense_sums(values: Array, first: int = 0) -> Words:
    """Both sums of each row of a two-dimensional array whose first column stands at `first`."""
    rows, width = values.shape
    columns = np.arange(first, first + width, dtype=np.uint64)
    lanes = [seeds(columns, lane)[:, None] for lane in (0, 1)]
    sums = np.zeros((rows, 2), np.uint64)
    step = max(1, _STRETCH // max(1, width))
    for start in range(0, rows, step):
        # Columns first, so that rows lie side by side where they are summed.
        keys = number_keys(np.ascontiguousarray(values[start : start + step].T))
        for lane in (0, 1):
            sums[start : start + step, lane] = hashed(keys, lanes[lane]).sum(axis=0)
    return sums


def column_sums(values: Array, column: int) -> Words:
    """Both lanes of the cells of one column of numbers."""
    return dense_sums(values.reshape(-1, 1), column)


def sparse_sums(edges: Array, columns: Array, values: Array) -> Words:
    """Both sums of each row of compressed sparse rows that hold no column twice in a row."""
    width = int(columns.max()) + 1 if len(columns) else 0
    known = None
    if width <= len(columns):
        known = [seeds(np.arange(width, dtype=np.uint64), lane) for lane in (0, 1)]
    totals = np.zeros((2, len(columns) + 1), np.uint64)
    for start in range(0, len(columns), _STRETCH):
        places = columns[start : start + _STRETCH]
        keys = number_keys(values[start : start + _STRETCH])
        for lane in (0, 1):
            seed = seeds(places.astype(np.uint64), lane) if known is None else known[lane][places]
            totals[lane, start + 1 : start + 1 + len(keys)] = hashed(keys, seed)
    # Differences of running sums are exact, since both wrap around.
    np.cumsum(totals, axis=1, out=totals)
    return np.ascontiguousarray((totals[:, edges[1:]] - totals[:, edges[:-1]]).T)


def as_digests(sums: Words) -> NDArray[np.uint8]:
    """Two sums a row as 16 bytes a row."""
    return np.ascontiguousarray(sums, dtype="<u8").view(np.uint8).reshape(len(sums), 16)
