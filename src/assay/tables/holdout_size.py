"""How much is held out, and whether it is drawn at random or is what comes last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import BadParameter, Words, setting

_DEFAULT = 0.2


@dataclass(frozen=True)
class HoldoutSize:
    """A share or a number of rows, and whether they are the last ones.

    Examples
    --------
    >>> HoldoutSize.read(0.3)
    HoldoutSize(size=0.3, last=False)
    >>> HoldoutSize.read("last:500")
    HoldoutSize(size=500, last=True)
    """

    size: float | int
    last: bool = False

    @classmethod
    def read(cls, holdout: Any, *, time: str | None = None) -> HoldoutSize:
        """What was asked for: with a column of times the last rows are meant, whatever else is said.

        Raises
        ------
        BadParameter
            For text that is not ``last``, ``last:0.3`` or ``last:500``.
        """
        if not isinstance(holdout, str):
            return cls(holdout, time is not None)
        word, colon, amount = holdout.partition(":")
        size = size_in(amount) if colon else _DEFAULT
        if word.strip() != "last" or size is None:
            raise BadParameter(
                subject="holdout",
                must="a share such as 0.2, a number of rows, or 'last', 'last:0.3', 'last:500' for the last rows",
                got=holdout,
            )
        return cls(size, last=True)

    def rows(self, many: int) -> int:
        """How many of so many rows that is, at least one and not all of them.

        Examples
        --------
        >>> HoldoutSize(0.25).rows(10), HoldoutSize(4).rows(10)
        (2, 4)
        """
        whole = isinstance(self.size, int | np.integer) and not isinstance(self.size, bool)
        if whole and 1 <= self.size < many:
            return int(self.size)
        if isinstance(self.size, float) and 0 < self.size < 1:
            return min(max(round(many * self.size), 1), many - 1)
        must = f"from 1 to {many - 1} for {many}" if whole else "strictly between 0 and 1"
        raise BadParameter(subject="holdout", must=must, got=self.size)


def size_asked(holdout: Any, time: str | None, *, apart: bool) -> HoldoutSize:
    """What was asked for, where it goes together: rows of a file of their own are not held out of the table.

    Raises
    ------
    BadParameter
        If a file was named as well as what comes last.
    """
    size = HoldoutSize.read(holdout, time=time)
    if apart and size.last:
        which = Words("time", "{}", "time") if time is not None else setting("holdout", "last")
        raise BadParameter(
            "Give ", which, " or ", Words("holdout_file", "{}", "holdout_file"), ", but not both."
        )
    return size


def size_in(text: str) -> float | int | None:
    """A share or a number of rows in text; None where it holds neither.

    Examples
    --------
    >>> size_in("0.3"), size_in("500"), size_in("half")
    (0.3, 500, None)
    """
    try:
        return int(text) if text.strip().isdecimal() else float(text)
    except ValueError:
        return None
