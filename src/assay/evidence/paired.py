"""What was seen of two models on the same rows: on how many only the one, or only the other, is wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import BadData
from assay.evidence.evidence import as_column, from_pairs
from assay.evidence.tally import wrong_rows
from assay.evidence.units import unit_codes


@dataclass(frozen=True)
class Paired:
    """Counts of two models on the same rows, and the digests that tie them to data.

    Attributes
    ----------
    rows, only_old, only_new : int
        How many rows, and on how many of them only the old model, or only the new one, is wrong.
    units : tuple of (difference, rows, number of such units), or None
        Where rows come in units: by how much more rows the old model is wrong on, in units of which size.
    data, predictions, baseline : str or None
        Digests of the truth and of the predictions of the new and of the old model.
    """

    rows: int
    only_old: int
    only_new: int
    units: tuple[tuple[int, int, int], ...] | None = None
    data: str | None = None
    predictions: str | None = None
    baseline: str | None = None


def from_paired_labels(truth: Any, new: Any, old: Any, unit: Any = None) -> Paired:
    """Two models' predictions beside the truth of the same rows.

    Examples
    --------
    >>> seen = from_paired_labels([0, 1, 1, 0], [0, 1, 1, 1], [1, 1, 0, 1])
    >>> seen.only_old, seen.only_new
    (2, 0)
    """
    truth, new, old = (as_column(column) for column in (truth, new, old))
    of_new, of_old = (
        from_pairs([(truth, column)], unseen="wrong", names=("truth", name))
        for column, name in ((new, "prediction"), (old, "baseline"))
    )
    new_wrong, old_wrong = (np.asarray(wrong_rows(truth, column)) for column in (new, old))
    return Paired(
        of_new.rows,
        int((old_wrong & ~new_wrong).sum()),
        int((new_wrong & ~old_wrong).sum()),
        None if unit is None else _by_unit(old_wrong, new_wrong, unit),
        of_new.data,
        of_new.predictions,
        of_old.predictions,
    )


def _by_unit(old_wrong: Any, new_wrong: Any, unit: Any) -> tuple[tuple[int, int, int], ...]:
    codes = unit_codes(as_column(unit))
    if len(codes) != len(old_wrong):
        raise BadData(f"unit has {len(codes):,} rows, but the truth has {len(old_wrong):,}.")
    size = int(codes.max()) + 1
    more = np.bincount(codes, old_wrong.astype(float) - new_wrong, size).astype(int)
    rows = np.bincount(codes, minlength=size)
    kinds = Counter(zip(more.tolist(), rows.tolist(), strict=True))
    return tuple((*kind, many) for kind, many in sorted(kinds.items()))
