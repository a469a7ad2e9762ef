"""Counters and histograms in the text format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

from assay.server.engine.engine import Engine
from assay.server.wire.table import Connections

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

    def text(self, engine: Engine, connections: Connections) -> str:
        """All of it, one line for each number."""
        held = _of_connections(connections)
        return "\n".join([*self._of_requests(), *_of_engine(engine), *self._live(), *held, ""])

    def _of_requests(self) -> Iterator[str]:
        yield from _head(
            "assay_requests_total", "counter", "Requests answered, by route and status."
        )
        for (route, status), n in sorted(self._requests.items()):
            yield f'assay_requests_total{{route="{route}",status="{status}"}} {n}'
        yield from _head("assay_request_seconds", "histogram", "Time from a request to its answer.")
        for route, held in sorted(self._seconds.items()):
            total = 0
            for edge, n in zip((*_EDGES, "+Inf"), held, strict=True):
                total += n
                yield f'assay_request_seconds_bucket{{route="{route}",le="{edge}"}} {total}'
            yield f'assay_request_seconds_sum{{route="{route}"}} {self._sums[route]!r}'
            yield f'assay_request_seconds_count{{route="{route}"}} {total}'

    def _live(self) -> Iterator[str]:
        yield from _head("assay_event_listeners", "gauge", "Open event streams.")
        yield f"assay_event_listeners {self.listeners}"


#: What is known of every learner: its name in a standing, the metric, its type, and what it is.
_OF_LEARNERS = (
    ("trials", "assay_trials_total", "counter", "Examples predicted."),
    ("told", "assay_told_total", "counter", "Examples whose truth was told."),
    ("mistakes", "assay_mistakes_total", "counter", "Predictions that turned out wrong."),
    ("open", "assay_pending_feedback", "gauge", "Examples that wait for their truth."),
    ("bound", "assay_bound", "gauge", "Upper bound on the mean error, as last worked out."),
)


def _of_engine(engine: Engine) -> Iterator[str]:
    writer = engine.writer
    for metric, kind, text, value in (
        ("assay_commits_total", "counter", "Commits that reached the disk.", writer.commits),
        ("assay_events_total", "counter", "Events committed.", writer.events),
        ("assay_commit_failures_total", "counter", "Commits that failed.", writer.failures),
        ("assay_queue_events", "gauge", "Events that wait for a commit.", writer.waiting),
        ("assay_ready", "gauge", "Whether requests can be served.", int(engine.ready)),
    ):
        yield from _head(metric, kind, text)
        yield f"{metric} {value}"
    if not engine.ready:
        return
    standings = {name: engine.hosted_now(name) for name in engine.names()}
    for name, metric, kind, text in _OF_LEARNERS:
        yield from _head(metric, kind, text)
        for learner, standing in standings.items():
            if standing[name] is not None:
                yield f'{metric}{{learner="{learner}"}} {standing[name]!r}'


def _of_connections(connections: Connections) -> Iterator[str]:
    for metric, kind, text, values in connections.lines():
        yield from _head(metric, kind, text)
        yield from (f"{metric}{label} {value}" for label, value in values.items())


def _head(metric: str, kind: str, text: str) -> tuple[str, str]:
    return f"# HELP {metric} {text}", f"# TYPE {metric} {kind}"
