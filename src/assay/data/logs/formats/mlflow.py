"""MLflow: the table of an evaluation, `eval_results_table.json`."""

from __future__ import annotations

from typing import Any

from assay.data.logs.registry import log_format
from assay.data.logs.samples import Samples, verdict
from assay.data.logs.source import Source
from assay.errors import BadData

_SCORE = "/score"
_INPUTS = ("inputs", "input", "question", "prompt")
_TRUTH = ("targets", "target", "ground_truth", "expected", "label")
_PREDICTION = ("outputs", "output", "predictions", "prediction")


def _is_log(head: Any) -> bool:
    if not isinstance(head, dict) or not isinstance(head.get("data"), list):
        return False
    columns = head.get("columns")
    return isinstance(columns, list) and any(str(name).endswith(_SCORE) for name in columns)


@log_format("MLflow", "json", fits=_is_log)
def read(source: Source) -> Samples:
    """The rows of the table; MLflow numbers them, so two rows that ask the same are looked for by their inputs."""
    columns, rows = source.head["columns"], source.head["data"]
    samples = Samples("MLflow")
    metrics = {name: _metric(name) for name in columns if str(name).endswith(_SCORE)}
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, list) or len(row) != len(columns):
            raise BadData(f"{source.path} holds no row of {len(columns)} cells in row {number}.")
        cells = dict(zip(columns, row, strict=True))
        scores = {metric: verdict(metric, cells[name]) for name, metric in metrics.items()}
        samples.add(
            number,
            scores,
            input=_first(cells, _INPUTS),
            truth=_first(cells, _TRUTH),
            prediction=_first(cells, _PREDICTION),
            fields=cells,
        )
    return samples


def _metric(column: str) -> str:
    """``exact_match/v1/score`` is a score by ``exact_match``."""
    return str(column).removesuffix(_SCORE).removesuffix("/v1")


def _first(cells: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((cells[name] for name in names if cells.get(name) is not None), None)
