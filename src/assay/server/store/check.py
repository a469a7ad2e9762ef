"""Whether a store is sound: the file, the chain of every learner, and a replay of everything."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from assay.errors import AssayError, BadData
from assay.server.store.event import DELETED, ERASED, NO_LINK, Event, follows, is_empty
from assay.server.store.head import Tip, compared_with
from assay.server.store.store import Snapshot, Store

_MOST = 10


@dataclass(frozen=True)
class Checked:
    """What a check found.

    Attributes
    ----------
    learners, events : int
        How many were looked at.
    broken : tuple of str
        What is wrong with the file or its chains, as sentences: somebody or something changed it.
    differs : tuple of str
        Where chains are whole, but a replay on this processor with this version gives something else.
    earlier : tuple of str
        Learners made by an earlier version, whose numbers are those of a replay only within rounding.
    begun : dict
        Of learners of which events were erased, the place of the event behind which the replay began.
    """

    learners: int
    events: int
    broken: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    begun: Mapping[str, int] = field(default_factory=dict)

    @property
    def problems(self) -> tuple[str, ...]:
        """All that is wrong; empty for a sound store."""
        return self.broken + self.differs


def check_chains(store: Store, head: Iterable[Tip] = ()) -> Checked:
    """See that SQLite finds the file whole, and that no event was changed, removed or put in.

    All is read within one transaction of whoever calls, so that a server may write meanwhile.
    """
    damage = store.integrity()
    if damage is not None:
        return Checked(0, 0, (f"The file is damaged: {damage}.",))
    chains = _Chains()
    problems: list[str] = []
    try:
        for event in store.events():
            chains.take(event)
            if len(chains.problems) >= _MOST:
                break
        problems = chains.problems + chains.unexplained()
        problems += _names_without_events(store, chains.links)
        problems += compared_with(store, head)
    except (sqlite3.Error, AssayError, ValueError) as problem:
        problems = [*chains.problems, f"The log cannot be read: {problem}."]
    if not problems and not chains.events:
        raise BadData(f"{store.path} is empty: it holds no event that could be checked.")
    return Checked(len(chains.links), chains.events, tuple(problems))


@dataclass
class _Chains:
    """The chains of all learners, event by event."""

    links: dict[int, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    events: int = 0
    _gone: set[int] = field(default_factory=set)
    #: Events without a body, until an event further on says that it was erased.
    _empty: dict[int, dict[int, str]] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        """The next event."""
        self.events += 1
        number = event.learner
        if event.kind == DELETED:
            self._gone.add(number)
            self.links.pop(number, None)
            self._empty.pop(number, None)
            return
        if number in self._gone:
            self.problems.append(f"Event {event.seq} is of a learner that was deleted.")
        elif is_empty(event):
            self._empty.setdefault(number, {})[event.seq] = event.link
        elif not follows(event, self.links.get(number, NO_LINK)):
            self.problems.append(f"Event {event.seq} does not follow from the event before it.")
        elif event.kind == ERASED:
            self._explain(event)
        self.links[number] = event.link

    def _explain(self, event: Event) -> None:
        said = json.loads(event.body)
        empty = self._empty.get(event.learner, {})
        for seq, link in said.get("events", ()):
            if empty.get(seq) == link:
                del empty[seq]
        upto = said.get("upto", 0)
        for seq in [seq for seq in empty if seq <= upto]:
            del empty[seq]

    def unexplained(self) -> list[str]:
        """Events that are empty, though nothing in the log says that they were erased."""
        return [
            f"Event {seq} was emptied, and no event of its learner says so."
            for empty in self._empty.values()
            for seq in empty
        ][:_MOST]


def _names_without_events(store: Store, links: dict[int, str]) -> list[str]:
    known = store.names()
    problems = [f"Learner {name!r} has no events." for n, name in known.items() if n not in links]
    problems += [f"Events of learner {n} have no name." for n in links if n not in known]
    for number, name in known.items():
        for what, kept in (("snapshot", store.snapshot(number)), ("base", store.base(number))):
            problems += _of_snapshot(store, f"The {what} of {name!r}", kept)
    return problems


def _of_snapshot(store: Store, what: str, kept: Snapshot | None) -> list[str]:
    if kept is None:
        return []
    at = next(store.at_places([kept.seq]), None)
    if at is None or at.link != kept.link:
        return [f"{what} is of an event that is not in the log."]
    if not isinstance(json.loads(kept.counts), dict):
        return [f"{what} cannot be read."]
    return []
