"""Watching what comes in to be predicted: is it like the rows that were learned from?

Counted as they are: categories that training did not show, and numbers further outside than all of training is wide.
Tested, at a false-alarm rate that all columns share: gaps, values beyond the smallest and the largest of training,
and shifted distributions (`assay.tables.two_sample`). A test that says nothing proves nothing: rows may be too few.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from assay.data.cells import Place, as_words, codes
from assay.data.encode import Column, Encoder
from assay.data.frames import as_batch
from assay.data.seen import MOST_RANKS, TRUTHS, Seen, SeenColumn, number_cells, ranks
from assay.data.stored_encoder import encoder_from_json
from assay.errors import require
from assay.learners.model_file.files import load
from assay.tables.two_sample import another_share, many_above, many_below
from assay.tables.watch_words import (
    beyond_words,
    category_words,
    far_words,
    gap_words,
    mark_words,
    unseen_words,
)
from assay.types import Floats

#: How likely a test alarms though nothing has changed, over all columns together.
ALARM = 0.01
# So many categories that training did not show are kept by name.
_MOST_NAMES = 1000
Trouble = Literal["unseen", "far", "beyond", "missing", "shifted"]


@dataclass(frozen=True)
class Finding:
    """What is strange about a column.

    Attributes
    ----------
    column : str
        Its name.
    trouble : {"unseen", "far", "beyond", "missing", "shifted"}
        Categories that training did not show, numbers far outside of it; or, by a test: values beyond its ends, gaps,
        another distribution.
    rows : int
        How many rows show it.
    p : float or None
        How likely so much of it would be in any column if rows were like those of training; None for what is
        counted and not tested.
    sentence : str
        The same in words.
    """

    column: str
    trouble: Trouble
    rows: int
    p: float | None
    sentence: str


@dataclass(frozen=True)
class Watched:
    """What was found in all rows.

    Attributes
    ----------
    rows : int
        How many rows were looked at.
    tested : int
        How many columns were tested; 0 where the model file knows nothing of its training rows.
    columns : int
        How many columns there are.
    alarm : float
        The rate of false alarms of all tests together.
    findings : tuple of Finding
        In the order of the columns.
    """

    rows: int
    tested: int
    columns: int
    alarm: float
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def scope(self) -> str:
        """What was looked at, in a sentence."""
        if not self.tested:
            return "The model file holds no summary of its training rows, so only categories were looked at."
        some = f"{self.tested:,}" + (f" of {self.columns:,}" if self.columns > self.tested else "")
        return (
            f"{some} columns were tested against the training rows; were all rows separate draws of one kind, a test "
            f"would alarm with probability at most {self.alarm:g}."
        )

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "ok": self.ok,
            "rows": self.rows,
            "columns": self.columns,
            "tested": self.tested,
            "alarm": self.alarm,
            "findings": [vars(one) for one in self.findings],
        }


class Watch:
    """Counts rows as they come, and says in the end how they differ from those of training.

    Parameters
    ----------
    model : learner or path
        As `predict_table` takes it.
    alarm : float, default=0.01
        How likely any test alarms though new rows are drawn like those of training.

    Examples
    --------
    >>> from assay import GaussianNB
    >>> from assay.data import Preparation
    >>> table = pa.table({"age": [20.0, 30.0, 40.0, 50.0] * 25})
    >>> model = GaussianNB().fit(table["age"].to_numpy()[:, None], [0, 0, 1, 1] * 25)
    >>> ready = Preparation.fit(table)
    >>> model.encoder_, model.seen_ = ready.to_json(), Seen.of(table, ready).to_json()
    >>> watch = Watch(model)
    >>> watch.add(pa.table({"age": [60.0] * 20}))
    >>> [(one.trouble, one.rows) for one in watch.result().findings]
    [('beyond', 20)]
    """

    def __init__(self, model: Any, *, alarm: float = ALARM) -> None:
        require(0 < alarm < 1, "alarm", "a number strictly between 0 and 1", alarm)
        model = load(model) if isinstance(model, str | os.PathLike) else model
        known, seen = getattr(model, "encoder_", None), getattr(model, "seen_", None)
        encoder = None if known is None else encoder_from_json(known)
        self._alarm, self.rows = alarm, 0
        self._seen = None if seen is None else Seen.from_json(seen)
        self._columns = () if encoder is None else encoder.columns
        by_name = {} if self._seen is None else {one.name: one for one in self._seen.columns}
        self._counted = [
            _Counted(column, by_name.get(column.name))
            for column in self._columns
            if column.name in by_name or column.kind in ("category", "coded")
        ]

    def add(self, table: Any, *, source: str = "The table", done: int = 0) -> None:
        """Count in some rows, by the columns of a table."""
        batch = as_batch(table)
        self.rows += batch.num_rows
        for one in self._counted:
            one.add(batch.column(one.column.name), Place(source, one.column.name, done))

    def add_numbers(self, X: Floats) -> None:
        """Count in some rows of numbers, one column after the other as the model knows them."""
        self.rows += len(X)
        at = {column.name: i for i, column in enumerate(self._columns)}
        for one in self._counted:
            one.add_numbers(np.asarray(X[:, at[one.column.name]], dtype=np.float64))

    def result(self) -> Watched:
        """What was found up to now."""
        tested = sum(one.seen is not None for one in self._counted)
        old = 0 if self._seen is None else self._seen.rows
        findings = [
            finding
            for one in self._counted
            for finding in one.findings(old, self.rows, tested, self._alarm)
        ]
        # The words of a libsvm file have no columns to be told apart by.
        return Watched(self.rows, tested, len(self._columns), self._alarm, tuple(findings))


@dataclass
class _Counted:
    """One column of the new rows, beside what it was in training."""

    column: Column
    seen: SeenColumn | None
    missing: int = 0
    below: Any = 0
    above: Any = 0
    far: int = 0
    ends: tuple[float, float] = (np.inf, -np.inf)
    words: Counter[str] = field(default_factory=Counter)
    strange: Counter[str] = field(default_factory=Counter)
    unnamed: int = 0

    def add(self, array: pa.Array, place: Place) -> None:
        match self.column.kind:
            case "number":
                self.add_numbers(number_cells(self.column, array, place))
            case "truth":
                cells = number_cells(self.column, array, place)
                held = cells[~np.isnan(cells)].astype(np.int64)
                self.missing += len(cells) - len(held)
                self.words.update(
                    dict(zip(TRUTHS, np.bincount(held, minlength=2).tolist(), strict=True))
                )
            case "category" | "coded":
                self._add_words(array, place)
            case _:
                self.missing += array.null_count

    def add_numbers(self, values: Floats) -> None:
        assert self.seen is not None
        held = values[~np.isnan(values)]
        self.missing += len(values) - len(held)
        if not len(held):
            return
        low, high = float(held.min()), float(held.max())
        self.ends = (min(low, self.ends[0]), max(high, self.ends[1]))
        marks = np.array(self.seen.marks)
        if not len(marks):
            return
        # How many marks are below each value, and how many are not above it.
        under = np.bincount(np.searchsorted(marks, held, "left"), minlength=len(marks) + 1)
        reached = np.bincount(np.searchsorted(marks, held, "right"), minlength=len(marks) + 1)
        self.above = self.above + (len(held) - np.cumsum(under)[:-1])
        self.below = self.below + np.cumsum(reached)[:-1]
        width = marks[-1] - marks[0]
        outside = (held < marks[0] - width) | (held > marks[-1] + width)
        self.far += int(np.count_nonzero(outside)) if width > 0 else 0

    def _add_words(self, array: pa.Array, place: Place) -> None:
        names = self.column.categories
        coded = codes(array, pa.array(names, pa.string()), place)
        self.missing += int(np.count_nonzero(coded == -1))
        counts = np.bincount(coded[coded >= 0], minlength=len(names))
        for at in np.flatnonzero(counts):
            self.words[names[at]] += int(counts[at])
        odd = np.flatnonzero(coded == -2)
        if len(odd):
            for word in as_words(array, place).take(pa.array(odd)).to_pylist():
                if word in self.strange or len(self.strange) < _MOST_NAMES:
                    self.strange[word] += 1
                else:
                    self.unnamed += 1

    def findings(self, old: int, new: int, tested: int, alarm: float) -> list[Finding]:
        """What is strange, at this column's share of the rate of false alarms."""
        name, findings = self.column.name, list[Finding]()
        unseen = sum(self.strange.values()) + self.unnamed
        if unseen:
            words = unseen_words(name, self.strange, unseen)
            findings.append(Finding(name, "unseen", unseen, None, words))
        if self.seen is None:
            return findings
        if self.far:
            words = far_words(name, self.far, self.seen.marks, self.ends)
            findings.append(Finding(name, "far", self.far, None, words))
        tests = self._tests(self.seen, old, new)
        shares = sum(many for many, _ in tests)
        best = min(
            (one for _, one in tests if one is not None), key=lambda f: f.p or 0.0, default=None
        )
        if best is not None and best.p is not None:
            # Bonferroni: over the tests of this column, and over the columns.
            p = min(1.0, best.p * shares * tested)
            if p <= alarm:
                findings.append(Finding(name, best.trouble, best.rows, p, best.sentence))
        return findings

    def _tests(self, seen: SeenColumn, old: int, new: int) -> list[tuple[int, Finding | None]]:
        """The tests of the column: how many of a kind, and what the one that says most has found."""
        p = float(another_share(np.array(seen.missing), old, np.array(self.missing), new))
        words = gap_words(seen.name, self.missing / max(new, 1), seen.missing / max(old, 1))
        tests = [
            (1, Finding(seen.name, "missing", self.missing, p, words) if new and old else None)
        ]
        held_old, held_new = old - seen.missing, new - self.missing
        held = held_old > 0 and held_new > 0
        if seen.kind == "number":
            tests += [self._marks(seen, held_old, held_new) if held else (2 * MOST_RANKS, None)]
        if seen.kind == "category":
            tests += [self._shares(seen, held_old, held_new)]
        return tests

    def _marks(self, seen: SeenColumn, old: int, new: int) -> tuple[int, Finding]:
        at = ranks(old)
        p = np.concatenate(
            [many_below(at, old, self.below, new), many_above(at, old, self.above, new)]
        )
        best, upper = int(p.argmin()) % len(at), int(p.argmin()) >= len(at)
        rows = int((self.above if upper else self.below)[best])
        mark, rank = seen.marks[best], int(at[best])
        # As many tests as for any number of rows, so that gaps do not change how the rate is shared.
        many = 2 * MOST_RANKS
        if rank == (old if upper else 1):
            words = beyond_words(seen.name, rows, mark, upper)
            return many, Finding(seen.name, "beyond", rows, float(p.min()), words)
        # So many of the old ones, at most, are strictly beyond the mark.
        share = (old - rank if upper else rank - 1) / old
        words = mark_words(seen.name, rows / new, mark, upper, share)
        return many, Finding(seen.name, "shifted", rows, float(p.min()), words)

    def _shares(self, seen: SeenColumn, old: int, new: int) -> tuple[int, Finding | None]:
        # Not fewer than old and new rows have together, which does not depend on which rows are old.
        known = max(seen.distinct, len(self.column.categories), len(TRUTHS))
        kinds = known + len(self.strange) + self.unnamed
        if not seen.counts or not new:
            return kinds, None
        mine = np.array([self.words[word] for word, _ in seen.counts])
        p = another_share(np.array([many for _, many in seen.counts]), old, mine, new)
        best = int(p.argmin())
        word, many = seen.counts[best]
        words = category_words(seen.name, word, mine[best] / new, many / old)
        return kinds, Finding(seen.name, "shifted", int(mine[best]), float(p[best]), words)


@dataclass(frozen=True)
class Watching(Encoder):
    """An encoder that shows every row to a watch."""

    inner: Encoder | None = None
    watch: Watch | None = None

    @classmethod
    def over(cls, inner: Encoder, watch: Watch) -> Watching:
        """The same encoder, watched."""
        return cls(inner.columns, inner.unknown, inner.missing, inner, watch)

    @property
    def features(self) -> tuple[str, ...]:
        """As the encoder names them."""
        assert self.inner is not None
        return self.inner.features

    @property
    def plain(self) -> bool:
        """Whether all columns are numbers."""
        assert self.inner is not None
        return self.inner.plain

    def transform(self, table: Any, **terms: Any) -> Any:
        """The features of each row; rows that can be read are counted."""
        assert self.inner is not None
        assert self.watch is not None
        X = self.inner.transform(table, **terms)
        self.watch.add(table, source=terms.get("source", "The table"), done=terms.get("done", 0))
        return X

    def finish(self, X: Any) -> Any:
        """Rows of numbers alone, counted."""
        assert self.inner is not None
        assert self.watch is not None
        self.watch.add_numbers(X)
        return self.inner.finish(X)
