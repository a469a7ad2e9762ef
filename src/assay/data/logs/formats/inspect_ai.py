"""Inspect AI: `.eval` archives and JSON logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.data.logs.archive import Archive
from assay.data.logs.registry import log_format
from assay.data.logs.samples import Samples, score_in, text_of
from assay.data.logs.source import Source
from assay.errors import BadData

_GRADES = {"C": True, "I": False, "N": False, "P": 0.5}
# Scorers of Inspect that give C or I alone; any other may give partial credit.
_PASS_OR_FAIL = ("match", "includes", "exact", "pattern", "answer", "choice")
_LONGEST_KEPT = 5000
_JUDGES = ("model_graded_qa", "model_graded_fact")


def _is_log(head: Any) -> bool:
    if isinstance(head, Archive):
        return "header.json" in head.names or "_journal/start.json" in head.names
    return isinstance(head, dict) and isinstance(head.get("eval"), dict) and "status" in head


@log_format("Inspect AI", "zip", "json", fits=_is_log)
def read(source: Source) -> Samples:
    """The samples of a log; an evaluation that did not end well is refused, since who is missing is not chance."""
    archive = source.head if source.kind == "zip" else None
    if archive is not None and "header.json" not in archive.names:
        raise _unfinished(source, "started")
    log = source.head if archive is None else archive.json("header.json")
    status = text_of(log, "status")
    if status != "success":
        raise _unfinished(source, status)
    if log.get("invalidated") is True:
        raise BadData(f"{source.path} was marked as invalid. Run the evaluation again.")
    name = text_of(log, "eval", "task_display_name") or text_of(log, "eval", "task")
    samples = Samples("Inspect AI", name, text_of(log, "eval", "model"))
    graded = _graded(log)
    for entry in _entries(source, log):
        _add(samples, entry, graded)
    _require_all(source, log, len(samples))
    samples.notes = _part_of_set(log, len(set(samples.ids)))
    return samples


def _unfinished(source: Source, status: str) -> BadData:
    return BadData(
        f"{source.path} is of an evaluation that did not succeed (status {status!r}); the samples that it lacks are "
        "not missing by chance. Run it to its end."
    )


def _entries(source: Source, log: Mapping[str, Any]) -> Iterator[Any]:
    if source.kind == "json":
        yield from log.get("samples") or ()
        return
    archive = source.head
    members = [name for name in archive.names if name.startswith("samples/")]
    if "summaries.json" in archive.names:
        summaries = archive.json("summaries.json")
        if len(summaries) != len(members):
            raise BadData(
                f"{source.path} holds {len(members):,} samples, but summaries of {len(summaries):,}. Write it again."
            )
        yield from summaries
        return
    for name in members:
        yield archive.json(name)


def _graded(log: Mapping[str, Any]) -> set[str]:
    """Scorers that may give partial credit."""
    scorers = log["eval"].get("scorers") or ()
    graded = set()
    for scorer in (entry for entry in scorers if isinstance(entry, dict)):
        name = text_of(scorer, "name").removeprefix("inspect_ai/")
        options = scorer.get("options")
        whole = isinstance(options, dict) and options.get("partial_credit") is not True
        if not (name in _PASS_OR_FAIL or (name in _JUDGES and whole)):
            graded.add(name)
    return graded


def _add(samples: Samples, entry: Any, graded: set[str]) -> None:
    if not isinstance(entry, dict):
        raise BadData("A sample of an Inspect log must be an object.")
    scores: dict[str, Any] = {}
    given = entry.get("scores")
    for name, score in given.items() if isinstance(given, dict) else ():
        value = score.get("value") if isinstance(score, dict) else score
        parts = value if isinstance(value, dict) else {"": value}
        for part, number in parts.items():
            metric = f"{name}/{part}" if part else name
            # A truth value is pass or fail, whoever gives it.
            if name in graded and not isinstance(number, bool):
                samples.graded.add(metric)
            grade = _GRADES.get(number) if isinstance(number, str) else None
            if grade is not None:
                samples.verdicts.add(metric)
            scores[metric] = score_in(number) if grade is None else grade
    error = entry.get("error")
    samples.add(
        entry.get("id"),
        {} if error else scores,
        attempt=entry.get("epoch", 1),
        input=_asked(entry),
        truth=entry.get("target"),
        reason="errored" if error else "" if scores else "not scored",
        fields=entry.get("metadata"),
    )


def _asked(entry: Mapping[str, Any]) -> Any:
    """What was asked, where the log holds all of it: summaries cut long texts and leave out images."""
    text = _text(entry.get("input"))
    return None if text is None else [text, entry.get("choices"), entry.get("target")]


def _text(given: Any) -> Any:
    if isinstance(given, str):
        return given if len(given) < _LONGEST_KEPT else None
    if not isinstance(given, list) or not all(isinstance(message, dict) for message in given):
        return None
    texts = [message.get("content") for message in given]
    kept = all(isinstance(text, str) and len(text) < _LONGEST_KEPT for text in texts)
    return [[m.get("role"), m.get("content")] for m in given] if kept else None


def _part_of_set(log: Mapping[str, Any], held: int) -> tuple[str, ...]:
    """What there is to say where the evaluation left samples of its data set out."""
    data = log["eval"].get("dataset")
    total = data.get("samples") if isinstance(data, dict) else None
    if not isinstance(total, int) or total <= held:
        return ()
    return (f"The log holds {held:,} of the {total:,} samples of its data set.",)


def _require_all(source: Source, log: Mapping[str, Any], held: int) -> None:
    results = log.get("results")
    total = results.get("total_samples") if isinstance(results, dict) else None
    if isinstance(total, int) and total != held:
        raise BadData(
            f"{source.path} says that {total:,} samples were evaluated, but holds {held:,}. Write the log with all "
            "of its samples."
        )
