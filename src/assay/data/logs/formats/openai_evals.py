"""OpenAI evals: the JSON lines that its recorder writes, an event each."""

from __future__ import annotations

from itertools import zip_longest
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
    judged: dict[str, dict[str, list[dict[str, Any]]]] = {}
    report: Any = None
    for number, event in read_lines(source.path):
        report = event.get("final_report", report)
        data, kind = event.get("data"), event.get("type")
        if not isinstance(data, dict) or event.get("sample_id") is None:
            continue
        id = event["sample_id"]
        if not isinstance(id, str):
            raise BadData(f"{source.path} names no sample in line {number}.")
        verdicts = judged.setdefault(id, {"match": [], "metrics": []})
        if kind in verdicts:
            verdicts[kind].append(data)
        elif kind == "sampling":
            asked.setdefault(id, data.get("prompt"))
    if report is None:
        raise BadData(
            f"{source.path} has no final report: the evaluation did not end, and the samples that it lacks are not "
            "missing by chance. Run it to its end."
        )
    for id, verdicts in judged.items():
        # The first match and the first metrics of a sample are of one attempt; a sample without any has no score.
        attempts = list(zip_longest(verdicts["match"], verdicts["metrics"])) or [(None, None)]
        for attempt, (match, metrics) in enumerate(attempts, start=1):
            scores = {} if match is None else {"correct": match.get("correct")}
            scores |= _numbers(metrics or {})
            samples.add(
                id,
                scores,
                attempt=attempt,
                input=asked.get(id),
                truth=(match or {}).get("expected"),
                prediction=(match or {}).get("picked"),
                reason="" if scores else "not scored",
            )
    samples.notes = _otherwise(samples, report)
    return samples


def _otherwise(samples: Samples, report: Any) -> tuple[str, ...]:
    """What there is to say where the report tells another accuracy: events are written after it, and may be lost."""
    told = report.get("accuracy") if isinstance(report, dict) else None
    right = [score for score in samples.scores.get("correct", ()) if score == score]
    if not isinstance(told, int | float) or not right:
        return ()
    seen = sum(right) / len(right)
    if abs(seen - told) < 1e-9:
        return ()
    return (f"The final report tells an accuracy of {told:.6g}, but the samples give {seen:.6g}.",)


def _numbers(data: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in data.items() if isinstance(v, bool | int | float)}
