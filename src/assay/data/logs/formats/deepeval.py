"""DeepEval: saved test runs, and the JSON of what `evaluate` returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.data.logs.registry import log_format
from assay.data.logs.samples import Samples, text_of
from assay.data.logs.source import Source
from assay.errors import BadData


def _cases(head: Any) -> list[Any] | None:
    """The test cases, of a test run or of a returned result."""
    run = head.get("testRunData", head) if isinstance(head, dict) else None
    if not isinstance(run, dict):
        return None
    if isinstance(run.get("test_results"), list):
        return list(run["test_results"])
    cases, conversations = run.get("testCases"), run.get("conversationalTestCases") or []
    if not isinstance(cases, list) or not isinstance(conversations, list):
        return None
    return [*cases, *conversations]


@log_format("DeepEval", "json", fits=lambda head: _cases(head) is not None)
def read(source: Source) -> Samples:
    """The test cases, a conversation being one; a metric is whether it passed, and its score stands beside."""
    head = source.head
    run = head.get("testRunData", head)
    samples = Samples("DeepEval", text_of(run, "testFile"), primary="success")
    judges: list[int] = []
    for place, case in enumerate(_cases(head) or ()):
        if not isinstance(case, dict):
            raise BadData(f"{source.path} holds no object in test case {place + 1}.")
        judged = case.get("metricsData") or case.get("metrics_data")
        judged = judged if isinstance(judged, list) else []
        failed = any(isinstance(entry, dict) and entry.get("error") for entry in judged)
        judges.append(len(judged))
        verdict = case.get("success")
        scores = {"success": verdict} | _scores(samples, judged)
        unscored = failed or not isinstance(verdict, bool)
        samples.add(
            case.get("name") or place,
            {} if unscored else scores,
            input=case.get("input") or case.get("turns"),
            truth=_either(case, "expectedOutput", "expected_output"),
            prediction=_either(case, "actualOutput", "actual_output"),
            reason="errored" if failed else "not scored" if unscored else "",
        )
    most = max(judges, default=0)
    fewer = sum(many < most for many in judges)
    if fewer:
        samples.notes = (
            f"{fewer:,} of {len(judges):,} test cases were judged by fewer metrics than others.",
        )
    return samples


def _scores(samples: Samples, judged: list[Any]) -> dict[str, Any]:
    scores = {}
    for entry in judged:
        name = text_of(entry, "name")
        if not name:
            raise BadData("A metric of a DeepEval test case must have a name.")
        scores[name] = entry.get("success")
        samples.verdicts.add(name)
        scores[f"{name} score"] = entry.get("score")
        samples.graded.add(f"{name} score")
    return scores


def _either(case: Mapping[str, Any], *names: str) -> Any:
    return next((case[name] for name in names if case.get(name) is not None), None)
