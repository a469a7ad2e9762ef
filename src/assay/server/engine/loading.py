"""Learners from the store: a snapshot and the events behind it, or all events."""

from __future__ import annotations

import json
from collections.abc import Iterable

from assay.errors import AssayError, BadData
from assay.server.engine.hosted import Hosted
from assay.server.limits import Limits
from assay.server.store.event import ACTIVATED, CREATED, FEEDBACK, TRIAL, Event, follows
from assay.server.store.store import Snapshot, Store


def load_hosted(
    store: Store, number: int, name: str, limits: Limits, *, from_start: bool = False
) -> Hosted:
    """A learner as its events make it: from its snapshot and the events behind it, or from the first that can be
    replayed, which is that behind its base where events were erased.
    """
    hosted = None if from_start else _begun(store, number, name, limits, store.snapshot(number))
    hosted = hosted or first_state(store, number, name, limits)
    replay(store, hosted, store.events(number, after=hosted.seq))
    return hosted


def replay(store: Store, hosted: Hosted, events: Iterable[Event]) -> None:
    """Do once more what events did, also to trials that had been let go."""
    number = hosted.number
    for event in events:
        held = {FEEDBACK: hosted.open, ACTIVATED: hosted.dormant}.get(event.kind)
        if held is not None and event.trial not in held:  # one that had been let go
            assert event.trial is not None
            asked = store.of_trial(number, event.trial).get(TRIAL)
            if asked is not None:
                hosted.hold(held, event.trial, hosted.restored(asked))
        hosted.replay(event)


def first_state(store: Store, number: int, name: str, limits: Limits) -> Hosted:
    """The state that a replay of everything begins from: as created, or the base where events were erased."""
    base = store.base(number)
    if base is None:
        return Hosted(number, name, _created(store, number, name), limits)
    hosted = _begun(store, number, name, limits, base)
    if hosted is None:
        raise BadData(
            f"The store is damaged: the state of learner {name!r} behind what was erased cannot be read."
        )
    return hosted


def _created(store: Store, number: int, name: str) -> Event:
    created = next(store.events(number, most=1), None)
    if created is None or created.kind != CREATED or not follows(created):
        raise BadData(f"The store is damaged: the log of learner {name!r} has no beginning.")
    return created


def _begun(
    store: Store, number: int, name: str, limits: Limits, kept: Snapshot | None
) -> Hosted | None:
    """A learner in a state that was put down; None where that is not of this log, or of another version."""
    if kept is None:
        return None
    hosted, upto = Hosted(number, name, _created(store, number, name), limits), kept.seq
    whole = store.base(number) is None
    try:
        [at] = store.at_places([upto])
        if at.link != kept.link:
            raise ValueError("an event that is not in the log")
        counts = json.loads(kept.counts)
        places = sorted(counts["open"] + counts.get("dormant", []))
        told = (lambda: store.answers(number, upto)) if whole else None
        hosted.put_back(kept, store.at_places(places), told)
    except (AssayError, ValueError, KeyError, TypeError):
        return None
    return hosted
