"""Standardisation that goes along: every row is centred and scaled by the rows seen so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from assay.compiled.common.running_scale import running_scale_pass
from assay.errors import BadData
from assay.learners.common.rows import Rows
from assay.types import Floats

#: No cell may be larger: the sum of the squares of 10^20 such cells is still a number.
LARGEST_CELL = 1e140


@dataclass(eq=False)
class RunningScale:
    r"""Every feature as :math:`(x-\bar x_t)/s_t`, by the mean and the deviation of all rows up to its own.

    A row takes part in its own mean and deviation (:math:`s_t^2=\frac1t\sum_{i\le t}(x_i-\bar x_t)^2`), its label in
    nothing. So the scaled row is a function of rows that a learner has been shown, the rows may come in any
    order, and bounds on mistakes hold as they do for every sequence; they are about the scaled rows. No scaled
    feature is larger than :math:`\sqrt{t-1}`, and one that has not varied yet is 0.

    Rows that come at once, in chunks or one at a time become the same bits.

    Parameters
    ----------
    rows : int
        How many rows were seen.
    mean, squares : array
        For every feature its mean, and the sum of its squared deviations from the mean.

    References
    ----------
    .. [1] Welford (1962). Note on a method for calculating corrected sums of squares and products.

    Examples
    --------
    >>> scale = RunningScale()
    >>> scale.transform(np.array([[1.0, 7.0], [3.0, 7.0], [8.0, 7.0]])).round(3).tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.359, 0.0]]
    >>> scale.rows, scale.mean.tolist(), scale.deviation.round(3).tolist()
    (3, [4.0, 7.0], [2.944, 0.0])
    """

    rows: int = 0
    mean: Floats = field(default_factory=lambda: np.zeros(0))
    squares: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def deviation(self) -> Floats:
        """The standard deviation of every feature so far."""
        spread: Floats = np.sqrt(self.squares / max(self.rows, 1))
        return spread

    def transform(self, X: Any, *, learn: bool = True) -> Any:
        """The rows, scaled.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Dense rows of finite numbers; not changed.
        learn : bool
            Whether each row is first counted into means and deviations. If not, all rows are scaled by
            those there are, and nothing changes.

        Returns
        -------
        array or frame of shape (n_samples, n_features)
            Always float64; a pandas frame stays one, with its names.

        Raises
        ------
        BadData
            If X is sparse, holds no numbers, or has other features than before; with row and column if a
            number is not finite or larger than 1e140. Nothing is changed then.
        """
        if learn:
            after = self.copy()
            scaled, refusal = after.until_refused(X)
        else:
            after = self
            scaled, refusal = self._by_what_is_known(X)
        if refusal is not None:
            raise refusal
        self.rows, self.mean, self.squares = after.rows, after.mean, after.squares
        if hasattr(X, "columns") and hasattr(X, "index"):
            return type(X)(scaled, columns=X.columns, index=X.index)
        return scaled

    def _by_what_is_known(self, X: Any) -> tuple[Floats, BadData | None]:
        cells = self._checked(X)
        if not self.rows:
            raise BadData("No row has been seen that others could be scaled by. Learn some first.")
        odd = ~(np.abs(cells) <= LARGEST_CELL).all(axis=1)
        if odd.any():
            return cells, _refusal(cells, int(odd.argmax()))
        scaled, spread = np.zeros(cells.shape), self.deviation
        np.divide(cells - self.mean, spread, out=scaled, where=spread > 0)
        return scaled, None

    def until_refused(self, X: Any) -> tuple[Floats, BadData | None]:
        """Scale and learn the rows up to one that cannot be; they stay learned.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Dense rows.

        Returns
        -------
        scaled : array
            The rows before the bad one, or all.
        refusal : BadData or None
            What is wrong with that row.
        """
        cells = self._checked(X)
        if not self.rows:
            self.mean, self.squares = np.zeros(cells.shape[1]), np.zeros(cells.shape[1])
        scaled = np.empty(cells.shape)
        done = running_scale_pass(cells, self.mean, self.squares, self.rows, LARGEST_CELL, scaled)
        self.rows += done
        refusal = None if done == len(cells) else _refusal(cells, done)
        return scaled[:done], refusal

    def copy(self) -> RunningScale:
        """One that goes on by itself from here."""
        return RunningScale(self.rows, self.mean.copy(), self.squares.copy())

    def _checked(self, X: Any) -> Floats:
        if sparse.issparse(X):
            raise BadData(
                "Sparse rows cannot be standardized, since centring would fill in all their zeros."
            )
        try:
            cells = np.ascontiguousarray(X, dtype=np.float64)
        except (TypeError, ValueError):
            raise BadData(
                "X must hold numbers to be standardized, but holds something else."
            ) from None
        if cells.ndim != 2:
            raise BadData(f"X must have rows and columns, but has the shape {cells.shape}.")
        if self.rows and cells.shape[1] != len(self.mean):
            raise BadData(
                f"X has {cells.shape[1]} features, but the rows before had {len(self.mean)}."
            )
        return cells


def _refusal(cells: Floats, row: int) -> BadData:
    return BadData("X cannot be standardized: ", *Rows(dense=cells).bad_cell(row), ".")
