"""All connections of a server: how many there may be, how long each may wait, and who goes when there is no room."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Iterator
from typing import Any, Protocol

from assay.server.hosts import client_of, is_loopback
from assay.server.limits import Limits

#: What a connection waits for: its first request, another one, the rest of a head, of a body, an answer, or its end.
FRESH, IDLE, HEAD, BODY, BUSY, ENDING = "fresh", "idle", "head", "body", "busy", "ending"
_SWEEP_S, _LINGER_S = 0.5, 1.0
_BOUND_OF_MACOS = 10_240


class Held(Protocol):
    """A connection, as the table sees it."""

    state: str
    since: float
    address: str
    unread: int

    def late(self, state: str) -> None:
        """End, because what was waited for did not come."""

    def evicted(self) -> None:
        """End, because others need the room."""

    def backlog(self) -> int:
        """Bytes of an answer that the client has not taken yet."""


class Connections:
    """Counts, times and bounds connections.

    Where there is no room, a connection goes that has asked nothing yet, the oldest first; then one that is idle.
    So those who only connect cannot shut out those who ask.

    Parameters
    ----------
    limits : Limits
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._most = self.limits.connections
        self._all: set[Held] = set()
        self._each: Counter[str] = Counter()
        #: Those that may be let go, the one that has waited longest first.
        self._waiting: dict[str, OrderedDict[Held, None]] = {
            state: OrderedDict() for state in (FRESH, HEAD, IDLE)
        }
        self._timer: asyncio.TimerHandle | None = None
        self.ended: Counter[str] = Counter()
        self.accepted = self.refused = 0
        #: Bytes of large bodies that the application holds.
        self.bodies = 0

    def __len__(self) -> int:
        return len(self._all)

    def bound_by_descriptors(self, descriptors: int, spare: int = 128) -> None:
        """Hold no more connections than the process may have files open, with some left for the store."""
        self._most = max(1, min(self._most, descriptors - spare))

    # One connection

    def admit(self, held: Held, now: float, loop: asyncio.AbstractEventLoop) -> bool:
        """Count a new connection; False where there is no room for it."""
        self.accepted += 1
        who = client_of(held.address)
        if self._each[who] >= self.limits.connections_each and not is_loopback(held.address):
            self.ended["too many from one address"] += 1
            return False
        if len(self._all) >= self._most and not self._make_room(now):
            self.ended["no room"] += 1
            return False
        self._all.add(held)
        self._each[who] += 1
        held.state, held.since = FRESH, now
        self._waiting[FRESH][held] = None
        if self._timer is None:
            self._timer = loop.call_later(_SWEEP_S, self._sweep, loop)
        return True

    def move(self, held: Held, state: str, now: float) -> None:
        """A connection waits for something else from now on."""
        before = self._waiting.get(held.state)
        if before is not None:
            before.pop(held, None)
        held.state, held.since = state, now
        after = self._waiting.get(state)
        if after is not None and held in self._all:
            after[held] = None

    def hold(self, size: int) -> bool:
        """Count bytes of large bodies; False where there are too many already."""
        if size > 0 and self.bodies + size > self.limits.bodies:
            return False
        self.bodies += size
        return True

    def leave(self, held: Held) -> None:
        """A connection is gone."""
        if held not in self._all:
            return
        self._all.discard(held)
        before = self._waiting.get(held.state)
        if before is not None:
            before.pop(held, None)
        who = client_of(held.address)
        self._each[who] -= 1
        if self._each[who] <= 0:
            del self._each[who]

    def _make_room(self, now: float) -> bool:
        for waiting in self._waiting.values():
            if waiting:
                oldest = next(iter(waiting))
                self.leave(oldest)
                self.ended["made room"] += 1
                oldest.evicted()
                return True
        return False

    # All of them

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        now = loop.time()
        for held in [*self._all]:
            if now - held.since > self._patience(held.state):
                if held.state == BUSY and not self._stuck(held, now):
                    continue
                self.ended[held.state] += 1
                held.late(held.state)
        self._timer = loop.call_later(_SWEEP_S, self._sweep, loop) if self._all else None

    def _patience(self, state: str) -> float:
        limits = self.limits
        if state in (FRESH, HEAD):
            return limits.head
        if state == BODY:
            return limits.receive
        if state == IDLE:
            return limits.idle
        return _LINGER_S if state == ENDING else limits.stall

    @staticmethod
    def _stuck(held: Held, now: float) -> bool:
        """Whether a client has taken nothing of its answer since this was last asked."""
        left, held.unread = held.backlog(), held.unread
        stuck = 0 < left == held.unread
        held.unread, held.since = left, now
        return stuck

    def lines(self) -> Iterator[tuple[str, str, str, dict[str, int]]]:
        """Numbers for Prometheus: a name, its type, what it is, and values by label."""
        states = Counter(held.state for held in self._all)
        yield (
            "assay_connections",
            "gauge",
            "Open connections, by what they wait for.",
            {f'{{state="{state}"}}': states[state] for state in (FRESH, IDLE, HEAD, BODY, BUSY)},
        )
        yield "assay_bodies_bytes", "gauge", "Bytes of large requests in memory.", {"": self.bodies}
        yield "assay_connections_most", "gauge", "Connections there may be.", {"": self._most}
        busiest = max(self._each.values(), default=0)
        yield (
            "assay_connections_of_one_address",
            "gauge",
            "Connections of the address that has most.",
            {"": busiest},
        )
        yield "assay_connections_total", "counter", "Connections made.", {"": self.accepted}
        yield (
            "assay_connections_ended_total",
            "counter",
            "Connections that the server ended, by why.",
            {f'{{why="{why}"}}': n for why, n in sorted(self.ended.items())},
        )
        yield (
            "assay_malformed_total",
            "counter",
            "Requests that were no HTTP, too long in the head, or too slow.",
            {"": self.refused},
        )


def descriptors_for(wanted: int) -> int:
    """How many files this process may have open, after asking for as many as it wants."""
    try:
        import resource
    except ImportError:  # Windows has no such bound
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited: Any = resource.RLIM_INFINITY
    most = wanted if hard == unlimited else min(wanted, hard)
    if soft == unlimited:
        return wanted
    # What macOS calls unlimited has a bound of its own, which it does not tell.
    for many in (most, _BOUND_OF_MACOS):
        if soft < many <= most:
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (many, hard))
            except (ValueError, OSError):
                continue
            return many
    return soft
