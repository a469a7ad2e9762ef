"""Tables too large for memory: read in chunks four times, learned in one pass, tested in another.

The first reading decides which rows are held out (`assay.tables.large_rows`), the second finds classes, means and
deviations of the training rows, the third learns them, and the fourth predicts the rows that were held out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.certificates.issue.distinct_rows import Overlap
from assay.data.encode import Encoder, OneHot
from assay.data.examples import Examples
from assay.data.location import files_of
from assay.data.measures import Measures
from assay.data.numbered import Numbered, numbered
from assay.data.prepare import Preparation
from assay.data.table import open_table
from assay.errors import AssayError, BadData, BadParameter, require
from assay.evidence.evidence import Evidence, from_pairs, from_units
from assay.files import read_table
from assay.tables.candidates import many_words, wants_scale
from assay.tables.large_rows import LEARN, TEST, HeldRows, hold_out
from assay.tables.row_order import Order
from assay.tables.source import Source, plain_texts, require_classes
from assay.tables.stopwatch import Stopwatch
from assay.types import Array, Ints

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
    held: HeldRows


def is_large(source: Source) -> bool:
    """Whether a table is too large to be held in memory at once."""
    if source.frame is not None:
        return False
    try:
        size = sum(file.stat().st_size for file in files_of(source.path))
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
    *,
    overlap: Overlap = "drop",
    known: bool = False,
    order: Order | None = None,
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
    tell(f"Reading {source.path} for the first time of four")
    shape = _shape(source) if source.libsvm else {}
    rows = hold_out(
        source,
        apart,
        share=holdout,
        seed=seed,
        overlap=overlap,
        shape=shape,
        known=known,
        order=order,
    )
    held = rows.train
    preparation = None if source.libsvm else _begun(source, model, held)
    indices = Numbered((), first=int(not shape["zero_based"])) if shape else None
    preparation, classes, counts = _looked_at(source, preparation, held, shape)
    if preparation is not None and not wants_scale(learner):
        preparation = preparation.unscaled()
    tell(f"Learning {learner} from {int(counts.sum()):,} rows")
    watch = Stopwatch()
    for examples, state in _chunks(source, preparation, held, shape):
        mine = state == LEARN
        if mine.any():
            model.partial_fit(examples.X[mine], _labels(examples)[mine], classes=classes)
    seconds = watch.seconds
    tell("Testing on the rows that were held out")
    best, wrong = classes[counts.argmax()], 0

    def pairs() -> Iterator[tuple[Any, Any, Any]]:
        nonlocal wrong
        for examples, state in _chunks(apart or source, preparation, rows.test, shape):
            mine = state == TEST
            if mine.any():
                y = _labels(examples)[mine]
                wrong += int(np.count_nonzero(y != best))
                first = examples.first_row - 1
                unit = None if rows.unit is None else rows.unit[first : first + len(mine)][mine]
                yield y, model.predict(examples.X[mine]), unit

    evidence = _evidence(pairs(), rows)
    commonest = best.item() if isinstance(best, np.generic) else best
    many = int(counts.sum())
    return FittedInChunks(preparation, indices, many, evidence, (commonest, wrong), seconds, rows)


def _evidence(triples: Iterator[tuple[Any, Any, Any]], rows: HeldRows) -> Evidence:
    if rows.unit is None:
        counted = from_pairs(((y, predicted) for y, predicted, _ in triples), unseen="wrong")
    else:
        counted = from_units(triples, unseen="wrong")
    if rows.digests is None:
        return replace(counted, checked=rows.checked)
    # A ledger knows the whole table by its rows; the truth of those drawn now is only a part of it.
    return replace(counted, checked=rows.checked, known_rows=rows.digests, holdout=None)


def _begun(source: Source, model: Any, held: NDArray[np.uint8]) -> Preparation:
    """What the first training rows tell about the columns."""
    table = source.open()
    wanted = source.features_of(table)
    first = plain_texts(next(iter(table.cells([*wanted, source.target or ""]))))
    kept = np.flatnonzero(_states(held, 0, first.num_rows) == LEARN)
    if not len(kept):
        raise BadData(f"{table.name} has too few rows to learn from.")
    return Preparation.fit(
        first.take(kept),
        columns=wanted,
        **source.ways_of(wanted),
        untyped=table.untyped,
        source=table.name,
        sparse=many_words(model),
    )


def _looked_at(
    source: Source, begun: Preparation | None, held: NDArray[np.uint8], shape: dict[str, Any]
) -> tuple[Preparation | None, Array, Ints]:
    """The preparation with the measures of all training rows, their classes, and how many rows each has."""
    counts: dict[Any, int] = {}
    raw: Encoder | None = begun
    measures = None
    if begun is not None:
        columns = tuple(column for column in begun.columns if column.kind != "text")
        if columns:
            measures, raw = Measures(begun), OneHot(columns, unknown="other", missing="nan")
    for examples, state in _chunks(source, raw, held, shape):
        mine = state == LEARN
        y = _labels(examples)[mine]
        for label, count in zip(*np.unique(y, return_counts=True), strict=True):
            counts[label] = counts.get(label, 0) + int(count)
        if measures is not None and len(y):
            measures.add_cells(examples.X[mine])
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
    features = read_table(source.path, chunk_rows=_CHUNK_ROWS, format=source.format).features
    return {"features": len(features), "zero_based": numbered(features).zero_based}


def _chunks(
    source: Source, encoder: Encoder | None, held: NDArray[np.uint8], shape: dict[str, Any]
) -> Iterator[tuple[Examples, NDArray[np.uint8]]]:
    """The rows in chunks, and what becomes of them."""
    options = shape if encoder is None else {"target": source.target, "encoder": encoder}
    chunks = read_table(source.path, chunk_rows=_CHUNK_ROWS, format=source.format, **options)
    for examples in chunks:
        yield examples, _states(held, examples.first_row - 1, len(examples))


def _states(held: NDArray[np.uint8], first: int, rows: int) -> NDArray[np.uint8]:
    """What becomes of some rows; without a word on any, all are learned from."""
    return held[first : first + rows] if len(held) else np.full(rows, LEARN, np.uint8)


def _labels(examples: Examples) -> Array:
    assert examples.y is not None
    return examples.y
