"""What was seen of two models on the same rows: on how many only the one, or only the other, is wrong; or losses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.errors import BadData, Words
from assay.evidence.evidence import as_column, from_pairs
from assay.evidence.labels import Measured
from assay.evidence.losses import MOST_KEPT, record_losses
from assay.evidence.tally import wrong_rows
from assay.evidence.units import unit_codes, unit_means
from assay.types import Bools, Floats

UnitKinds = tuple[tuple[int, int, int], ...]
"""On how many more rows of a unit the old model is wrong, its rows, and how many such units."""


@dataclass(frozen=True)
class Paired:
    """What two models did on the same rows, and the digests that tie it to data.

    Attributes
    ----------
    rows : int
        How many rows; of graded losses of units, how many units.
    only_old, only_new : int
        On how many of them only the old model, or only the new one, is wrong; 0 for graded losses.
    units : tuple of (difference, rows, number of such units), or None
        Where rows come in units: on how many more rows the old model is wrong, in units of which size.
    old_losses, new_losses : array of float64, or None
        Where losses are graded: that of each row, or the mean of each unit.
    over_units : bool
        Whether they are means of units.
    old, new : str
        What the models are called; empty where they have no names.
    data, predictions, baseline : str or None
        Digests of the truth and of what the new and the old model gave.
    holdout, partition : str or None
        What a ledger knows the rows by.
    known_rows : array of uint8, or None
        The digests of the rows, by which a ledger knows them too.
    checked : tuple of Assumption
        Conditions that were looked into on the way.
    notes : tuple of str
        What else there is to tell.
    """

    rows: int
    only_old: int
    only_new: int
    units: UnitKinds | None = None
    old_losses: Floats | None = field(default=None, repr=False, compare=False)
    new_losses: Floats | None = field(default=None, repr=False, compare=False)
    over_units: bool = False
    old: str = ""
    new: str = ""
    data: str | None = None
    predictions: str | None = None
    baseline: str | None = None
    holdout: str | None = None
    partition: str | None = None
    known_rows: Any = field(default=None, repr=False, compare=False)
    checked: tuple[Any, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def graded(self) -> bool:
        """Whether what was seen are losses between 0 and 1 and no errors."""
        return self.old_losses is not None


_BY_LOSSES = (
    "models of quantities are compared by their losses, from 0 to 1 on every row, such as 1 where it is off by more "
    "than you allow: give them as ",
    Words("loss and baseline_loss", "a column, named with --loss"),
    ".",
)


def from_paired_labels(
    truth: Any, new: Any, old: Any, unit: Any = None, *, partition: bool = False
) -> Paired:
    """Two models' predictions beside the truth of the same rows.

    With `partition` it also tells which rows share a label, which a ledger asks for.

    Examples
    --------
    >>> seen = from_paired_labels([0, 1, 1, 0], [0, 1, 1, 1], [1, 1, 0, 1])
    >>> seen.only_old, seen.only_new
    (2, 0)
    """
    truth, new, old = (as_column(column) for column in (truth, new, old))
    try:
        of_new, of_old = (
            from_pairs(
                [(truth, column)], unseen="wrong", names=("truth", name), partition=partition
            )
            for column, name in ((new, "prediction"), (old, "baseline"))
        )
    except Measured as refused:
        raise Measured(refused.args[0], *_BY_LOSSES) from None
    new_wrong, old_wrong = (np.asarray(wrong_rows(truth, column)) for column in (new, old))
    return Paired(
        of_new.rows,
        *_differing(old_wrong, new_wrong),
        _by_unit(old_wrong.astype(np.int64) - new_wrong, unit),
        data=of_new.data,
        predictions=of_new.predictions,
        baseline=of_old.predictions,
        holdout=of_new.holdout,
        partition=of_new.partition,
    )


def from_paired_errors(old_wrong: Bools, new_wrong: Bools, unit: Any = None) -> Paired:
    """Which rows each of two models gets wrong."""
    more = old_wrong.astype(np.int64) - new_wrong
    return Paired(len(more), *_differing(old_wrong, new_wrong), _by_unit(more, unit))


def from_paired_losses(new: Any, old: Any, unit: Any = None) -> Paired:
    """Two models' losses between 0 and 1 on the same rows, in the order in which these were drawn.

    Losses of a whole-number or truth-value type are errors, as in `assay.evidence.evidence.from_losses`.

    Examples
    --------
    >>> seen = from_paired_losses([0.25, 0.5], [0.5, 1.0], unit=["ann", "ann"])
    >>> seen.rows, seen.old_losses.tolist(), seen.new_losses.tolist()
    (1, [0.75], [0.375])
    >>> from_paired_losses([0, 1], [True, True]).only_old
    1
    """
    from assay.evidence.evidence import is_discrete

    new, old = as_column(new), as_column(old)
    of_new, of_old = record_losses([new], name="loss"), record_losses([old], name="baseline_loss")
    if of_new.rows != of_old.rows:
        raise BadData(
            f"loss and baseline_loss must be of the same rows, but are of {of_new.rows:,} and {of_old.rows:,}."
        )
    if of_new.values is None or of_old.values is None:
        raise BadData(
            f"A certificate keeps every loss of two models, and {of_new.rows:,} rows are more than the "
            f"{MOST_KEPT:,} for which it can. Give a random sample of them."
        )
    digests: dict[str, Any] = {"predictions": of_new.digest, "baseline": of_old.digest}
    if is_discrete(new) and is_discrete(old):
        wrong = (of_old.values == 1.0), (of_new.values == 1.0)
        more = wrong[0].astype(np.int64) - wrong[1]
        return Paired(of_new.rows, *_differing(*wrong), _by_unit(more, unit), **digests)
    before, after = of_old.values, of_new.values
    if unit is not None:
        codes = _codes(unit, of_new.rows)
        before, after = unit_means(before, codes, below=True), unit_means(after, codes)
    return Paired(
        len(after),
        0,
        0,
        old_losses=before,
        new_losses=after,
        over_units=unit is not None,
        **digests,
    )


def _differing(old_wrong: Bools, new_wrong: Bools) -> tuple[int, int]:
    """On how many rows only the old model is wrong, and on how many only the new one."""
    return int((old_wrong & ~new_wrong).sum()), int((new_wrong & ~old_wrong).sum())


def _codes(unit: Any, rows: int) -> Any:
    codes = unit_codes(as_column(unit))
    if len(codes) != rows:
        raise BadData(f"unit has {len(codes):,} rows, but the models have {rows:,}.")
    return codes


def _by_unit(more: Any, unit: Any) -> UnitKinds | None:
    """On how many more rows the old model is wrong, unit by unit."""
    if unit is None:
        return None
    codes = _codes(unit, len(more))
    size = int(codes.max()) + 1
    totals = np.bincount(codes, more.astype(float), size).astype(int)
    rows = np.bincount(codes, minlength=size)
    kinds = Counter(zip(totals.tolist(), rows.tolist(), strict=True))
    return tuple((*kind, many) for kind, many in sorted(kinds.items()))
