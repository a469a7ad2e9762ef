"""Group commit: all events that wait share one commit, and nothing is acknowledged before it is done.

Requests add their events to the open group; a thread commits one group after the other, and everybody
who waits on a group is told at once. While one group is written to disk the next one fills, so under load
a commit carries many requests and a single one is never held back. What one turn of an event loop brings is
committed together: the thread is woken behind it, since it would else ask for the interpreter in its midst.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from assay.server.refusals import Refusal
from assay.server.store.event import Event

Job = Callable[[Any], object]

log = logging.getLogger("assay.server")
#: Seconds by which times of commits are counted.
EDGES = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_PAUSE_S = 1.0


class Group:
    """Events that are committed together, and those who wait for it."""

    __slots__ = (
        "_futures",
        "_told",
        "_wake",
        "after",
        "done",
        "error",
        "events",
        "jobs",
        "lock",
        "size",
    )

    def __init__(self, wake: Callable[[], None]) -> None:
        self.events: list[Event] = []
        #: Bytes of what its events hold.
        self.size = 0
        self.jobs: list[Job] = []
        self.after: list[Callable[[], None]] = []
        self.done = False
        self.error: BaseException | None = None
        self.lock = threading.Lock()
        self._futures: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
        self._told: threading.Event | None = None
        self._wake = wake

    def wait(self) -> None:
        """Wait until the group is committed; raises what went wrong."""
        self._wake()  # whoever waits so may hold up the event loop that would do it
        with self.lock:
            if not self.done and self._told is None:
                self._told = threading.Event()
            finished = self._told
        if finished is not None:
            finished.wait()
        self._raise()

    async def committed(self) -> None:
        """The same within an event loop."""
        if not self.done:
            loop = asyncio.get_running_loop()
            future: asyncio.Future[None] = loop.create_future()
            with self.lock:
                if self.done:
                    future.set_result(None)
                else:
                    self._futures.setdefault(loop, []).append(future)
            await future
        self._raise()

    def finish(self, error: BaseException | None) -> None:
        """Tell everybody, each event loop by a single call."""
        with self.lock:
            self.done, self.error = True, error
            futures, self._futures = self._futures, {}
        if self._told is not None:
            self._told.set()
        for loop, waiting in futures.items():
            # A loop that is gone has taken those who waited along.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(_tell, waiting)

    def _raise(self) -> None:
        if self.error is not None:
            raise Refusal(
                "store_failed",
                "The store could not be written, so nothing of this request was kept. Send it again.",
                retry_after=1,
            )


def _tell(waiting: list[asyncio.Future[None]]) -> None:
    for future in waiting:
        if not future.done():
            future.set_result(None)


class Writer:
    """The thread that commits groups.

    Parameters
    ----------
    commit : callable
        Writes a group, wholly or not at all.
    failed : callable
        Called with the error when a commit fails, before anybody is told; it calls `drop_open`, since what was added
        meanwhile may build on what is lost.
    mended : callable
        Whether the store can be written again. Tried at once, and then every second, before anything else is written.
    most, most_bytes : int
        The most events that may wait, and the most bytes of them.
    """

    def __init__(
        self,
        commit: Callable[[Group], None],
        failed: Callable[[BaseException], None],
        mended: Callable[[], bool],
        most: int,
        most_bytes: int,
    ) -> None:
        self._commit, self._failed, self._mended = commit, failed, mended
        self._most, self._most_bytes = most, most_bytes
        self._wake = threading.Condition()
        self._open = self._dropped = Group(self._wake_now)
        self._written: Group | None = None
        self._asides: deque[Job] = deque()
        self._stopping = False
        self._holding = 0
        #: The event loop that will wake the thread when its turn is over.
        self._waker: asyncio.AbstractEventLoop | None = None
        self.commits = self.events = self.failures = self.aside_failures = 0
        #: How long commits took: the slowest, and counts by `EDGES` with their sum.
        self.slowest = self.seconds = 0.0
        self.times = [0] * (len(EDGES) + 1)
        #: The last event that is surely on disk.
        self.committed = 0
        self._thread = threading.Thread(target=self._run, name="assay-writer", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Events that wait for their commit."""
        return len(self._open.events)

    @property
    def waiting_bytes(self) -> int:
        """Their bytes."""
        return self._open.size

    def require_room(self, events: int = 1, size: int = 0) -> None:
        """Refuse where too many events wait already, or too many bytes of them."""
        if self._stopping:
            raise Refusal("stopping", "The server is stopping.", retry_after=5)
        waiting, held = len(self._open.events), self._open.size
        if waiting and (waiting + events > self._most or held + size > self._most_bytes):
            raise Refusal("busy", "The server is busy writing. Try again soon.", retry_after=1)

    def add(
        self,
        events: list[Event] | None = None,
        job: Job | None = None,
        after: Callable[[], None] | None = None,
    ) -> Group:
        """Add events to the open group; `job` runs within its transaction, `after` behind its commit."""
        with self._wake:
            group = self._open
            if events:
                group.events += events
                for event in events:
                    group.size += len(event.body)
            if job is not None:
                group.jobs.append(job)
            if after is not None:
                group.after.append(after)
            if not self._holding:
                self._wake_soon()
        return group

    def _wake_soon(self) -> None:
        """Have the thread begin: within an event loop when its turn is over, else at once."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._wake.notify()
            return
        if loop is not self._waker:  # one that has ended is never the one that runs
            self._waker = loop
            loop.call_soon(self._wake_now)

    def _wake_now(self) -> None:
        with self._wake:
            self._waker = None
            self._wake.notify()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Begin no commit while many events are added one after the other; never to be held for long."""
        with self._wake:
            self._holding += 1
        try:
            yield
        finally:
            with self._wake:
                self._holding -= 1
                self._wake.notify()

    def pending(self) -> Group | None:
        """The group whose commit makes everything so far durable; None if all is."""
        with self._wake:
            if self._open.events or self._open.jobs:
                return self._open
            return self._written

    def stop(self) -> None:
        """Commit what waits, and end."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join()

    def aside(self, job: Job) -> None:
        """Have something written in a transaction of its own, which fails alone: nobody waits for it."""
        with self._wake:
            self._asides.append(job)
            self._wake.notify()

    def _run(self) -> None:
        while True:
            with self._wake:
                while self._holding or not (self._waits or self._asides):
                    if self._stopping and not self._holding:
                        return
                    self._wake.wait()
                group = aside = None
                if self._waits:
                    group, self._open = self._open, Group(self._wake_now)
                    self._written = group
                if self._asides:  # by turns: neither keeps the other waiting
                    aside = self._asides.popleft()
            if group is not None and not self._write(group):
                self._wait_until_mended()
            if aside is not None:
                self._write_aside(aside)

    @property
    def _waits(self) -> bool:
        return bool(self._open.events or self._open.jobs)

    def _write(self, group: Group) -> bool:
        """Commit a group and tell everybody; returns whether more can be written now."""
        error: BaseException | None = None
        goes_on, begun = True, time.perf_counter()
        try:
            self._commit(group)
            self.commits += 1
            self.events += len(group.events)
            if group.events:
                self.committed = group.events[-1].seq
        except Exception as problem:
            error = problem
            self.failures += 1
            self._failed(problem)
            # From the moment that others are served again, nothing rests on this group.
            with self._wake:
                self._written = None
            goes_on = self._mended()
        took = time.perf_counter() - begun
        self.slowest, self.seconds = max(self.slowest, took), self.seconds + took
        self.times[bisect_left(EDGES, took)] += 1
        with self._wake:
            self._written = None
        group.finish(error)
        if error is not None:
            self._dropped.finish(error)
        return goes_on

    def _wait_until_mended(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._stopping, timeout=_PAUSE_S)
                if self._stopping:
                    return
            if self._mended():
                return

    def _write_aside(self, job: Job) -> None:
        group = Group(self._wake_now)
        group.jobs.append(job)
        try:
            self._commit(group)
        except Exception:
            self.aside_failures += 1
            log.exception("What was written beside the requests failed, and is left out")

    def drop_open(self) -> None:
        """Fail what has been added since the group that is being written, as soon as that is told."""
        with self._wake:
            self._dropped, self._open = self._open, Group(self._wake_now)
