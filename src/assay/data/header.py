"""The header of separated text, and what is said of text that is no table: the same whoever reads it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any, ClassVar

from assay.errors import BadData

COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}

#: How many bytes are looked at for the header.
HEAD = 2**20

_WORDS = {"int64": "whole numbers", "double": "numbers", "bool": "truth values", "null": "nothing"}


def read_header(name: str, head: bytes, separator: str) -> tuple[str, ...]:
    r"""The names of the columns, from the beginning of the text.

    Examples
    --------
    >>> read_header("spam.csv", b"label,guess\nham,ham\n", ",")
    ('label', 'guess')
    """
    if not head:
        raise BadData(f"{name} is empty.")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadData(f"{name} is UTF-16 text. Save it as UTF-8.")
    if b"\0" in head:
        raise BadData(f"{name} is not text, and so not CSV. Check its format and name.")
    text = head.removeprefix(b"\xef\xbb\xbf").decode(errors="surrogateescape")
    lines = io.StringIO(text, newline="")
    try:
        records = csv.reader(lines, delimiter=separator)
        header = next((record for record in records if record), None)
    except csv.Error as problem:
        raise BadData(f"{name} has no readable header: {problem}.") from None
    if header is None:
        raise BadData(f"{name} holds only blank lines.")
    if any(not is_utf8(column) for column in header):
        raise not_utf8(name, "The header")
    if not lines.read().strip("\r\n"):
        if len(head) < HEAD:
            raise BadData(f"{name} has a header but no rows.")
        raise BadData(f"{name} has a first line of about 1 MB or more. Is it a table?")
    return tuple(header)


class SeparatedText:
    """A table of text, whoever reads it.

    Parameters
    ----------
    name : str
        What refusals call it.
    separator : str
    read : callable
        Opens its bytes from the beginning.
    live : bool
        Whether rows may still be arriving.
    """

    rows: int | None = None
    untyped: bool = True
    #: What goes wrong where a file cannot be unpacked.
    broken: ClassVar[tuple[type[Exception], ...]] = (OSError, EOFError)

    def __init__(
        self, name: str, separator: str, read: Callable[[], Any], live: bool = False
    ) -> None:
        self._name, self._separator, self._read, self.live = name, separator, read, live
        try:
            with read() as stream:
                self._head = bytes(stream.read(HEAD))
        except self.broken as problem:
            raise damaged(name) from problem
        self.columns = read_header(name, self._head, separator)


def is_utf8(text: str) -> bool:
    """Whether no byte of a text was escaped for being no UTF-8."""
    return not any("\udc80" <= sign <= "\udcff" for sign in text)


def odd_row(name: str, fields: int, columns: int, row: int) -> BadData:
    """The refusal of a row of another width."""
    held = "1 field" if fields == 1 else f"{fields} fields"
    return BadData(
        f"{name} has {held} in row {row}, but {columns} columns. "
        f"Complete the row, and quote cells that hold a separator."
    )


def misfit(name: str, cell: str, column: str, row: int, kind: str) -> BadData:
    """The refusal of a cell in a column of another kind, by Arrow's name; none where numbers were asked for."""
    place = f"{name} holds {cell!r} in column {column!r}, row {row}"
    if not kind:
        return BadData(f"{place}, where a number is needed.")
    before = _WORDS.get(kind, f"values of type {kind}")
    return BadData(f"{place}, but the rows before hold {before}. Write the whole column one way.")


def endless_row(name: str) -> BadData:
    """The refusal of a row that does not end."""
    return BadData(
        f"{name} has a row of more than 4 MB. Look for a quotation mark that is never closed."
    )


def not_utf8(name: str, where: str) -> BadData:
    """The refusal of other bytes than text."""
    return BadData(f"{name} is not UTF-8 text. {where} holds other bytes; save the file as UTF-8.")


def damaged(name: str) -> BadData:
    """The refusal of a file that cannot be unpacked."""
    return BadData(
        f"{name} cannot be unpacked or read to its end: it is cut short or damaged. "
        f"Copy or write it again."
    )
