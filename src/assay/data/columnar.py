"""Parquet and Feather (Arrow IPC) files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pyarrow as pa

from assay.data.location import for_arrow
from assay.errors import BadData

# Column chunks are read piecewise, or a file of one huge row group would be held in memory.
_READ_BYTES = 2**22
_LARGE_GROUP = 2**19


@contextmanager
def _readable(path: Path, form: str) -> Iterator[None]:
    """Turn whatever Arrow says about a file into one sentence."""
    try:
        yield
    # Arrow reports damage as any of these, depending on where the damage lies.
    except (pa.ArrowException, OSError, EOFError, ValueError, MemoryError) as problem:
        raise BadData(
            f"{path} cannot be read as {form}: it is cut short, damaged, or of another format. "
            f"Copy or write it again."
        ) from problem


class _Columnar:
    """What Parquet and Feather have in common: columns of declared types, in a file at rest."""

    untyped: bool = False
    live: bool = False
    schema: pa.Schema | None
    columns: tuple[str, ...]
    rows: int | None = None

    def __init__(self, path: Path) -> None:
        self._path = path

    def batches(
        self, columns: Sequence[str], batch_rows: int, numbers: Collection[str]
    ) -> Iterator[pa.RecordBatch]:
        raise NotImplementedError

    def cells(
        self, columns: Sequence[str], batch_rows: int, plain: object = None
    ) -> Iterator[pa.RecordBatch]:
        """Batches as the file has them."""
        return self.batches(columns, batch_rows, ())


@contextmanager
def _parquet(path: Path, **terms: Any) -> Iterator[Any]:
    import pyarrow.parquet as pq

    named = for_arrow(path)
    with (
        nullcontext(named) if isinstance(named, str) else named,
        pq.ParquetFile(named, **terms) as file,
    ):
        yield file


class _Parquet(_Columnar):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with _readable(path, "Parquet"), _parquet(path) as file:
            self.schema = file.schema_arrow
            self.columns = tuple(file.schema_arrow.names)
            self.rows = file.metadata.num_rows
            self._group = file.metadata.row_group(0).num_rows if self.rows else 0
            self._text = {
                column.name
                for column in file.schema_arrow
                if pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
            }

    def batches(
        self, columns: Sequence[str], batch_rows: int, numbers: Collection[str]
    ) -> Iterator[pa.RecordBatch]:
        text = [column for column in columns if column in self._text]
        if _LARGE_GROUP <= self._group <= batch_rows:
            batch_rows = self._group  # a batch that crosses groups takes half as long again
        with (
            _readable(self._path, "Parquet"),
            _parquet(
                self._path,
                read_dictionary=text,
                buffer_size=_READ_BYTES,
                page_checksum_verification=True,
            ) as file,
        ):
            for batch in file.iter_batches(batch_rows, columns=list(columns)):
                for column in text:
                    # Neither the codes nor the text of a damaged file are checked on reading.
                    batch.column(column).validate(full=True)
                yield batch


def _mapped(path: Path) -> pa.NativeFile:
    named = for_arrow(path)
    return pa.memory_map(named) if isinstance(named, str) else pa.PythonFile(named)


class _Arrow(_Columnar):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with _readable(path, "Feather"), open(path, "rb") as file:
            self._stream = not file.read(6).startswith(b"ARROW1")
            # A stream has no signature, but starts with a continuation mark.
            file.seek(0)
            if self._stream and file.read(4) != b"\xff\xff\xff\xff":
                raise ValueError("no Arrow signature")
        with _readable(path, "Feather"), _mapped(path) as mapped:
            if self._stream:
                schema = pa.ipc.open_stream(mapped).schema
            else:
                file = pa.ipc.open_file(mapped)
                schema = file.schema
                # Recent versions of Arrow count from the metadata alone.
                self.rows = file.count_rows() if hasattr(file, "count_rows") else None
            self.schema, self.columns = schema, tuple(schema.names)

    def batches(
        self, columns: Sequence[str], batch_rows: int, numbers: Collection[str]
    ) -> Iterator[pa.RecordBatch]:
        wanted = sorted(self.columns.index(column) for column in columns)
        options = pa.ipc.IpcReadOptions(included_fields=wanted)
        with _readable(self._path, "Feather"), _mapped(self._path) as mapped:
            if self._stream:
                stream = pa.ipc.open_stream(mapped, options=options)
            else:
                file = pa.ipc.open_file(mapped, options=options)
                stream = map(file.get_batch, range(file.num_record_batches))
            for batch in stream:
                # Offsets and indices are used as they stand in the file: check before following.
                batch.validate(full=True)
                yield batch


#: What reads a file, by what its format is called.
FORMS = {"Parquet": _Parquet, "Feather": _Arrow}
