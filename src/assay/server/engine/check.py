"""A replay of everything a store holds, compared with what was answered and with the snapshots."""

from __future__ import annotations

import json

from assay.errors import AssayError
from assay.server.engine.hosted import Hosted
from assay.server.limits import Limits
from assay.server.store.check import Checked, check_chains
from assay.server.store.store import Snapshot, Store


def check_store(store: Store, limits: Limits | None = None) -> Checked:
    """Check the chains, then replay every learner from its first event.

    Every prediction is made once more and must be the one that was given; the state on the way must be,
    byte for byte, that of the snapshot.
    """
    found = check_chains(store)
    if found.problems:
        return found
    problems: list[str] = []
    for number, name in store.names().items():
        try:
            problems += _replayed(store, number, name, limits or Limits())
        except (AssayError, ValueError, KeyError, TypeError) as problem:
            problems.append(f"{name}: {problem}")
    return Checked(found.learners, found.events, tuple(problems))


def _replayed(store: Store, number: int, name: str, limits: Limits) -> list[str]:
    events = store.events(number)
    hosted = Hosted(number, name, next(events), limits)
    snapshot = store.snapshot(number)
    problems = _compared(hosted, snapshot)
    for event in events:
        hosted.replay(event, again=True)
        problems += _compared(hosted, snapshot)
    return problems


def _compared(hosted: Hosted, snapshot: Snapshot | None) -> list[str]:
    if snapshot is None or snapshot.seq != hosted.seq:
        return []
    kept, now = json.loads(snapshot.counts), hosted.counts()
    # Trials whose time is over may have been let go.
    if not set(kept.pop("open")) <= set(now.pop("open")) or kept != json.loads(json.dumps(now)):
        return [f"{hosted.name}: the counts of the snapshot are not those of a replay."]
    if snapshot.model != hosted.game.saved():
        return [f"{hosted.name}: the snapshot is not, bit for bit, what a replay gives."]
    return []
