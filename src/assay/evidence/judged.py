"""What was seen of a batch that a judge has gone through: how many items of each verdict, and a few labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import BadData, BadParameter, Words, require
from assay.evidence.column_digest import LabelDigest
from assay.evidence.columns import read_column
from assay.evidence.digest import digest_gapped
from assay.evidence.labels import Label, coded_pieces
from assay.evidence.plain_column import PlainColumn
from assay.evidence.tally import listed
from assay.types import Bools, Ints

Progress = Callable[[int], None]

#: A verdict is one of a few; more are scores.
MOST_STRATA = 100
# Labelled items that lie so many standard deviations from where random ones lie were not drawn at random.
_TOO_FAR = 6.0


@dataclass(frozen=True)
class Judged:
    """Counts in each stratum, and the digests that tie them to data.

    Attributes
    ----------
    sizes, labelled, wrong : tuple of int
        For each verdict how many items have it, how many of these are labelled, and how many of those are wrong.
    strata : tuple of str, int or bool
        The verdicts, sorted; empty where nobody named them.
    wrong_label : str, int, bool or None
        The label that means wrong; None where labels are the truth beside predictions.
    judge, data, predictions : str or None
        Digests of the verdicts, of the labels with their gaps, and of the predictions.
    odd : str
        Why the labelled items can hardly be a random choice; empty where nothing is seen.
    """

    sizes: tuple[int, ...]
    labelled: tuple[int, ...]
    wrong: tuple[int, ...]
    strata: tuple[Label, ...] = ()
    wrong_label: Label | None = None
    judge: str | None = None
    data: str | None = None
    predictions: str | None = None
    odd: str = ""

    @property
    def items(self) -> int:
        """How many items the batch has."""
        return sum(self.sizes)


def from_verdicts(
    judge: Any, labels: Any, y_pred: Any = None, wrong: Label | None = None
) -> Judged:
    """Verdicts on all items and labels of a few: a mapping from places to labels, or a column with gaps.

    Examples
    --------
    >>> seen = from_verdicts(["bad", "good", "good", "bad"], {0: True, 1: False}, wrong=True)
    >>> seen.strata, seen.sizes, seen.labelled, seen.wrong
    (('bad', 'good'), (2, 2), (1, 1), (1, 0))
    """
    if isinstance(labels, Mapping):
        rows = len(read_column(judge, "judge"))
        labels = _spread(labels, rows)
    return from_verdict_chunks([(judge, labels, y_pred)], wrong=wrong)


def from_verdict_chunks(
    chunks: Iterable[tuple[Any, Any, Any]],
    *,
    wrong: Label | None = None,
    names: tuple[str, str, str] = ("judge", "labels", "y_pred"),
    progress: Progress | None = None,
) -> Judged:
    """The same from consecutive chunks of verdicts, labels with gaps, and predictions or None."""
    reading = _Reading(names)
    for chunk in chunks:
        reading.add(*chunk)
        if progress is not None:
            progress(reading.rows)
    return reading.finish(wrong)


def _spread(labels: Mapping[Any, Any], rows: int) -> list[Any]:
    """Labels by place as a column with gaps."""
    column: list[Any] = [None] * rows
    for place, label in labels.items():
        whole = isinstance(place, int | np.integer) and not isinstance(place, bool)
        must = f"a place from 0 to {rows - 1}, as the judge went through {rows:,} items"
        require(whole and 0 <= place < rows, "a key of labels", must, place)
        column[int(place)] = label
    return column


class _Reading:
    """The columns read so far: verdicts as codes, labels where there are any, predictions beside these."""

    def __init__(self, names: tuple[str, str, str]) -> None:
        self.names = names
        self.rows = 0
        self._verdicts, self._predicted = LabelDigest(names[0]), LabelDigest(names[2])
        self._number: dict[Label, int] = {}
        self._codes: list[Ints] = []
        self._places: list[int] = []
        self._labels: list[Label] = []
        self._beside: list[Label] = []
        self._known: set[Label] = set()

    def add(self, judge: Any, labels: Any, y_pred: Any) -> None:
        verdicts = read_column(judge, self.names[0], self.rows)
        column = read_column(labels, self.names[1], self.rows)
        self._same_length(len(verdicts), len(column), self.names[1])
        for piece in coded_pieces(verdicts, self.names[0], self.rows):
            self._verdicts.update(piece)
            codes = [self._number.setdefault(v, len(self._number)) for v in piece.labels]
            must = f"one of at most {MOST_STRATA} verdicts"
            require(len(self._number) <= MOST_STRATA, self.names[0], must, len(self._number))
            self._codes.append(np.array(codes, dtype=np.int64)[piece.codes])
        given = np.flatnonzero(~_gaps(column))
        places = (self.rows + given).tolist()
        self._places += places
        self._labels += _labels(column, given, self.names[1], places)
        if y_pred is not None:
            predicted = read_column(y_pred, self.names[2], self.rows)
            self._same_length(len(column), len(predicted), self.names[2])
            self._add_predictions(predicted)
            self._beside += _labels(predicted, given, self.names[2], places)
        self.rows += len(column)

    def _add_predictions(self, column: Any) -> None:
        for piece in coded_pieces(column, self.names[2], self.rows):
            self._predicted.update(piece)
            self._known.update(piece.labels)

    def _same_length(self, rows: int, others: int, name: str) -> None:
        if rows != others:
            raise BadData(f"{self.names[0]} holds {rows:,} rows, but {name} holds {others:,}.")

    def finish(self, wrong: Label | None) -> Judged:
        require(self.rows > 0, self.names[0], "of at least one item", "empty")
        must = "given for at least one item"
        require(bool(self._labels), self.names[1], must, "missing for all")
        if self._known:
            require(wrong is None, "wrong", f"left out with {self.names[2]}", wrong)
            flags = self._against_predictions()
        else:
            wrong = _typed(wrong, self._labels)
            flags = self._by_label(wrong)
        codes = np.concatenate(self._codes)
        order = sorted(self._number)
        move = np.empty(len(order), dtype=np.int64)
        move[[self._number[verdict] for verdict in order]] = np.arange(len(order))
        codes, places = move[codes], np.array(self._places)
        truth_values = self._verdicts.family == "truth values"
        counted = (
            np.bincount(c, minlength=len(order))
            for c in (codes, codes[places], codes[places][flags])
        )
        sizes, labelled, errors = (tuple(column.tolist()) for column in counted)
        return Judged(
            sizes,
            labelled,
            errors,
            tuple(bool(verdict) if truth_values else verdict for verdict in order),
            wrong,
            self._verdicts.finish(),
            digest_gapped(self.rows, self._places, self._labels),
            self._predicted.finish() if self._known else None,
            not_at_random(codes, places),
        )

    def _against_predictions(self) -> Bools:
        """Which labelled items were predicted wrongly."""
        if self._known.isdisjoint(self._labels):
            raise BadData(
                f"{self.names[1]} and {self.names[2]} must share a label, but hold {listed(_distinct(self._labels))} "
                f"and {listed(_distinct(self._known))}. Write both in the same labels."
            )
        pairs = zip(self._labels, self._beside, strict=True)
        return np.array([truth != predicted for truth, predicted in pairs])

    def _by_label(self, wrong: Label | None) -> Bools:
        """Which labels say that an item is wrong."""
        held = _distinct(self._labels)
        if wrong is None:
            raise BadParameter(
                "Say what counts as wrong: with ",
                Words(f"wrong={held[0]!r}", f"{{}} {held[0]}", "wrong"),
                f" or another of {listed(held)} where {self.names[1]} holds what people say of an item; or with ",
                Words("y_pred=...", "--prediction COLUMN"),
                f" where {self.names[1]} holds the truth.",
            )
        text = {isinstance(label, str) for label in held}
        must = f"a label such as {self.names[1]} holds, {listed(held)}"
        require(text == {isinstance(wrong, str)}, "wrong", must, wrong)
        others = [label for label in held if label != wrong]
        if len(others) > 1:
            raise BadData(
                f"{self.names[1]} must hold two values, of which {wrong!r} means wrong, but hold {listed(held)}. "
                "Write them as two."
            )
        return np.array([label == wrong for label in self._labels])


def _gaps(column: Any) -> Bools:
    """Where nothing is labelled: no value, no number, or no text."""
    if isinstance(column, PlainColumn):
        empty = column.absent.copy()
        if column.type == "double":
            empty |= np.isnan(column.values.astype(np.float64))
        return np.asarray(empty | (column.values == "") if column.type == "string" else empty)
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    empty = column.is_null(nan_is_null=True)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        empty = pc.or_(empty, pc.fill_null(pc.equal(column, ""), False))
    return np.asarray(empty.to_numpy(zero_copy_only=False))


def _labels(column: Any, given: Ints, name: str, rows: Sequence[int]) -> list[Label]:
    """The labels in some places of a column, in their usual form; `rows` are their places in all of it."""
    plain = isinstance(column, PlainColumn)
    values = column.values[given].tolist() if plain else column.take(given).to_pylist()
    return [_label(value, name, row) for value, row in zip(values, rows, strict=True)]


def _label(value: Any, name: str, row: int) -> Label:
    """A column with gaps holds whole numbers as floats."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str | bool | int):
        return value
    raise BadData(
        f"{name} holds {value!r} in row {row + 1}, which is no label; labels are text, whole numbers or truth values."
    )


