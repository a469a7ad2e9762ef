"""One example at a time: what is worked out once, so that a dict is read in a microsecond."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.types import Array

if TYPE_CHECKING:
    from assay.evidence.fitted_rows import FittedRows


class LightPath:
    """How a dict becomes a row, and a label its place.

    Attributes
    ----------
    width : int
        How many features a dict must have to be read here; -1 where no dict is.
    read : callable
        The values of a dict, as a tuple in the order of the features; `pack` turns them into bytes.
    labels : list
        The labels as Python knows them, and `places`, the place of each.
    told : tuple or None
        The values of the example predicted last and the place of the label, as long as nothing was learned
        since and to be right is to learn nothing.
    kept : FittedRows or None
        What the learner keeps of its rows.
    """

    #: What reading a dict may stumble over; the long way round finds out what was wrong.
    UNREADABLE = (KeyError, TypeError, OverflowError, struct.error)

    __slots__ = ("_dtype", "kept", "labels", "pack", "places", "read", "told", "width")

    def __init__(
        self,
        names: Iterable[Any],
        dtype: np.dtype[Any],
        labels: Array,
        kept: FittedRows | None = None,
    ) -> None:
        known = list(names)
        self.width = len(known) if len(known) > 1 else -1  # of one name, itemgetter gives no tuple
        self.read: Any = itemgetter(*known) if known else None
        self.pack: Any = struct.Struct(f"{len(known)}{dtype.char}").pack
        self._dtype = dtype
        self.kept = kept
        self.labels = labels.tolist()
        self.places = {label: place for place, label in enumerate(self.labels)}
        self.told: tuple[tuple[Any, ...], bool] | None = None

    def remember(self, row: Array, y: Any) -> None:
        """Keep the digest of a row that was just learned, and is due."""
        from assay.learners.common.learned_rows import remember_one  # rows are due ever more rarely

        if self.kept is not None:
            remember_one(self.kept, row, y)

    def row(self, values: tuple[Any, ...]) -> Array:
        """The values as numbers, in an array of its own."""
        return np.frombuffer(bytearray(self.pack(*values)), self._dtype)
