"""Columns of a table as features: numbers as they are, categories one-hot, or all as booleans.

An encoder is made once, from a table's schema or its first rows, and never changes afterwards: the
same row has the same features in every chunk, in every file and on every day.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import DTypeLike

from assay.data.cells import Place, as_words, codes, kind_of_cells, kind_of_type, numbers, truths
from assay.data.frames import as_batch
from assay.data.remedies import ANOTHER_CATEGORY, WITH_DROP
from assay.data.times import part_of, read_times, require_time
from assay.errors import BadData, Words, require
from assay.types import Array, Bools, Floats

Unknown = Literal["refuse", "other"]
Missing = Literal["refuse", "nan", "zero"]
Categories = Mapping[str, Sequence[object] | None] | Collection[str]

# More than this many categories found in a column are hardly categories.
_MOST_CATEGORIES = 1000


@dataclass(frozen=True)
class Column:
    """A column and how it is read: as a ``number``, a ``truth`` value, a ``category``, a ``text`` or a ``time``.

    Of a time it is known how it is written, in which zone, and which of its parts are features. A ``coded`` column has
    many categories, and statistics of each (`assay.data.target_statistics`), named in `parts`, with a prior for others.

    Examples
    --------
    >>> Column("colour", "category", ("green", "red")).kind
    'category'
    """

    name: str
    kind: Literal["number", "truth", "category", "text", "time", "coded"]
    categories: tuple[str, ...] = ()
    form: str = ""
    zone: str = ""
    parts: tuple[str, ...] = ()
    statistics: tuple[tuple[float, ...], ...] = ()
    prior: tuple[float, ...] = ()

    @property
    def measures(self) -> int:
        """How many features hold a measured number."""
        return 1 if self.kind == "number" else len(self.parts)

    def to_json(self) -> dict[str, Any]:
        """The column as plain values."""
        plain: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "categories": list(self.categories),
        }
        if self.kind == "time":
            plain |= {"form": self.form, "zone": self.zone, "parts": list(self.parts)}
        if self.kind == "coded":
            statistics = list(map(list, self.statistics))
            plain |= {
                "parts": list(self.parts),
                "statistics": statistics,
                "prior": list(self.prior),
            }
        return plain

    @cached_property
    def code(self) -> Floats:
        """The statistics of each category, and then those of any other."""
        return np.array([*self.statistics, self.prior], np.float64)


@dataclass(frozen=True)
class Encoder:
    """What all encoders share; made by `fit` of `OneHot`, `Booleans` or `Literals`.

    Parameters
    ----------
    columns : tuple of Column
        The columns, in the order of their features.
    unknown : {"refuse", "other"}
        What a category that was not there at first becomes: a refusal, or a feature of its own.
    missing : {"refuse", "nan", "zero"}
        What a missing value becomes: a refusal, NaN, or 0 in each of the column's features.
    """

    columns: tuple[Column, ...]
    unknown: Unknown = "refuse"
    missing: Missing = "refuse"

    name: ClassVar[str]

    def __post_init__(self) -> None:
        require(self.unknown in ("refuse", "other"), "unknown", "'refuse' or 'other'", self.unknown)
        known = self.missing in ("refuse", "nan", "zero")
        require(known, "missing", "'refuse', 'nan' or 'zero'", self.missing)
        [(feature, times)] = Counter(self.features).most_common(1) or [("", 0)]
        if times > 1:
            raise BadData(f"Two features would be named {feature!r}. Rename a column.")

    @cached_property
    def features(self) -> tuple[str, ...]:
        """The names of the features: ``age``, ``colour=red``, ``colour=(other)``."""
        return tuple(feature for column in self.columns for feature in self._names(column))

    @classmethod
    def fit(
        cls,
        table: Any,
        *,
        columns: Sequence[str] | None = None,
        categories: Categories = (),
        numbers: Collection[str] = (),
        unknown: Unknown = "refuse",
        missing: Missing = "refuse",
        untyped: bool = False,
        source: str = "The table",
    ) -> Self:
        """The encoder for a table.

        Parameters
        ----------
        table : Arrow record batch, table or schema, or pandas or polars frame
            Its first rows tell what categories there are; a schema alone suffices where no column
            holds text, or the categories of those that do are given.
        columns : sequence of str, optional
            The columns to use, in this order; all if not given.
        categories : mapping of str to sequence, or collection of str, optional
            Columns to read as categories though they hold numbers; a mapping names all categories
            of a column (None: those that occur).
        numbers : collection of str
            Columns to read as numbers whatever their first rows look like.
        unknown, missing : str
            As in the class.
        untyped : bool
            Whether text may stand for numbers and truth values, as it does in CSV files.
        source : str
            What refusals call the table.

        Raises
        ------
        BadData
            If a column holds what cannot be a feature, or too many categories.
        """
        batch = None if isinstance(table, pa.Schema) else as_batch(table)
        schema = table if batch is None else batch.schema
        named = dict(categories) if isinstance(categories, Mapping) else dict.fromkeys(categories)
        columns = tuple(schema.names) if columns is None else tuple(columns)
        for column in {*columns, *named, *numbers}.difference(schema.names):
            require(False, "column", f"one of {list(schema.names)}", column)
        judged = []
        for column in columns:
            place = Place(source, column)
            array = None if batch is None else batch.column(column)
            if column in named:
                judged.append(_category(array, place, named[column]))
            elif column in numbers:
                judged.append(Column(column, "number"))
            else:
                judged.append(_judge(array, schema.field(column).type, place, untyped))
        return cls(tuple(judged), unknown, missing)

    def transform(
        self, table: Any, *, dtype: DTypeLike = np.float64, source: str = "The table", done: int = 0
    ) -> Array:
        """The features of each row.

        Parameters
        ----------
        table : Arrow record batch or table, or pandas or polars frame
            Holds the encoder's columns, and perhaps others, in any order.
        dtype : dtype
            The precision of the result.
        source : str
            What refusals call the table.
        done : int
            How many rows came before these, for the row numbers in refusals.

        Returns
        -------
        numpy.ndarray
            Rows by features.

        Raises
        ------
        BadData
            If a column is absent, a value is missing, or a cell does not fit its column.
        """
        return self._cells(self._held(table, source), dtype, source, done)

    def _held(self, table: Any, source: str) -> pa.RecordBatch:
        """The table as a batch that holds every column."""
        batch = as_batch(table)
        held = set(batch.schema.names)
        for column in self.columns:
            if column.name not in held:
                raise BadData(f"{source} has no column {column.name!r}, which the encoder needs.")
        return batch

    def finish(self, X: Array) -> Any:
        """Rows of numbers alone, read without a detour, as `transform` would have made them."""
        return X

    @property
    def plain(self) -> bool:
        """Whether all columns are numbers, so that `finish` is all that need be done to them."""
        return all(column.kind == "number" for column in self.columns)

    def _cells(self, batch: Any, dtype: DTypeLike, source: str, done: int) -> Array:
        """One feature after the other, column by column."""
        widths = [len(self._names(column)) for column in self.columns]
        X = np.zeros((batch.num_rows, sum(widths)), dtype=dtype)
        at = 0
        for column, width in zip(self.columns, widths, strict=True):
            if not width:
                continue
            out = X[:, at : at + width]
            self._write(column, batch.column(column.name), Place(source, column.name, done), out)
            at += out.shape[1]
        return X

    def to_json(self) -> dict[str, Any]:
        """The encoder as plain values; `encoder_from_json` makes it again."""
        return {
            "encoder": self.name,
            "columns": [column.to_json() for column in self.columns],
            "unknown": self.unknown,
            "missing": self.missing,
        }

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """The inverse of `to_json`, for a document that may have been written by anybody."""
        return cls(
            columns_from_json(document, ("number", "truth", "category")),
            document["unknown"],
            document["missing"],
        )

    def _names(self, column: Column) -> tuple[str, ...]:
        if column.kind == "time":
            return tuple(f"{part} of {column.name}" for part in column.parts)
        if column.kind == "coded":
            return tuple(f"{part} by {column.name}" for part in column.parts)
        if column.kind != "category":
            return (column.name,)
        other = ("(other)",) if self.unknown == "other" else ()
        return tuple(f"{column.name}={value}" for value in (*column.categories, *other))

    def _write(self, column: Column, array: pa.Array, place: Place, out: Array) -> Bools:
        """Fill in a column's features; returns the rows whose value is missing."""
        if column.kind == "category":
            absent = self._write_category(column, array, place, out)
        elif column.kind == "time":
            moments = read_times(array, column.form, column.zone, place)
            for i, part in enumerate(column.parts):
                out[:, i] = part_of(moments, part)
            absent = np.isnan(moments)
        elif column.kind == "coded":
            coded = codes(array, pa.array(column.categories, pa.string()), place)
            absent = coded == -1
            # The last place is that of categories that training did not show.
            out[:] = column.code[np.where(coded < 0, -1, coded)]
        else:
            read = numbers if column.kind == "number" else truths
            out[:, 0] = values = read(array, place)
            absent = np.isnan(values)
        if absent.any():
            if self.missing == "refuse":
                raise place.missing(int(absent.argmax()))
            out[absent] = np.nan if self.missing == "nan" else 0
        return absent

    def _write_category(self, column: Column, array: pa.Array, place: Place, out: Array) -> Bools:
        coded = codes(array, pa.array(column.categories, pa.string()), place)
        strange = coded == -2
        if strange.any():
            if self.unknown == "refuse":
                row = int(strange.argmax())
                word = repr(as_words(array, place)[row].as_py())
                why = ", a category that the encoder does not know."
                raise place.refuse(row, word, why, ANOTHER_CATEGORY)
            coded[strange] = len(column.categories)
        absent: Bools = coded == -1
        held = np.flatnonzero(~absent)
        out[held, coded[held]] = 1
        return absent


