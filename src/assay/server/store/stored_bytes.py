"""Bytes that the log holds: of each learner, and of what each key has asked and told of it.

Counted while events are added, and written down every few seconds with an event's commit. What was added after that
is counted again at a start, for its learner alone: the log does not say which key it was.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from assay.server.store.store import Store
from assay.server.store.writer import Job

#: What an event takes beside its body: its columns, and its place in three indices.
ROW = 250
_NOBODY = ""


def size_of(body: str) -> int:
    """Bytes of an event on disk."""
    return ROW + (len(body) if body.isascii() else len(body.encode()))


class StoredBytes:
    """What a store holds, by learner and key."""

    def __init__(self) -> None:
        self._held: dict[int, Counter[str]] = {}
        self._learners: Counter[int] = Counter()
        self._keys: Counter[str] = Counter()
        self._changed: set[tuple[int, str]] = set()

    @classmethod
    def of_store(cls, store: Store) -> StoredBytes:
        """Those written down, and what was added since."""
        made = cls()
        for learner, key, size in store.query("SELECT learner, key, bytes FROM stored_bytes"):
            made._add(learner, key, size)
        [(upto,)] = store.query("SELECT coalesce(max(seq), 0) FROM stored_upto")
        for learner, events, size in store.query(
            "SELECT learner, count(*), sum(length(CAST(body AS BLOB))) FROM events WHERE seq > ? "
            "GROUP BY learner",
            upto,
        ):
            made.add(learner, None, events * ROW + size)
        return made

    def of_learner(self, learner: int) -> int:
        """Bytes of a learner."""
        return self._learners[learner]

    def of_key(self, key: str) -> int:
        """Bytes of a key."""
        return self._keys[key]

    def add(self, learner: int, key: str | None, size: int) -> None:
        """Some more."""
        who = key or _NOBODY
        self._add(learner, who, size)
        self._changed.add((learner, who))

    def _add(self, learner: int, key: str, size: int) -> None:
        held = self._held.get(learner)
        if held is None:
            held = self._held[learner] = Counter()
        held[key] += size
        self._learners[learner] += size
        self._keys[key] += size

    def take(self, learner: int, size: int) -> None:
        """So much is gone; the log does not say of which key, so each gives its share."""
        held = self._held.get(learner, Counter[str]())
        whole = sum(held.values())
        for key, has in [*held.items()]:
            if whole > 0:
                self.add(learner, key, -min(has, round(size * has / whole)))

    def forget(self, learner: int) -> None:
        """A learner was deleted."""
        for key, size in self._held.pop(learner, Counter[str]()).items():
            self._keys[key] -= size
            self._changed.add((learner, key))
        del self._learners[learner]

    def job(self, upto: int) -> Job | None:
        """Writes down what has changed, in the transaction of the event at `upto`; None if nothing has."""
        if not self._changed:
            return None
        rows = [
            (learner, key, self._held[learner][key])
            for learner, key in self._changed
            if learner in self._held
        ]
        gone = [(learner,) for learner, _ in self._changed if learner not in self._held]
        self._changed.clear()
        return _written(rows, gone, upto)


def _written(rows: list[tuple[int, str, int]], gone: list[tuple[int]], upto: int) -> Job:
    def job(connection: Any) -> None:
        connection.executemany("DELETE FROM stored_bytes WHERE learner = ?", gone)
        connection.executemany("INSERT OR REPLACE INTO stored_bytes VALUES (?, ?, ?)", rows)
        connection.execute("INSERT OR REPLACE INTO stored_upto VALUES (1, ?)", (upto,))

    return job
