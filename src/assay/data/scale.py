"""Scaling into a ball, or onto it: rows divided by one number, or each by its own length.

Into a ball, every row is divided by one number, so that no row is longer than declared.

Dividing all rows by one number keeps angles, margins in proportion, and zeros. The radius of the
data is declared, and then checked row by row, or measured on rows that were seen; measuring it on
the data a guarantee speaks about is said in `known`, since a certificate has to say it too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse

from assay.errors import BadData, require
from assay.types import Floats


@dataclass(frozen=True)
class BallScale:
    """Rows within a ball of `radius` become rows within a ball of radius `into`.

    Parameters
    ----------
    radius : float
        The length that no row exceeds.
    into : float
        The length that no scaled row exceeds.
    known : {"declared", "measured"}
        How the radius is known.

    Examples
    --------
    >>> scale = BallScale.declared(5.0)
    >>> scale.transform(np.array([[3.0, 4.0], [1.0, 0.0]])).round(9).tolist()
    [[0.6, 0.8], [0.2, 0.0]]
    >>> scale.known
    'declared'
    """

    radius: float
    into: float = 1.0
    known: Literal["declared", "measured"] = "declared"

    def __post_init__(self) -> None:
        for name, value in (("radius", self.radius), ("into", self.into)):
            # Within this range no square overflows and no quotient vanishes.
            good = not isinstance(value, bool | str) and 1e-150 <= value <= 1e150
            require(good, name, "a number from 1e-150 to 1e150", value)

    @classmethod
    def declared(cls, radius: float, *, into: float = 1.0) -> Self:
        """Rows are said to be no longer than `radius`; `transform` refuses one that is.

        Parameters
        ----------
        radius, into : float
            As in the class.
        """
        return cls(radius, into, "declared")

    @classmethod
    def measured(cls, X: Any, *, into: float = 1.0) -> Self:
        """The length of the longest row, rounded up.

        Parameters
        ----------
        X : numpy.ndarray or sparse matrix
            Rows by features, all finite.
        into : float
            As in the class.

        Raises
        ------
        BadData
            If all rows are zero, or one is not finite.
        """
        lengths = row_lengths(X)
        if not np.isfinite(lengths).all():
            row = int((~np.isfinite(lengths)).argmax())
            raise BadData(f"Row {row + 1} has no finite length, and so lies in no ball.")
        longest = float(lengths.max(initial=0.0))
        if longest == 0.0:
            raise BadData("All rows are zero, so that no radius can be measured. Declare one.")
        return cls(longest * (1 + 2 * _slack(X)), into, "measured")

    def transform(self, X: Any, *, done: int = 0) -> Any:
        """The rows, scaled so that none is longer than `into`, not by the last bit.

        Parameters
        ----------
        X : numpy.ndarray or sparse matrix
            Rows by features; not changed.
        done : int
            How many rows came before these, for the row number in a refusal.

        Raises
        ------
        BadData
            If a row is longer than the radius, or not finite.
        """
        X = X if X.dtype.kind == "f" else X.astype(np.float64)
        lengths, slack = row_lengths(X), _slack(X)
        # A row on the edge of the ball must not be refused because of rounding.
        beyond = ~(lengths <= self.radius * (1 + slack))
        if beyond.any():
            row = int(beyond.argmax())
            raise BadData(
                f"Row {done + row + 1} has length {lengths[row]:.6g}, but the radius was "
                f"{self.known} as {self.radius:.6g}. Declare a larger one."
            )
        shrink = 1 - 4 * slack - 2 * float(np.finfo(X.dtype).eps)
        return X * X.dtype.type(self.into / self.radius * shrink)


@dataclass(frozen=True)
class UnitLength:
    """Every row divided by its own length, so that all have length one.

    That keeps the side of a row from every separator through the origin, and changes its margin: what counts
    is then the angle, and a short row weighs as much as a long one. A row of zeros has no direction.

    Parameters
    ----------
    zeros : {"refuse", "keep"}
        What a row of zeros does.

    Examples
    --------
    >>> UnitLength().transform(np.array([[3.0, 4.0], [0.0, -2.0]])).tolist()
    [[0.6, 0.8], [0.0, -1.0]]
    """

    zeros: Literal["refuse", "keep"] = "refuse"

    def __post_init__(self) -> None:
        require(self.zeros in ("refuse", "keep"), "zeros", "'refuse' or 'keep'", self.zeros)

    def transform(self, X: Any, *, done: int = 0) -> Any:
        """The rows, each of length one but for rounding in the last places.

        Parameters
        ----------
        X : numpy.ndarray or sparse matrix
            Rows by features; not changed.
        done : int
            How many rows came before these, for the row number in a refusal.

        Raises
        ------
        BadData
            If a row is zero, or not finite.
        """
        X = X if X.dtype.kind == "f" else X.astype(np.float64)
        largest = np.asarray(
            abs(X).max(axis=1).todense() if sparse.issparse(X) else abs(X).max(axis=1, initial=0.0)
        )
        largest = largest.reshape(-1).astype(np.float64)
        for bad, why in (
            (~np.isfinite(largest), "has no finite length, and so no direction."),
            (
                (largest == 0.0) & (self.zeros == "refuse"),
                "is zero, and so has no direction. Leave it out, or keep zeros.",
            ),
        ):
            if bad.any():
                raise BadData(f"Row {done + int(bad.argmax()) + 1} {why}")
        # First by its largest number, so that no square overflows or vanishes.
        rows = _over(X, np.where(largest > 0, largest, 1.0))
        lengths = row_lengths(rows)
        return _over(rows, np.where(lengths > 0, lengths, 1.0)).astype(X.dtype)


def _over(X: Any, divisors: Floats) -> Any:
    """Every row divided by a number of its own, in double precision."""
    if not sparse.issparse(X):
        return X / divisors[:, None]
    rows = sparse.csr_array(X)
    each = np.repeat(divisors, np.diff(rows.indptr))
    return sparse.csr_array((rows.data / each, rows.indices, rows.indptr), shape=rows.shape)


def row_lengths(X: Any) -> Floats:
    """The Euclidean length of each row, in double precision.

    Parameters
    ----------
    X : numpy.ndarray or sparse matrix
        Rows by features.

    Examples
    --------
    >>> row_lengths(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [5.0, 0.0]
    """
    if not sparse.issparse(X):
        squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    else:
        X = sparse.csr_array(X)
        data = X.data.astype(np.float64)
        squares = sparse.csr_array((data * data, X.indices, X.indptr), shape=X.shape).sum(axis=1)
    lengths: Floats = np.sqrt(squares)
    return lengths


def _slack(X: Any) -> float:
    """No computed length is off by more than this part of itself: one rounding per feature."""
    return float((X.shape[1] + 4) * np.finfo(np.float64).eps)
