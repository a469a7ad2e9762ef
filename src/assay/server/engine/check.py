"""A replay of everything a store holds, compared with what was answered and with the snapshots."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from assay.errors import AssayError
from assay.server.engine.arithmetic import alike
from assay.server.engine.hosted import Hosted
from assay.server.engine.loading import first_state
from assay.server.engine.truths import Truths
from assay.server.limits import Limits
from assay.server.store.check import Checked, check_chains
from assay.server.store.head import Tip
from assay.server.store.store import Store


def check_store(store: Store, limits: Limits | None = None, head: Iterable[Tip] = ()) -> Checked:
    """Check the chains, then replay every learner from its first event.

    Every prediction is made once more and must be the one that was given; the state on the way must be, byte for byte,
    that of the snapshot. Where events were erased, the replay begins behind them. Of learners made by an earlier
    version, which added up in another order, both must be the same within rounding. All is of one moment, also while a
    server writes. With `head`, what was published must still be in the log.
    """
    with store.still():
        checked = check_chains(store, head)
        return checked if checked.problems else _replayed(store, checked, limits or Limits())


def _replayed(store: Store, checked: Checked, limits: Limits) -> Checked:
    problems: list[str] = []
    earlier: list[str] = []
    begun: dict[str, int] = {}
    for number, name in store.names().items():
        try:
            replayed = _Replay(store, number, name, limits)
            problems += replayed.problems
            if replayed.differs:
                earlier.append(name)
            if replayed.begun:
                begun[name] = replayed.begun
        except (AssayError, ValueError, KeyError, TypeError) as problem:
            problems.append(f"{name}: {problem}")
    return replace(checked, differs=tuple(problems), earlier=tuple(earlier), begun=begun)


class _Replay:
    """One learner, replayed: what is wrong, and whether it differs as an earlier version may."""

    def __init__(self, store: Store, number: int, name: str, limits: Limits) -> None:
        self._hosted = first_state(store, number, name, limits)
        #: Where replays begin, once events were erased.
        self.begun = self._hosted.seq if store.base(number) is not None else 0
        events = store.events(number, after=self._hosted.seq)
        self._snapshot = store.snapshot(number)
        self.differs = False
        self.problems = self._compared()
        for event in events:
            self._hosted.replay(event, same=self._same)
            self.problems += self._compared()

    def _same(self, one: Any, other: Any) -> bool:
        if one == other:
            return True
        near = self._hosted.earlier and alike(one, other)
        self.differs |= near
        return near

    def _compared(self) -> list[str]:
        hosted, snapshot = self._hosted, self._snapshot
        if snapshot is None or snapshot.seq != hosted.seq:
            return []
        kept, now = json.loads(snapshot.counts), json.loads(json.dumps(hosted.counts()))
        if not _same_truths(kept.pop("truths", None), now.pop("truths")):
            return [f"{hosted.name}: the truths of the snapshot are not those of a replay."]
        if hosted.earlier:
            self._leave_out_mended(kept, now)
        # Trials whose time is over may have been let go, here or where the replay begins.
        gone = [
            [
                place
                for place in {*kept.pop(what, ())} - {*now.pop(what, ())}
                if int(place) > self.begun
            ]
            for what in ("open", "dormant", "activated")
        ]
        if any(gone) or kept != now:
            return [f"{hosted.name}: the counts of the snapshot are not those of a replay."]
        saved = hosted.game.saved()
        if snapshot.model == saved or (
            hosted.earlier and self._same(_read(hosted, snapshot.model), _read(hosted, saved))
        ):
            return []
        return [f"{hosted.name}: the snapshot is not, bit for bit, what a replay gives."]

    def _leave_out_mended(self, kept: dict[str, Any], now: dict[str, Any]) -> None:
        """Leave out what earlier versions did not count, or counted otherwise."""
        for counts, other in ((kept, now), (now, kept)):
            counts.pop("arithmetic", None)
            for name in self._hosted.game.mended():
                self.differs |= counts["game"].get(name) != other["game"].get(name)
        for counts in (kept, now):
            for name in self._hosted.game.mended():
                counts["game"].pop(name, None)


def _same_truths(one: Any, other: Any) -> bool:
    """Whether two digests are of the same truths; earlier versions kept none."""
    if one is None or other is None:
        return one is None
    return Truths.from_json(one).digest() == Truths.from_json(other).digest()


def _read(hosted: Hosted, saved: bytes) -> Any:
    """What a model file holds, beside the model that is replayed."""
    twin = hosted.game.copied()
    twin.put_back(saved)
    return twin.model
