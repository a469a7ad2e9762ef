"""lm-evaluation-harness: `samples_*.jsonl`, and the counts of `results_*.json`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.data.location import in_order
from assay.data.logs.registry import log_format
from assay.data.logs.samples import Samples, is_pass_or_fail, text_of, verdict
from assay.data.logs.source import Source
from assay.data.logs.strict_json import read_document, read_lines
from assay.errors import BadData

_NAME = "lm-evaluation-harness"
_FILE = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl", re.I)
_FIELDS = frozenset(
    [
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    ]
)


@log_format(_NAME, "lines", fits=lambda head: "doc_id" in head and "resps" in head)
def read_samples(source: Source) -> Samples:
    """The documents of one task; a score by another filter is another metric of the same document."""
    task, model = _names(source.path)
    filters: dict[str, list[dict[str, Any]]] = {}
    for _, entry in read_lines(source.path):
        filters.setdefault(text_of(entry, "filter") or "none", []).append(_kept(entry))
    samples = Samples(_NAME, task, model)
    parts = list(filters.values())
    if any([e["doc_id"] for e in part] != [e["doc_id"] for e in parts[0]] for part in parts):
        raise BadData(f"{source.path} holds other documents for one filter than for another.")
    seen: dict[Any, int] = {}
    for entries in zip(*parts, strict=True):
        scores = {}
        for name, entry in zip(filters, entries, strict=True):
            beside = f",{name}" if len(filters) > 1 else ""
            for metric, value in entry["scores"].items():
                scores[metric + beside] = value
        first = entries[0]
        seen[first["doc_id"]] = seen.get(first["doc_id"], 0) + 1
        samples.add(
            first["doc_id"],
            scores,
            attempt=seen[first["doc_id"]],
            input=first["input"],
            truth=first["target"],
            prediction=first["prediction"] if len(filters) == 1 else None,
            reason="" if scores else "not scored",
            fields=first["doc"],
        )
    return samples


def _kept(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What is used of a line: the rest of it is most of the file."""
    listed = entry.get("metrics")
    names = listed if isinstance(listed, list) else [key for key in entry if key not in _FIELDS]
    # Some metrics are made from all samples at once, of which each holds a part: no score of its own.
    numbers = {name: entry.get(name) for name in names if isinstance(name, str)}
    return {
        "doc_id": entry.get("doc_id"),
        "scores": {
            name: verdict(name, value)
            for name, value in numbers.items()
            if value is None or isinstance(value, bool | int | float)
        },
        "input": _asked(entry),
        "doc": _short(entry.get("doc")),
        "target": entry.get("target"),
        "prediction": entry.get("filtered_resps"),
    }


def _short(doc: Any) -> dict[str, Any]:
    """What could divide documents into groups: most of a document is text, which is not kept."""
    if not isinstance(doc, dict):
        return {}
    return {
        name: v if not isinstance(v, str | list | dict) or len(v) < 200 else []
        for name, v in doc.items()
    }


def _asked(entry: Mapping[str, Any]) -> Any:
    """All that was put to the model, choices included: two questions may begin alike."""
    asked = entry.get("arguments") or entry.get("doc")
    return None if asked is None else repr(asked)


def _names(path: Path) -> tuple[str, str]:
    """The task, by the file's name; the model, by the summary beside it."""
    named = _FILE.fullmatch(path.name.removesuffix(".gz"))
    if named is None:
        return path.name.partition(".")[0], ""
    summary = path.with_name(f"results_{named['date']}.json")
    model = ""
    if named["date"] and summary.is_file():
        model = text_of(read_document(summary), "model_name")
    return named["task"], model


def _is_summary(head: Any) -> bool:
    return isinstance(head, dict) and isinstance(head.get("results"), dict) and "n-shot" in head


def _beside(source: Source) -> list[Path]:
    date = source.path.name.removeprefix("results_").removesuffix(".json")
    return in_order(source.path.parent.glob(f"samples_*_{date}.jsonl"))


@log_format(
    f"{_NAME} (summary)", "json", fits=_is_summary, repeats=lambda source: bool(_beside(source))
)
def read_summary(source: Source) -> Samples:
    """The samples beside a summary; without them, the counts that its rates and sizes tell."""
    beside = _beside(source)
    if not beside:
        return _counted(source)
    from assay.data.logs.reading import joined, read_file

    return joined([read_file(path) for path in beside])


def _counted(source: Source) -> Samples:
    log = source.head
    samples = Samples(_NAME, model=text_of(log, "model_name"))
    samples.notes = (
        "Only rates and sizes stand in a summary: whether a sample came twice cannot be seen there.",
    )
    for task, results in log["results"].items():
        rows = _rows(log, task)
        rates = _rates(results) if isinstance(results, dict) else {}
        if rows is None or not rates:
            continue
        config = (log.get("configs") or {}).get(task)
        if isinstance(config, dict) and config.get("repeats", 1) != 1:
            raise BadData(f"{source.path} tells rates of repeated samples. Give the samples file.")
        right = {metric: _count(source, metric, rate, rows) for metric, rate in rates.items()}
        for row in range(rows):
            scores = {metric: row < count for metric, count in right.items()}
            samples.add(row + 1, scores, task=task)
    if not len(samples):
        raise BadData(
            f"{source.path} holds no rate of passes, and no samples lie beside it. Evaluate with --log_samples."
        )
    return samples


def _rows(log: Mapping[str, Any], task: str) -> int | None:
    sizes = (log.get("n-samples") or {}).get(task)
    rows = sizes.get("effective") if isinstance(sizes, dict) else None
    return rows if isinstance(rows, int) and rows > 0 else None


def _rates(results: Mapping[str, Any]) -> dict[str, float]:
    """The rates among the results that are means of passes and failures."""
    rates = {}
    for name, value in results.items():
        metric, _, made_by = name.partition(",")
        if is_pass_or_fail(metric) and isinstance(value, int | float):
            rates[metric if made_by in ("", "none") else name] = float(value)
    return rates


def _count(source: Source, metric: str, rate: float, rows: int) -> int:
    count = round(rate * rows) if 0.0 <= rate <= 1.0 else -1
    if abs(rate * rows - count) > 1e-6:
        raise BadData(
            f"{source.path} says {rate!r} of {metric!r}, which is no share of {rows:,} samples. Give the samples file."
        )
    return count
