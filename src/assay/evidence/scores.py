"""Scores beside the truth: which rows they rank higher, and what they lose as probabilities."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from assay.errors import BadData, BadParameter, require
from assay.evidence.column_digest import LabelDigest
from assay.evidence.columns import read_column
from assay.evidence.digest import written
from assay.evidence.labels import Coded, Label, coded_pieces, merge
from assay.evidence.outward import difference_up, product_up
from assay.evidence.pairs import disjoint_pairs
from assay.evidence.quantities import digest_numbers, read_numbers
from assay.evidence.tally import declared_labels, listed
from assay.types import Bools, Floats, Ints

# The probabilities of a row add up to one, but for what single precision loses.
_SUM = 1e-4
# What a logarithm and its neighbours can lose, relative to the result.
_LOST = 2.0**-48
_MOST_COLUMNS = 1_000


@dataclass(frozen=True)
class Scores:
    """True labels and scores, row by row.

    Attributes
    ----------
    labels : tuple of str, int or bool
        All labels, sorted; of a table of scores, those that have a column first.
    codes : array of int
        The place of each row's label among them.
    values : array of float64
        One score for each row, or one column for each label.
    label : str, int, bool or None
        The label of which a single column speaks, the higher the more; None for a table of scores.

    Examples
    --------
    >>> seen = read_scores([(["ham", "spam", "ham"], [0.1, 0.9, 0.4])])
    >>> seen.label, seen.concordant("spam")
    ('spam', (1, 1))
    >>> seen.brier().round(2).tolist()
    [0.01, 0.01, 0.16]
    """

    labels: tuple[Label, ...]
    codes: Ints
    values: Floats
    label: Label | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def digest(self) -> str:
        """The digest of the scores."""
        if self.values.ndim == 1:
            return digest_numbers(self.values)
        columns = self.values.shape[1]
        digest = hashlib.sha256(f"assay-scores-1\n{columns}\n".encode())
        digest.update(np.ascontiguousarray(self.values + 0.0, dtype="<f8").data)
        return written(digest)

    def has(self, label: Label) -> Bools:
        """Which rows have a label."""
        return np.asarray(self.codes == self.labels.index(label), dtype=bool)

    def concordant(self, label: Any) -> tuple[int, int]:
        """Of disjoint pairs of a row with the label and one without: those that are ranked rightly, and all."""
        pairs = disjoint_pairs(self.has(label))
        column = self.values
        if column.ndim == 2:
            column = column[:, self.labels.index(label)]
        return pairs.concordant(column), len(pairs.coin)

    def brier(self) -> Floats:
        """Half the squared distance of each row's probabilities from the truth; of two labels, (p - y)^2."""
        self._require_probabilities()
        if self.label is not None:
            off = difference_up(self.values, self.has(self.label).astype(np.float64))
            return product_up(off, off)
        total = np.zeros(len(self))
        columns = self.values.shape[1]
        for place in range(columns):
            off = difference_up(self.values[:, place], (self.codes == place).astype(np.float64))
            total += product_up(off, off)
        total += self.codes >= columns  # labels of which no column speaks
        # Each addition may have lost half a unit.
        total *= (1 + len(self.labels) * 2.0**-52) / 2
        return np.minimum(total, 1.0)

    def log_losses(self, floor: float) -> Floats:
        """What the logarithm charges for the true label, as shares of what it charges at the floor; rounded up."""
        self._require_probabilities()
        with np.errstate(divide="ignore"):
            if self.label is not None:
                # Not the logarithm of 1 - p, which has lost what p has far behind the point.
                logs = np.where(self.has(self.label), np.log(self.values), np.log1p(-self.values))
            else:
                columns = self.values.shape[1]
                of_truth = self.values[np.arange(len(self)), np.minimum(self.codes, columns - 1)]
                logs = np.log(np.where(self.codes < columns, of_truth, 0.0))
        losses: Floats = np.clip(logs / np.log(floor) * (1 + _LOST), 0.0, 1.0)
        return losses

    def _require_probabilities(self) -> None:
        odd = ~((self.values >= 0.0) & (self.values <= 1.0))
        if odd.any():
            row = int(np.argwhere(odd)[0][0])
            worst = float(self.values[row][odd[row]][0] if odd.ndim == 2 else self.values[row])
            raise BadData(
                f"score must hold probabilities for brier and log-loss, but holds {worst!r} in row {row + 1}. Give "
                "what predict_proba says, and not what decision_function does."
            )
        if self.values.ndim == 2:
            sums = self.values.sum(axis=1)
            far = np.flatnonzero(np.abs(sums - 1.0) > _SUM)
            if far.size:
                row = int(far[0])
                raise BadData(
                    f"score must hold probabilities that add up to 1 in every row, but they add up to "
                    f"{float(sums[row]):.6g} in row {row + 1}."
                )


