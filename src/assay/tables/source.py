"""The rows of a table with their labels, as `fit` and `compare` take them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assay.data.cells import Kind, Place, kind_of_labels, kind_of_type, labels
from assay.data.frames import FRAME, as_table, is_frame, open_frame
from assay.data.location import base_of, files_of, is_several
from assay.data.numbered import Numbered, numbered
from assay.data.remedies import IN_CATEGORIES
from assay.data.table import Table, format_of, open_table, separator_hint
from assay.errors import BadData, BadParameter, UnknownName, Words
from assay.evidence.quantities import LARGEST
from assay.evidence.rows import row_digests, rows_digest
from assay.evidence.units import unit_codes
from assay.files import is_libsvm, read_table
from assay.tables.labelled import unlabelled_note, with_label
from assay.tables.task import MOST_NUMBERS, AskedTask, Task, task_of
from assay.tables.time_column import read_time
from assay.types import Array, Ints

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Source:
    """A table, the column to predict, and how its columns are to be read.

    Parameters
    ----------
    path : path
        CSV, TSV, Parquet, Feather, Excel, or libsvm text, or a folder or pattern of such files; for a data frame, what
        to call it.
    target : str or None
        The column to predict; libsvm text has none.
    columns : sequence of str, optional
        The columns to learn from; all but the target if not given.
    drop, categories, numbers : collection of str
        Columns to leave out, to read as categories, and to read as numbers.
    format : str, optional
        What the file is, where its name does not tell.
    unit : str, optional
        The column that says what a row belongs to; nothing is learned from it.
    keep, after_event : collection of str
        Columns to learn from though they look like ids, and columns to leave out because they are known only
        after what is to be predicted.
    frame : pyarrow.Table, optional
        The table itself, where it is no file.
    time : str, optional
        The column that says when a row came; nothing is learned from it.
    task : {"auto", "classes", "quantity"}
        What the target holds; by default its values tell.
    """

    path: Path
    target: str | None
    columns: Sequence[str] | None = None
    drop: Collection[str] = ()
    categories: Collection[str] = ()
    numbers: Collection[str] = ()
    format: str | None = None
    unit: str | None = None
    keep: Collection[str] = ()
    after_event: Collection[str] = ()
    frame: Any = field(default=None, repr=False, compare=False)
    time: str | None = None
    task: AskedTask = "auto"

    @classmethod
    def of(cls, data: Any, target: str | None, **ways: Any) -> Source:
        """A file by its name, or a data frame; `ways` as in the class."""
        if is_frame(data):
            # In a sentence, and so without its capital.
            return cls(Path(FRAME[0].lower() + FRAME[1:]), target, frame=as_table(data), **ways)
        return cls(Path(data), target, **ways)

    @property
    def libsvm(self) -> bool:
        """Whether the file is libsvm text, whose features are numbers already."""
        return self.frame is None and is_libsvm(self.path, self.format)

    def beside(self, data: Any) -> Source:
        """Another table that is read in the same way; of the same format, where its name does not tell."""
        if is_frame(data):
            other = Path("the data frame to test on")
            return replace(self, path=other, frame=as_table(data), format=None)
        path = Path(data)
        if self.frame is not None:
            return replace(self, path=path, frame=None)
        if path.exists() and self.path.exists() and path.samefile(self.path):
            raise BadParameter(
                f"{path} is the table that is learned from: its rows cannot test what was learned from them."
            )
        first = files_of(path)[0]
        known = first.is_file() and format_of(first) is not None
        return replace(self, path=path, format=None if known else self.format)

    def open(self) -> Table:
        """The table, with all columns that are asked for."""
        table = (
            open_table(self.path, self.format)
            if self.frame is None
            else open_frame(self.frame, self.name)
        )
        if self.target is None:
            raise BadParameter(
                "Name the column to predict ",
                Words("as target", "with {}", "target"),
                f"; {self.path} has {_some(table.columns)}.",
                remedy=separator_hint(table.columns),
            )
        named = (*self.drop, *self.categories, *self.numbers, *self.keep, *self.after_event)
        table.check_names([self.target, *named])
        for what, column in (("unit", self.unit), ("time", self.time)):
            if column is not None:
                table.check_names([column])
                if column == self.target:
                    raise BadParameter(
                        f"{what} must be a column of its own, but {column!r} is the target."
                    )
        if self.columns is not None:
            table.check_names(list(self.columns))
        both = next((name for name in self.categories if name in self.numbers), None)
        if both is not None:
            raise BadParameter(f"Column {both!r} cannot be read both as categories and as numbers.")
        if self.target in self.after_event:
            raise BadParameter(
                f"after_event must name columns to leave out, but {self.target!r} is to be predicted."
            )
        both = next((name for name in self.keep if name in (*self.after_event, *self.drop)), None)
        if both is not None:
            raise BadParameter(f"Column {both!r} cannot be both kept and left out.")
        return table

    def features_of(self, table: Table) -> list[str]:
        """The columns to learn from, in the order of the table."""
        asked = table.columns if self.columns is None else self.columns
        left_out = {self.target, self.unit, self.time, *self.drop, *self.after_event}
        kept = [name for name in dict.fromkeys(asked) if name not in left_out]
        if not kept:
            raise BadData(
                f"{table.name} holds no column to learn from but the target {self.target!r}."
            )
        return kept

    def ways_of(self, columns: Sequence[str]) -> dict[str, Any]:
        """Which of these columns are to be read as categories, and which as numbers."""
        asked = {"categories": self.categories, "numbers": self.numbers}
        return {way: [name for name in columns if name in names] for way, names in asked.items()}

    @property
    def classes_declared(self) -> bool:
        """Whether the target is said to hold categories, however many numbers there are."""
        return self.task == "classes" or self.target in self.categories

    @property
    def asked_task(self) -> AskedTask:
        """What the target is said to hold."""
        return "classes" if self.classes_declared else self.task

    def digest(self) -> str:
        """The digest of the file, of all files of a folder or pattern, or of the rows of a data frame."""
        from assay.evidence.digest import digest_file, digest_files

        if self.frame is not None:
            return rows_digest(row_digests(comparable(plain_texts(self.frame))))
        files = files_of(self.path)
        return (
            digest_files(files, base_of(self.path))
            if is_several(self.path)
            else digest_file(*files)
        )

    @property
    def name(self) -> str:
        """What sentences that begin with the table call it."""
        name = str(self.path)
        return name if self.frame is None else name[0].upper() + name[1:]


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:12]))
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown


@dataclass(frozen=True)
class Loaded:
    """All rows of a table in memory: cells or features, and labels; those without a label are left out.

    `places` are those of these rows in the table, where `unlabelled` ones were left out; `row_names` columns that only
    name the rows, where they were taken out.
    """

    name: str
    cells: Any
    y: Array
    columns: tuple[str, ...]
    untyped: bool = False
    sparse: bool = False
    numbered: Numbered | None = None
    unit: Ints | None = None
    time: Ints | None = None
    places: Ints | None = None
    unlabelled: int = 0
    task: Task = "classes"
    row_names: Any = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def notes(self) -> tuple[str, ...]:
        """What else there is to know of these rows."""
        if not self.unlabelled:
            return ()
        return (unlabelled_note(self.name, self.unlabelled, len(self)),)

    def without(self, columns: Collection[str]) -> Loaded:
        """The same rows without some columns."""
        if not columns:
            return self
        kept = tuple(name for name in self.columns if name not in columns)
        return replace(self, cells=self.cells.select(list(kept)), columns=kept)

    def digests(self, known: Loaded | None = None) -> NDArray[np.uint8]:
        """The digests of the rows' features, in the order that a `known` table has its columns in."""
        if self.sparse:
            return row_digests(self.cells)
        columns = self.columns if known is None else known.columns
        absent = next((name for name in columns if name not in self.columns), None)
        if absent is not None:
            raise UnknownName(
                f"{self.name} has no column {absent!r}, which the model learned from."
            )
        return row_digests(comparable(self.cells.select(list(columns))))

    def take(self, rows: Ints) -> Any:
        """Some of the rows: an Arrow table, or a sparse matrix."""
        return self.cells[rows] if self.sparse else self.cells.take(pa.array(rows))


