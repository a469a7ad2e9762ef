"""What comes last is held out: learned from the past, tested on the future.

Rows of one time stay on one side. A unit comes when its last row does, so that no row that is learned from is later
than the first of the times that are held out.
"""

from __future__ import annotations

import numpy as np

from assay.errors import BadData, setting
from assay.tables.holdout_size import HoldoutSize
from assay.types import Ints


def last_rows(
    order: Ints, size: HoldoutSize, *, name: str, unit: Ints | None = None
) -> tuple[Ints, Ints]:
    """The rows of the past and those that come last.

    Parameters
    ----------
    order : array of int
        The place of each row in time; rows of one place stay together.
    size : HoldoutSize
        How many rows, or units where there are any, are held out; more, if the first of them share their time with
        others.
    name : str
        What to call the table in a refusal.
    unit : array of int, optional
        What each row belongs to.

    Examples
    --------
    >>> past, last = last_rows(np.array([3, 1, 2, 2, 0]), HoldoutSize(2), name="t.csv")
    >>> past.tolist(), last.tolist()
    ([1, 4], [0, 2, 3])
    """
    owner = np.arange(len(order)) if unit is None else np.unique(unit, return_inverse=True)[1]
    latest = np.full(int(owner.max()) + 1, np.iinfo(np.int64).min)
    np.maximum.at(latest, owner, order)
    times = np.sort(latest)
    if times[0] == times[-1]:
        what = "rows" if unit is None else "units"
        raise BadData(
            f"{name} must hold {what} of at least two times to hold out the last of them, but all come at one time. "
            "To draw them at random, leave ",
            setting("holdout", "last"),
            " and the column of times out.",
        )
    first = times[len(times) - size.rows(len(times))]
    if (
        first == times[0]
    ):  # all would be held out: what shares the first time stays to be learned from
        first = times[np.searchsorted(times, first, side="right")]
    held = latest[owner] >= first
    return np.flatnonzero(~held), np.flatnonzero(held)