@dataclass(frozen=True)
class OneHot(Encoder):
    """Numbers and truth values as they are, and a 0/1 feature for each category.

    Parameters
    ----------
    columns, unknown, missing
        As in `Encoder`; made by `fit`.

    Examples
    --------
    >>> table = pa.table({"age": [3, 5], "colour": ["red", "green"]})
    >>> encoder = OneHot.fit(table)
    >>> encoder.features
    ('age', 'colour=green', 'colour=red')
    >>> encoder.transform(table).tolist()
    [[3.0, 0.0, 1.0], [5.0, 1.0, 0.0]]
    """

    name: ClassVar[str] = "one-hot"


def columns_from_json(document: Any, kinds: Collection[str]) -> tuple[Column, ...]:
    """The columns of an encoder, each of one of these kinds."""
    columns = tuple(
        Column(
            str(c["name"]),
            c["kind"],
            tuple(map(str, c["categories"])),
            str(c.get("form", "")),
            str(c.get("zone", "")),
            tuple(map(str, c.get("parts", ()))),
            tuple(tuple(map(finite_float, one)) for one in c.get("statistics", ())),
            tuple(map(finite_float, c.get("prior", ()))),
        )
        for c in document["columns"]
    )
    for column in columns:
        require(column.kind in kinds, "kind", f"one of {list(kinds)}", column.kind)
        timed, coded = column.kind == "time", column.kind == "coded"
        named = timed or coded or not column.parts
        require(named, "parts", "those of a time, or of categories", column.parts)
        if timed:
            require_time(column.form, column.zone, column.parts)
        many = len(column.categories) if coded else 0
        rows = [*column.statistics, column.prior] if coded else []
        right = len(column.statistics) == many and all(len(r) == len(column.parts) for r in rows)
        right = right and (not coded or len(column.parts) == len(set(column.parts)) > 0)
        right = right and (coded or not column.prior)
        right = right and len(set(column.categories)) == len(column.categories)
        require(right, "statistics", "one of each name for every category", column.name)
    return columns


