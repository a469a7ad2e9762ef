"""JUnit XML as pytest writes it (``--junitxml``), read by expat without any document type."""

from __future__ import annotations

import math
from typing import Any
from xml.parsers import expat

from assay.data.logs.registry import log_format
from assay.data.logs.samples import Samples
from assay.data.logs.source import Source
from assay.data.logs.strict_json import MOST_BYTES
from assay.data.plain_text import open_bytes
from assay.errors import BadData

_OUTCOMES = {"failure": "failed", "error": "errored", "skipped": "skipped"}
# A test that was run again until it passed, as Maven and others write it.
_TRIES = ("flakyFailure", "flakyError", "rerunFailure", "rerunError")
_BLOCK = 2**20


@log_format("pytest", "xml", fits=lambda head: head in ("testsuites", "testsuite"))
def read(source: Source) -> Samples:
    """The test cases: passed or failed; those with an error or skipped have no score."""
    cases = _Cases(source)
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = cases.start, cases.end
    # Without a document type there are no entities: nothing is fetched, and nothing unfolds.
    parser.StartDoctypeDeclHandler = cases.refuse_type
    done = 0
    try:
        with open_bytes(source.path) as file:
            while block := file.read(_BLOCK):
                done += len(block)
                if done > MOST_BYTES:
                    raise BadData(f"{source.path} holds more than {MOST_BYTES // 2**20} MiB.")
                parser.Parse(block)
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, LookupError) as problem:
        if isinstance(problem, BadData):
            raise
        raise BadData(f"{source.path} is no XML, or is cut off. Write it again.") from None
    return cases.samples


class _Cases:
    """Takes test cases as their elements end."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._case: tuple[str, str] | None = None
        self._outcome = ""
        self._tries = 0
        self._seen: dict[str, list[int]] = {}
        self.samples = Samples("pytest", primary="passed")

    def refuse_type(self, *_: Any) -> None:
        raise BadData(
            f"{self._source.path} declares a document type, which no test report needs. Remove it."
        )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "testsuite":
            self.samples.task = attributes.get("name", "")
        elif tag == "testcase":
            self._case = attributes.get("classname", ""), attributes.get("name", "")
            self._outcome, self._tries = "", 0
        elif tag in _TRIES:
            self._tries += 1
        elif tag in _OUTCOMES and self._case is not None:
            self._outcome = self._outcome or _OUTCOMES[tag]

    def end(self, tag: str) -> None:
        if tag != "testcase" or self._case is None:
            return
        id = "::".join(filter(None, self._case))
        self._case = None
        before = self._seen.setdefault(id, [])
        if before and self._outcome == "errored" and self.samples.scores["passed"][before[-1]] == 0:
            # One test that failed and broke again when it was torn down stands there twice.
            return
        if before and not self.samples.reasons[before[-1]]:
            self._rerun(before[-1])
        for _ in range(self._tries):
            self._add(id, "failed")
        self._add(id, self._outcome)

    def _rerun(self, place: int) -> None:
        """An attempt before the last: what became of it pytest does not write, and that it passed is not said."""
        if self.samples.scores["passed"][place] == 1:
            self.samples.scores["passed"][place] = math.nan
            self.samples.reasons[place] = "run again"

    def _add(self, id: str, outcome: str) -> None:
        before = self._seen[id]
        before.append(len(self.samples))
        judged = outcome in ("", "failed")
        self.samples.add(
            id,
            {"passed": not outcome} if judged else {"passed": None},
            attempt=len(before),
            reason="" if judged else outcome,
        )
