"""What is known of learners so far: where they stand, the bound, the guarantees, the certificate."""

from __future__ import annotations

import time
from typing import Any

import msgspec

from assay.certificates.certificate import Certificate
from assay.server.engine.core import Core
from assay.server.engine.definition import refusing
from assay.server.store.head import head_of
from assay.theory.tail.progressive_anytime import progressive_anytime


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

    def guarantees(self, name: str) -> list[dict[str, Any]]:
        """What the learner's theorems say; those about rounds told at once do not apply to late ones."""
        with self.lock:
            hosted = self.hosted(name)
            game, late, group = hosted.game.copied(), hosted.late, self.flushed()
        if group is not None:
            group.wait()
        with refusing():
            guarantees = list(game.guarantees())
        documents = [one.to_json() | {"applies": one.applies} for one in guarantees]
        if late:
            what = "These are about the rounds as they were learned, not as they were predicted"
            documents = [one | {"note": f"{what}: {late:,} were told late."} for one in documents]
        return documents

    def certificate(self, name: str) -> Certificate:
        """The certificate about exactly the feedback so far, given when all of that is committed."""
        with self.lock:
            hosted = self.hosted(name)
            game, source = hosted.game.copied(), hosted.source
            truths = None if hosted.truths is None else hosted.truths.copy()
            group = self.flushed()
        if group is not None:
            group.wait()
        with refusing():
            return game.certificate(truths, source)

    def model_file(self, name: str) -> bytes:
        """The learner as a model file."""
        with self.lock, refusing():
            return self.hosted(name).game.saved()
