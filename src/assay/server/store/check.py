"""Whether a store is sound: the file, the chain of every learner, and a replay of everything."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from assay.errors import AssayError
from assay.server.store.event import DELETED, NO_LINK, follows
from assay.server.store.store import Store


@dataclass(frozen=True)
class Checked:
    """What a check found.

    Attributes
    ----------
    learners, events : int
        How many were looked at.
    problems : tuple of str
        What is wrong, as sentences; empty for a sound store.
    earlier : tuple of str
        Learners made by an earlier version, whose numbers are those of a replay only within rounding.
    """

    learners: int
    events: int
    problems: tuple[str, ...]
    earlier: tuple[str, ...] = ()


def check_chains(store: Store) -> Checked:
    """See that SQLite finds the file whole, and that no event was changed, removed or put in."""
    problems: list[str] = []
    damage = store.integrity()
    if damage is not None:
        return Checked(0, 0, (f"The file is damaged: {damage}.",))
    links: dict[int, str] = {}
    gone: set[int] = set()
    events = 0
    try:
        for event in store.events():
            events += 1
            if event.kind == DELETED:
                gone.add(event.learner)
                links.pop(event.learner, None)
            elif event.learner in gone:
                problems.append(f"Event {event.seq} is of a learner that was deleted.")
            elif not follows(event, links.get(event.learner, NO_LINK)):
                problems.append(f"Event {event.seq} does not follow from the event before it.")
            if event.kind != DELETED:
                links[event.learner] = event.link
            if len(problems) >= 10:
                break
        problems += _names_without_events(store, links)
    except (sqlite3.Error, AssayError, ValueError) as problem:
        problems.append(f"The log cannot be read: {problem}.")
    return Checked(len(links), events, tuple(problems))


def _names_without_events(store: Store, links: dict[int, str]) -> list[str]:
    known = store.names()
    problems = [f"Learner {name!r} has no events." for n, name in known.items() if n not in links]
    problems += [f"Events of learner {n} have no name." for n in links if n not in known]
    for number, name in known.items():
        snapshot = store.snapshot(number)
        if snapshot is None:
            continue
        at = next(store.at_places([snapshot.seq]), None)
        if at is None or at.link != snapshot.link:
            problems.append(f"The snapshot of {name!r} is of an event that is not in the log.")
        elif not isinstance(json.loads(snapshot.counts), dict):
            problems.append(f"The snapshot of {name!r} cannot be read.")
    return problems
