"""Which columns of a table hold forecasts: those of numbers, but the one that they are about."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass

from assay.data.cells import kind_of_cells, kind_of_type
from assay.data.table import open_table
from assay.errors import BadData

# So many rows tell what the columns of a CSV file hold.
_FIRST_ROWS = 2**12


@dataclass(frozen=True)
class ForecastColumns:
    """The columns of numbers, and those that hold none."""

    forecasts: tuple[str, ...]
    left_out: tuple[str, ...]


def forecast_columns(
    path: str, target: str, numbers: tuple[str, ...] = (), format: str | None = None
) -> ForecastColumns:
    r"""Look at a file's types, or at the first rows of text; standard input cannot be looked at twice.

    Parameters
    ----------
    path : str
        A file, or a pattern, of whose files the first is looked at.
    target : str
        The column that the forecasts are about.
    numbers : tuple of str
        Columns that hold numbers whatever they look like.
    format : str, optional
        As in `open_table`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(f"{folder}/days.csv", "w") as file:
    ...         _ = file.write("day,ann,bob,truth\nmonday,1,2,1.5\ntuesday,,3,2.5\n")
    ...     forecast_columns(f"{folder}/days.csv", "truth")
    ForecastColumns(forecasts=('ann', 'bob'), left_out=('day',))
    """
    if glob.has_magic(path) and not os.path.exists(path):
        path = next(iter(sorted(glob.glob(path, recursive=True))), path)
    table = open_table(path, format)
    table.check_names([target, *numbers])
    others = [column for column in table.columns if column != target]
    if table.untyped:
        first = next(iter(table.cells(others, _FIRST_ROWS)))
        # A column that has held nothing yet may still turn out to hold numbers.
        kinds = {c: kind_of_cells(first.column(c)) or "number" for c in others}
    else:
        schema = next(iter(table.scan(others, 1))).schema if table.schema is None else table.schema
        kinds = {c: kind_of_type(schema.field(c).type) or "text" for c in others}
    kept = tuple(c for c in others if kinds[c] != "text" or c in numbers)
    if not kept:
        raise BadData(f"{table.name} has no column of numbers besides {target!r}.")
    return ForecastColumns(kept, tuple(c for c in others if c not in kept))
