"""Splitting rows into training rows and a holdout, by a seed.

Which rows are held out follows from the seed and the number of rows alone (and the labels, if the
split is stratified): each row draws a 64-bit number from PCG64, whose stream NumPy promises never
to change, and the rows with the least numbers are held out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import BadData, require
from assay.types import Ints, Words


@dataclass(frozen=True)
class Split:
    """Row numbers from 0, in rising order: `train` and `holdout` share none and leave none out.

    Parameters
    ----------
    train, holdout : numpy.ndarray of int64
        The rows of each side.
    random_state : int
        The seed that gave them.
    """

    train: Ints
    holdout: Ints
    random_state: int


def split(
    rows: int,
    *,
    holdout: float | int = 0.25,
    random_state: int = 0,
    stratify: ArrayLike | None = None,
) -> Split:
    """Draw a holdout at random.

    Parameters
    ----------
    rows : int
        How many rows there are.
    holdout : float or int
        The part of the rows to hold out, between 0 and 1, or their number.
    random_state : int
        Zero or more; the same seed and the same number of rows give the same split.
    stratify : sequence of labels, optional
        One label per row: each label gets its share of the holdout, to the nearest row.

    Raises
    ------
    BadParameter
        If one side would be empty.

    Examples
    --------
    >>> split(8, holdout=3, random_state=1).holdout.tolist()
    [2, 4, 7]
    """
    require(_whole(rows) and rows >= 2, "rows", "a whole number of at least 2", rows)
    require(
        _whole(random_state) and random_state >= 0,
        "random_state",
        "a whole number of at least 0",
        random_state,
    )
    if _whole(holdout):
        count = int(holdout)
        must = f"from 1 to {rows - 1} for {rows} rows"
        require(1 <= count <= rows - 1, "holdout", must, holdout)
    else:
        good = isinstance(holdout, float) and 0 < holdout < 1
        require(good, "holdout", "a number strictly between 0 and 1, or a number of rows", holdout)
        count = min(max(round(rows * holdout), 1), rows - 1)
    draws = np.random.PCG64(random_state).random_raw(rows)
    if stratify is None:
        held = np.argsort(draws, kind="stable")[:count]
    else:
        held = _stratified(draws, np.asarray(stratify), count)
    side = np.zeros(rows, dtype=bool)
    side[held] = True
    return Split(np.flatnonzero(~side), np.flatnonzero(side), random_state)


def _whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _stratified(draws: Words, labels: NDArray[np.generic], count: int) -> Ints:
    if labels.shape != draws.shape:
        raise BadData(
            f"There are {len(draws)} rows, but stratify has shape {labels.shape}; it needs one "
            f"label per row."
        )
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    # Whole shares first; what is left goes to the largest remainders, the first label on ties.
    shares, remainders = np.divmod(sizes * count, len(draws))
    order = np.argsort(-remainders, kind="stable")
    shares[order[: count - shares.sum()]] += 1
    held = [
        rows[np.argsort(draws[rows], kind="stable")[:share]]
        for label, share in enumerate(shares)
        for rows in (np.flatnonzero(codes == label),)
    ]
    return np.concatenate(held)
