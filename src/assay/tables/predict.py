"""Predictions for a table by a model file, in bounded memory."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from assay.data.encode import Encoder
from assay.data.examples import Chunks
from assay.data.frames import is_frame, open_frame
from assay.data.numbered import Numbered
from assay.data.stored_encoder import encoder_from_json
from assay.data.table import Table, open_table
from assay.data.tabular import read_tables
from assay.errors import BadData, BadParameter
from assay.files import is_libsvm, read_table
from assay.learners.model_file.files import load
from assay.learners.registry import name_of
from assay.tables.candidates import takes_sparse
from assay.tables.rows import dense
from assay.tables.watch import Watch, Watching
from assay.types import Array
from assay.whole_file import whole_file

_CHUNK_ROWS = 2**14
_ENDINGS = (".csv", ".tsv", ".parquet", ".feather", ".arrow")
_NO_COLUMNS = (
    "The model was learned from libsvm text or from arrays, "
    "and does not know how the columns of {} become features."
)
#: The name of the column of predictions.
PREDICTION = "prediction"


def predict_table(
    model: Any,
    data: Any,
    *,
    keep: Sequence[str] = (),
    format: str | None = None,
    proba: bool = False,
    watch: Watch | None = None,
) -> Iterator[pa.RecordBatch]:
    """Predict the rows of a table, chunk by chunk.

    Parameters
    ----------
    model : learner or path
        A model, or the file of one, that was learned from a table by `fit_table` or ``assay stream``.
    data : path or data frame
        The table; it must hold the columns that were learned from, in any order, and may hold others.
    keep : sequence of str
        Columns to stand before the predictions, so that rows can be told apart.
    format : str, optional
        What the file is, where its name does not tell.
    proba : bool, default=False
        Whether the probability of each class shall stand beside, as the model estimates it: no promise is made about
        these numbers.
    watch : Watch, optional
        Is shown every row, and knows in the end how they differ from those that were learned from.

    Yields
    ------
    pyarrow.RecordBatch
        The columns kept, and ``prediction``, in the order of the rows; then ``probability of ...`` for each class.

    Raises
    ------
    BadData
        If a column is missing or a cell cannot be read; with the row.
    """
    model = load(model) if isinstance(model, str | os.PathLike) else model
    encoder = encoder_of(model)
    keep = list(dict.fromkeys(keep))
    if PREDICTION in keep:
        raise BadParameter(
            f"A column {PREDICTION!r} cannot be kept, for predictions have that name. Rename the column."
        )
    added = [PREDICTION, *(probability_names(model) if proba else ())]
    twice = next((name for name in added[1:] if name in keep), None)
    if twice is not None:
        raise BadParameter(
            f"A column {twice!r} cannot be kept, for probabilities have that name. Rename the column."
        )
    if watch is not None and encoder is not None and not isinstance(encoder, Numbered):
        encoder = Watching.over(encoder, watch)
    read = open_frame(data) if is_frame(data) else Path(data)
    chunks = _chunks(read, encoder, format, getattr(model, "n_features_in_", None))
    _require_width(model, chunks, read.name if isinstance(read, Table) else str(data))
    kept = _kept(read, keep, format)
    known = getattr(model, "scale_", None)
    for examples in chunks:
        X = examples.X if known is None else known.transform(examples.X, learn=False)
        if isinstance(encoder, Numbered | None) and not takes_sparse(model):
            X = dense(X, type(model).__name__)
        predicted = nameless(model, X)
        arrays = [column.slice(0, len(predicted)) for column in next(kept)(len(predicted))]
        arrays.append(_as_arrow(predicted))
        if proba:
            arrays += [pa.array(p) for p in nameless(model, X, "predict_proba").T]
        yield pa.RecordBatch.from_arrays(arrays, names=[*keep, *added])


def probability_names(model: Any) -> list[str]:
    """The columns of probabilities; refuses a model that has none."""
    if not hasattr(model, "predict_proba"):
        raise BadParameter(
            f"{name_of(model)} predicts classes and no probabilities. Learn with one that has them, such as "
            "logistic-regression or random-forest-classifier."
        )
    return [f"probability of {label}" for label in model.classes_]


def nameless(model: Any, X: Any, method: str = "predict") -> Array:
    """Predictions for rows that come without the names of their features."""
    names = vars(model).pop("feature_names_in_", None)
    try:
        predicted: Array = getattr(model, method)(X)
    finally:
        if names is not None:
            model.feature_names_in_ = names
    return predicted


def encoder_of(model: Any) -> Encoder | None:
    """How the columns of a table become the features that a model knows; None for libsvm text."""
    if not hasattr(model, "classes_") and not hasattr(model, "n_features_in_"):
        raise BadParameter("The model has not been fitted; there is nothing to predict by.")
    known = getattr(model, "encoder_", None)
    return None if known is None else encoder_from_json(known)


def _chunks(
    path: Path | Table, encoder: Encoder | None, format: str | None, features: int | None
) -> Chunks:
    if isinstance(path, Table):
        if isinstance(encoder, Numbered | None):
            raise BadData(_NO_COLUMNS.format(path.name))
        chunks = read_tables([path], chunk_rows=_CHUNK_ROWS, encoder=encoder)
        assert isinstance(chunks, Chunks)
        return chunks
    if is_libsvm(path, format):
        if not isinstance(encoder, Numbered | None):
            raise BadData(
                f"{path} is libsvm text, but the model was learned from a table with columns."
            )
        based: bool | Literal["auto"] = "auto" if encoder is None else encoder.zero_based
        return read_table(
            path, chunk_rows=_CHUNK_ROWS, format=format, features=features, zero_based=based
        )
    if isinstance(encoder, Numbered | None):
        raise BadData(_NO_COLUMNS.format(path))
    return read_table(path, chunk_rows=_CHUNK_ROWS, format=format, encoder=encoder)


def _require_width(model: Any, chunks: Chunks, name: str) -> None:
    width = getattr(model, "n_features_in_", len(chunks.features))
    if width != len(chunks.features):
        raise BadData(
            f"{name} has {len(chunks.features):,} features, but the model was learned from {width:,}."
        )


def _kept(
    path: Path | Table, keep: Sequence[str], format: str | None
) -> Iterator[Callable[[int], list[pa.Array]]]:
    """The columns to keep, so many rows at a time."""
    if not keep:
        while True:
            yield lambda rows: []
    table = path if isinstance(path, Table) else open_table(path, format)
    batches = table.scan(list(keep), _CHUNK_ROWS)
    held: list[pa.RecordBatch] = []

    def some(rows: int) -> list[pa.Array]:
        while sum(batch.num_rows for batch in held) < rows:
            held.append(next(batches))
        rows_held = pa.Table.from_batches(held).unify_dictionaries().combine_chunks()
        rest = rows_held.slice(rows)
        held[:] = rest.to_batches()
        return [_whole(column.slice(0, rows)) for column in rows_held.columns]

    while True:
        yield some


def _whole(column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks()
    array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _as_arrow(predicted: Array) -> pa.Array:
    if predicted.dtype.kind == "U":
        predicted = predicted.astype(object)
    return pa.array(predicted.tolist() if predicted.dtype.kind == "O" else predicted)


def write_predictions(
    batches: Iterator[pa.RecordBatch],
    path: str | os.PathLike[str],
    progress: Callable[[int], None] | None = None,
) -> int:
    """Write predictions to a CSV, TSV, Parquet or Feather file, which appears whole or not at all.

    Returns
    -------
    int
        How many rows were written.
    """
    ending = Path(path).suffix.lower()
    if ending not in _ENDINGS:
        raise BadParameter(
            f"Predictions are written as {', '.join(_ENDINGS)}, but the name {str(path)!r} ends otherwise."
        )
    rows = 0
    with whole_file(path) as file, _writer(file, ending) as write:
        for batch in batches:
            write(batch)
            rows += batch.num_rows
            if progress is not None:
                progress(rows)
    return rows


@contextmanager
def _writer(file: IO[bytes], ending: str) -> Iterator[Callable[[pa.RecordBatch], None]]:
    """Something that writes batches to an open file, by the ending of its name."""
    if ending in (".csv", ".tsv"):
        yield csv_writer(file, "\t" if ending == ".tsv" else ",")
        return
    made: list[Any] = []

    def write(batch: pa.RecordBatch) -> None:
        if not made:
            opened = pq.ParquetWriter if ending == ".parquet" else pa.ipc.new_file
            made.append(opened(file, batch.schema))
        made[0].write_batch(batch)

    yield write
    if made:
        made[0].close()


def csv_writer(file: IO[bytes], separator: str = ",") -> Callable[[pa.RecordBatch], None]:
    """Something that writes batches as text, quoted only where it must be, under one header."""
    begun: list[bool] = []

    def write(batch: pa.RecordBatch) -> None:
        text = io.StringIO(newline="")
        rows = csv.writer(text, delimiter=separator, lineterminator="\n")
        if not begun:
            rows.writerow(batch.schema.names)
            begun.append(True)
        rows.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))
        file.write(text.getvalue().encode())

    return write
