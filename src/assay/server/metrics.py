"""Counters and histograms in the text format of Prometheus."""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from assay.server.engine.engine import Engine
from assay.server.store.writer import EDGES

Metric = tuple[str, str, str, Mapping[str, float]]
"""A name, its type, what it is, and values by label."""


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
            held = self._seconds[route] = [0] * (len(EDGES) + 1)
        held[bisect_left(EDGES, seconds)] += 1
        self._sums[route] += seconds  # type: ignore[assignment]

    def text(self, engine: Engine, more: Iterable[Metric] = ()) -> str:
        """All of it, one line for each number."""
        held = (*more, *self._live(), *_of_process(), *_of_store(engine), *_of_budgets(engine))
        held += (*_of_learners(engine),)
        return "\n".join([*self._of_requests(), *_of_commits(engine), *_lines(held), ""])

    def _of_requests(self) -> Iterator[str]:
        yield from _head(
            "assay_requests_total", "counter", "Requests answered, by route and status."
        )
        for (route, status), n in sorted(self._requests.copy().items()):
            yield f'assay_requests_total{{route="{route}",status="{status}"}} {n}'
        name = "assay_request_seconds"
        yield from _head(name, "histogram", "Time from a request to its answer.")
        for route, held in sorted(self._seconds.copy().items()):
            yield from _histogram(name, f'route="{route}"', held, self._sums[route])

    def _live(self) -> Iterator[Metric]:
        yield "assay_event_listeners", "gauge", "Open event streams.", {"": self.listeners}


#: What is known of every learner: its name in a standing, the metric, its type, and what it is.
_OF_LEARNERS = (
    ("trials", "assay_trials_total", "counter", "Examples predicted."),
    ("told", "assay_told_total", "counter", "Examples whose truth was told."),
    ("mistakes", "assay_mistakes_total", "counter", "Predictions that turned out wrong."),
    ("open", "assay_pending_feedback", "gauge", "Examples that wait for their truth."),
    ("unsaved", "assay_snapshot_age_events", "gauge", "Events since its state was put down last."),
    (
        "unsaved_s",
        "assay_snapshot_age_seconds",
        "gauge",
        "Seconds since then, where there are any.",
    ),
    ("bound", "assay_bound", "gauge", "Upper bound on the mean error, as last worked out."),
)


def _of_learners(engine: Engine) -> Iterator[Metric]:
    if not engine.ready:
        return
    standings = {name: engine.hosted_now(name) for name in engine.names()}
    for name, metric, kind, text in _OF_LEARNERS:
        held = {f'{{learner="{who}"}}': one[name] for who, one in standings.items()}
        yield metric, kind, text, {k: value for k, value in held.items() if value is not None}


def _of_budgets(engine: Engine) -> Iterator[Metric]:
    """What counts against limits, in bytes."""
    held, limits = engine.open_bytes.total, engine.limits
    yield "assay_open_bytes", "gauge", "Memory of trials that wait for feedback.", {"": held}
    yield "assay_open_bytes_most", "gauge", "What they may take.", {"": limits.open_bytes}
    yield "assay_queue_bytes", "gauge", "Bytes that wait for a commit.", {"": engine.writer.waiting_bytes}  # fmt: skip


def _of_store(engine: Engine) -> Iterator[Metric]:
    writer, path = engine.writer, engine.store.path
    for name, kind, text, value in (
        ("assay_commits_total", "counter", "Commits that reached the disk.", writer.commits),
        ("assay_events_total", "counter", "Events committed.", writer.events),
        ("assay_commit_failures_total", "counter", "Commits that failed.", writer.failures),
        (
            "assay_snapshot_failures_total",
            "counter",
            "Snapshots that failed.",
            writer.aside_failures,
        ),
        ("assay_queue_events", "gauge", "Events that wait for a commit.", writer.waiting),
        ("assay_commit_slowest_seconds", "gauge", "The slowest commit so far.", writer.slowest),
        ("assay_store_bytes", "gauge", "Size of the store.", _size(path)),
        ("assay_wal_bytes", "gauge", "Size of the write-ahead log.", _size(_wal(path))),
    ):
        yield name, kind, text, {"": value}


def _of_commits(engine: Engine) -> Iterator[str]:
    name, writer = "assay_commit_seconds", engine.writer
    yield from _head(name, "histogram", "Time of a commit with its way to the disk.")
    yield from _histogram(name, "", writer.times, writer.seconds)


def _of_process() -> Iterator[Metric]:
    """Processor time; memory and open files where the system tells (Linux)."""
    yield "process_cpu_seconds_total", "counter", "Processor time.", {"": time.process_time()}
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        files = len(os.listdir("/proc/self/fd"))
    except (OSError, ValueError, IndexError):
        return
    size = pages * os.sysconf("SC_PAGE_SIZE")
    yield "process_resident_memory_bytes", "gauge", "Memory in use.", {"": size}
    yield "process_open_fds", "gauge", "Open files and connections.", {"": files}


def _wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _histogram(name: str, label: str, held: Sequence[int], seconds: float) -> Iterator[str]:
    total, more = 0, f"{label}," if label else ""
    for edge, n in zip((*EDGES, "+Inf"), held, strict=True):
        total += n
        yield f'{name}_bucket{{{more}le="{edge}"}} {total}'
    labels = f"{{{label}}}" if label else ""
    yield f"{name}_sum{labels} {seconds!r}"
    yield f"{name}_count{labels} {total}"


def _lines(metrics: Iterable[Metric]) -> Iterator[str]:
    for metric, kind, text, values in metrics:
        yield from _head(metric, kind, text)
        yield from (f"{metric}{label} {value!r}" for label, value in values.items())


def _head(metric: str, kind: str, text: str) -> tuple[str, str]:
    return f"# HELP {metric} {text}", f"# TYPE {metric} {kind}"
