"""JSON lines: one object a row, its keys being the columns, by the standard library."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from assay.data.plain_text import PlainBatch, open_bytes
from assay.errors import BadData

_ROWS = 2**16
_PLAIN = (str, bool, int, float, type(None))


class JsonLines:
    """A file of JSON lines, perhaps compressed; the keys of its first object are its columns."""

    rows: int | None = None
    untyped: bool = False
    live: bool = False

    def __init__(self, path: Path) -> None:
        self._path = path
        first = next(self._objects(), None)
        if first is None:
            raise BadData(f"{path} holds only blank lines.")
        self.columns: tuple[str, ...] = tuple(first[1])

    @cached_property
    def schema(self) -> Any:
        """The types of the columns, which reading them all tells."""
        import pyarrow as pa

        schemas = [self._arrow(batch).schema for batch in self.batches(self.columns, _ROWS, ())]
        return pa.unify_schemas(schemas, promote_options="permissive")

    def batches(
        self, columns: Sequence[str], batch_rows: int, numbers: Collection[str]
    ) -> Iterator[PlainBatch]:
        """Rows in batches of Python values; what an object does not name is missing."""
        rows: dict[str, list[Any]] = {column: [] for column in columns}
        held = 0
        for number, entry in self._objects():
            for column in columns:
                rows[column].append(self._value(entry.get(column), column, number))
            held += 1
            if held == min(batch_rows, _ROWS):
                yield PlainBatch(rows)
                rows, held = {column: [] for column in columns}, 0
        if held:
            yield PlainBatch(rows)

    def cells(self, columns: Sequence[str], batch_rows: int, plain: object = None) -> Iterator[Any]:
        """The same rows as Arrow holds them."""
        import pyarrow as pa

        schema = pa.schema([self.schema.field(column) for column in columns])
        for batch in self.batches(columns, batch_rows, ()):
            yield self._arrow(batch, schema)

    def _arrow(self, batch: PlainBatch, schema: Any = None) -> Any:
        import pyarrow as pa

        try:
            return pa.RecordBatch.from_pydict(batch.columns, schema=schema)
        except (pa.ArrowException, TypeError) as problem:
            raise BadData(
                f"{self._path} holds values of several kinds in one column: {problem}. "
                f"Write the whole column one way."
            ) from None

    def _objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        with open_bytes(self._path) as lines:
            for number, line in enumerate(filter(bytes.strip, lines), start=1):
                try:
                    entry = json.loads(line)
                except ValueError:
                    entry = None
                if not isinstance(entry, dict) or not entry:
                    raise BadData(
                        f"{self._path} holds no JSON object in row {number}. Write one object a line."
                    )
                yield number, entry

    def _value(self, value: Any, column: str, row: int) -> Any:
        if not isinstance(value, _PLAIN):
            raise BadData(
                f"{self._path} holds a {type(value).__name__} in column {column!r}, row {row}; "
                f"a column holds text, numbers or truth values."
            )
        return value
