"""What was seen of a batch that a judge has gone through: how many items of each verdict, and a few labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import require
from assay.evidence.column_digest import LabelDigest
from assay.evidence.columns import read_column
from assay.evidence.gapped_labels import GappedLabels, not_at_random, spread_out
from assay.evidence.labels import Label, coded_pieces
from assay.types import Ints

Progress = Callable[[int], None]

#: A verdict is one of a few; more are scores.
MOST_STRATA = 100


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
    rows = len(read_column(judge, "judge"))
    labels = spread_out(labels, rows)
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


class _Reading:
    """The columns read so far: verdicts as codes, and labels where there are any."""

    def __init__(self, names: tuple[str, str, str]) -> None:
        self.rows, self._name = 0, names[0]
        self._verdicts, self._labels = LabelDigest(names[0]), GappedLabels(names[1:])
        self._number: dict[Label, int] = {}
        self._codes: list[Ints] = []

    def add(self, judge: Any, labels: Any, y_pred: Any) -> None:
        verdicts = read_column(judge, self._name, self.rows)
        self._labels.add(labels, y_pred, self.rows, len(verdicts))
        for piece in coded_pieces(verdicts, self._name, self.rows):
            self._verdicts.update(piece)
            codes = [self._number.setdefault(v, len(self._number)) for v in piece.labels]
            must = f"one of at most {MOST_STRATA} verdicts"
            require(len(self._number) <= MOST_STRATA, self._name, must, len(self._number))
            self._codes.append(np.array(codes, dtype=np.int64)[piece.codes])
        self.rows += len(verdicts)

    def finish(self, wrong: Label | None) -> Judged:
        require(self.rows > 0, self._name, "of at least one item", "empty")
        flags, wrong = self._labels.wrong_ones(wrong)
        order = sorted(self._number)
        move = np.empty(len(order), dtype=np.int64)
        move[[self._number[verdict] for verdict in order]] = np.arange(len(order))
        codes, places = move[np.concatenate(self._codes)], np.array(self._labels.places)
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
            self._labels.digest(self.rows),
            self._labels.predictions(),
            not_at_random(codes, places),
        )
