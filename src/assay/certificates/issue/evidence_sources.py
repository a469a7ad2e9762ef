"""Evidence from two counts, and from the columns of a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from assay.errors import require
from assay.evidence.evidence import (
    Evidence,
    Progress,
    Unseen,
    from_losses,
    from_pairs,
    from_quantities,
    from_units,
)
from assay.theory.needs import counts


def from_counts(errors: int, rows: int) -> Evidence:
    """Evidence from two numbers: so many errors among so many rows."""
    k, n = counts(errors, rows)
    return Evidence(rows=n, errors=k)


def from_table(
    path: str | os.PathLike[str],
    *,
    truth: str,
    prediction: str,
    labels: Sequence[Any] | None = None,
    unseen: Unseen = "refuse",
    partition: bool = False,
    unit: str | None = None,
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from two columns of a file, read in bounded memory; and from a third that names units."""
    from assay.data.table import open_table

    require(truth != prediction, "prediction", "another column than the truth", prediction)
    require(unit not in (truth, prediction), "unit", "a column of its own", unit)
    columns = [truth, prediction] if unit is None else [truth, prediction, unit]
    places = range(len(columns))
    read: Callable[..., Evidence] = from_pairs if unit is None else from_units
    return read(
        (tuple(map(batch.column, places)) for batch in open_table(path).scan(columns)),
        labels=labels,
        unseen=unseen,
        names=(truth, prediction),
        partition=partition,
        progress=progress,
    )


def from_quantity_table(
    path: str | os.PathLike[str],
    *,
    truth: str,
    prediction: str,
    unit: str | None = None,
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from two columns of numbers of a file; and from a third that names units."""
    from assay.data.table import open_table

    require(truth != prediction, "prediction", "another column than the truth", prediction)
    require(unit not in (truth, prediction), "unit", "a column of its own", unit)
    columns = [truth, prediction] if unit is None else [truth, prediction, unit]
    batches = open_table(path).scan(columns, numbers=[truth, prediction])
    return from_quantities(
        (tuple(map(batch.column, range(len(columns)))) for batch in batches),
        names=(truth, prediction),
        progress=progress,
    )


def from_loss_table(
    path: str | os.PathLike[str],
    *,
    loss: str,
    exact: bool = False,
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from a column of losses of a file, in the order of its rows."""
    from assay.data.table import open_table

    batches = open_table(path).scan([loss], numbers=[loss])
    chunks = (batch.column(0) for batch in batches)
    return from_losses(chunks, exact=exact, progress=progress)
