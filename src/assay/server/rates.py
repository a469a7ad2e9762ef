"""Who asks too often: a bucket of tokens for every key and address."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable


class Buckets:
    """Buckets that fill at a rate up to a burst; a request takes one token.

    Parameters
    ----------
    burst : float
        What a bucket holds at most, as a multiple of what flows in within a second; at least one token.
    most : int
        How many buckets are remembered; the one that was used longest ago goes first. It is then full or
        nearly so, unless there are more askers a second than that.
    clock : callable

    Examples
    --------
    >>> now = 0.0
    >>> buckets = Buckets(burst=1, clock=lambda: now)
    >>> [buckets.take("key", rate=2) for _ in range(3)]
    [0.0, 0.0, 0.5]
    >>> now = 0.5
    >>> buckets.take("key", rate=2)
    0.0
    """

    def __init__(
        self, burst: float, most: int = 10_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._burst, self._most, self._clock = burst, most, clock
        self._buckets: OrderedDict[str, list[float]] = OrderedDict()

    def take(self, who: str, rate: float) -> float:
        """Take a token; zero, or the seconds after which there will be one."""
        now = self._clock()
        full = max(1.0, rate * self._burst)
        bucket = self._buckets.get(who)
        if bucket is None:
            bucket = self._buckets[who] = [full, now]
            if len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
        else:
            bucket[0] = min(full, bucket[0] + (now - bucket[1]) * rate)
            bucket[1] = now
            self._buckets.move_to_end(who)
        if bucket[0] < 1.0:
            return (1.0 - bucket[0]) / rate
        bucket[0] -= 1.0
        return 0.0
