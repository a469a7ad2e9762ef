"""Numbers that were predicted, beside the true ones: how far off each row is, without any rounding that helps."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from assay.errors import BadData
from assay.evidence.columns import is_text, missing, read_column, refuse_missing
from assay.evidence.digest import digest_labels, written
from assay.evidence.outward import difference_up, error_of_difference, product_up, quotient_up
from assay.evidence.plain_column import PlainColumn
from assay.types import Array, Bools, Floats, Ints

# Larger numbers could not be written in a certificate, and larger whole ones than this are no doubles.
LARGEST, _LARGEST_WHOLE = 1e50, 2**53


@dataclass(frozen=True)
class Quantities:
    """True and predicted numbers, row by row.

    Attributes
    ----------
    truth, predicted : array of float64
    unit : array of int, or None
        What each row belongs to.

    Examples
    --------
    >>> seen = Quantities(np.array([1.0, 2.0, 5.0]), np.array([1.5, 2.0, 3.0]))
    >>> seen.score(2), int(seen.beyond(Fraction(1, 2)).sum())
    (0.5, 1)
    """

    truth: Floats
    predicted: Floats
    unit: Ints | None = None

    def __len__(self) -> int:
        return len(self.truth)

    @cached_property
    def scores(self) -> Floats:
        """The absolute errors, each rounded to the nearest double."""
        scores: Floats = np.abs(self.truth - self.predicted)
        return scores

    def score(self, rank: int) -> float:
        """The absolute error of a rank, the smallest being the first; a double that is not below it."""
        near = float(np.partition(self.scores, rank - 1)[rank - 1])
        # Rounding keeps the order, so the row of that rank is among those that round to the same double.
        tied = np.flatnonzero(self.scores == near)
        exactly = sorted(
            abs(Fraction(float(self.truth[i])) - Fraction(float(self.predicted[i])))
            for i in _few(tied)
        )
        if len(exactly) < len(tied):
            # So many ties are seldom anything but equal; the next double is above all of them.
            return near if _exact(self, tied) else math.nextafter(near, math.inf)
        place = rank - 1 - int(np.count_nonzero(self.scores < near))
        return near if Fraction(near) >= exactly[place] else math.nextafter(near, math.inf)

    def beyond(self, limit: Fraction) -> Bools:
        """Which rows are off by more than a limit."""
        edge = float(limit)
        beyond: Bools = self.scores > edge
        for i in np.flatnonzero(np.abs(self.scores - edge) <= 2 * math.ulp(edge)):
            exactly = abs(Fraction(float(self.truth[i])) - Fraction(float(self.predicted[i])))
            beyond[i] = exactly > limit
        return beyond

    def losses(self, low: Fraction, high: Fraction, *, squared: bool) -> Floats:
        """Absolute or squared errors of predictions clipped to a range, as shares of the largest; rounded up.

        Raises
        ------
        BadData
            If a true number lies outside the range.
        """
        least, most = _at_least(low), -_at_least(-high)
        outside = np.flatnonzero((self.truth < least) | (self.truth > most))
        if outside.size:
            row = int(outside[0])
            raise BadData(
                f"The truth must lie in the declared range, but row {row + 1} holds {float(self.truth[row])!r}"
                f" ({outside.size:,} such {'row' if outside.size == 1 else 'rows'}). Declare a range that holds for "
                f"every row there can be, not for those that were seen."
            )
        width = -_at_least(low - high)
        off = difference_up(self.truth, np.clip(self.predicted, least, most))
        shares = np.minimum(quotient_up(off, width), 1.0)
        return product_up(shares, shares) if squared else shares

    @cached_property
    def truth_digest(self) -> str:
        """The digest of the truth."""
        return digest_numbers(self.truth)

    @cached_property
    def prediction_digest(self) -> str:
        """The digest of the predictions."""
        return digest_numbers(self.predicted)

    @property
    def mean_absolute(self) -> float:
        """The mean absolute error."""
        return math.fsum(self.scores.tolist()) / len(self)

    @property
    def r_squared(self) -> float | None:
        """One minus the squared errors over those of the mean; None where all true numbers are equal."""
        around = self.truth - math.fsum(self.truth.tolist()) / len(self)
        total = math.fsum((around * around).tolist())
        left = math.fsum((self.scores * self.scores).tolist())
        return None if total == 0 or not math.isfinite(total) else 1 - left / total


def read_quantities(
    pairs: Iterable[tuple[Any, ...]],
    *,
    names: tuple[str, str] = ("truth", "prediction"),
    progress: Callable[[int], None] | None = None,
) -> Quantities:
    """Quantities from chunks of truth, prediction and, where rows come in units, the unit of each row.

    Raises
    ------
    BadData
        For what is missing, no number, infinite or too large, with its row.
    """
    truth: list[Floats] = []
    predicted: list[Floats] = []
    units: list[Any] = []
    done = 0
    for true, guess, *unit in pairs:
        y, p = (
            read_numbers(part, name, done) for part, name in zip((true, guess), names, strict=True)
        )
        if len(y) != len(p):
            raise BadData(
                f"{names[0]} and {names[1]} must have the same number of rows, but have {len(y):,} and {len(p):,}."
            )
        truth.append(y)
        predicted.append(p)
        units += unit
        done += len(y)
        if progress is not None:
            progress(done)
    if not done:
        raise BadData(f"{names[0]} holds no rows; there is nothing to certify.")
    codes = None
    if units:
        from assay.evidence.units import unit_codes

        codes = unit_codes(*units)
        if len(codes) != done:
            raise BadData(f"unit must be one name for each of {done} rows, but is {len(codes)}.")
    return Quantities(np.concatenate(truth), np.concatenate(predicted), codes)


def merge_quantities(parts: Sequence[Quantities]) -> Quantities:
    """The quantities of all rows; which rows share a unit is no longer known."""
    if any(part.unit is not None for part in parts):
        raise BadData("Quantities of rows that come in units cannot be merged.")
    truth, predicted = ([getattr(part, name) for part in parts] for name in ("truth", "predicted"))
    return Quantities(np.concatenate(truth), np.concatenate(predicted))


def read_numbers(column: Any, name: str, done: int = 0) -> Floats:
    """A column as doubles, refusing what is missing, no number, or not finite."""
    array = read_column(column, name, done)
    if not len(array):
        return np.empty(0)
    refuse_missing(array, name, done)
    values = _plain(array, name)
    numbers: Floats = values.astype(np.float64)
    odd = np.flatnonzero(~(np.abs(numbers) <= LARGEST))
    if odd.size:
        row = int(odd[0])
        if np.isnan(numbers[row]):
            raise missing(name, done + row)
        raise BadData(
            f"{name} holds {float(numbers[row])!r} in row {done + row + 1}; quantities must lie between -1e50 and "
            f"1e50. Scale them."
        )
    if values.dtype.kind in "iu" and np.abs(numbers).max() >= _LARGEST_WHOLE:
        row = int(np.abs(numbers).argmax())
        raise BadData(
            f"{name} holds {int(values[row])} in row {done + row + 1}, a whole number too large to be a double."
        )
    return numbers


def _plain(array: Any, name: str) -> Array:
    if isinstance(array, PlainColumn):
        if array.values.dtype.kind not in "iuf":
            raise _no_quantities(name, array.type, array.type == "string")
        plain: Array = array.values
        return plain
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = array.type
    if pa.types.is_decimal(kind):
        array = array.cast(pa.float64(), safe=False)
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise _no_quantities(name, kind, is_text(kind))
    values: Array = array.to_numpy(zero_copy_only=False)
    return values


def _no_quantities(name: str, kind: object, text: bool) -> BadData:
    held = "text" if text else f"values of type {kind}"
    return BadData(f"{name} holds {held}, not numbers: how far off it is cannot be said.")


def digest_numbers(numbers: Floats) -> str:
    """The digest of a column of numbers: that of labels where all are whole, so that a holdout has one name.

    Examples
    --------
    >>> digest_numbers(np.array([1.0, 2.0])) == digest_labels([1, 2])
    True
    """
    if bool((np.abs(numbers) < _LARGEST_WHOLE).all() and (numbers == np.floor(numbers)).all()):
        return digest_labels(numbers)
    digest = hashlib.sha256(b"assay-numbers-1\n")
    digest.update(np.ascontiguousarray(numbers + 0.0, dtype="<f8").data)
    return written(digest)


def _few(rows: Ints, most: int = 10_000) -> list[int]:
    return rows[:most].tolist() if len(rows) <= most else []


def _exact(seen: Quantities, rows: Ints) -> bool:
    """Whether these differences are doubles themselves."""
    return bool((error_of_difference(seen.truth[rows], seen.predicted[rows]) == 0).all())


def _at_least(value: Fraction) -> float:
    """The smallest double that is not below a number."""
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)
