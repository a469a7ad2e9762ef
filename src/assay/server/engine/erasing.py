"""Trials of a person are erased: from the log, from memory, and from every state of before.

What a learner has learned from them stays in its model, as in every model that was trained on data that were deleted
later; the answer says how many those are, and whether the model is of a kind that keeps examples.
"""

from __future__ import annotations

from typing import Any

from assay.server.engine.definition import TRIAL_NAME
from assay.server.engine.hosted import Hosted
from assay.server.engine.knowledge import Knowledge
from assay.server.engine.requests import Erase
from assay.server.limits import how
from assay.server.refusals import Refusal
from assay.server.store.audit import audited, together
from assay.server.store.erasing import Erasable, begun_at, emptied, events_of_trials, said
from assay.server.store.event import ERASED, FEEDBACK, TRIAL
from assay.server.store.store import Snapshot
from assay.server.store.writer import Group


class Erasing(Knowledge):
    """Takes from the log what may not be kept."""

    def erase(self, name: str, wanted: Erase) -> tuple[dict[str, Any], Group | None]:
        """Erase trials, asked by whoever is alone with the learner; those that are not known are counted."""
        hosted = self.hosted(name)
        self._wait_for_all()
        trials = self._named(hosted, wanted)
        events = events_of_trials(self.store, hosted.number, trials)
        known = {event.trial for event in events if event.kind == TRIAL}
        answer = {
            "erased": len(known),
            "unknown": len(trials) - len(known),
            "learned": sum(event.kind == FEEDBACK for event in events),
            "keeps_examples": hosted.game.keeps_examples,
        }
        if not events:
            return answer, self.flushed()
        # A copy: what a model remembers of its guarantees is no part of its state.
        model = hosted.game.copied().saved()
        with self.lock:
            self._require_same(hosted)
            self.writer.require_room()
            for trial in known:
                self._forget(hosted, trial)
            return answer, self._erased(hosted, name, events, model)

    def _wait_for_all(self) -> None:
        """Until everything so far can be read from the store."""
        group = self.flushed()
        if group is not None:
            group.wait()

    def _named(self, hosted: Hosted, wanted: Erase) -> set[str]:
        trials = set(wanted.trials)
        if wanted.beginning is not None:
            if not TRIAL_NAME.fullmatch(wanted.beginning):
                raise Refusal(
                    "refused",
                    "beginning must be 1 to 64 letters, digits, dots, colons, dashes or underscores.",
                )
            trials.update(self.store.trials_with(hosted.number, wanted.beginning))
        if len(trials) > self.limits.rows:
            raise Refusal(
                "too_large",
                f"At most {self.limits.rows:,} trials can be erased at once. Erase some of them first. {how('rows')}",
            )
        return trials

    @staticmethod
    def _forget(hosted: Hosted, trial: str) -> None:
        """Know a trial no longer; one that waits takes no part any more."""
        hosted.recent.pop(trial, None)
        opened = hosted.open.get(trial) or hosted.dormant.get(trial)
        if opened is not None:
            hosted.game.forget(opened.value, opened.answer)
            hosted.let_go(trial, opened)

    def _erased(self, hosted: Hosted, name: str, events: list[Erasable], model: bytes) -> Group:
        """The event that says so, and the state behind it, from which replays begin: in one transaction."""
        self._seq += 1
        now, body = self._now(), said(events)
        event = hosted.next_event(self._seq, now, ERASED, None, body)
        hosted.follow(event)
        base = Snapshot(hosted.number, event.seq, event.link, hosted.marked(), model)
        jobs = (
            emptied(hosted.number, [one.seq for one in events]),
            begun_at(base),
            audited("erase", name, event.seq, now),
        )
        return self.writer.add([event], self._dated(together(*jobs)), after=self.store.checkpoint)
