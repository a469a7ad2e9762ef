"""A table made ready for learning: every column judged, filled, scaled or counted, and written down.

A preparation is made from training rows alone and never changes afterwards, so a holdout has no part in it,
and the same row has the same features in training, in testing and on every later day.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import DTypeLike

from assay.data.cells import Place, as_words, codes, kind_of_cells, kind_of_type
from assay.data.encode import (
    Categories,
    Column,
    Encoder,
    Missing,
    OneHot,
    Unknown,
    columns_from_json,
    finite_float,
)
from assay.data.frames import as_batch
from assay.data.measures import Measures
from assay.data.remedies import WITH_DROP
from assay.data.target_statistics import Counted, Outcomes
from assay.data.times import time_parts
from assay.data.words import hashed_words, several_words
from assay.errors import BadData, require
from assay.types import Array, Floats

#: Features for the words of a text column, where rows may be sparse and where they may not.
WORDS_SPARSE, WORDS_DENSE = 2**14, 2**9
# Up to so many different words are categories with a feature each.
_MANY = 50


@dataclass(frozen=True)
class Preparation(Encoder):
    """How the columns of a table become features; made by `fit` from training rows.

    Numbers are centred and divided by their deviation (unless `scaled` was refused), a missing one becomes the
    mean, and truth values are 0 and 1. Every category is a 0/1 feature, and those that training did not show
    share one more. Times become days since 1970, year, month, day, weekday, hour and minute, those of them that
    vary in training; durations become hours. Texts are counted word by word in `words` features each. A column that
    misses a value somewhere in training has a further feature that says so.

    Categories are many where a column holds more than 50 of them. If the outcomes of the training rows are given, such
    a column becomes their smoothed means in each category (`assay.data.target_statistics`), provided that each
    stands on 10 rows on average, or on 2 if they are single words, or if the column was named as one of categories.
    Otherwise more than 50 different texts, and more than a tenth of the rows, or more than 1,000, are texts.

    Parameters
    ----------
    columns : tuple of Column
        Numbers, truth values, categories, texts and times.
    unknown, missing : str
        Always ``other`` and ``nan``: nothing in a new row is refused that could be read.
    words : int
        Features for each text column.
    flagged : tuple of str
        The columns with a feature that says whether the value is missing.
    mean, deviation : tuple of float
        Of every column of numbers, in order: what fills a gap, and what a number is divided by.
    scaled : bool
        Whether numbers are centred and divided.
    sparse : bool
        Whether rows come as a sparse matrix.

    Examples
    --------
    >>> table = pa.table({"age": [30.0, None, 50.0], "city": ["Rome", "Oslo", "Rome"]})
    >>> ready = Preparation.fit(table)
    >>> ready.features
    ('age', 'city=Oslo', 'city=Rome', 'city=(other)', 'age is missing')
    >>> ready.transform(table).tolist()
    [[-1.0, 0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0, 0.0]]
    >>> ready.transform(pa.table({"age": [60.0], "city": ["Bonn"]})).tolist()
    [[2.0, 0.0, 0.0, 1.0, 0.0]]
    """

    unknown: Unknown = "other"
    missing: Missing = "nan"
    words: int = 0
    flagged: tuple[str, ...] = ()
    mean: tuple[float, ...] = ()
    deviation: tuple[float, ...] = ()
    scaled: bool = True
    sparse: bool = False

    name: ClassVar[str] = "preparation"

    def __post_init__(self) -> None:
        super().__post_init__()
        numbers = sum(column.measures for column in self.columns)
        ranges = len(self.mean) == len(self.deviation) == numbers
        good = ranges and all(np.isfinite(self.mean))
        good = good and all(0 < deviation < np.inf for deviation in self.deviation)
        require(good, "mean and deviation", "one number for every column of numbers", self.mean)
        known = {column.name for column in self.columns if self._names(column)}
        require(set(self.flagged) <= known, "flagged", "some of the columns", self.flagged)

    @classmethod
    def fit(
        cls,
        table: Any,
        *,
        columns: Sequence[str] | None = None,
        categories: Categories = (),
        numbers: Collection[str] = (),
        unknown: Unknown = "other",
        missing: Missing = "nan",
        untyped: bool = False,
        source: str = "The table",
        sparse: bool = False,
        outcomes: Outcomes | None = None,
    ) -> Self:
        """The preparation for a table of training rows.

        Parameters
        ----------
        table : Arrow record batch or table, or pandas or polars frame
            The training rows, and no others.
        columns, categories, numbers, untyped, source
            As in `Encoder.fit`.
        unknown, missing : str
            Only as they are.
        sparse : bool
            Whether texts may become sparse rows, and so have many features.
        outcomes : Outcomes, optional
            What became of these rows, for columns of many categories. Then the features of the training rows
            themselves are those of ``transform(table, instead=out_of_fold(table, outcomes))``.

        Raises
        ------
        BadData
            If a column holds no value at all, or what cannot be a feature.
        """
        batch = as_batch(table)
        chosen = tuple(batch.schema.names) if columns is None else tuple(columns)
        categories = _with_declared(batch.schema, categories, numbers)
        texts, others = list[str](), dict[str, Column]()
        for name in chosen:
            array, place = batch.column(name), Place(source, name)
            kind = kind_of_cells(array) if untyped else kind_of_type(array.type)
            if array.null_count == len(array) or (untyped and kind is None):
                raise BadData(
                    f"{source} holds no value in column {name!r} on any of the {len(array):,} training rows.",
                    remedy=("Leave the column out", WITH_DROP, "."),
                )
            if categories.get(name) is not None or name in numbers:
                continue
            if name in categories:
                if outcomes is not None and _different(array, place) > _MANY:
                    others[name] = _coded(array, place, outcomes)
                continue
            if kind not in ("text", None):
                continue
            if (timed := time_parts(array, place)) is not None:
                others[name] = Column(name, "time", (), *timed)
            elif kind != "text":
                continue
            elif outcomes is not None and _repeats(array, place):
                others[name] = _coded(array, place, outcomes)
            elif _many_texts(array, place):
                texts.append(name)
        others |= {name: Column(name, "text") for name in texts}
        plain = OneHot.fit(
            batch,
            columns=[name for name in chosen if name not in others],
            categories=categories,
            numbers=numbers,
            unknown=unknown,
            missing=missing,
            untyped=untyped,
            source=source,
        )
        by_name = {column.name: column for column in plain.columns} | others
        many = sum(column.measures for column in by_name.values())
        begun = cls(
            tuple(by_name[name] for name in chosen),
            words=0 if not texts else WORDS_SPARSE if sparse else WORDS_DENSE,
            mean=(0.0,) * many,
            deviation=(1.0,) * many,
            sparse=sparse and bool(texts),
        )
        instead = {} if outcomes is None else begun.out_of_fold(batch, outcomes, source=source)
        cells = begun._instead(begun._cells(batch, np.float64, source, 0), instead)
        return begun.measured(Measures(begun).add_cells(cells))

    def out_of_fold(
        self, table: Any, outcomes: Outcomes, *, source: str = "The table"
    ) -> dict[str, Floats]:
        """The features of training rows in columns of many categories, by the outcomes of other rows.

        Parameters
        ----------
        table : Arrow record batch or table, or pandas or polars frame
            The training rows.
        outcomes : Outcomes
            What became of them.
        source : str
            What refusals call the table.

        Returns
        -------
        dict
            Rows by features, for each such column.

        Examples
        --------
        >>> rows = pa.table({"zip": [f"{i % 60:05}" for i in range(600)]})
        >>> outcomes = Outcomes.of(np.arange(600) % 60 < 30)
        >>> ready = Preparation.fit(rows, outcomes=outcomes)
        >>> ready.features
        ('share of True by zip',)
        >>> ready.out_of_fold(rows, outcomes)["zip"][:2].round(2).tolist()
        [[0.94], [0.93]]
        """
        batch = self._held(table, source)
        by_others = {}
        for column in self.columns:
            if column.kind == "coded":
                place = Place(source, column.name)
                known = pa.array(column.categories, pa.string())
                code = codes(batch.column(column.name), known, place)
                counted = Counted.of(code, len(column.categories), outcomes)
                by_others[column.name] = counted.of_others(code, outcomes)
        return by_others

    def _instead(self, X: Array, instead: Mapping[str, Floats]) -> Array:
        """The same rows, with other features in some columns."""
        for name, values in instead.items():
            X[:, self._starts[name] : self._starts[name] + values.shape[1]] = values
        return X

    def measured(self, measures: Measures) -> Self:
        """The same, with the means, deviations and gaps of training rows."""
        numbers = [column.name for column in self.columns for _ in range(column.measures)]
        for name, deviation in zip(numbers, measures.deviation, strict=True):
            if not np.isfinite(deviation):
                raise BadData(
                    f"Column {name!r} holds numbers so large that their squares overflow.",
                    remedy=("Divide it by a large number, or leave it out", WITH_DROP, "."),
                )
        return replace(
            self,
            mean=tuple(measures.mean.tolist()),
            deviation=tuple(measures.deviation.tolist()),
            flagged=tuple(measures.flagged),
        )

    def unscaled(self) -> Self:
        """The same, with numbers as they are: for learners that ask questions of single columns."""
        return replace(self, scaled=False)

    def ranged(self, table: Any, *, source: str = "The table") -> Self:
        """The same, with numbers divided by the range that they have in training rows, not by their deviation."""
        X = self._cells(self._held(table, source), np.float64, source, 0)
        places = self._places
        if not places:
            return self
        cells = np.where(np.isnan(X[:, places]), np.array(self.mean), X[:, places])
        width = cells.max(axis=0) - cells.min(axis=0)
        usable = (width > 0) & np.isfinite(width)
        return replace(self, deviation=tuple(np.where(usable, width, self.deviation).tolist()))

    @cached_property
    def features(self) -> tuple[str, ...]:
        """The names of the features: the columns', then what is missing, then the places of words."""
        cells = tuple(feature for column in self.columns for feature in self._names(column))
        gaps = tuple(f"{name} is missing" for name in self.flagged)
        texts = [column.name for column in self.columns if column.kind == "text"]
        counted = tuple(f"words of {name} {place}" for name in texts for place in range(self.words))
        return cells + gaps + counted

    def transform(
        self,
        table: Any,
        *,
        dtype: DTypeLike = np.float64,
        source: str = "The table",
        done: int = 0,
        instead: Mapping[str, Floats] | None = None,
    ) -> Any:
        """The features of each row; sparse where texts are.

        Parameters
        ----------
        table, dtype, source, done
            As in `Encoder.transform`.
        instead : mapping, optional
            For training rows: what `out_of_fold` gave.

        Returns
        -------
        numpy.ndarray or scipy.sparse.csr_array
            Rows by features.
        """
        batch = self._held(table, source)
        cells = self._instead(self._cells(batch, dtype, source, done), instead or {})
        X = self._filled(cells)
        texts = [column.name for column in self.columns if column.kind == "text"]
        if not texts:
            return X
        from scipy import sparse

        counted = [
            hashed_words(batch.column(name), self.words, Place(source, name, done)).astype(dtype)
            for name in texts
        ]
        if self.sparse:
            return sparse.csr_array(sparse.hstack([sparse.csr_array(X), *counted], format="csr"))
        return np.hstack([X, *(words.toarray() for words in counted)])

    def finish(self, X: Array) -> Any:
        """Rows of numbers alone, none missing, as `transform` would have made them."""
        return self._filled(X)

    def _filled(self, X: Array) -> Array:
        """Gaps filled, numbers scaled, and the features that say what is missing."""
        gone = np.isnan(X)
        starts = self._starts
        flags = [gone[:, starts[name]] for name in self.flagged]
        places = self._places
        fill = np.zeros(X.shape[1], X.dtype)
        fill[places] = self.mean
        if gone.any():
            X = np.where(gone, fill, X)
        if self.scaled and places:
            X = X.copy() if X.base is not None else X
            X[:, places] = (X[:, places] - fill[places]) / np.array(self.deviation, X.dtype)
        return np.column_stack([X, *flags]).astype(X.dtype, copy=False) if flags else X

    @cached_property
    def _starts(self) -> dict[str, int]:
        """The first feature of every column."""
        starts, at = {}, 0
        for column in self.columns:
            starts[column.name] = at
            at += len(self._names(column))
        return starts

    @cached_property
    def _places(self) -> list[int]:
        """The features that hold measured numbers."""
        return [self._starts[c.name] + i for c in self.columns for i in range(c.measures)]

    def _names(self, column: Column) -> tuple[str, ...]:
        return () if column.kind == "text" else super()._names(column)

    def to_json(self) -> dict[str, Any]:
        """The preparation as plain values."""
        lists = {name: list(getattr(self, name)) for name in ("flagged", "mean", "deviation")}
        plain = {"words": self.words, **lists, "scaled": self.scaled, "sparse": self.sparse}
        return super().to_json() | plain

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """The inverse of `to_json`."""
        words, scaled, sparse = document["words"], document["scaled"], document["sparse"]
        require(type(words) is int and 0 <= words <= 2**20, "words", "a count", words)
        require(type(scaled) is type(sparse) is bool, "scaled and sparse", "truth values", scaled)
        columns = columns_from_json(
            document, ("number", "truth", "category", "text", "time", "coded")
        )
        flagged = tuple(map(str, document["flagged"]))
        mean, deviation = (tuple(map(finite_float, document[key])) for key in ("mean", "deviation"))
        terms = document["unknown"], document["missing"]
        return cls(columns, *terms, words, flagged, mean, deviation, scaled, sparse)

    def described(self) -> list[tuple[str, str, str, str]]:
        """Every column: its name, its kind, what it becomes, and what a missing value becomes.

        Examples
        --------
        >>> Preparation.fit(pa.table({"age": [30.0, None, 50.0]})).described()
        [('age', 'number', '1 feature, minus 40 and divided by 10', 'the mean, and a feature says so')]
        """
        rows, numbers = [], iter(zip(self.mean, self.deviation, strict=True))
        for column in self.columns:
            marked = ", and a feature says so" if column.name in self.flagged else ""
            match column.kind:
                case "number":
                    mean, deviation = next(numbers)
                    by = f", minus {mean:.4g} and divided by {deviation:.4g}" if self.scaled else ""
                    rows.append((column.name, "number", f"1 feature{by}", f"the mean{marked}"))
                case "truth":
                    rows.append((column.name, "true or false", "1 feature, 1 or 0", f"0{marked}"))
                case "category":
                    many = len(column.categories) + 1
                    becomes = f"{many} features, one for each category and one for all others"
                    rows.append((column.name, "category", becomes, f"0 in all of them{marked}"))
                case "time":
                    for _ in column.parts:
                        next(numbers)
                    noun = "feature" if len(column.parts) == 1 else "features"
                    becomes = f"{len(column.parts)} {noun}: {', '.join(column.parts)}"
                    rows.append((column.name, "time", becomes, f"the mean{marked}"))
                case "coded":
                    for _ in column.parts:
                        next(numbers)
                    shown = ", ".join(column.parts)
                    noun = "feature" if len(column.parts) == 1 else "features"
                    becomes = (
                        f"{len(column.parts)} {noun} for {len(column.categories):,} categories, by the training rows "
                        f"of each: {shown}"
                    )
                    rows.append((column.name, "category", becomes, f"the mean{marked}"))
                case _:
                    becomes = f"{self.words:,} features, which count its words"
                    rows.append((column.name, "text", becomes, "no words"))
        return rows


