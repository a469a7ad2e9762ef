"""What leaves the log: events that are emptied, whose places and links stay, and the state that a replay begins from.

A link is a digest of what an event held, so without that it cannot be worked out again. But the event behind it is
chained to the link itself, which stays: the chain can be checked from there on. Which events are empty, and why, is
said by an event further on; `assay serve --check` takes no other for erased.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple

from assay.server.store.store import Snapshot, Store
from assay.server.store.writer import Job

_OF_TRIALS = """
SELECT seq, link, kind, trial, length(CAST(body AS BLOB)) FROM events
WHERE learner = ? AND trial IN (SELECT value FROM json_each(?)) ORDER BY seq
"""


class Erasable(NamedTuple):
    """An event of a trial, without what it held, whose bytes are counted."""

    seq: int
    link: str
    kind: str
    trial: str
    size: int


def events_of_trials(store: Store, learner: int, trials: Iterable[str]) -> list[Erasable]:
    """All that was committed about trials, in its order."""
    rows = store.query(_OF_TRIALS, learner, json.dumps([*trials]))
    return [Erasable._make(row) for row in rows]


def emptied(learner: int, places: Iterable[int]) -> Job:
    """A job that takes what events held, and of which trials they were."""
    listed = json.dumps([*places])
    return lambda held: held.execute(
        "UPDATE events SET body = '', trial = NULL WHERE learner = ? AND seq IN (SELECT value FROM json_each(?))",
        (learner, listed),
    )


def begun_at(base: Snapshot) -> Job:
    """A job that has replays begin from a state; snapshots of before would need what is gone."""

    def job(held: sqlite3.Connection) -> None:
        held.execute("INSERT OR REPLACE INTO bases VALUES (?, ?, ?, ?, ?)", base)
        held.execute(
            "DELETE FROM snapshots WHERE learner = ? AND seq < ?", (base.learner, base.seq)
        )

    return job


def said(events: Iterable[Erasable], **more: Any) -> str:
    """The body of the event that says which were emptied."""
    listed = [[event.seq, event.link] for event in events]
    return json.dumps({"events": listed, **more}, separators=(",", ":"))
