"""promptfoo: what `promptfoo eval -o results.json` and `-o results.jsonl` write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.data.logs.registry import log_format
from assay.data.logs.samples import Samples, input_digest
from assay.data.logs.source import Source
from assay.data.logs.strict_json import read_lines
from assay.errors import BadData

_ERROR = 2  # failureReason: the provider failed, and nothing was judged


def _is_log(head: Any) -> bool:
    if not isinstance(head, dict):
        return False
    results = head.get("results")
    listed = isinstance(results, dict) and isinstance(results.get("results"), list)
    return listed or {"promptIdx", "testCase", "success"} <= head.keys()


@log_format("promptfoo", "json", "lines", fits=_is_log)
def read(source: Source) -> Samples:
    """The results; repetitions have numbers of their own there, so a test is known by what it holds."""
    samples = Samples("promptfoo", primary="success")
    samples.graded.add("score")
    first: dict[bytes, str] = {}
    seen: dict[tuple[str, ...], int] = {}
    columns = _Columns()
    for place, entry in enumerate(_results(source)):
        if not isinstance(entry, dict):
            raise BadData(f"{source.path} holds no object in result {place + 1}.")
        test = entry.get("testCase")
        asserted = test.get("assert") if isinstance(test, dict) else None
        asked = [entry.get("vars"), asserted]
        digest = input_digest(asked)
        id = first.setdefault(digest, str(entry.get("testIdx", place)))
        task, model = columns.of(entry)
        run = (id, task, model)
        seen[run] = seen.get(run, 0) + 1
        named = entry.get("namedScores")
        named = named if isinstance(named, dict) else {}
        samples.graded |= named.keys()
        reason = "errored" if entry.get("failureReason") == _ERROR else ""
        # Where nothing is asserted, promptfoo says of anything that it passed.
        reason = reason or ("" if asserted else "without an assertion")
        scores = {"success": entry.get("success"), "score": entry.get("score"), **named}
        response = entry.get("response")
        samples.add(
            id,
            {} if reason else scores,
            attempt=seen[run],
            task=task,
            model=model,
            input=digest,
            prediction=response.get("output") if isinstance(response, dict) else None,
            reason=reason,
            fields=_fields(entry.get("vars"), test),
        )
    return samples


def _results(source: Source) -> Iterable[Any]:
    if source.kind == "lines":
        return (entry for _, entry in read_lines(source.path))
    listed: list[Any] = (
        source.head["results"]["results"] if "results" in source.head else [source.head]
    )
    return listed


class _Columns:
    """The columns of an evaluation: each is one prompt and one provider, and two may be called the same."""

    def __init__(self) -> None:
        self._names: dict[Any, tuple[str, str]] = {}

    def of(self, entry: Mapping[str, Any]) -> tuple[str, str]:
        """The prompt and the provider of a result; one that is called as another before gets a number."""
        prompt = _called(entry.get("prompt"), "label", "raw")
        model = _called(entry.get("provider"), "label", "id")
        number = entry.get("promptIdx")
        key = (number if isinstance(number, int) else None, prompt, model)
        if key not in self._names:
            alike = sum(other[1:] == key[1:] for other in self._names)
            self._names[key] = prompt, f"{model} #{alike + 1}" if alike else model
        return self._names[key]


def _called(given: Any, *keys: str) -> str:
    """What something is called: itself, or the first of its fields that says so."""
    if isinstance(given, dict):
        given = next((given[key] for key in keys if given.get(key)), "")
    return given if isinstance(given, str) else ""


def _fields(variables: Any, test: Any) -> dict[str, Any]:
    """The variables of a test and its metadata; of one name, those of the metadata."""
    metadata = test.get("metadata") if isinstance(test, dict) else None
    return {
        **(variables if isinstance(variables, dict) else {}),
        **(metadata if isinstance(metadata, dict) else {}),
    }
