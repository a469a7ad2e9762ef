"""One table in several files: those of a folder or a pattern, with one schema, one after the other by their names.

Where folders are named ``key=value``, each key is a column. Files that differ in their columns are refused, and so are
those that hold different kinds of values in one; whole numbers beside others, and columns that are empty in one of the
files, are of one kind.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.data.location import base_of, files_of, keys_of
from assay.errors import BadData

if TYPE_CHECKING:
    import pyarrow as pa

    from assay.data.table import Source, Table


class Part:
    """A file as a part of a table: with the keys of its folders, and each column of the type that all parts share."""

    live: bool = False

    def __init__(self, name: str, source: Source, keys: dict[str, str | int | None]) -> None:
        self.name, self._source, self._keys = name, source, keys
        self.columns = (*source.columns, *keys)
        self.rows, self.untyped = source.rows, source.untyped
        self.schema: Any = source.schema
        #: The columns to convert, and to what.
        self.types: dict[str, pa.DataType] = {}

    def batches(
        self, columns: Sequence[str], batch_rows: int, numbers: Collection[str]
    ) -> Iterator[Any]:
        """Batches as the file has them, and the keys."""
        return self._with_keys(columns, self._source.batches, batch_rows, numbers)

    def cells(self, columns: Sequence[str], batch_rows: int, plain: Any = None) -> Iterator[Any]:
        """The same; keys of untyped cells are text."""
        # Rows of numbers alone have no columns that could be added to.
        given = None if self._keys else plain
        return self._with_keys(columns, self._source.cells, batch_rows, given, text=self.untyped)

    def _with_keys(
        self, columns: Sequence[str], read: Any, batch_rows: int, given: Any, text: bool = False
    ) -> Iterator[Any]:
        held = [name for name in columns if name not in self._keys]
        # Of a file of which nothing is asked, the rows are counted by its first column.
        for batch in read(held or list(self._source.columns[:1]), batch_rows, given):
            yield self._completed(batch, columns, text)

    def _completed(self, batch: Any, columns: Sequence[str], text: bool) -> Any:
        keys = {n: v for n, v in self._keys.items() if n in columns}
        if hasattr(batch, "schema"):
            return self._arrow(batch, keys, columns, text)
        if not keys:
            return batch
        from assay.data.plain_text import PlainBatch

        return PlainBatch(batch.columns | {n: [v] * batch.num_rows for n, v in keys.items()})

    def _arrow(
        self, batch: Any, keys: dict[str, Any], columns: Sequence[str], text: bool
    ) -> pa.RecordBatch:
        import pyarrow as pa

        arrays = {}
        for name in columns:
            if name not in keys:
                arrays[name] = _cast(batch.column(name), self.types.get(name))
                continue
            value = keys[name]
            as_text = text or not isinstance(value, int)
            scalar = pa.scalar(
                str(value) if as_text and value is not None else value,
                pa.string() if as_text else pa.int64(),
            )
            arrays[name] = _cast(
                pa.repeat(scalar, batch.num_rows), None if text else self.types.get(name)
            )
        return pa.RecordBatch.from_arrays(list(arrays.values()), names=list(arrays))


class Joined:
    """Parts one after the other."""

    live: bool = False

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self.columns, self.untyped, self.schema = (
            parts[0].columns,
            parts[0].untyped,
            parts[0].schema,
        )
        rows = [part.rows for part in parts]
        self.rows = None if None in rows else sum(filter(None, rows))

    def batches(
        self, columns: Sequence[str], batch_rows: int, numbers: Collection[str]
    ) -> Iterator[Any]:
        """Batches of all parts; refuses a file whose text stands for values of another kind."""
        first = None
        for part in self._parts:
            for batch in part.batches(columns, batch_rows, numbers):
                if self.untyped and hasattr(batch, "schema"):
                    first = first or batch
                    batch = _like(batch, first, part.name, self._parts[0].name)
                yield batch

    def cells(self, columns: Sequence[str], batch_rows: int, plain: Any = None) -> Iterator[Any]:
        """Cells of all parts."""
        for part in self._parts:
            yield from part.cells(columns, batch_rows, plain)


def open_parts(path: str | os.PathLike[str], format: str | None = None) -> list[Table]:
    """The files of a folder or pattern, each as a table with the same columns of the same types."""
    from assay.data.table import opened, source_of

    base, files = base_of(path), files_of(path)
    sources = [source_of(file, format) for file in files]
    keys = _typed(files, [keys_of(file, base) for file in files])
    parts = [Part(str(f), s, k) for f, s, k in zip(files, sources, keys, strict=True)]
    held = [part for part in parts if part.rows != 0]
    if not held:
        raise BadData(f"{path} holds no rows.")
    for part in held:
        opened(part.name, part)
        if part.untyped != held[0].untyped:
            raise BadData(
                f"{part.name} and {held[0].name} are of different formats. Read them apart, by a pattern such as "
                f"'{base}/*{Path(part.name).suffix}'."
            )
        _require_same_names(part, held[0])
    if held[0].schema is not None:
        _share_types(held)
    return [opened(part.name, part) for part in held]


def join(name: str, tables: Sequence[Table]) -> Table:
    """Several tables as one."""
    from assay.data.table import opened

    return opened(name, Joined([table._source for table in tables]))  # type: ignore[misc]


def _typed(
    files: Sequence[Path], keys: list[dict[str, str | None]]
) -> list[dict[str, str | int | None]]:
    """The keys of folders, as whole numbers where all of them are."""
    for file, one in zip(files, keys, strict=True):
        if set(one) != set(keys[0]):
            key = sorted(set(one) ^ set(keys[0]))[0]
            other = files[0] if key in one else file
            raise BadData(f"{other} lies in no folder named '{key}=...', as other files do.")
    whole = {key for key in keys[0] if all(_is_whole(one[key]) for one in keys)}
    return [
        {k: int(v) if k in whole and v is not None else v for k, v in one.items()} for one in keys
    ]


def _is_whole(value: str | None) -> bool:
    return value is None or (str(int(value)) == value if value.lstrip("-").isdecimal() else False)


def _require_same_names(part: Part, first: Part) -> None:
    absent = next((name for name in first.columns if name not in part.columns), None)
    if absent is not None:
        raise BadData(
            f"{part.name} has no column {absent!r}, which {first.name} has. Files of one table have the same columns."
        )
    added = next((name for name in part.columns if name not in first.columns), None)
    if added is not None:
        raise BadData(
            f"{part.name} has a column {added!r}, which {first.name} has not. Files of one table have the same columns."
        )


def _share_types(parts: Sequence[Part]) -> None:
    """Find for each column the type that can hold the values of all parts."""
    import pyarrow as pa

    from assay.data.cells import is_text

    shared: dict[str, pa.DataType] = {}
    for part in parts:
        for name, value in part._keys.items():
            kind = pa.int64() if isinstance(value, int) else pa.string()
            part.schema = part.schema.append(pa.field(name, kind))
        for field in part.schema:
            known = shared.get(field.name)
            kind = pa.string() if is_text(field.type) else field.type
            try:
                shared[field.name] = kind if known is None else _common(known, kind)
            except pa.ArrowException:
                raise BadData(
                    f"{part.name} holds values of type {field.type} in column {field.name!r}, but {parts[0].name} "
                    f"values of type {parts[0].schema.field(field.name).type}. Write the column one way."
                ) from None
    schema = pa.schema([(name, shared[name]) for name in parts[0].columns])
    for part in parts:
        part.schema = schema
        part.types = {
            name: pa.dictionary(pa.int32(), pa.string()) if pa.types.is_string(kind) else kind
            for name, kind in shared.items()
        }


def _common(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    schemas = [pa.schema([("column", kind)]) for kind in (one, other)]
    return pa.unify_schemas(schemas, promote_options="permissive").field("column").type


def _cast(array: pa.Array, kind: pa.DataType | None) -> pa.Array:
    import pyarrow as pa

    if kind is None or array.type == kind:
        return array
    if not pa.types.is_dictionary(kind):
        return array.cast(kind)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return array.cast(kind.value_type).dictionary_encode().cast(kind)


def _like(batch: Any, first: Any, name: str, first_name: str) -> Any:
    """A batch of text with the types that the first file seems to have."""
    import pyarrow as pa

    for field in batch.schema:
        wanted = first.schema.field(field.name).type
        if field.type != wanted and not pa.types.is_null(field.type):
            raise BadData(
                f"{name} seems to hold values of type {field.type} in column {field.name!r}, but {first_name} values "
                f"of type {wanted}. Write the column one way."
            )
    return batch.cast(first.schema) if batch.schema != first.schema else batch
