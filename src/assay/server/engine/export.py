"""Decisions as a file: Parquet, CSV, or a JSON object in each line; written piece by piece."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Literal, get_args

import msgspec

from assay.errors import BadParameter
from assay.server.engine.decisions import COLUMNS, decisions_of
from assay.server.engine.definition import Definition
from assay.server.engine.requests import encode
from assay.server.store.store import Store
from assay.server.store.trials import trials_of

Format = Literal["parquet", "jsonl", "csv"]
FORMATS: tuple[Format, ...] = get_args(Format)
MEDIA: dict[Format, str] = {
    "parquet": "application/vnd.apache.parquet",
    "jsonl": "application/x-ndjson",
    "csv": "text/csv",
}
#: Rows of a piece; of Parquet's row groups there are fewer, with more.
_ROWS, _GROUP = 1_000, 50_000

Learners = Iterable[tuple[int, str, Definition]]
"""Their numbers, names and definitions."""


class Export:
    """The decisions of learners in pieces of a file, as they were after an event.

    Parameters
    ----------
    store : Store
    learners : iterable of (number, name, definition)
    upto : int
        The place of that event.

    Attributes
    ----------
    rows : int
        How many have been written.
    """

    def __init__(self, store: Store, learners: Learners, upto: int) -> None:
        self._store, self._learners, self._upto = store, learners, upto
        self.rows = 0

    def pieces(self, kind: Format) -> Iterator[bytes]:
        """The file."""
        write = {"parquet": _parquet, "jsonl": _jsonl, "csv": _csv}[kind]
        return write(self._decisions())

    def _decisions(self) -> Iterator[dict[str, Any]]:
        for number, name, definition in self._learners:
            trials = trials_of(self._store, number, self._upto)
            for row in decisions_of(trials, name, definition):
                self.rows += 1
                yield row


def learners_of(store: Store, only: str | None = None) -> list[tuple[int, str, Definition]]:
    """The learners of a store, or one of them."""
    names = {number: name for number, name in store.names().items() if only in (None, name)}
    if only is not None and not names:
        raise BadParameter(f"There is no learner {only!r} in {store.path}.")
    held = []
    for number, name in names.items():
        created = next(store.events(number, most=1))
        definition = msgspec.convert(json.loads(created.body)["definition"], Definition)
        held.append((number, name, definition))
    return held


def _parts(rows: Iterator[dict[str, Any]], many: int) -> Iterator[list[dict[str, Any]]]:
    while part := list(islice(rows, many)):
        yield part


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """A row with times as people and programs read them."""
    times = {name: row[name] for name, kind in COLUMNS.items() if kind == "time"}
    return row | {name: None if at is None else _time(at) for name, at in times.items()}


def _time(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds")


def _jsonl(rows: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    for part in _parts(rows, _ROWS):
        yield b"".join(encode(_shown(row)) + b"\n" for row in part)


def _csv(rows: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    held = io.StringIO(newline="")
    writer = csv.DictWriter(held, COLUMNS, lineterminator="\n")
    writer.writeheader()
    yield held.getvalue().encode()
    for part in _parts(rows, _ROWS):
        held.seek(0)
        held.truncate()
        writer.writerows(map(_shown, part))
        yield held.getvalue().encode()


def _parquet(rows: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {
        "int": pa.int64(),
        "text": pa.string(),
        "flag": pa.bool_(),
        "number": pa.float64(),
        "time": pa.timestamp("ms", tz="UTC"),
    }
    schema = pa.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
    held = _Held()
    with pq.ParquetWriter(held, schema) as writer:
        for part in _parts(rows, _GROUP):
            writer.write_table(pa.Table.from_pylist(part, schema))
            yield held.taken()
    yield held.taken()


class _Held(io.RawIOBase):
    """A file that can only be written on, of which somebody takes what was written."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._at = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self._pieces.append(piece)
        self._at += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._at

    def taken(self) -> bytes:
        """What was written since."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)
