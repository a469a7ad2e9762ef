"""HELM: `per_instance_stats.json`, with the run's own description beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.data.logs.registry import log_format
from assay.data.logs.samples import Samples, text_of, verdict
from assay.data.logs.source import Source
from assay.data.logs.strict_json import read_document
from assay.errors import BadData


def _is_log(head: Any) -> bool:
    first = head[0] if isinstance(head, list) and head else None
    return isinstance(first, dict) and "instance_id" in first and "stats" in first


@log_format("HELM", "json", fits=_is_log)
def read(source: Source) -> Samples:
    """The instances; another split or perturbation is another task, since HELM reports them apart."""
    name, model = _described(source)
    samples = Samples("HELM", name, model)
    for place, entry in enumerate(source.head):
        stats = entry.get("stats") if isinstance(entry, dict) else None
        if not isinstance(stats, list):
            raise BadData(f"{source.path} holds no stats in instance {place + 1}.")
        scores, split = {}, ""
        for stat in stats:
            metric = text_of(stat, "name", "name")
            split = split or text_of(stat, "name", "split")
            scores[metric] = _mean(source, stat, metric)
        trial = entry.get("train_trial_index")
        samples.add(
            entry.get("instance_id"),
            scores,
            attempt=trial + 1 if type(trial) is int else 1,
            task=_task(name, split, text_of(entry, "perturbation", "name")),
            reason="" if scores else "not scored",
        )
    return samples


def _described(source: Source) -> tuple[str, str]:
    beside = source.path.with_name("run_spec.json")
    if not beside.is_file():
        return "", ""
    spec = read_document(beside)
    return text_of(spec, "name"), text_of(spec, "adapter_spec", "model")


def _mean(source: Source, stat: Mapping[str, Any], metric: str) -> Any:
    count, total = stat.get("count"), stat.get("sum")
    if not metric or type(count) is not int or not isinstance(total, int | float):
        raise BadData(f"{source.path} holds a stat without a name, a count and a sum.")
    if count == 0:
        return None
    return verdict(metric, total / count)


def _task(name: str, split: str, perturbation: str) -> str:
    return ", ".join(filter(None, (name, split, perturbation)))