def _with_declared(
    schema: pa.Schema, categories: Categories, numbers: Collection[str]
) -> dict[str, Sequence[object] | None]:
    """The columns named as categories, and those that a frame declares to hold some though they are whole numbers."""
    named: dict[str, Sequence[object] | None] = (
        dict(categories) if isinstance(categories, Mapping) else dict.fromkeys(categories)
    )
    declared = [
        field.name
        for field in schema
        if pa.types.is_dictionary(field.type) and pa.types.is_integer(field.type.value_type)
    ]
    return dict.fromkeys(name for name in declared if name not in numbers) | named


def _different(array: pa.Array, place: Place) -> int:
    return len(pc.unique(as_words(array, place).drop_null()))


def _many_texts(array: pa.Array, place: Place) -> bool:
    """Whether a column of words holds texts, which hardly any two rows share, rather than categories."""
    different = _different(array, place)
    return bool(different > 1000 or (different > _MANY and 10 * different > len(array)))


def _repeats(array: pa.Array, place: Place) -> bool:
    """Whether a column holds many categories that repeat, such as cities, and neither ids nor texts."""
    different, held = _different(array, place), len(array) - array.null_count
    if different <= _MANY or held < 2 * different:
        return False
    return held >= 10 * different or not several_words(array)


def _coded(array: pa.Array, place: Place, outcomes: Outcomes) -> Column:
    """A column of many categories, and the statistics of each."""
    words = pc.unique(as_words(array, place).drop_null())
    if pa.types.is_dictionary(words.type):
        words = words.dictionary_decode()
    known = sorted(words.to_pylist())
    counted = Counted.of(codes(array, pa.array(known, pa.string()), place), len(known), outcomes)
    return Column(
        place.column,
        "coded",
        tuple(known),
        parts=outcomes.names,
        statistics=tuple(map(tuple, counted.statistics.tolist())),
        prior=tuple(counted.prior.tolist()),
    )
