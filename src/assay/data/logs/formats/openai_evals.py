"""OpenAI evals: the JSON lines that its recorder writes, an event each."""

from __future__ import annotations

from typing import Any

from assay.data.logs.registry import log_format
from assay.data.logs.samples import Samples, text_of
from assay.data.logs.source import Source
from assay.data.logs.strict_json import read_lines
from assay.errors import BadData


def _is_log(head: Any) -> bool:
    return isinstance(head.get("spec"), dict) and "eval_name" in head["spec"]


@log_format("OpenAI evals", "lines", fits=_is_log)
def read(source: Source) -> Samples:
    """The events that judge a sample; a sample that was asked and never judged has no score."""
    spec = source.head["spec"]
    models = spec.get("completion_fns")
    model = ", ".join(map(str, models)) if isinstance(models, list) else ""
    samples = Samples("OpenAI evals", text_of(spec, "eval_name"), model)
    asked: dict[str, Any] = {}
    judged: dict[str, int] = {}
    ended = False
    for number, event in read_lines(source.path):
        ended = ended or "final_report" in event
        data, kind = event.get("data"), event.get("type")
        if not isinstance(data, dict) or "sample_id" not in event:
            continue
        id = event["sample_id"]
        if not isinstance(id, str):
            raise BadData(f"{source.path} names no sample in line {number}.")
        if kind not in ("match", "metrics"):
            asked.setdefault(id, data.get("prompt"))
            continue
        judged[id] = judged.get(id, 0) + 1
        asked.setdefault(id, None)
        scores = {"correct": data.get("correct")} if kind == "match" else _numbers(data)
        samples.add(
            id,
            scores,
            attempt=judged[id],
            input=asked[id],
            truth=data.get("expected"),
            prediction=data.get("picked", data.get("sampled")),
        )
    if not ended:
        raise BadData(
            f"{source.path} has no final report: the evaluation did not end, and the samples that it lacks are not "
            "missing by chance. Run it to its end."
        )
    for id in asked.keys() - judged.keys():
        samples.add(id, {}, input=asked[id], reason="not scored")
    return samples


def _numbers(data: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in data.items() if isinstance(v, bool | int | float)}
