"""Sheets of Excel workbooks, written out as text: what holds of the cells of CSV files holds of theirs.

The first row that holds something is the header. Dates and times are written as ISO 8601 has them, durations as hours,
minutes and seconds, whole numbers without a point; a cell with an error, such as #N/A, is missing. Numbers that a sheet
holds as text are numbers, as they are in a CSV file.
"""

from __future__ import annotations

import csv
import difflib
import io
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from assay.data.location import book_and_sheet
from assay.errors import BadData, UnknownName
from assay.extras import needed_for


def sheet_as_text(path: Path) -> bytes:
    """A sheet of a workbook, the first if none is named, as comma-separated text."""
    file, named = book_and_sheet(path)
    with needed_for("Reading Excel workbooks"):
        import python_calamine as calamine
    try:
        book = calamine.CalamineWorkbook.from_path(file)
        names = book.sheet_names
        rows = (
            _rows(book, names[0] if named is None else named) if named in (None, *names) else None
        )
    except (calamine.CalamineError, OSError, ValueError) as problem:
        raise BadData(
            f"{file} cannot be read as an Excel workbook: it is damaged, protected by a password, or of another "
            f"format. Save it again as .xlsx."
        ) from problem
    if rows is None:
        close = difflib.get_close_matches(str(named), names, n=1)
        guess = f" Did you mean {close[0]!r}?" if close else ""
        shown = ", ".join(map(repr, names))
        noun = "sheet is" if len(names) == 1 else "sheets are"
        raise UnknownName(f"{file} has no sheet {named!r}.{guess} Its {noun} {shown}.")
    if not rows:
        others = [name for name in names if name != (named or names[0])]
        way = f" Name another one, such as '{file.name}#{others[0]}'." if others else ""
        raise BadData(f"{file} holds nothing in sheet {named or names[0]!r}.{way}")
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _rows(book: Any, name: str) -> list[list[str]]:
    """The cells of a sheet as text, without columns that have neither a name nor a value."""
    cells = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
    rows = [[_text(cell) for cell in row] for row in cells]
    while rows and not any(rows[-1]):
        rows.pop()
    kept = [i for i, column in enumerate(zip(*rows, strict=True)) if any(column)]
    return [[row[i] for i in kept] for row in rows]


def _text(cell: Any) -> str:
    match cell:
        case bool():
            return "true" if cell else "false"
        case float() if cell.is_integer() and abs(cell) < 2**53:
            return str(int(cell))
        case float():
            return repr(cell)
        case datetime():
            return cell.isoformat(sep=" ")
        case timedelta():
            return _hours(cell)
        case _:
            return str(cell)


def _hours(span: timedelta) -> str:
    """A duration as hours, minutes and seconds.

    Examples
    --------
    >>> _hours(timedelta(days=1, hours=6, minutes=5))
    '30:05:00'
    """
    seconds, rest = divmod(abs(span) // timedelta(microseconds=1), 10**6)
    sign = "-" if span < timedelta() else ""
    fraction = f".{rest:06}" if rest else ""
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}{fraction}"
