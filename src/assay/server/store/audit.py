"""Who administered what, and when keys were last used: kept in the store, beside the log."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, NamedTuple

from assay.server.store.writer import Job

#: Who asks at present: the id of the key and the address; nothing within this process.
ACTOR: ContextVar[tuple[str | None, str | None]] = ContextVar("assay.actor", default=(None, None))


class Entry(NamedTuple):
    """One act of administration, with the event that it left."""

    at: int
    key: str | None
    client: str | None
    act: str
    learner: str
    seq: int


def audited(act: str, learner: str, seq: int, at: int) -> Job:
    """A job that writes an act down, in the transaction of the act itself: neither is there without the other."""
    entry = Entry(at, *ACTOR.get(), act, learner, seq)
    return lambda held: held.execute(
        "INSERT INTO audit (at, key, client, act, learner, seq) VALUES (?, ?, ?, ?, ?, ?)", entry
    )


def used(uses: Mapping[str, float]) -> Job:
    """A job that writes down when keys were last used."""
    rows = [(key, int(at * 1000)) for key, at in uses.items()]
    return lambda held: held.executemany("INSERT OR REPLACE INTO key_uses VALUES (?, ?)", rows)


def together(*jobs: Job) -> Job:
    """Several jobs as one."""

    def job(held: Any) -> None:
        for one in jobs:
            one(held)

    return job
