"""Bytes of the trials that wait for feedback: of a learner, of all learners, and by the key that asked."""

from __future__ import annotations

from collections import Counter

#: What a trial takes beside its values: the objects that hold it, its name, and its place in the order.
_TRIAL = 800


def weight(text: int, values: int) -> int:
    """Bytes that a trial takes in memory.

    Parameters
    ----------
    text : int
        Characters of what the log holds of it; its answer is no larger than twice that.
    values : int
        Bytes of what it was asked about, as its game holds them.

    Examples
    --------
    >>> weight(120, 160)
    1200
    """
    return _TRIAL + 2 * text + values


class OpenBytes:
    """Counts bytes; what one counts is counted above it as well.

    Examples
    --------
    >>> everybody, learner = OpenBytes(), OpenBytes()
    >>> learner.add("shop", 1200)
    >>> learner.join(everybody)
    >>> learner.add("shop", -200)
    >>> everybody.total, everybody.of_key("shop"), everybody.of_key("other")
    (1000, 1000, 0)
    >>> learner.leave()
    >>> everybody.total, learner.total
    (0, 1000)
    """

    def __init__(self) -> None:
        self.total = 0
        self._keys: Counter[str] = Counter()
        self._above: OpenBytes | None = None

    def of_key(self, key: str) -> int:
        """Bytes that a key has asked for."""
        return self._keys[key]

    def add(self, key: str | None, size: int) -> None:
        """Some more, or fewer; a trial from the log is of no key."""
        self.total += size
        if key is not None:
            self._keys[key] += size
            if not self._keys[key]:
                del self._keys[key]
        if self._above is not None:
            self._above.add(key, size)

    def join(self, above: OpenBytes) -> None:
        """Count above as well from now on."""
        self._above = above
        above.total += self.total
        above._keys.update(self._keys)

    def leave(self) -> None:
        """Count above no longer."""
        above, self._above = self._above, None
        if above is not None:
            above.total -= self.total
            above._keys.subtract(self._keys)
            above._keys += Counter()  # keys without any go
