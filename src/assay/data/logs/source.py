"""A file that may be a log: what kind of text it is, and how it begins, by which formats know their own."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assay.data.logs.archive import Archive
from assay.data.logs.strict_json import parse, read_document, read_lines
from assay.data.plain_text import open_bytes
from assay.data.table import ending, first_bytes, format_of, open_table
from assay.errors import AssayError, BadData

Kind = Literal["zip", "xml", "json", "lines", "table"]

_HEAD = 2**16
_BOM = b"\xef\xbb\xbf"
_TAG = re.compile(rb"<([A-Za-z_][\w.-]*)")


@dataclass(frozen=True)
class Source:
    """A file and how it begins.

    Attributes
    ----------
    path : Path
        The file.
    kind : {"zip", "xml", "json", "lines", "table"}
        What it is made of: members, elements, one JSON value, JSON lines, or rows of columns.
    head : object
        The archive, the name of the root element, the JSON value, the first object, or the names of the columns.
    """

    path: Path
    kind: Kind
    head: Any


def open_source(path: Path) -> Source:
    """Look into a file; refuses one that is missing, empty or damaged."""
    if first_bytes(path) == b"PK\x03\x04":
        return Source(path, "zip", Archive(path))
    head = _head(path)
    if head.startswith(b"<"):
        tags = _TAG.findall(head)
        return Source(path, "xml", tags[0].decode() if tags else "")
    if head[:1] in (b"{", b"["):
        return _json(path, head)
    if format_of(path) is None:
        raise BadData(
            f"{path} is neither an evaluation log nor a table known here. Logs of Inspect AI, lm-evaluation-harness, "
            "promptfoo, DeepEval, OpenAI evals, HELM, pytest (JUnit XML) and MLflow are, and CSV and JSON lines."
        )
    return Source(path, "table", open_table(path).columns)


def _head(path: Path) -> bytes:
    try:
        with open_bytes(path) as file:
            return file.read(_HEAD).removeprefix(_BOM).lstrip()
    except (OSError, EOFError, zlib.error):
        raise BadData(f"{path} is damaged. Copy or write it again.") from None


def _json(path: Path, head: bytes) -> Source:
    """One JSON value, or an object a line."""
    first, _, rest = head.partition(b"\n")
    named = ending(path) in (".jsonl", ".ndjson")
    if named or (rest.strip() and _is_object(first)):
        return Source(path, "lines", next(read_lines(path))[1])
    return Source(path, "json", read_document(path))


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(parse(line, ""), dict)
    except AssayError:
        return False
