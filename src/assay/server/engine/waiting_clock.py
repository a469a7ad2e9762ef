"""How long trials have waited: by a steady clock, whatever becomes of the one on the wall.

Events carry the time of the wall clock, for people to read; it never falls. Waiting is measured by a clock that only
runs while a server does, so nobody's time is over because a clock was set, and none lasts for ever. Where the two
drift apart, an anchor in the store says which waiting time belongs to which time of the log; it is written with the
next event.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from assay.server.store.writer import Job

#: Milliseconds by which the clocks may lie apart before it is written down.
_DRIFT = 1_000
#: The most that is counted of the time between the last event and a start: nobody could be told anything.
MOST_GAP = 60_000


class Anchor(NamedTuple):
    """From this time of the log on, in milliseconds, so much had been waited; twice as fast, where the log is slow."""

    at: int
    waited: int
    slow: bool = False

    def waited_at(self, at: int) -> int:
        """The waiting time of a time behind this one."""
        return self.waited + (at - self.at) * (2 if self.slow else 1)

    def at_waited(self, waited: int) -> int:
        """The inverse."""
        return self.at + (waited - self.waited) // (2 if self.slow else 1)


class WaitingClock:
    """The time of events, and the time that counts for waiting.

    Where the wall clock stands behind the time of the log, that goes on at half its speed until both are the same.

    Parameters
    ----------
    anchors : iterable of Anchor
        Those of the store, in their order.
    last : int
        The time of the last event.
    wall, steady : callable
        Seconds since 1970, and seconds since whenever.

    Examples
    --------
    >>> wall, steady = [1000.0], [0.0]
    >>> clock = WaitingClock([], 1_000_000, lambda: wall[0], lambda: steady[0])
    >>> wall[0], steady[0] = 9e9, 5.0
    >>> clock.read()
    9000000000000
    >>> clock.waited - clock.waited_at(1_000_000), clock.unsaved.at
    (5000, 9000000000000)
    """

    def __init__(
        self,
        anchors: Iterable[Anchor],
        last: int,
        wall: Callable[[], float],
        steady: Callable[[], float],
    ) -> None:
        self._wall, self._steady, self._steady_at = wall, steady, steady()
        self._anchors = [Anchor(0, 0), *anchors]
        #: An anchor that is to be written with the next event.
        self.unsaved: Anchor | None = None
        self.at = last = max(last, self._anchors[-1].at)
        self.waited = self.waited_at(last)
        now = int(wall() * 1000)
        self._move(now, min(max(now - last, 0), MOST_GAP) if last else now)

    def read(self) -> int:
        """The time of an event that happens now; `waited` is the waiting time that belongs to it."""
        gone = int((self._steady() - self._steady_at) * 1000)
        if gone > 0:  # what is less than a millisecond is counted when it is one
            self._steady_at += gone / 1000
        self._move(int(self._wall() * 1000), max(gone, 0))
        return self.at

    def _move(self, wall: int, gone: int) -> None:
        self.waited += gone
        last = self._anchors[-1]
        steadily = last.at_waited(self.waited)
        if last.slow and wall < steadily:
            self.at = max(self.at, steadily)
        elif last.slow or abs(wall - steadily) > _DRIFT:
            # Behind all times of before, which belong to the anchor before.
            self.at = max(self.at + 1, wall)
            self.unsaved = Anchor(self.at, self.waited, wall < self.at)
            self._anchors.append(self.unsaved)
        else:
            self.at = max(self.at, wall)

    def waited_at(self, at: int) -> int:
        """The waiting time that belonged to a time of the log."""
        place = bisect_right(self._anchors, at, key=lambda anchor: anchor.at)
        waited = self._anchors[place - 1].waited_at(at)
        return waited if place == len(self._anchors) else min(waited, self._anchors[place].waited)

    def anchor(self) -> Anchor:
        """Where the clocks stand now."""
        at = self.read()
        return Anchor(at, self.waited, self._anchors[-1].slow)

    def save_again(self) -> None:
        """What was to be written was not."""
        if len(self._anchors) > 1:
            self.unsaved = self._anchors[-1]

    def job(self) -> Job | None:
        """A job that writes down what is not written; None if there is nothing."""
        if self.unsaved is None:
            return None
        anchor, self.unsaved = self.unsaved, None
        return put_anchor(anchor)


def put_anchor(anchor: Anchor) -> Job:
    """A job that keeps an anchor."""

    def job(held: Any) -> None:
        held.execute("INSERT OR REPLACE INTO clock VALUES (?, ?, ?)", anchor)

    return job
