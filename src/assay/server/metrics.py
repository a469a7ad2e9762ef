"""Counters and histograms in the text format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

from assay.server.engine.engine import Engine

_EDGES = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """What the service has done since it was started."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: dict[str, list[int]] = {}
        self._sums: Counter[str] = Counter()
        self.listeners = 0

    def note(self, route: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self._requests[route, status] += 1
        held = self._seconds.get(route)
        if held is None:
            held = self._seconds[route] = [0] * (len(_EDGES) + 1)
        held[bisect_left(_EDGES, seconds)] += 1
        self._sums[route] += seconds  # type: ignore[assignment]

    def text(self, engine: Engine) -> str:
        """All of it, one line for each number."""
        return "\n".join([*self._of_requests(), *_of_engine(engine), *self._live(), ""])

    def _of_requests(self) -> Iterator[str]:
        yield "# HELP assay_requests_total Requests answered, by route and status."
        yield "# TYPE assay_requests_total counter"
        for (route, status), n in sorted(self._requests.items()):
            yield f'assay_requests_total{{route="{route}",status="{status}"}} {n}'
        yield "# HELP assay_request_seconds Time from a request to its answer."
        yield "# TYPE assay_request_seconds histogram"
        for route, held in sorted(self._seconds.items()):
            total = 0
            for edge, n in zip((*_EDGES, "+Inf"), held, strict=True):
                total += n
                yield f'assay_request_seconds_bucket{{route="{route}",le="{edge}"}} {total}'
            yield f'assay_request_seconds_sum{{route="{route}"}} {self._sums[route]!r}'
            yield f'assay_request_seconds_count{{route="{route}"}} {total}'

    def _live(self) -> Iterator[str]:
        yield from _one("assay_event_listeners", "gauge", "Open event streams.", self.listeners)


def _of_engine(engine: Engine) -> Iterator[str]:
    writer = engine.writer
    yield from _one(
        "assay_commits_total", "counter", "Commits that reached the disk.", writer.commits
    )
    yield from _one("assay_events_total", "counter", "Events committed.", writer.events)
    yield from _one(
        "assay_commit_failures_total", "counter", "Commits that failed.", writer.failures
    )
    yield from _one("assay_queue_events", "gauge", "Events that wait for a commit.", writer.waiting)
    yield from _one("assay_ready", "gauge", "Whether requests can be served.", int(engine.ready))
    if not engine.ready:
        return
    standings = {name: engine.hosted_now(name) for name in engine.names()}
    for name, kind, text in (
        ("trials", "counter", "Examples predicted."),
        ("told", "counter", "Examples whose truth was told."),
        ("mistakes", "counter", "Predictions that turned out wrong."),
    ):
        yield f"# HELP assay_{name}_total {text}"
        yield f"# TYPE assay_{name}_total {kind}"
        for learner, found in standings.items():
            yield f'assay_{name}_total{{learner="{learner}"}} {found[name]}'
    yield "# HELP assay_pending_feedback Examples that wait for their truth."
    yield "# TYPE assay_pending_feedback gauge"
    for learner, found in standings.items():
        yield f'assay_pending_feedback{{learner="{learner}"}} {found["open"]}'
    yield "# HELP assay_bound Upper bound on the mean error, as last worked out."
    yield "# TYPE assay_bound gauge"
    for learner, found in standings.items():
        if found["bound"] is not None:
            yield f'assay_bound{{learner="{learner}"}} {found["bound"]!r}'


def _one(name: str, kind: str, text: str, value: int) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"
    yield f"{name} {value}"