def load_rows(
    source: Source, progress: Progress | None = None, *, known: Loaded | None = None
) -> Loaded:
    """Read a whole table; rows to test what was learned from a `known` one may be of one class.

    Raises
    ------
    BadData
        If it cannot be read, or if its target holds no classes.
    """
    if source.libsvm:
        return _load_libsvm(source, known)
    if known is not None and known.sparse:
        raise BadData(f"{source.path} is a table with columns, but {known.name} is libsvm text.")
    table = source.open()
    assert source.target is not None
    wanted = source.features_of(table)
    batches, done = [], 0
    named = (source.target, source.unit, source.time)
    beside = list(dict.fromkeys(name for name in named if name is not None))
    for batch in table.cells([*wanted, *beside]):
        batches.append(batch)
        done += batch.num_rows
        if progress is not None:
            progress(done)
    cells_read = plain_texts(pa.Table.from_batches(batches)).unify_dictionaries().combine_chunks()
    labelled = with_label(
        cells_read.column(source.target),
        Place(table.name, source.target),
        words=table.untyped and not source.classes_declared,
    )
    if not labelled.all():
        cells_read = cells_read.filter(pa.array(labelled))
    unit = None if source.unit is None else read_unit(cells_read.column(source.unit), table.name)
    time = None
    if source.time is not None:
        time = read_time(cells_read.column(source.time), source.time, table.name)
    y = read_target(cells_read.column(source.target), source.target, table.name, table.untyped)
    y, task = _as_task(y, source, f"column {source.target!r}", table.name, known)
    cells = cells_read.drop_columns(beside)
    return Loaded(
        table.name,
        cells,
        y,
        tuple(wanted),
        untyped=table.untyped,
        unit=unit,
        time=time,
        places=None if labelled.all() else np.flatnonzero(labelled),
        unlabelled=int(np.count_nonzero(~labelled)),
        task=task,
    )


