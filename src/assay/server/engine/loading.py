"""Learners from the store: a snapshot and the events behind it, or all events."""

from __future__ import annotations

import json

from assay.errors import AssayError, BadData
from assay.server.engine.hosted import Hosted
from assay.server.limits import Limits
from assay.server.store.event import ACTIVATED, CREATED, FEEDBACK, TRIAL, follows
from assay.server.store.store import Store


def load_hosted(
    store: Store, number: int, name: str, limits: Limits, *, from_start: bool = False
) -> Hosted:
    """A learner as its events make it: from its snapshot and the events behind it, or from the first."""
    created = next(store.events(number, most=1), None)
    if created is None or created.kind != CREATED or not follows(created):
        raise BadData(f"The store is damaged: the log of learner {name!r} has no beginning.")
    hosted = Hosted(number, name, created, limits)
    snapshot = None if from_start else store.snapshot(number)
    if snapshot is not None:
        try:
            [at] = store.at_places([snapshot.seq])
            if at.link != snapshot.link:
                raise ValueError("an event that is not in the log")
            counts = json.loads(snapshot.counts)
            places = sorted(counts["open"] + counts.get("dormant", []))
            upto = snapshot.seq
            hosted.put_back(snapshot, store.at_places(places), lambda: store.answers(number, upto))
        except (AssayError, ValueError, KeyError, TypeError):
            hosted = Hosted(number, name, created, limits)  # of another version: all events again
    for event in store.events(number, after=hosted.seq):
        held = {FEEDBACK: hosted.open, ACTIVATED: hosted.dormant}.get(event.kind)
        if held is not None and event.trial not in held:  # one that had been let go
            assert event.trial is not None
            asked = store.of_trial(number, event.trial).get(TRIAL)
            if asked is not None:
                hosted.hold(held, event.trial, hosted.restored(asked))
        hosted.replay(event)
    return hosted
