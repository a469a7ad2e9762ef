"""What leaves the store: trials of a person that are erased, and events that are older than a learner's terms keep.

What a learner has learned from them stays in its model, as in every model that was trained on data that were deleted
later; the answer says how many those are, and whether the model is of a kind that keeps examples. What is old leaves
with the state behind it put down, from which replays begin: nothing changes but how far back one can look.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import takewhile
from typing import Any

from assay.server.engine.definition import TRIAL_NAME
from assay.server.engine.hosted import Hosted, OpenTrial
from assay.server.engine.knowledge import Knowledge
from assay.server.engine.loading import first_state, replay
from assay.server.engine.requests import Erase
from assay.server.limits import how
from assay.server.refusals import Refusal
from assay.server.store.audit import ACTOR, audited, together
from assay.server.store.erasing import Erasable, begun_at, emptied, events_of_trials, said
from assay.server.store.event import ERASED, FEEDBACK, TRIAL, Event
from assay.server.store.retention import (
    Old,
    activations,
    let_go_upto,
    old_events,
    removed,
    told_later,
)
from assay.server.store.store import Snapshot
from assay.server.store.stored_bytes import size_of
from assay.server.store.writer import Group, Job

#: The most events that are let go at once, and fewer than which wait for others.
_MOST, _MANY = 5_000, 1_000
_HOUR_MS, _DAY_MS = 3_600_000, 86_400_000


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

        def jobs(event: Event) -> Job:
            base = Snapshot(hosted.number, event.seq, event.link, hosted.marked(), model)
            taken = emptied(hosted.number, [one.seq for one in events])
            return together(taken, begun_at(base), audited("erase", name, event.seq, event.at))

        return self._noted_erasure(hosted, said(events), sum(one.size for one in events), jobs)

    def _noted_erasure(
        self, hosted: Hosted, body: str, freed: int, jobs: Callable[[Event], Job]
    ) -> Group:
        self._seq += 1
        event = hosted.next_event(self._seq, self._now(), ERASED, None, body)
        hosted.follow(event)
        self.stored.add(hosted.number, ACTOR.get()[0], size_of(body))
        self.stored.take(hosted.number, freed)
        counted = self.stored.job(event.seq)
        job = self._dated(jobs(event) if counted is None else together(jobs(event), counted))
        return self.writer.add([event], job, after=self.store.checkpoint)

    # Retention

    def lets_go(self, name: str) -> bool:
        """Whether the terms of a learner keep only some events."""
        terms = self.hosted(name).settings
        return terms.keep_days is not None or terms.keep_events is not None

    def let_go_old(self, name: str) -> Group | None:
        """Let go of some events that are older than a learner's terms keep, asked by whoever is alone with it.

        Returns
        -------
        Group or None
            None where there is nothing to be let go at present.
        """
        hosted = self.hosted(name)
        if not self.lets_go(name):
            return None
        self._wait_for_all()
        old = self._old(hosted)
        if old is None:
            return None
        state = first_state(self.store, hosted.number, name, self.limits)
        base = state.seq
        if base < old.upto:
            events = self.store.events(hosted.number, after=base, most=_MOST)
            replay(self.store, state, takewhile(lambda event: event.seq <= old.upto, events))
        kept = self._needed(hosted, state, old.upto)
        job, freed = removed(self.store, hosted.number, self._first(hosted), old.upto, kept)
        jobs = [job]
        if base < old.upto:
            model = state.game.copied().saved()
            counts = state.marked()
            jobs.append(begun_at(Snapshot(hosted.number, state.seq, state.link, counts, model)))
        gone = [
            (trial, opened)
            for held in (hosted.open, hosted.dormant)
            for trial, opened in held.items()
            if opened.seq <= old.upto and opened.seq not in kept
        ]
        with self.lock:
            self._require_same(hosted)
            self.writer.require_room()
            self._let_go_upto(hosted, old.upto, gone)
            body = said((), upto=old.upto, removed=old.events)
            return self._noted_erasure(hosted, body, freed, lambda _: together(*jobs))

    def _old(self, hosted: Hosted) -> Old | None:
        """What is old; None where that is so little that it can wait."""
        if hosted.let_go_upto is None:
            hosted.let_go_upto = let_go_upto(self.store, hosted.number)
        days, events = hosted.settings.keep_days, hosted.settings.keep_events
        with self.lock:
            now = self._now()
        before = -math.inf if days is None else now - days * _DAY_MS
        after = max(hosted.let_go_upto, self._first(hosted))
        is_old, count = before.__gt__, events
        found = old_events(self.store, hosted.number, after, _MOST, is_old, count)
        if found.events < 2:
            return None
        # Each time a state is put down: not for every few events.
        few = found.events < min(_MANY, (events or _MANY) // 10)
        [oldest] = self.store.events(hosted.number, after=after, most=1)
        return None if few and oldest.at >= before - _HOUR_MS else found

    def _first(self, hosted: Hosted) -> int:
        return next(self.store.events(hosted.number, most=1)).seq

    def _needed(self, hosted: Hosted, state: Hosted, upto: int) -> set[int]:
        """The events up to one that are needed: trials that can still be told, or that a replay will tell.

        All others are let go in `state`, the one that the replay begins from.
        """
        needed = told_later(self.store, hosted.number, upto)
        for trial, opened in [*hosted.open.items(), *hosted.dormant.items()]:
            if opened.seq <= upto and self._can_be_told(hosted, opened):
                needed[trial] = opened.seq
        for trial, opened in [*state.open.items(), *state.dormant.items()]:
            if opened.seq <= upto and trial not in needed:
                state.let_go(trial, opened)
        return {*needed.values(), *activations(self.store, hosted.number, upto, needed)}

    def _can_be_told(self, hosted: Hosted, opened: OpenTrial) -> bool:
        within = hosted.settings.feedback_within
        return within is None or self._waited(opened) <= within * 1000

    @staticmethod
    def _let_go_upto(hosted: Hosted, upto: int, gone: list[tuple[str, OpenTrial]]) -> None:
        """Know no more what is no longer in the store."""
        hosted.let_go_upto = upto
        for trial, opened in gone:
            hosted.let_go(trial, opened)
        for trial, (opened, *_) in [*hosted.recent.items()]:
            if opened.seq <= upto:
                del hosted.recent[trial]
