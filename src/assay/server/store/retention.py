"""Old events leave the log: which ones, and what stays of them so that the chain and a replay still hold.

All events of a learner up to one are removed, but for the first (which says what the learner is), for trials that can
still be told or were told later (a replay needs what they were asked), for the event before each of those, and for the
last of the removed: these are emptied, since what is behind them is chained to their links.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from assay.server.store.event import ERASED
from assay.server.store.store import Store
from assay.server.store.stored_bytes import ROW
from assay.server.store.writer import Job

_OLDEST = "SELECT seq, at FROM events WHERE learner = ? AND seq > ? ORDER BY seq LIMIT ?"
_AMONG_THE_LAST = "SELECT seq FROM events WHERE learner = ? ORDER BY seq DESC LIMIT 1 OFFSET ?"
_LET_GO = "SELECT max(json_extract(body, '$.upto')) FROM events WHERE learner = ? AND kind = ? AND body <> ''"
_BEFORE = """
SELECT (SELECT max(seq) FROM events WHERE learner = ?1 AND seq < kept.value) FROM json_each(?2) AS kept
"""
# The index of trials finds what was said of each.
_OF_LATER = """
SELECT asked.trial, asked.seq FROM events AS asked
JOIN events AS later ON later.learner = asked.learner AND later.trial = asked.trial
    AND later.kind IN ('feedback', 'activated') AND later.seq > ?2
WHERE asked.learner = ?1 AND asked.seq <= ?2 AND asked.kind = 'trial' AND asked.trial IS NOT NULL
"""
_REMOVED = """
SELECT count(*), coalesce(sum(length(CAST(body AS BLOB))), 0) FROM events
WHERE learner = ? AND seq <= ? AND seq NOT IN (SELECT value FROM json_each(?))
"""
_EMPTIED = """
SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM events
WHERE learner = ? AND seq IN (SELECT value FROM json_each(?))
"""
_ACTIVATIONS = """
SELECT seq FROM events WHERE learner = ?1 AND seq <= ?2 AND kind = 'activated'
    AND trial IN (SELECT value FROM json_each(?3))
"""


class Old(NamedTuple):
    """What may leave: the last event of it, and how many."""

    upto: int
    events: int


def let_go_upto(store: Store, learner: int) -> int:
    """The last event that was let go."""
    [[upto]] = store.query(_LET_GO, learner, ERASED)
    return int(upto or 0)


def old_events(
    store: Store,
    learner: int,
    after: int,
    most: int,
    is_old: Callable[[int], bool],
    keep_events: int | None,
) -> Old:
    """The oldest events behind one, at most so many, that are old by their time or are not among those kept."""
    rows = store.query(_OLDEST, learner, after, most)
    cut = 0
    if keep_events is not None:
        found = store.query(_AMONG_THE_LAST, learner, keep_events)
        cut = found[0][0] if found else 0
    upto, events = 0, 0
    for seq, at in rows:
        if seq > cut and not is_old(at):
            break
        upto, events = seq, events + 1
    return Old(upto, events)


def told_later(store: Store, learner: int, upto: int) -> dict[str, int]:
    """Trials up to an event, with their places, that were told or activated behind it."""
    return dict(store.query(_OF_LATER, learner, upto))


def activations(store: Store, learner: int, upto: int, trials: Iterable[str]) -> list[int]:
    """Where some trials were activated, up to an event."""
    return [seq for (seq,) in store.query(_ACTIVATIONS, learner, upto, json.dumps([*trials]))]


def removed(
    store: Store, learner: int, first: int, upto: int, kept: Collection[int]
) -> tuple[Job, int]:
    """A job that removes events up to one, but for the first, those that are kept, and links that are needed.

    Also the bytes that are gone then.
    """
    listed = json.dumps(sorted(kept))
    links = {seq for (seq,) in store.query(_BEFORE, learner, listed)} | {upto}
    links -= {first, *kept}
    stay = json.dumps([first, *kept, *links])
    empty = json.dumps([*links])

    [[rows, bodies]] = store.query(_REMOVED, learner, upto, stay)
    [[emptied]] = store.query(_EMPTIED, learner, empty)

    def job(held: sqlite3.Connection) -> None:
        held.execute(
            "DELETE FROM events WHERE learner = ? AND seq <= ? AND seq NOT IN (SELECT value FROM json_each(?))",
            (learner, upto, stay),
        )
        held.execute(
            "UPDATE events SET body = '', trial = NULL WHERE learner = ? AND seq IN (SELECT value FROM json_each(?))",
            (learner, empty),
        )

    return job, rows * ROW + bodies + emptied