def read_scores(
    chunks: Iterable[tuple[Any, Any]],
    *,
    labels: Sequence[Any] | None = None,
    positive: Any = None,
    unseen: Literal["refuse", "wrong"] = "refuse",
    names: tuple[str, str] = ("truth", "score"),
    each: Callable[[Coded], object] | None = None,
    progress: Callable[[int], object] | None = None,
) -> Scores:
    """Scores from chunks of truth and score.

    A score is one number for each row, the higher the more it speaks for the positive label; or, in a table, one for
    each label, in their sorted order.

    Parameters
    ----------
    chunks : iterable of (truth, score)
        Consecutive chunks of the two.
    labels : sequence, optional
        All labels there are, where the truth may lack one.
    positive : label, or callable, optional
        The label that a single column speaks of, or what names it among the labels; of two the last in sorted order.
    unseen : {"refuse", "wrong"}
        Whether a true label that is not declared, or of which no column speaks, is refused, which tells of the truth;
        or counts as one to which every row gives no probability.
    names : tuple of two str
        What to call them in a refusal.
    each : callable, optional
        Called with every piece of the truth, such as to take a digest of it.
    progress : callable, optional
        Called with the number of rows read so far.

    Raises
    ------
    BadData
        For what is missing, no number, or of another number of rows or columns.
    """
    digest, pieces, values = LabelDigest(names[0]), list[Coded](), list[Floats]()
    for truth, score in chunks:
        column = read_column(truth, names[0], digest.rows)
        scores = _read(score, names[1], digest.rows)
        if len(column) != len(scores):
            raise BadData(
                f"{names[0]} and {names[1]} must have the same number of rows, but have {len(column):,} and "
                f"{len(scores):,}."
            )
        for piece in coded_pieces(column, names[0], digest.rows):
            digest.update(piece)
            pieces.append(piece)
            if each is not None:
                each(piece)
        values.append(scores)
        if progress is not None:
            progress(digest.rows)
    if not digest.rows:
        raise BadData(f"{names[0]} holds no rows; there is nothing to certify.")
    known, codes = _places(merge(pieces), digest.family == "truth values", labels, names[0], unseen)
    read = _joined(values, names[1])
    if unseen == "wrong":
        return _of_untold_labels(known, codes, read, positive, labels, names[1])
    return _scores(known, codes, read, positive, names[1])


def is_table(score: Any) -> bool:
    """Whether there is more than one score for each row."""
    nested = isinstance(score, list) and bool(score) and isinstance(score[0], list | tuple)
    return nested or getattr(score, "ndim", 1) == 2


def _read(score: Any, name: str, done: int) -> Floats:
    """One column as doubles, or a table of them; several columns stand in a tuple."""
    if isinstance(score, tuple) and any(hasattr(column, "__len__") for column in score):
        parts = [read_numbers(column, name, done) for column in score]
        return parts[0] if len(parts) == 1 else np.stack(parts, axis=1)
    if is_table(score):
        table = np.asarray(score)
        if table.ndim != 2 or not 0 < table.shape[1] <= _MOST_COLUMNS:
            raise BadData(f"{name} must be one number for each row, or one for each label.")
        columns = [read_numbers(table[:, place], name, done) for place in range(table.shape[1])]
        return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)
    return read_numbers(score, name, done)


