"""Labels that people gave to some items of a batch: a column with gaps, or a mapping from places to labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.errors import BadData, BadParameter, Words, require
from assay.evidence.column_digest import LabelDigest
from assay.evidence.columns import read_column
from assay.evidence.digest import digest_gapped, digest_gapped_losses
from assay.evidence.labels import Label, coded_pieces
from assay.evidence.plain_column import PlainColumn
from assay.evidence.tally import listed
from assay.types import Bools, Floats, Ints

# Labelled items that lie so many standard deviations from where random ones lie were not drawn at random.
_TOO_FAR = 6.0


def spread_out(labels: Any, rows: int) -> Any:
    """Labels by place as a column with gaps; what is a column stays one.

    Examples
    --------
    >>> spread_out({1: "bad"}, 3)
    [None, 'bad', None]
    """
    if not isinstance(labels, Mapping):
        return labels
    column: list[Any] = [None] * rows
    for place, label in labels.items():
        whole = isinstance(place, int | np.integer) and not isinstance(place, bool)
        must = f"a place from 0 to {rows - 1}, as the judge went through {rows:,} items"
        require(whole and 0 <= place < rows, "a key of labels", must, place)
        column[int(place)] = label
    return column


class GappedLabels:
    """The labels read so far, with the predictions beside them where labels are the truth.

    Parameters
    ----------
    names : tuple of two str
        What to call labels and predictions in a refusal.
    """

    def __init__(self, names: tuple[str, str]) -> None:
        self.names = names
        self.places: list[int] = []
        self._labels: list[Label] = []
        self._predicted, self._known = LabelDigest(names[1]), set[Label]()
        self._beside: list[Label] = []

    def add(self, labels: Any, y_pred: Any, done: int, rows: int) -> None:
        """Take the next rows, before which so many came; `rows` are what another column holds of them."""
        column = read_column(labels, self.names[0], done)
        _require_same(rows, len(column), self.names[0])
        given = np.flatnonzero(~gaps(column))
        places = (done + given).tolist()
        self.places += places
        self._labels += _labels_at(column, given, self.names[0], places)
        if y_pred is None:
            return
        predicted = read_column(y_pred, self.names[1], done)
        _require_same(rows, len(predicted), self.names[1])
        for piece in coded_pieces(predicted, self.names[1], done):
            self._predicted.update(piece)
            self._known.update(piece.labels)
        self._beside += _labels_at(predicted, given, self.names[1], places)

    def wrong_ones(self, wrong: Label | None) -> tuple[Bools, Label | None]:
        """Which of the labelled items are wrong, and the label that means so, in the type of the others."""
        must = "given for at least one item"
        require(bool(self._labels), self.names[0], must, "missing for all")
        if self._known:
            require(wrong is None, "wrong", f"left out with {self.names[1]}", wrong)
            return self._against_predictions(), None
        wrong = _typed(wrong, self._labels)
        return self._by_label(wrong), wrong

    def digest(self, rows: int) -> str:
        """The digest of the column, gaps included."""
        return digest_gapped(rows, self.places, self._labels)

    def predictions(self) -> str | None:
        """The digest of all predictions; None where none were given."""
        return self._predicted.finish() if self._known else None

    def _against_predictions(self) -> Bools:
        """Which labelled items were predicted wrongly."""
        if self._known.isdisjoint(self._labels):
            raise BadData(
                f"{self.names[0]} and {self.names[1]} must share a label, but hold {listed(_distinct(self._labels))} "
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
                f" or another of {listed(held)} where {self.names[0]} holds what people say of an item; or with ",
                Words("y_pred=...", "--prediction COLUMN"),
                f" where {self.names[0]} holds the truth.",
            )
        text = {isinstance(label, str) for label in held}
        must = f"a label such as {self.names[0]} holds, {listed(held)}"
        require(text == {isinstance(wrong, str)}, "wrong", must, wrong)
        others = [label for label in held if label != wrong]
        if len(others) > 1:
            raise BadData(
                f"{self.names[0]} must hold two values, of which {wrong!r} means wrong, but hold {listed(held)}. "
                "Write them as two."
            )
        return np.array([label == wrong for label in self._labels])


class GappedLosses:
    """Losses between 0 and 1 that were read so far, of some items: how wrong each is."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.places: list[int] = []
        self._losses: list[float] = []

    def add(self, losses: Any, done: int, rows: int) -> None:
        """Take the next rows, before which so many came; `rows` are what another column holds of them."""
        column = read_column(losses, self.name, done)
        _require_same(rows, len(column), self.name)
        given = np.flatnonzero(~gaps(column))
        for place, value in zip((done + given).tolist(), values_at(column, given), strict=True):
            self.places.append(place)
            self._losses.append(unit_number(value, self.name, place))

    def values(self) -> Floats:
        """The losses in the order of the rows."""
        require(bool(self._losses), self.name, "given for at least one item", "missing for all")
        return np.array(self._losses)

    def digest(self, rows: int) -> str:
        """The digest of the column, gaps included."""
        return digest_gapped_losses(rows, self.places, self.values())


def unit_number(value: Any, name: str, row: int) -> float:
    """A number between 0 and 1, refused with its row where it is none.

    Examples
    --------
    >>> unit_number(0.25, "loss", 7)
    0.25
    """
    number = (
        float(value) if isinstance(value, int | float) and not isinstance(value, bool) else -1.0
    )
    if not 0.0 <= number <= 1.0:
        raise BadData(f"{name} holds {value!r} in row {row + 1}, which is no number from 0 to 1.")
    return number


def unit_numbers(column: Any, name: str, done: int) -> Floats:
    """A column of numbers between 0 and 1, before which so many rows came.

    Examples
    --------
    >>> unit_numbers(read_column([0.5, 1], "score"), "score", 0).tolist()
    [0.5, 1.0]
    """
    plain = isinstance(column, PlainColumn)
    if not (column.absent.any() if plain else column.null_count):
        raw = column.values if plain else column.to_numpy(zero_copy_only=False)
        if raw.dtype.kind in "iuf" and ((raw >= 0) & (raw <= 1)).all():
            return np.asarray(raw, dtype=np.float64)
    values = column.to_list() if plain else column.to_pylist()
    return np.array([unit_number(v, name, done + place) for place, v in enumerate(values)])


def _require_same(rows: int, others: int, name: str) -> None:
    if rows != others:
        raise BadData(f"The judge went through {rows:,} rows, but {name} holds {others:,}.")


def gaps(column: Any) -> Bools:
    """Where nothing is labelled: no value, no number, or no text.

    Examples
    --------
    >>> gaps(read_column(["bad", None, ""], "labels")).tolist()
    [False, True, True]
    """
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


def values_at(column: Any, places: Ints) -> list[Any]:
    """The values in some places of a column.

    Examples
    --------
    >>> values_at(read_column([5, 6, 7], "labels"), np.array([0, 2]))
    [5, 7]
    """
    plain = isinstance(column, PlainColumn)
    values: list[Any] = column.values[places].tolist() if plain else column.take(places).to_pylist()
    return values


def _labels_at(column: Any, given: Ints, name: str, rows: Sequence[int]) -> list[Label]:
    """The labels in some places of a column, in their usual form; `rows` are their places in all of it."""
    pairs = zip(values_at(column, given), rows, strict=True)
    return [_label(value, name, row) for value, row in pairs]


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
