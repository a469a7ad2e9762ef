"""The log as a Parquet file, in its order."""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from assay.errors import BadParameter
from assay.server.store.event import Event
from assay.server.store.store import Store
from assay.whole_file import whole_file

_ROWS = 50_000
_SCHEMA = pa.schema(
    [
        ("seq", pa.int64()),
        ("learner", pa.int64()),
        ("name", pa.string()),
        ("kind", pa.string()),
        ("at", pa.timestamp("ms", tz="UTC")),
        ("trial", pa.string()),
        ("body", pa.string()),
        ("link", pa.string()),
    ]
)


def export_log(store: Store, path: str | os.PathLike[str], learner: str | None = None) -> int:
    """Write the events of a store, or of one learner, to a file; returns how many."""
    names = store.names()
    number = None
    if learner is not None:
        number = next((n for n, name in names.items() if name == learner), None)
        if number is None:
            raise BadParameter(f"There is no learner {learner!r} in {store.path}.")
    written, after = 0, 0
    with whole_file(path) as file, pq.ParquetWriter(file, _SCHEMA) as writer:
        while part := list(store.events(number, after=after, most=_ROWS)):
            writer.write_table(_table(part, names))
            written, after = written + len(part), part[-1].seq
    return written


def _table(events: list[Event], names: dict[int, str]) -> Any:
    columns = dict(zip(Event._fields, zip(*events, strict=True), strict=True))
    columns["name"] = tuple(names.get(n) for n in columns["learner"])
    return pa.table({f.name: pa.array(columns[f.name], f.type) for f in _SCHEMA}, _SCHEMA)
