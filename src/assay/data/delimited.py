"""CSV and TSV: files, compressed files and standard input.

An empty cell is a missing value, in text columns too; a word such as NA is text where its column is
text. The type of a column is that of its first rows (4 MB of them), and a later value that does not
fit it is refused with its row.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from assay.data.blocks import end_of_record, whole_rows
from assay.data.cells import has_padded
from assay.data.header import (
    COMPRESSIONS,
    HEAD,
    SeparatedText,
    damaged,
    endless_row,
    misfit,
    not_utf8,
    odd_row,
)
from assay.data.location import for_arrow
from assay.data.plain_rows import PlainReader, PlainRows
from assay.data.standard_input import head_then_all, some_of, standard_input
from assay.errors import BadData

_BLOCK = 2**22
_CONVERSION = re.compile(
    r"In CSV column #(\d+): (?:Row #(\d+): )?CSV conversion error to ([^:]+): "
    r"invalid (?:value '(.*)'|(UTF8) data)",
    re.DOTALL,
)
# A number with a decimal comma, and perhaps points between thousands; and one with a decimal point.
_COMMA = re.compile(r"^\s*[+-]?(\d+|\d{1,3}(\.\d{3})+)?,\d+([eE][+-]?\d+)?\s*$")
_POINT = re.compile(r"^\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*$")


class _Delimited(SeparatedText):
    """Separated text as Arrow reads it."""

    schema: pa.Schema | None = None
    broken = (pa.ArrowException, OSError, EOFError)

    def batches(
        self, columns: Sequence[str], batch_rows: int, numbers: Collection[str]
    ) -> Iterator[pa.RecordBatch]:
        odd_rows: list[Any] = []

        def refuse_row(row: Any) -> str:
            odd_rows.append(row)
            return "error"

        try:
            with self._read() as stream:
                reader = pa.csv.open_csv(
                    stream,
                    # One thread: only then does Arrow know row numbers. It loses no time, since
                    # batches are read ahead on a thread of their own.
                    read_options=pa.csv.ReadOptions(use_threads=False, block_size=_BLOCK),
                    parse_options=pa.csv.ParseOptions(
                        delimiter=self._separator,
                        newlines_in_values=True,
                        invalid_row_handler=refuse_row,
                    ),
                    convert_options=pa.csv.ConvertOptions(
                        include_columns=list(columns),
                        column_types=self._types(columns, numbers),
                        decimal_point="," if self._decimal_commas else ".",
                    ),
                )
                done = 0
                for batch in reader:
                    yield self._cleaned(batch, done)
                    done += batch.num_rows
        except self.broken as problem:
            raise self._refusal(problem, odd_rows, numbers) from problem

    @cached_property
    def _decimal_commas(self) -> bool:
        """Whether the first rows hold numbers with a comma, such as 1,5, and none with a point."""
        if self._separator == ",":
            return False
        text = self._head.decode(errors="replace")
        cells = [cell.strip() for line in _records(text, self._separator) for cell in line]
        return any(map(_COMMA.match, cells)) and not any(map(_POINT.match, cells))

    def _types(self, columns: Sequence[str], numbers: Collection[str]) -> dict[str, pa.DataType]:
        """What Arrow is not to guess: columns of numbers, and of names such as ``01``, by the first rows."""
        cut = len(self._head) == HEAD
        lines = self._head[: self._head.rfind(b"\n") + 1] if cut else self._head
        types = {c: pa.float64() for c in columns if c in numbers}
        asked = [c for c in columns if c not in numbers]
        if not asked or not lines:
            return types
        try:
            table, _ = self._parsed(lines, asked, headed=True, threads=False)
            padded = [c for c in asked if has_padded(table.column(c).cast(pa.string()))]
        except pa.ArrowException:
            return types  # what is wrong is said where the rows are read
        return types | dict.fromkeys(padded, pa.string())

    def cells(
        self, columns: Sequence[str], batch_rows: int, plain: PlainReader | None = None
    ) -> Iterator[pa.RecordBatch | PlainRows]:
        """Batches of text, each cell as it stands; all rows before a bad one come first."""
        done = 0
        try:
            with self._read() as stream:
                read = getattr(stream, "read1", stream.read) if self.live else stream.read
                ends = end_of_record(self._separator)
                for block in whole_rows(read, ends, _BLOCK, lambda: endless_row(self._name)):
                    rows = (
                        plain.read(block, self._separator, self.columns) if plain and done else None
                    )
                    if rows is not None:
                        yield rows
                        done += rows.num_rows
                        continue
                    batch, refusal = self._cells_of(block, columns, done)
                    if batch.num_rows:
                        yield batch
                    if refusal is not None:
                        raise refusal
                    done += batch.num_rows
        except self.broken as problem:
            raise damaged(self._name) from problem

    def _cells_of(
        self, block: bytes, columns: Sequence[str], done: int
    ) -> tuple[pa.RecordBatch, BadData | None]:
        """The rows of a block up to the first bad one, and what is wrong with that one."""
        headed = not done
        refusal = None
        table, odd = self._parsed(block, columns, headed, threads=True)
        if odd:
            # Only a single thread knows row numbers.
            table, odd = self._parsed(block, columns, headed, threads=False)
            good = odd[0].number - (2 if headed else 1)
            refusal = odd_row(self._name, odd[0].actual_columns, len(self.columns), done + good + 1)
            table = table.slice(0, good)
        arrays = []
        for name, column in zip(table.schema.names, table.columns, strict=True):
            array = column.combine_chunks()
            try:
                text = array.cast(pa.string())
            except pa.ArrowInvalid:
                good = _first_odd(array)
                refusal = not_utf8(self._name, f"Column {name!r}, row {done + good + 1}")
                table = table.slice(0, good)
                text = array.slice(0, good).cast(pa.string())
            text = _empty_as_missing(text)
            arrays.append(with_decimal_points(text) if self._decimal_commas else text)
        arrays = [array.slice(0, table.num_rows) for array in arrays]
        return pa.RecordBatch.from_arrays(arrays, names=table.schema.names), refusal

    def _parsed(
        self, block: bytes, columns: Sequence[str], headed: bool, threads: bool
    ) -> tuple[pa.Table, list[Any]]:
        odd: list[Any] = []

        def skip(row: Any) -> str:
            odd.append(row)
            return "skip"

        # Pieces of a block are read side by side, unless a row is longer than a piece.
        size = 2**20 if threads else len(block) + 1
        try:
            table = pa.csv.read_csv(
                pa.BufferReader(block),
                read_options=pa.csv.ReadOptions(
                    use_threads=threads,
                    block_size=size,
                    column_names=None if headed else list(self.columns),
                ),
                parse_options=pa.csv.ParseOptions(
                    delimiter=self._separator, newlines_in_values=True, invalid_row_handler=skip
                ),
                convert_options=pa.csv.ConvertOptions(
                    include_columns=list(columns),
                    column_types={column: pa.binary() for column in columns},
                ),
            )
        except pa.ArrowInvalid:
            if not threads:
                raise
            return self._parsed(block, columns, headed, threads=False)
        return table, odd

    def _cleaned(self, batch: pa.RecordBatch, done: int) -> pa.RecordBatch:
        """The batch with empty text as missing; refuses bytes, which is what Arrow makes of text
        that is not UTF-8.
        """
        arrays = []
        for name, array in zip(batch.schema.names, batch.columns, strict=True):
            if pa.types.is_binary(array.type):
                raise not_utf8(self._name, f"Column {name!r}, row {done + _first_odd(array) + 1}")
            text = pa.types.is_string(array.type)
            arrays.append(_empty_as_missing(array) if text else array)
        return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)

    def _refusal(
        self, problem: Exception, odd_rows: Sequence[Any], numbers: Collection[str]
    ) -> BadData:
        if odd_rows:
            return odd_row(
                self._name, odd_rows[0].actual_columns, len(self.columns), odd_rows[0].number - 1
            )
        cell = _CONVERSION.search(str(problem))
        if cell is not None:
            column, row = self.columns[int(cell[1])], int(cell[2]) - 1
            if cell[5]:
                return not_utf8(self._name, f"Column {column!r}, row {row}")
            wanted = "" if column in numbers else cell[3]
            return misfit(self._name, cell[4], column, row, wanted)
        if "straddl" in str(problem):
            return endless_row(self._name)
        return damaged(self._name)


def with_decimal_points(text: pa.Array) -> pa.Array:
    """Text where numbers such as 1.234,5 are written 1234.5, and everything else stands as it is.

    Examples
    --------
    >>> with_decimal_points(pa.array(["1,5", "-1.234,50", "a,b", None])).to_pylist()
    ['1.5', '-1234.50', 'a,b', None]
    """
    number = pc.match_substring_regex(text, _COMMA.pattern)
    points = pc.replace_substring(pc.replace_substring(text, ".", ""), ",", ".")
    return pc.if_else(number, points, text)


def _empty_as_missing(array: pa.Array) -> pa.Array:
    empty = pc.equal(pc.binary_length(array), 0)
    if not pc.any(empty).as_py():
        return array
    return pc.if_else(empty, pa.scalar(None, array.type), array)


def _first_odd(array: pa.Array) -> int:
    for i, value in enumerate(array.to_pylist()):
        try:
            (value or b"").decode()
        except UnicodeDecodeError:
            return i
    return 0


def open_text(path: Path, separator: str) -> _Delimited:
    """A file of comma- or tab-separated text, perhaps compressed."""
    return _Delimited(str(path), separator, lambda: unpacked(path))


def open_held(name: str, text: bytes, separator: str) -> _Delimited:
    """Separated text that is in memory."""
    return _Delimited(name, separator, lambda: pa.BufferReader(text))


def unpacked(path: Path) -> Any:
    """The bytes of a file, by Arrow."""
    return pa.input_stream(for_arrow(path), compression=COMPRESSIONS.get(path.suffix.lower()))


def open_input(separator: str) -> _Delimited:
    """Separated text from standard input, which can be scanned once."""
    stream = standard_input()
    try:
        head = _head_of_input(stream, separator)
    except _Delimited.broken as problem:
        raise damaged("standard input") from problem
    return _Delimited("standard input", separator, head_then_all(head, stream), live=True)


def _head_of_input(stream: IO[bytes], separator: str) -> bytes:
    """The beginning of standard input: header and first row, as soon as they have arrived."""
    ends = end_of_record(separator)
    head = b""
    while len(head) < HEAD and (some := some_of(stream, HEAD)):
        head += some
        text = head[: ends(head)].decode(errors="replace")
        if len(list(itertools.islice(filter(None, _records(text, separator)), 2))) == 2:
            break
    return head


def _records(text: str, separator: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    except csv.Error:
        return  # what is wrong is said where the header is read