def _joined(parts: Sequence[Floats], name: str) -> Floats:
    parts = [part for part in parts if len(part)]
    if len({part.shape[1:] for part in parts}) > 1:
        raise BadData(f"{name} must have as many columns in every chunk.")
    joined: Floats = np.concatenate(parts)
    return joined


def _places(
    column: Coded,
    truth_values: bool,
    declared: Sequence[Any] | None,
    name: str,
    unseen: Literal["refuse", "wrong"],
) -> tuple[tuple[Label, ...], Ints]:
    """All labels, and each row's place among them; behind declared ones stand those that are not."""
    known: tuple[str | int, ...] = column.labels
    if declared is not None:
        known = tuple(sorted(set(declared_labels(declared))))
        unknown = sorted(set(column.labels) - set(known))
        if unseen == "wrong":
            known = (*known, *unknown)
        elif unknown:
            raise BadData(
                f"{name} holds {listed(unknown, truth_values)}, which is not among the declared labels; declare "
                f"every label there is."
            )
    place = np.array([known.index(label) for label in column.labels])
    codes: Ints = place[column.codes]
    return tuple(bool(label) for label in known) if truth_values else known, codes


def _scores(
    labels: tuple[Label, ...], codes: Ints, values: Floats, positive: Any, name: str
) -> Scores:
    if values.ndim == 2:
        if values.shape[1] != len(labels):
            raise BadData(
                f"{name} has {values.shape[1]} columns, but there are {len(labels)} labels: it must have one column "
                "for each label, in their sorted order. Declare labels that the truth lacks."
            )
        return Scores(labels, codes, values)
    named = positive(labels) if callable(positive) else positive
    return Scores(labels, codes, values, positive_of(labels, named))


def _of_untold_labels(
    labels: tuple[Label, ...],
    codes: Ints,
    values: Floats,
    positive: Any,
    declared: Sequence[Any] | None,
    name: str,
) -> Scores:
    """The same where no refusal may depend on which labels the truth holds."""
    hint = "Which labels there are is not told without a charge."
    positive = positive(labels) if callable(positive) else positive
    if values.ndim == 1:
        require(positive is not None, "positive", "given with a ledger", positive, hint)
        if positive not in labels:
            labels = (*labels, positive)
        return Scores(labels, codes, values, labels[labels.index(positive)])
    require(declared is not None, "labels", "given with a ledger and a table of scores", None, hint)
    columns = len(set(declared_labels(declared or ())))
    if values.shape[1] != columns:
        raise BadData(
            f"{name} has {values.shape[1]} columns, but {columns} labels are declared: it must have one column for "
            "each, in their sorted order."
        )
    return Scores(labels, codes, values)


def positive_of(labels: Sequence[Label], positive: Any) -> Label:
    """The label that scores speak of."""
    if positive is None:
        if len(labels) != 2:
            raise BadParameter(
                f"Say which of the {len(labels)} labels counts as positive, with positive."
            )
        return labels[1]
    require(positive in labels, "positive", "one of " + ", ".join(map(repr, labels)), positive)
    return labels[labels.index(positive)]


def merge_scores(parts: Sequence[Scores]) -> Scores:
    """The scores of all rows; which labels there are must be the same everywhere."""
    first = parts[0]
    if any((part.labels, part.label) != (first.labels, first.label) for part in parts):
        raise BadData("Scores to be merged must be of the same labels. Declare them.")
    return Scores(
        first.labels,
        np.concatenate([part.codes for part in parts]),
        _joined([part.values for part in parts], "score"),
        first.label,
    )