def finite_float(value: object) -> float:
    """A number of a document as a float."""
    number = isinstance(value, float | int) and not isinstance(value, bool)
    require(number and abs(value) <= sys.float_info.max, "it", "a finite number", value)  # type: ignore[arg-type]
    return float(value)  # type: ignore[arg-type]


def _judge(array: pa.Array | None, kind: pa.DataType, place: Place, untyped: bool) -> Column:
    """A column by its type, or by its cells where these are untyped."""
    held = kind_of_type(kind) if array is None or not untyped else kind_of_cells(array)
    if held == "text":
        return _category(array, place, None)
    return Column(place.column, "truth" if held == "truth" else "number")


def _category(array: pa.Array | None, place: Place, named: Sequence[object] | None) -> Column:
    if named is not None:
        words = [str(name) for name in named]
        require(
            len(set(words)) == len(words) > 0,
            f"The categories of {place.column!r}",
            "one or more different names",
            list(named),
        )
        return Column(place.column, "category", tuple(words))
    if array is None:
        raise BadData(
            f"{place.table} holds text in column {place.column!r}, and a schema does not tell its "
            f"categories. Name them, or fit the encoder on rows."
        )
    words = pc.unique(as_words(array, place).drop_null())
    if pa.types.is_dictionary(words.type):
        words = words.dictionary_decode()
    if len(words) > _MOST_CATEGORIES:
        raise BadData(
            f"{place.table} holds {len(words)} different texts in column {place.column!r}, which "
            f"is more than {_MOST_CATEGORIES}.",
            remedy=("Leave the column out", WITH_DROP, Words(", or name its categories", ""), "."),
        )
    if not len(words):
        raise BadData(
            f"{place.table} holds no value in column {place.column!r}, and so no category. Name "
            f"the categories, or leave the column out."
        )
    return Column(place.column, "category", tuple(sorted(words.to_pylist())))
