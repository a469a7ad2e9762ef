"""MLflow: the rows of `mlflow.genai.evaluate(...).result_df`, as its `to_json` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.data.logs.registry import log_format
from assay.data.logs.samples import Samples, score_in
from assay.data.logs.source import Source
from assay.data.logs.strict_json import read_lines
from assay.errors import BadData


def _is_log(head: Any) -> bool:
    first = head[0] if isinstance(head, list) and head else head
    return isinstance(first, dict) and {"trace_id", "assessments"} <= first.keys()


@log_format("MLflow (genai)", "json", "lines", fits=_is_log)
def read(source: Source) -> Samples:
    """The traces; feedback is a score, an expectation is none, and what was overridden no longer counts."""
    samples = Samples("MLflow")
    for number, row in enumerate(_rows(source), start=1):
        listed = row.get("assessments") if isinstance(row, dict) else None
        if not isinstance(listed, list):
            raise BadData(f"{source.path} holds no assessments in row {number}.")
        scores = _feedback(source, listed, number)
        errored = row.get("state") == "ERROR"
        samples.add(
            row["trace_id"],
            {} if errored else scores,
            input=row.get("request"),
            prediction=row.get("response"),
            reason="errored" if errored else "" if scores else "not scored",
        )
    return samples


def _rows(source: Source) -> Iterable[Any]:
    if source.kind == "lines":
        return (row for _, row in read_lines(source.path))
    return source.head if isinstance(source.head, list) else [source.head]


def _feedback(source: Source, listed: list[Any], number: int) -> dict[str, Any]:
    scores: dict[str, Any] = {}
    for one in listed:
        given = one.get("feedback") if isinstance(one, Mapping) else None
        if not isinstance(given, Mapping) or one.get("valid") is False:
            continue
        name = one.get("assessment_name")
        if not isinstance(name, str):
            raise BadData(f"{source.path} holds feedback without a name in row {number}.")
        if name in scores:
            raise BadData(
                f"{source.path} holds two valid feedbacks called {name!r} in row {number}. Override one of them."
            )
        scores[name] = score_in(given.get("value"))
    return scores
