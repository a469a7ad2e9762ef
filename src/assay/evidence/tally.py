"""Predictions beside the truth, counted in one pass: rows, errors, confusion, digests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import BadData
from assay.evidence.column_digest import LabelDigest
from assay.evidence.columns import read_column
from assay.evidence.labels import Coded, Label, coded_pieces, encode, recode, scratch
from assay.evidence.partition import PartitionDigest
from assay.types import Bools, Ints

#: More distinct labels than this are names or quantities, not classes.
MOST_LABELS = 65_536

#: With more labels than this, errors are counted but the confusion matrix is not kept.
MOST_CONFUSED = 1_000


@dataclass(frozen=True, slots=True)
class Tally:
    """What a set of predictions did, with nothing said about what it means.

    Parameters
    ----------
    rows, errors : int
        How many rows there were, and on how many the prediction differs from the truth.
    labels : tuple of str, int or bool
        The distinct labels of truth and prediction, sorted.
    confusion : tuple of tuple of int, or None
        ``confusion[t][p]`` rows are of truth ``labels[t]`` and were predicted ``labels[p]``; None
        when there are more than 1,000 labels.
    truth_digest, prediction_digest : str or None
        The canonical digests of the two columns (see `assay.evidence.digest`); None for tallies that were merged.
    partition_digest : str or None
        The digest of which rows share a true label (see `assay.evidence.partition`), where asked for.
    unseen : tuple of str, int or bool
        The labels that predictions hold and the truth does not, sorted.
    declared : tuple of str, int or bool, or None
        All labels there are, sorted, where somebody said so before the rows were counted.
    """

    rows: int
    errors: int
    labels: tuple[Label, ...]
    confusion: tuple[tuple[int, ...], ...] | None
    truth_digest: str | None
    prediction_digest: str | None
    partition_digest: str | None = None
    unseen: tuple[Label, ...] = ()
    declared: tuple[Label, ...] | None = None


def tally(
    pairs: Iterable[tuple[Any, Any]],
    *,
    labels: Sequence[Label] | None = None,
    unseen: Literal["refuse", "wrong"] = "refuse",
    names: tuple[str, str] = ("truth", "prediction"),
    partition: bool = False,
    progress: Callable[[int], object] | None = None,
    wrong: Callable[[Bools], object] | None = None,
) -> Tally:
    """Count predictions against the truth, chunk by chunk and in bounded memory.

    Parameters
    ----------
    pairs : iterable of (truth, prediction)
        Consecutive chunks of the two columns: lists, NumPy arrays, pandas or polars series, Arrow
        arrays. Where they are cut makes no difference to the result.
    labels : sequence of str, int or bool, optional
        All labels there are; any other is refused. Without them, a predicted label that the truth
        never holds counts as wrong.
    unseen : {"refuse", "wrong"}
        Whether, without `labels`, columns that share no label at all are refused, since they are
        more often written in two ways than wrong in every row. A refusal tells which labels the
        truth holds.
    names : tuple of two str
        What to call truth and prediction in a refusal, e.g. their columns in the file.
    partition : bool
        Whether to take the digest of which rows share a true label, by which a ledger knows them again.
    progress : callable, optional
        Called with the number of rows counted so far, after every chunk.
    wrong : callable, optional
        Called with whether each row is predicted wrongly, piece by piece in their order.

    Raises
    ------
    BadData
        For a missing label, a measured quantity, text against numbers, chunks of unequal length, a
        label outside `labels`, no label in common, more than 65,536 labels, or no rows.

    Examples
    --------
    >>> result = tally([(["ham", "spam", "spam"], ["ham", "spam", "ham"])])
    >>> result.labels, result.confusion
    (('ham', 'spam'), ((1, 0), (1, 1)))
    >>> result.errors
    1
    """
    # One thread hashes finished blocks while this one counts; both spend their time outside the
    # interpreter's lock.
    with ThreadPoolExecutor(max_workers=1) as pool:
        count = _Count(LabelDigest(names[0], pool), LabelDigest(names[1], pool))
        count.partition = PartitionDigest() if partition else None
        count.wrong = wrong
        for truth, prediction in pairs:
            count.add(truth, prediction)
            if progress is not None:
                progress(count.rows)
        return count.finish(labels, unseen)


def merge_tallies(tallies: Sequence[Tally]) -> Tally:
    """The tally of all rows, from tallies of some of them each; the digests are lost.

    Examples
    --------
    >>> one, two = tally([(["ham"], ["eggs"])], unseen="wrong"), tally([(["eggs", "ham"], ["eggs", "eggs"])])
    >>> both = merge_tallies([one, two])
    >>> both.labels, both.confusion, both.unseen
    (('eggs', 'ham'), ((1, 0), (2, 0)), ())
    """
    families = {type(label) for part in tallies for label in part.labels}
    if len(families) > 1:
        names = ", ".join(sorted(family.__name__ for family in families))
        raise BadData(f"Tallies to be merged must have labels of one type, but theirs are {names}.")
    labels = tuple(sorted({label for part in tallies for label in part.labels}))
    in_truth = {label for part in tallies for label in set(part.labels) - set(part.unseen)}
    if len(labels) > MOST_LABELS:
        raise BadData(f"The tallies hold more than {MOST_LABELS:,} distinct labels together.")
    confusion = None
    if len(labels) <= MOST_CONFUSED and all(part.confusion is not None for part in tallies):
        matrix = np.zeros((len(labels), len(labels)), dtype=np.int64)
        for part in tallies:
            places = [labels.index(label) for label in part.labels]
            matrix[np.ix_(places, places)] += np.array(part.confusion, dtype=np.int64)
        confusion = tuple(tuple(row) for row in matrix.tolist())
    return Tally(
        rows=sum(part.rows for part in tallies),
        errors=sum(part.errors for part in tallies),
        labels=labels,
        confusion=confusion,
        truth_digest=None,
        prediction_digest=None,
        unseen=tuple(label for label in labels if label not in in_truth),
        declared=tallies[0].declared if len({part.declared for part in tallies}) == 1 else None,
    )


class _Count:
    """The running counts; labels are numbered in the order in which they first occur."""

    def __init__(self, truth: LabelDigest, prediction: LabelDigest) -> None:
        self.truth, self.prediction = truth, prediction
        self.partition: PartitionDigest | None = None
        self.wrong: Callable[[Bools], object] | None = None
        self.rows = 0
        self.errors = 0
        self.number: dict[str | int, int] = {}
        self.in_truth: set[str | int] = set()
        self.in_prediction: set[str | int] = set()
        self.matrix: Ints | None = np.zeros((0, 0), dtype=np.int64)

    def add(self, truth: Any, prediction: Any) -> None:
        names = self.truth.name, self.prediction.name
        t_array = read_column(truth, names[0], self.rows)
        p_array = read_column(prediction, names[1], self.rows)
        if len(t_array) != len(p_array):
            raise BadData(
                f"{names[0]} holds {len(t_array)} rows but {names[1]} holds {len(p_array)}; "
                f"every row needs one label in each."
            )
        for t, p in zip(
            coded_pieces(t_array, names[0], self.rows),
            coded_pieces(p_array, names[1], self.rows),
            strict=True,
        ):
            self._add_piece(t, p)

    def _add_piece(self, t: Coded, p: Coded) -> None:
        self.truth.update(t)
        self.prediction.update(p)
        if self.partition is not None:
            self.partition.update(t)
        self._check_families(t, p)
        self.rows += len(t)
        self.in_truth.update(t.labels)
        self.in_prediction.update(p.labels)
        if t.labels != p.labels:
            both = tuple(sorted({*t.labels, *p.labels}))
            t, p = recode(t, both), recode(p, both)
        if self.wrong is not None:
            self.wrong(t.codes != p.codes)
        for label in t.labels:
            self.number.setdefault(label, len(self.number))
        if len(self.number) > MOST_LABELS:
            raise BadData(
                f"{self.truth.name} and {self.prediction.name} hold more than {MOST_LABELS:,} "
                f"distinct labels; so many are names or quantities, not classes. "
                f"Check that the columns are the right ones."
            )
        if len(self.number) > MOST_CONFUSED:
            self.matrix = None
        if self.matrix is None:
            self.errors += int(np.count_nonzero(t.codes != p.codes))
        else:
            self._confuse(_confusion(t, p), [self.number[label] for label in t.labels])

    def _confuse(self, block: Ints, numbers: list[int]) -> None:
        assert self.matrix is not None
        self.errors += int(block.sum() - block.trace())
        missing = len(self.number) - len(self.matrix)
        if missing:
            self.matrix = np.pad(self.matrix, (0, missing))
        self.matrix[np.ix_(numbers, numbers)] += block

    def _check_families(self, t: Coded, p: Coded) -> None:
        if (self.truth.family == "text") != (self.prediction.family == "text"):
            raise BadData(
                f"{self.truth.name} holds {self.truth.family} ({_shown(t)!r}) but "
                f"{self.prediction.name} holds {self.prediction.family} ({_shown(p)!r}); "
                f"write both in the same labels."
            )

    def finish(self, declared: Sequence[Label] | None, unseen: Literal["refuse", "wrong"]) -> Tally:
        if not self.rows:
            raise BadData(
                f"{self.truth.name} and {self.prediction.name} hold no rows; "
                f"there is nothing to count."
            )
        truth_values = self._only_truth_values()
        known = None if declared is None else declared_labels(declared)
        if known is not None or unseen == "refuse":
            self._check_known(known, truth_values)
        ordered = sorted(self.number)
        confusion = None
        if self.matrix is not None:
            order = [self.number[label] for label in ordered]
            confusion = tuple(tuple(row) for row in self.matrix[np.ix_(order, order)].tolist())
        return Tally(
            rows=self.rows,
            errors=self.errors,
            labels=tuple(bool(label) for label in ordered) if truth_values else tuple(ordered),
            confusion=confusion,
            truth_digest=self.truth.finish(),
            prediction_digest=self.prediction.finish(),
            partition_digest=None if self.partition is None else self.partition.finish(),
            unseen=tuple(
                bool(label) if truth_values else label
                for label in sorted(self.in_prediction - self.in_truth)
            ),
            declared=tuple(map(bool, known)) if known and truth_values else known,
        )

    def _only_truth_values(self) -> bool:
        """Whether both columns hold truth values; refuses one beside numbers other than 0 and 1."""
        columns = (self.truth, self.in_truth), (self.prediction, self.in_prediction)
        of_truth_values = [digest.family == "truth values" for digest, _ in columns]
        if not any(of_truth_values) or all(of_truth_values):
            return all(of_truth_values)
        (digest, _), (other, held) = columns if of_truth_values[0] else columns[::-1]
        odd = sorted(held - {0, 1})
        if odd:
            raise BadData(
                f"{digest.name} holds truth values but {other.name} holds {listed(odd)}; "
                f"only 0 and 1 can stand for False and True."
            )
        return False

    def _check_known(self, declared: tuple[Label, ...] | None, truth_values: bool) -> None:
        if declared is None:
            if self.in_prediction.isdisjoint(self.in_truth):
                raise BadData(
                    f"{self.truth.name} and {self.prediction.name} must share a label, but "
                    f"{_the(self.truth.name)} holds {listed(sorted(self.in_truth), truth_values)} and "
                    f"{_the(self.prediction.name)} {listed(sorted(self.in_prediction), truth_values)}. "
                    f"Write both in the same labels; if all are meant to count as wrong, declare the "
                    f"labels."
                )
            return
        known = set(declared)
        for digest, held in (self.truth, self.in_truth), (self.prediction, self.in_prediction):
            unknown = sorted(held - known)
            if unknown:
                raise BadData(
                    f"{digest.name} holds {listed(unknown, truth_values)}, which is not among the "
                    f"declared labels; declare every label there is."
                )


def declared_labels(labels: Sequence[Label]) -> tuple[str | int, ...]:
    """Declared labels read as a column's are: whole floats as integers, True as 1.

    Examples
    --------
    >>> declared_labels([1.0, 0])
    (0, 1)
    """
    array = read_column(labels, "labels")
    return encode(array, "labels").labels if len(array) else ()


def _confusion(t: Coded, p: Coded) -> Ints:
    """Rows by (truth, prediction) of two pieces that share their labels."""
    size = len(t.labels)
    if size == 1:
        return np.array([[len(t)]])
    if size == 2:
        # Three counts settle all four, and counting ones is far faster than a histogram.
        both = np.bitwise_and(t.codes, p.codes, out=scratch(len(t), np.uint8))
        hit, true, predicted = map(np.count_nonzero, (both, t.codes, p.codes))
        return np.array([[len(t) - true - predicted + hit, predicted - hit], [true - hit, hit]])
    if size <= 16:
        cells = np.multiply(t.codes, np.uint8(size), out=scratch(len(t), np.uint8))
        cells += p.codes
        return _histogram(cells)[: size * size].reshape(size, size)
    # Errors are few: count those by cell, and the rest from the margin.
    wrong = np.flatnonzero(t.codes != p.codes)
    cells = t.codes[wrong].astype(np.int64) * size + p.codes[wrong]
    matrix = np.bincount(cells, minlength=size * size).reshape(size, size)
    matrix[np.diag_indices(size)] = np.bincount(t.codes, minlength=size) - matrix.sum(axis=1)
    return matrix


def _histogram(cells: NDArray[np.uint8]) -> Ints:
    """How often each of 256 values occurs; bytes are counted two at a time."""
    even = len(cells) // 2 * 2
    if even < 2**16:
        return np.bincount(cells, minlength=256)
    pairs = np.bincount(cells[:even].view(np.uint16), minlength=2**16).reshape(256, 256)
    counts: Ints = pairs.sum(axis=0) + pairs.sum(axis=1)
    return counts + np.bincount(cells[even:], minlength=256)


def _shown(piece: Coded) -> Label:
    return bool(piece.labels[0]) if piece.family == "truth values" else piece.labels[0]


def _the(name: str) -> str:
    return f"the {name}" if name in ("truth", "prediction") else name


def wrong_rows(truth: Any, prediction: Any) -> Bools:
    """Whether each row is predicted wrongly.

    Examples
    --------
    >>> wrong_rows(["ham", "spam"], ["ham", "eggs"]).tolist()
    [False, True]
    """
    t, p = (encode(read_column(column, "labels"), "labels") for column in (truth, prediction))
    both: tuple[str | int, ...] = tuple(sorted({*t.labels, *p.labels}))
    wrong: Bools = recode(t, both).codes != recode(p, both).codes
    return wrong


def listed(labels: Sequence[Label], truth_values: bool = False, most: int = 5) -> str:
    """The first few labels, for a sentence."""
    shown = [repr(bool(label) if truth_values else label) for label in labels[:most]]
    more = len(labels) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
