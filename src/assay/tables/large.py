"""Tables too large for memory: read in chunks three times, learned in one pass, tested in another.

Whether a row is held out follows from the seed and its number alone, so it is known before the table has been
counted. The first reading finds classes, means and deviations of the training rows, the second learns them, and
the third predicts the rows that were held out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.certificates.evidence import Evidence, from_pairs
from assay.data.encode import Encoder, OneHot
from assay.data.examples import Examples
from assay.data.numbered import Numbered, numbered
from assay.data.prepare import Measures, Preparation
from assay.data.table import open_table
from assay.errors import AssayError, BadData, BadParameter, require
from assay.files import read_table
from assay.tables.candidates import takes_sparse, wants_scale
from assay.tables.source import Source, plain_texts, require_classes

#: A table that takes more bytes than this is not held in memory.
LARGE = 2**29
_CHUNK_ROWS = 2**14


@dataclass(frozen=True)
class FittedInChunks:
    """What learning in chunks leaves, the model itself aside."""

    preparation: Preparation | None
    numbered: Numbered | None
    train_rows: int
    evidence: Evidence
    commonest: tuple[Any, int]
    seconds: float


def is_large(source: Source) -> bool:
    """Whether a table is too large to be held in memory at once."""
    try:
        size = source.path.stat().st_size
        if size > LARGE:
            return True
        if source.libsvm:
            return False
        table = open_table(source.path, source.format)
    except (AssayError, OSError):
        return False  # what is wrong is said where the table is read
    return (table.rows or 0) * len(table.columns) * 8 > LARGE


def fit_in_chunks(
    source: Source,
    apart: Source | None,
    learner: str,
    model: Any,
    holdout: float | int,
    seed: int,
    tell: Callable[[str], None],
) -> FittedInChunks:
    """Let an online learner learn a table in one pass, and test it on the rows held out."""
    if not hasattr(model, "partial_fit"):
        raise BadParameter(
            f"{source.path} is too large to be held in memory, and {learner} cannot learn it in chunks. Name an online "
            f"learner, such as sgd-classifier or perceptron, or give fewer rows."
        )
    if apart is None:
        good = isinstance(holdout, float) and 0 < holdout < 1
        must = "a share of the rows, strictly between 0 and 1, for a table too large for memory"
        require(good, "holdout", must, holdout)
    held = Drawn(seed, 0.0 if apart is not None else holdout)
    tell(f"Reading {source.path} for the first time of three")
    preparation = None if source.libsvm else _begun(source, model, held)
    shape = _shape(source) if source.libsvm else {}
    indices = Numbered((), first=int(not shape["zero_based"])) if shape else None
    preparation, classes, counts = _looked_at(source, preparation, held, shape)
    if preparation is not None and not wants_scale(learner):
        preparation = preparation.unscaled()
    tell(f"Learning {learner} from {int(counts.sum()):,} rows")
    begun = time.perf_counter()
    for examples, out in _chunks(source, preparation, held, shape):
        if not out.all():
            model.partial_fit(examples.X[~out], _labels(examples)[~out], classes=classes)
    seconds = time.perf_counter() - begun
    tell("Testing on the rows that were held out")
    tested = apart or source
    best, wrong = classes[counts.argmax()], 0

    def pairs() -> Iterator[tuple[Any, Any]]:
        nonlocal wrong
        for examples, out in _chunks(tested, preparation, held, shape):
            mine = ~out if apart is not None else out
            if mine.any():
                y = _labels(examples)[mine]
                wrong += int(np.count_nonzero(y != best))
                yield y, model.predict(examples.X[mine])

    evidence = from_pairs(pairs(), labels=None, unseen="wrong")
    said = best.item() if isinstance(best, np.generic) else best
    rows = int(counts.sum())
    return FittedInChunks(preparation, indices, rows, evidence, (said, wrong), seconds)


class Drawn:
    """Which rows are held out: each by a 64-bit number of its own, from the seed and the row's number.

    Examples
    --------
    >>> held = Drawn(0, 0.25)
    >>> whole = held.rows(0, 8)
    >>> (np.concatenate([held.rows(0, 3), held.rows(3, 5)]) == whole).all().item()
    True
    """

    def __init__(self, seed: int, share: float) -> None:
        require(seed >= 0, "seed", "a whole number of at least 0", seed)
        self._seed, self._least = seed, np.uint64(int(share * 2**64))

    def rows(self, first: int, count: int) -> NDArray[np.bool_]:
        """Whether each of so many rows is held out, from a row on that is counted from 0."""
        draws = np.random.PCG64(self._seed)
        draws.advance(first)
        chosen: NDArray[np.bool_] = np.asarray(draws.random_raw(count)) < self._least
        return chosen


def _begun(source: Source, model: Any, held: Drawn) -> Preparation:
    """What the first training rows tell about the columns."""
    table = source.open()
    wanted = source.features_of(table)
    first = plain_texts(next(iter(table.cells([*wanted, source.target or ""]))))
    kept = np.flatnonzero(~held.rows(0, first.num_rows))
    if not len(kept):
        raise BadData(f"{table.name} has too few rows to learn from.")
    return Preparation.fit(
        first.take(kept),
        columns=wanted,
        **source.ways_of(wanted),
        untyped=table.untyped,
        source=table.name,
        sparse=takes_sparse(model),
    )


def _looked_at(
    source: Source, begun: Preparation | None, held: Drawn, shape: dict[str, Any]
) -> tuple[Preparation | None, NDArray[Any], NDArray[np.int64]]:
    """The preparation with the measures of all training rows, their classes, and how many rows each has."""
    counts: dict[Any, int] = {}
    raw: Encoder | None = begun
    measures = None
    if begun is not None:
        columns = tuple(column for column in begun.columns if column.kind != "text")
        if columns:
            measures, raw = Measures(begun), OneHot(columns, unknown="other", missing="nan")
    for examples, out in _chunks(source, raw, held, shape):
        y = _labels(examples)[~out]
        for label, count in zip(*np.unique(y, return_counts=True), strict=True):
            counts[label] = counts.get(label, 0) + int(count)
        if measures is not None and len(y):
            measures.add_cells(examples.X[~out])
    classes = (
        np.array(sorted(counts), dtype=object)
        if any(isinstance(c, str) for c in counts)
        else np.array(sorted(counts))
    )
    where = "the labels" if source.target is None else f"column {source.target!r}"
    require_classes(
        np.repeat(classes, 2), where, str(source.path), declared=source.classes_declared
    )
    if begun is not None and measures is not None:
        begun = begun.measured(measures)
    return begun, classes, np.array([counts[label] for label in classes])


def _shape(source: Source) -> dict[str, Any]:
    """How many features libsvm text has, and whether their indices begin with 0."""
    found = read_table(source.path, chunk_rows=_CHUNK_ROWS, format=source.format).features
    return {"features": len(found), "zero_based": numbered(found).zero_based}


def _chunks(
    source: Source, encoder: Encoder | None, held: Drawn, shape: dict[str, Any]
) -> Iterator[tuple[Examples, NDArray[np.bool_]]]:
    """The rows in chunks, and which of them are held out."""
    options = shape if encoder is None else {"target": source.target, "encoder": encoder}
    found = read_table(source.path, chunk_rows=_CHUNK_ROWS, format=source.format, **options)
    for examples in found:
        yield examples, held.rows(examples.first_row - 1, len(examples))


def _labels(examples: Examples) -> NDArray[Any]:
    assert examples.y is not None
    return examples.y
