"""Losses of rows that come in units: how many rows of each unit are wrong, or one mean loss of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from assay.errors import BadData, require
from assay.evidence.evidence import Evidence, as_column, is_discrete
from assay.evidence.losses import MOST_KEPT, record_losses
from assay.evidence.units import counts_by_unit, unit_codes, unit_means
from assay.guarantees.assumption import Assumption
from assay.theory.tail.binomial import IID


def from_unit_losses(
    chunks: Iterable[tuple[Any, Any]],
    *,
    exact: bool = False,
    progress: Callable[[int], object] | None = None,
) -> Evidence:
    """Evidence from chunks of losses in [0, 1] and the unit of each row.

    Losses that are errors, as `assay.evidence.evidence.from_losses` says, are counted unit by unit. Of graded ones each
    unit has one, the mean of its rows, rounded up: units are drawn independently, and so are their means. They stand in
    the order in which units first come.

    Examples
    --------
    >>> seen = from_unit_losses([([0.5, 0.25, 1.0], ["ann", "bob", "ann"])])
    >>> seen.rows, seen.losses.values.tolist()
    (2, [0.75, 0.25])
    >>> from_unit_losses([([True, False, True], ["ann", "bob", "ann"])]).units
    ((0, 1, 1), (2, 2, 1))
    """
    held = [(as_column(losses), as_column(unit)) for losses, unit in chunks]
    rows = record_losses([losses for losses, _ in held], progress=progress)
    codes = unit_codes(*(unit for _, unit in held))
    require(codes.size == rows.rows, "unit", f"one name for each of {rows.rows} rows", codes.size)
    if rows.values is None:
        raise BadData(
            f"Losses of units are kept one by one, and {rows.rows:,} rows are more than the {MOST_KEPT:,} for which "
            "that can be done. Take the mean of each unit beforehand."
        )
    if exact or is_discrete(held[0][0]):
        require(rows.binary, "method", "another than 'exact' for graded losses", "exact")
        wrong = rows.values == 1.0
        counted = counts_by_unit(wrong, codes)
        return Evidence(rows=rows.rows, errors=int(wrong.sum()), data=rows.digest, units=counted)
    means = record_losses([unit_means(rows.values, codes)])
    sizes = np.bincount(codes)
    known = one_draw_each(len(sizes), int(sizes.min()), int(sizes.max()))
    return Evidence(rows=means.rows, errors=None, losses=means, data=means.digest, checked=(known,))


def one_draw_each(units: int, least: int, most: int) -> Assumption:
    """What is known of so many units, of `least` to `most` rows each, where each has one loss."""
    each = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    said = f"each of {units:,} units is one draw, with the mean loss of its rows: {each} of them"
    return Assumption(IID, "assumed", said)
