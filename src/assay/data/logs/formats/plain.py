"""A plain table of scores: CSV, JSON lines, or anything else that opens as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.data.logs.id_columns import id_columns
from assay.data.logs.registry import log_format
from assay.data.logs.samples import Samples
from assay.data.logs.source import Source
from assay.data.logs.strict_json import read_lines
from assay.data.table import open_table
from assay.errors import BadData

#: Columns of scores, and where the task, the model and the attempt stand.
SCORES = (
    *("correct", "is_correct", "passed", "pass", "success", "score", "accuracy", "acc"),
    *("exact_match", "em", "match", "f1", "reward"),
)
_TASKS = ("task", "dataset", "benchmark", "eval", "eval_name")
_MODELS = ("model", "model_name", "model_id", "provider")
#: Columns that number the attempts at one sample.
ATTEMPTS = ("attempt", "epoch", "run", "trial", "repeat", "repetition")
_INPUTS = ("input", "inputs", "prompt", "question", "query")
_TRUTH = ("truth", "target", "expected", "label", "answer", "ground_truth", "y_true")
_PREDICTION = ("prediction", "predicted", "output", "response", "guess", "y_pred")
_WORDS = {
    **dict.fromkeys(("pass", "passed", "correct", "true", "yes"), True),
    **dict.fromkeys(("fail", "failed", "incorrect", "wrong", "false", "no"), False),
}
NAME = "plain"


def _is_table(head: Any) -> bool:
    if isinstance(head, list):
        return bool(head) and isinstance(head[0], dict)
    return isinstance(head, dict | tuple)


@log_format(NAME, "lines", "table", "json", fits=_is_table, last=True)
def read(source: Source) -> Samples:
    """The rows; what an id is, the table does not say, so an id that comes again is for its owner to explain."""
    samples = Samples(NAME, primary=None)
    columns: tuple[str, ...] | None = None
    ids: dict[str, list[Any]] = {}
    for number, row in _rows(source):
        if columns is None:
            columns = tuple(row)
            ids = {name: [] for name in id_columns(columns)}
            named = {kind: _named(columns, names) for kind, names in _KINDS.items()}
            # Whatever else holds numbers can be asked for by its name.
            taken = {*ids, *filter(None, named.values())}
            metrics = [name for name in columns if name not in taken]
        for name, values in ids.items():
            values.append(row.get(name))
        cells = {kind: None if name is None else row.get(name) for kind, name in named.items()}
        samples.add(
            number,
            {name: _score(name, row.get(name)) for name in metrics if _counts(name, row.get(name))},
            attempt=cells["attempt"],
            task=_text(cells["task"]),
            model=_text(cells["model"]),
            input=cells["input"],
            truth=cells["truth"],
            prediction=cells["prediction"],
            fields=row,
        )
    _name_samples(source, samples, ids)
    _choose(samples)
    return samples


_KINDS: dict[str, Sequence[str]] = {
    "task": _TASKS,
    "model": _MODELS,
    "attempt": ATTEMPTS,
    "input": _INPUTS,
    "truth": _TRUTH,
    "prediction": _PREDICTION,
}


def _rows(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if source.kind == "lines":
        yield from read_lines(source.path)
        return
    if source.kind == "json":
        listed = source.head if isinstance(source.head, list) else [source.head]
        for number, row in enumerate(listed, start=1):
            if not isinstance(row, dict):
                raise BadData(f"{source.path} holds no object in row {number}.")
            yield number, row
        return
    table, number = open_table(source.path), 0
    for batch in table.scan(table.columns):
        values = [batch.column(name) for name in table.columns]
        lists = [c if isinstance(c, list) else c.to_pylist() for c in values]
        for row in zip(*lists, strict=True):
            number += 1
            yield number, dict(zip(table.columns, row, strict=True))


def _named(columns: Sequence[str], names: Sequence[str]) -> str | None:
    folded = {name.casefold(): name for name in columns}
    return next((folded[name] for name in names if name in folded), None)


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _counts(name: str, value: Any) -> bool:
    return isinstance(value, bool | int | float) or name.casefold() in SCORES


def _score(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return _WORDS.get(value.strip().casefold(), value)
    return value


def _name_samples(source: Source, samples: Samples, ids: dict[str, list[Any]]) -> None:
    """Samples are called by the id that comes again most often."""
    for column, values in ids.items():
        if any(value is None or value == "" for value in values):
            raise BadData(
                f"{source.path} holds no value in some row of {column!r}, which names the samples."
            )
    if ids:
        fewest = min(ids, key=lambda name: len(set(map(str, ids[name]))))
        samples.ids, samples.id_column = [str(value) for value in ids[fewest]], fewest


def _choose(samples: Samples) -> None:
    """Among columns of numbers, those are scores that are called so."""
    samples.offered = [name for name in samples.scores if name.casefold() in SCORES]
