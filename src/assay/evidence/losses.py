"""Losses between 0 and 1, one per example: their exact sum, variance and digest in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from assay.errors import BadData
from assay.evidence.column_digest import LossDigest
from assay.evidence.columns import is_text, missing, read_column, refuse_missing
from assay.evidence.plain_column import PlainColumn
from assay.types import Floats, Ints

try:
    import pyarrow as pa
except ModuleNotFoundError:
    pa = None

# Squares of 18-bit pieces, summed over so many rows, stay below 2**53: exact in doubles.
_STRETCH = 2**15
# The smallest double is 2**-1074; sums are kept as whole multiples of it, squares of its square.
_UNIT = 1074
#: Of more losses than this the values are not kept.
MOST_KEPT = 200_000


@dataclass(frozen=True, slots=True)
class LossRecord:
    """What a column of losses in [0, 1] holds, with nothing said about what it means.

    Parameters
    ----------
    rows : int
        How many losses there were.
    total : float
        Their exact sum, rounded once.
    variance : float
        Their sample variance (divisor ``rows - 1``), computed exactly and rounded once; 0.0 for a
        single row.
    binary : bool
        Whether every loss is 0 or 1.
    digest : str or None
        The canonical digest of the column (see `assay.evidence.digest`); None for losses that were merged.
    values : numpy.ndarray or None
        The losses in their order, or None if there were more than were to be kept.
    sums : ExactSums or None
        What adds up when losses are merged.
    """

    rows: int
    total: float
    variance: float
    binary: bool
    digest: str | None
    values: Floats | None = field(repr=False, compare=False)
    sums: ExactSums | None = field(default=None, repr=False, compare=False)


def record_losses(
    chunks: Iterable[Any],
    *,
    keep: int = MOST_KEPT,
    name: str = "loss",
    progress: Callable[[int], object] | None = None,
) -> LossRecord:
    """Record a column of losses, chunk by chunk and in bounded memory.

    Parameters
    ----------
    chunks : iterable of list, array, series or Arrow array
        Consecutive chunks of the column; where they are cut makes no difference to the result.
    keep : int
        Keep the values themselves if there are at most so many.
    name : str
        What to call the column in a refusal.
    progress : callable, optional
        Called with the number of rows recorded so far, after every chunk.

    Raises
    ------
    BadData
        For a loss that is missing, not a number, or outside [0, 1], and for no rows.

    Examples
    --------
    >>> record = record_losses([[0.0, 1.0], [0.25]])
    >>> record.rows, record.total
    (3, 1.25)
    >>> record_losses([[0.5, 1.5]])
    Traceback (most recent call last):
        ...
    assay.errors.BadData: loss holds 1.5 in row 2; losses must lie between 0 and 1. Scale them.
    """
    rows = 0
    binary = True
    digest, sums = LossDigest(), ExactSums()
    kept: list[Floats] | None = []
    for chunk in chunks:
        losses = _read_losses(chunk, name, rows)
        rows += len(losses)
        digest.update(losses)
        sums.add(losses)
        binary = binary and bool(((losses == 0.0) | (losses == 1.0)).all())
        if kept is not None:
            # A copy: the chunk may be a window onto memory that its owner goes on using.
            kept = [*kept, losses.copy()] if rows <= keep else None
        if progress is not None:
            progress(rows)
    if not rows:
        raise BadData(f"{name} holds no rows; there is nothing to record.")
    return LossRecord(
        rows=rows,
        total=sums.total(),
        variance=sums.variance(),
        binary=binary,
        digest=digest.finish(),
        values=None if kept is None else np.concatenate(kept),
        sums=sums,
    )


def merge_losses(records: Sequence[LossRecord], *, keep: int = MOST_KEPT) -> LossRecord:
    """The record of all losses, from records of some of them each; the digest is lost.

    Examples
    --------
    >>> both = merge_losses([record_losses([[0.1, 1.0]]), record_losses([[0.25]])])
    >>> both.rows, both.total
    (3, 1.35)
    """
    sums, rows = ExactSums(), sum(record.rows for record in records)
    for record in records:
        if record.sums is None:
            raise BadData("Losses can be merged only where their exact sums were kept.")
        sums.include(record.sums)
    values = [record.values for record in records if record.values is not None]
    return LossRecord(
        rows=rows,
        total=sums.total(),
        variance=sums.variance(),
        binary=all(record.binary for record in records),
        digest=None,
        values=np.concatenate(values) if len(values) == len(records) and rows <= keep else None,
        sums=sums,
    )


class ExactSums:
    """The sum and the sum of squares of numbers in [0, 1], without any rounding.

    A double is a whole number of 53 bits times a power of two. Cut into pieces of at most 18 bits,
    these and their products add up exactly in doubles over a stretch of rows, power by power; from
    there on the sums are whole numbers of any size.

    Examples
    --------
    >>> sums = ExactSums()
    >>> sums.add(np.array([0.1] * 10))
    >>> sums.total(), sum([0.1] * 10)
    (1.0, 0.9999999999999999)
    """

    def __init__(self) -> None:
        self._rows = 0
        self._sum = 0
        self._squares = 0

    def add(self, numbers: Floats) -> None:
        """Take some more numbers."""
        self._rows += len(numbers)
        for start in range(0, len(numbers), _STRETCH):
            self._add_stretch(np.ascontiguousarray(numbers[start : start + _STRETCH]))

    def add_alike(self, number: Fraction, times: int) -> None:
        """Take the same number many times; it is a whole multiple of a power of a half."""
        whole = number * (1 << _UNIT)
        assert whole.denominator == 1
        self._rows += times
        self._sum += whole.numerator * times
        self._squares += whole.numerator**2 * times

    @classmethod
    def of(cls, rows: int, total: int, squares: int) -> ExactSums:
        """The sums that `numbers` told."""
        sums = cls()
        sums._rows, sums._sum, sums._squares = rows, total, squares
        return sums

    def numbers(self) -> tuple[int, int]:
        """Both sums as whole multiples of the smallest double, and of its square."""
        return self._sum, self._squares

    def possible(self) -> bool:
        """Whether so many numbers in [0, 1] can have these sums."""
        most = self._sum << _UNIT  # no square in [0, 1] is above its number
        return self._sum**2 <= self._rows * self._squares and self._squares <= most <= (
            self._rows << 2 * _UNIT
        )

    def include(self, other: ExactSums) -> None:
        """Take all numbers of another sum."""
        self._rows += other._rows
        self._sum += other._sum
        self._squares += other._squares

    def total(self) -> float:
        """The sum, rounded once."""
        return float(self._sum / (1 << _UNIT))

    def variance(self) -> float:
        """The sample variance, rounded once; 0.0 for fewer than two numbers."""
        n = self._rows
        if n < 2:
            return 0.0
        return (n * self._squares - self._sum**2) / (n * (n - 1) * (1 << 2 * _UNIT))

    def _add_stretch(self, numbers: Floats) -> None:
        bits = (numbers + 0.0).view(np.uint64)
        exponent = (bits >> np.uint64(52)).astype(np.int64)
        mantissa = (bits & np.uint64(2**52 - 1)).astype(np.int64)
        mantissa[exponent > 0] += 2**52
        power = np.maximum(exponent - 1, 0)
        high, middle, low = mantissa >> 36, (mantissa >> 18) & (2**18 - 1), mantissa & (2**18 - 1)
        for shift, piece in (36, high), (18, middle), (0, low):
            self._sum += sum(_by_power(power, piece, 1, shift))
        for shift, product in (
            (72, high * high),
            (54, 2 * high * middle),
            (36, 2 * high * low + middle * middle),
            (18, 2 * middle * low),
            (0, low * low),
        ):
            self._squares += sum(_by_power(power, product, 2, shift))


def _by_power(power: Ints, pieces: Ints, times: int, shift: int) -> Iterator[int]:
    sums = np.bincount(power, weights=pieces)
    for k in np.flatnonzero(sums).tolist():
        yield int(sums[k]) << (times * k + shift)


def _read_losses(chunk: Any, name: str, done: int) -> Floats:
    array = read_column(chunk, name, done)
    if not len(array):
        return np.empty(0)
    plain = isinstance(array, PlainColumn)
    losses = (_from_plain if plain else _from_arrow)(array, name, done)
    odd = ~((losses >= 0.0) & (losses <= 1.0))
    if odd.any():
        row = int(odd.argmax())
        if np.isnan(losses[row]):
            raise missing(name, done + row)
        raise BadData(
            f"{name} holds {float(losses[row])!r} in row {done + row + 1}; losses must lie between "
            f"0 and 1. Scale them."
        )
    return losses


def _from_plain(column: PlainColumn, name: str, done: int) -> Floats:
    refuse_missing(column, name, done)
    if column.values.dtype.kind not in "biuf":
        raise _no_losses(name, column.type, column.type == "string")
    return column.values.astype(np.float64)


def _from_arrow(array: pa.Array, name: str, done: int) -> Floats:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = array.type
    refuse_missing(array, name, done)
    if pa.types.is_boolean(kind):
        array = array.cast(pa.uint8())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise _no_losses(name, kind, is_text(kind))
    losses: Floats = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return losses


def _no_losses(name: str, kind: object, text: bool) -> BadData:
    held = "text" if text else f"values of type {kind}"
    return BadData(f"{name} holds {held}, not numbers; losses must lie between 0 and 1.")