def _typed(wrong: Label | None, labels: Sequence[Label]) -> Label | None:
    """The label that means wrong in the type of the others: on a command line it is text."""
    if not isinstance(wrong, str) or any(isinstance(label, str) for label in labels):
        return wrong
    same = [label for label in labels if str(label).casefold() == wrong.casefold()]
    if same or not all(isinstance(label, bool) for label in labels):
        return same[0] if same else int(wrong) if wrong.lstrip("-").isdigit() else wrong
    return {"true": True, "false": False}.get(wrong.casefold(), wrong)


def _distinct(labels: Iterable[Label]) -> Sequence[Label]:
    return sorted(set(labels), key=lambda label: (isinstance(label, str), label))


def not_at_random(codes: Ints, places: Ints) -> str:
    """Why labelled items can hardly be a random choice of each stratum's: by where they stand; empty where they can.

    The sum of their ranks within the strata, by its standard deviation.

    Examples
    --------
    >>> codes = np.zeros(1000, dtype=int)
    >>> not_at_random(codes, np.arange(0, 1000, 10))
    ''
    >>> not_at_random(codes, np.arange(100))
    'the labelled items stand too close to the beginning of the batch for a random choice'
    """
    order = np.argsort(codes, kind="stable")
    among = np.zeros(len(codes), dtype=bool)
    among[places] = True
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    rank = np.empty(len(codes), dtype=np.int64)
    rank[order] = np.arange(len(codes)) - np.repeat(starts, sizes) + 1
    labelled = np.bincount(codes, among, len(sizes))
    excess = float(rank[among].sum() - (labelled * (sizes + 1) / 2).sum())
    variance = float((labelled * (sizes - labelled) * (sizes + 1) / 12).sum())
    if abs(excess) <= _TOO_FAR * math.sqrt(variance):
        return ""
    end = "beginning" if excess < 0 else "end"
    return f"the labelled items stand too close to the {end} of the batch for a random choice"
