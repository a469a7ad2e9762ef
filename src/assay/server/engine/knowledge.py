"""What is known of learners so far: where they stand, the bound, the guarantees, the certificate."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from assay.certificates.certificate import Certificate
from assay.server.engine.core import Core
from assay.server.engine.definition import refusing
from assay.server.engine.evaluate import Logged, evaluate
from assay.server.engine.export import Export
from assay.server.engine.game import Game
from assay.server.engine.hosted import Hosted
from assay.server.engine.truths import Truths
from assay.server.store.head import head_of
from assay.server.store.trials import trials_of
from assay.server.store.writer import Group
from assay.theory.tail.progressive_anytime import progressive_anytime


class Sight(NamedTuple):
    """A learner as it was: copies of it and of the truths told, what was late, what was not told, and the group that
    makes it durable.
    """

    hosted: Hosted
    game: Game
    truths: Truths | None
    late: int
    untold: int
    group: Group | None


class Knowledge(Core):
    """Reads what the events have made; changes nothing."""

    def describe(self, name: str) -> dict[str, Any]:
        """What a learner is and where it stands, as far as that is cheap to know."""
        with self.lock:
            hosted = self.hosted(name)
            answer = {
                "name": name,
                "kind": hosted.game.kind,
                "definition": msgspec.to_builtins(hosted.definition),
                "settings": msgspec.to_builtins(hosted.settings),
                "settings_version": hosted.settings_version,
                "created_at": hosted.created_at / 1000,
            }
            answer |= hosted.standing() | hosted.game.standing()
            if hosted.bound is not None:
                answer["bound"], answer["bound_at"] = hosted.bound
            return answer

    def head(self) -> dict[str, Any]:
        """The last link of every learner, given when it is committed: what was published nobody can take back."""
        with self.lock:
            self._require_sound()
            tips = [(one.number, one.seq, one.link) for one in self._hosted.values()]
            names = {one.number: name for name, one in self._hosted.items()}
            group = self.flushed()
        if group is not None:
            group.wait()
        return head_of(tips, names)

    def hosted_now(self, name: str) -> dict[str, Any]:
        """The counts of a learner, and its bound as last worked out."""
        with self.lock:
            hosted = self.hosted(name)
            bound = None if hosted.bound is None else hosted.bound[0]
            unsaved = hosted.events - hosted.snapshot_events
            since = time.monotonic() - hosted.snapshot_at if unsaved else 0.0
            return hosted.standing() | {
                "bound": bound,
                "unsaved": unsaved,
                "unsaved_s": round(since, 3),
            }

    def work_out_bound(self, name: str) -> tuple[float, int] | None:
        """The bound on the mean error at this moment; takes a tenth of a second, and no lock."""
        with self.lock:
            hosted = self.hosted(name)
            errors, rows = hosted.game.error() or (0, 0)
            stale = hosted.bound is None or hosted.bound[1] != rows
            repeats = hosted.game.repeats() if rows and stale else None
        if rows and stale:
            # Nothing is promised of examples that were known when they were predicted.
            again = repeats is not None and repeats.alarm
            with refusing():
                delta = hosted.definition.delta
                bound = 1.0 if again else min(1.0, progressive_anytime(errors, rows, delta))
                hosted.bound = bound, rows
        return hosted.bound if rows else None

    def seen(self, name: str) -> Sight:
        """A learner at this moment, to be looked at for as long as it takes; asked by whoever is alone with it."""
        hosted = self.hosted(name)
        game = hosted.game.copied()
        truths = None if hosted.truths is None else hosted.truths.copy()
        return Sight(hosted, game, truths, hosted.late, hosted.untold, self.flushed())

    def guarantees(self, name: str, sight: Sight | None = None) -> list[dict[str, Any]]:
        """What the learner's theorems say, and whether they apply to what was told late or never."""
        _, game, _, late, untold, group = sight or self._seen_locked(name)
        if group is not None:
            group.wait()
        with refusing():
            guarantees = game.told_late(game.guarantees(), late, untold)
            return [one.to_json() | {"applies": one.applies} for one in guarantees]

    def certificate(self, name: str, sight: Sight | None = None) -> Certificate:
        """The certificate about exactly the feedback so far, given when all of that is committed."""
        hosted, game, truths, _, _, group = sight or self._seen_locked(name)
        source = hosted.source
        if group is not None:
            group.wait()
        with refusing():
            return game.certificate(truths, source)

    def model_file(self, name: str, sight: Sight | None = None) -> bytes:
        """The learner as a model file, of what is committed."""
        _, game, _, _, _, group = sight or self._seen_locked(name)
        if group is not None:
            group.wait()
        with refusing():
            return game.saved()

    def evaluation(
        self, name: str, policy: str, delta: str, sights: Mapping[str, Sight]
    ) -> dict[str, Any]:
        """What another policy would have earned on what this learner logged; `sights` are of both."""
        hosted, game, _, _, _, group = sights[name]
        if group is not None:
            group.wait()
        trials = trials_of(self.store, hosted.number, self.store.last()[0])
        return evaluate(policy, Logged(game, trials), game, lambda which: sights[which].game, delta)

    def export(self, name: str) -> Export:
        """The decisions of a learner so far, to be written as a file."""
        with self.lock:
            hosted = self.hosted(name)
            learners = [(hosted.number, name, hosted.definition)]
        return Export(self.store, learners, self.store.last()[0])

    def _seen_locked(self, name: str) -> Sight:
        with self.lock:
            return self.seen(name)