def _as_task(
    y: Array, source: Source, where: str, name: str, known: Loaded | None
) -> tuple[Array, Task]:
    """The target as its task takes it: the numbers of a quantity as doubles."""
    if known is not None:
        # Rows to test on hold what was learned.
        task = task_of(y, known.task, where, name) if known.task == "quantity" else known.task
    else:
        task = task_of(y, source.asked_task, where, name)
    if task == "classes":
        if known is None:
            require_classes(y, where, name, declared=source.classes_declared)
        return y, task
    numbers = y.astype(np.float64)
    _require_quantity(numbers, where, name, alone=known is None)
    return numbers, task


def read_unit(column: Any, name: str) -> Ints:
    """What each row belongs to, as a number from 0."""
    try:
        codes: Ints = unit_codes(column)
    except BadData as refusal:
        raise BadData(f"{name}: {refusal}") from None
    return codes


def comparable(table: Any) -> Any:
    """The same table or batch, with what is neither number nor text written out."""
    fields = [
        one
        if kind_of_type(one.type) or pa.types.is_null(one.type)
        else pa.field(one.name, pa.string())
        for one in table.schema
    ]
    try:
        return table if fields == list(table.schema) else table.cast(pa.schema(fields))
    except pa.ArrowException:
        kept = [one.name for one in table.schema if kind_of_type(one.type)]
        return table.select(kept)


def plain_texts(table: Any) -> Any:
    """The same table or batch, without the kinds of text of which Arrow cannot take some rows."""
    fields = [
        pa.field(one.name, pa.string()) if pa.types.is_string_view(one.type) else one
        for one in table.schema
    ]
    return table if fields == list(table.schema) else table.cast(pa.schema(fields))


def _load_libsvm(source: Source, known: Loaded | None) -> Loaded:
    # The label of libsvm text comes first and has no name, so whatever name was given means it.
    if source.unit is not None or source.time is not None:
        what = "name units" if source.unit is not None else "tell times"
        raise BadParameter(
            f"{source.path} is libsvm text, which has no column names: none of them can {what}."
        )
    if source.columns is not None or source.drop or source.categories or source.numbers:
        raise BadParameter(
            f"{source.path} is libsvm text, which has no column names: its features are numbers, and all are used."
        )
    if known is not None and not known.sparse:
        raise BadData(f"{source.path} is libsvm text, but {known.name} is a table with columns.")
    same: dict[str, Any] = {}
    if known is not None and known.numbered is not None:
        same = {"features": known.cells.shape[1], "zero_based": known.numbered.zero_based}
    examples = read_table(source.path, format=source.format, **same)
    assert examples.y is not None
    y, task = _as_task(np.asarray(examples.y), source, "the labels", str(source.path), known)
    names = tuple(map(str, examples.features)) if len(examples.features) <= 1000 else ()
    return Loaded(
        str(source.path),
        examples.X,
        y,
        names,
        sparse=True,
        task=task,
        numbered=numbered(examples.features),
    )


def read_target(array: Any, target: str, name: str, untyped: bool) -> Array:
    """The labels of a whole column."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    kind = kind_of_target(array, untyped)
    return labels(array, kind, Place(name, target))


def kind_of_target(array: pa.Array, untyped: bool) -> Kind:
    """What the labels of a column are."""
    return (kind_of_labels(array) if untyped else kind_of_type(array.type)) or "text"


def require_classes(y: Array, where: str, name: str, *, declared: bool = False) -> None:
    """Refuse a target with one value only, or one that is a quantity, unless it is declared to be none."""
    values = np.unique(y)
    if len(values) < 2:
        only = values[0].item() if isinstance(values[0], np.generic) else values[0]
        raise BadData(
            f"{name} holds nothing but {only!r} in {where}: with one class there is nothing to learn."
        )
    if y.dtype.kind in "iuf" and len(values) > MOST_NUMBERS and not declared:
        raise BadData(
            f"{name} holds {len(values):,} different numbers in {where}, which is a quantity and not a class, and "
            f"quantities are learned from tables that fit in memory. Give fewer rows, or a column of classes; if the "
            f"numbers are names, name the target ",
            IN_CATEGORIES,
            ".",
        )
    if 2 * len(values) > len(y) and len(y) > 20:
        raise BadData(
            f"{name} holds {len(values):,} different values in {where} on {len(y):,} rows: classes that hardly "
            f"repeat cannot be learned. Is it the right column?"
        )


def _require_quantity(y: Array, where: str, name: str, *, alone: bool) -> None:
    """Refuse numbers that cannot be certified, or among which there is nothing to tell apart."""
    odd = np.flatnonzero(~(np.abs(y) <= LARGEST))
    if odd.size:
        raise BadData(
            f"{name} must hold numbers between -1e50 and 1e50 in {where}, but holds {float(y[odd[0]])!r} "
            f"({odd.size:,} such {'row' if odd.size == 1 else 'rows'}). Leave these rows out, or scale the numbers."
        )
    if alone and len(y) and y.min() == y.max():
        raise BadData(
            f"{name} holds nothing but {float(y[0])!r} in {where}: there is nothing to learn."
        )
