"""promptfoo: the JSON that `promptfoo eval -o results.json` writes."""

from __future__ import annotations

from typing import Any

from assay.data.logs.registry import log_format
from assay.data.logs.samples import Samples, input_digest, text_of
from assay.data.logs.source import Source
from assay.errors import BadData

_ERROR = 2  # failureReason: the provider failed, and nothing was judged


def _is_log(head: Any) -> bool:
    results = head.get("results") if isinstance(head, dict) else None
    return isinstance(results, dict) and isinstance(results.get("results"), list)


@log_format("promptfoo", "json", fits=_is_log)
def read(source: Source) -> Samples:
    """The results; repetitions have numbers of their own there, so a test is known by what it holds."""
    samples = Samples("promptfoo", primary="success")
    samples.graded.add("score")
    first: dict[tuple[Any, ...], str] = {}
    seen: dict[tuple[str, ...], int] = {}
    for place, entry in enumerate(source.head["results"]["results"]):
        if not isinstance(entry, dict):
            raise BadData(f"{source.path} holds no object in result {place + 1}.")
        test = entry.get("testCase") or {}
        variables = entry.get("vars")
        asked = [variables, test.get("assert") if isinstance(test, dict) else None]
        number = str(entry.get("testIdx", place))
        id = first.setdefault((input_digest(asked),), number)
        prompt = text_of(entry, "prompt", "label") or text_of(entry, "prompt", "raw")
        provider = entry.get("provider")
        model = provider if isinstance(provider, str) else text_of(provider, "id")
        run = (id, prompt, model)
        seen[run] = seen.get(run, 0) + 1
        named = entry.get("namedScores")
        named = named if isinstance(named, dict) else {}
        samples.graded |= named.keys()
        failed = entry.get("failureReason") == _ERROR
        scores = {"success": entry.get("success"), "score": entry.get("score"), **named}
        samples.add(
            id,
            {} if failed else scores,
            attempt=seen[run],
            task=prompt,
            model=model,
            input=asked,
            prediction=entry.get("response", {}).get("output")
            if isinstance(entry.get("response"), dict)
            else None,
            reason="errored" if failed else "",
        )
    return samples
