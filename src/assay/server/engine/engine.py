"""All learners of a store: created, asked, told and deleted, each exactly once and in one order.

What is asked and told is worked out in memory, under one lock, and its events join the group that is
committed next. An answer may be given when its group is committed. Groups are committed in their order, so
nothing that was acknowledged rests on anything that can be lost.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import secrets
from collections.abc import Container
from typing import Any

import msgspec
import numpy as np

from assay import __version__
from assay.errors import require
from assay.server.engine.arithmetic import ARITHMETIC, RULES
from assay.server.engine.capacity import require_capacity
from assay.server.engine.definition import (
    NAME,
    TRIAL_NAME,
    Definition,
    Settings,
    read_definition,
    read_settings,
    refused,
    refusing,
)
from assay.server.engine.erasing import Erasing
from assay.server.engine.game import Game
from assay.server.engine.hosted import Hosted, OpenTrial, make_game
from assay.server.engine.open_bytes import weight
from assay.server.engine.requests import Activate, Ask, Rank, Tell, encode, told_decoder
from assay.server.limits import how
from assay.server.refusals import Refusal, ToldBefore
from assay.server.store.audit import ACTOR, audited, together
from assay.server.store.event import (
    ACTIVATED,
    CREATED,
    DELETED,
    FEEDBACK,
    NO_LINK,
    SETTINGS,
    TRIAL,
    chained,
)
from assay.server.store.store import delete_learner, name_learner
from assay.server.store.stored_bytes import size_of
from assay.server.store.writer import Group

#: How trials are called that the client does not name.
_OURS = re.compile(r"t[0-9a-f]{20}")
#: No secret, only seldom the same: to ask the system each time would let the interpreter go.
_chance = random.Random(secrets.randbits(128))

Answer = tuple[dict[str, Any], Group | None]


class Engine(Erasing):
    """The learners of a store.

    Parameters
    ----------
    store : Store
        Opened for writing.
    limits : Limits
    clock : callable
        Seconds since 1970, for people to read; going back, it stands still.
    steady : callable
        Seconds since whenever, by which waiting is measured.

    Examples
    --------
    >>> import tempfile
    >>> from assay.server.store.store import Store
    >>> folder = tempfile.TemporaryDirectory()
    >>> engine = Engine(Store(f"{folder.name}/assay.db"))
    >>> answer, group = engine.create("coin", {"algorithm": "ucb1", "params": {"arms": 2}})
    >>> group.wait()
    >>> answer, group = engine.predict("coin", Ask(trial="first"))
    >>> group.wait()
    >>> answer
    {'trial': 'first', 'arm': 0, 'probability': 1.0}
    >>> engine.close()
    >>> folder.cleanup()
    """

    def create(self, name: str, definition: Any, settings: Any = None) -> Answer:
        """Create a learner; the same definition again changes nothing, another one is a conflict."""
        if not NAME.fullmatch(name):
            raise Refusal(
                "refused",
                "A learner's name must be 1 to 64 letters, digits, dots, dashes or underscores, and begin "
                "with a letter or digit.",
            )
        wanted, terms = read_definition(definition, self.limits), read_settings(settings or {})
        known = self._known(name, wanted, terms)
        if known is not None:
            return known
        require_capacity(wanted, self.limits)
        seed = secrets.randbelow(2**31)
        # Refuses before anything is written; compiles what it needs while nobody waits for it.
        game = make_game(wanted, seed, self.limits)
        _require_fitting(terms, game)
        with self.lock:
            known = self._known(name, wanted, terms)
            if known is not None:
                return known
            self.writer.require_room()
            group = self._create(name, wanted, terms, seed, game)
            return {"created": True} | self.describe(name), group

    def _known(self, name: str, wanted: Definition, terms: Settings) -> Answer | None:
        """The learner of this name, if there is one, and room for it if there is none."""
        with self.lock:
            self._require_sound()
            known = self._hosted.get(name)
            if known is not None:
                if known.definition != wanted or known.first_settings != terms:
                    raise Refusal(
                        "conflict", f"There is a learner {name!r} already, with another definition."
                    )
                return {"created": False} | self.describe(name), self.flushed()
            self._require_disk()
            if len(self._hosted) >= self.limits.learners:
                raise Refusal(
                    "too_many",
                    f"There may be at most {self.limits.learners:,} learners. {how('learners')}",
                    retry_after=60,
                )
            return None

    def _create(self, name: str, definition: Any, settings: Any, seed: int, game: Game) -> Group:
        self._seq, self._number = self._seq + 1, self._number + 1
        body = json.dumps(
            {
                "definition": msgspec.to_builtins(definition),
                "settings": msgspec.to_builtins(settings),
                "seed": seed,
                "assay": __version__,
                "arithmetic": ARITHMETIC,
                "rules": RULES,
            }
        )
        number = self._number
        event = chained(NO_LINK, self._seq, number, CREATED, self._now(), None, body)
        self._hosted[name] = hosted = Hosted(number, name, event, self.limits, game)
        hosted.bytes.join(self.open_bytes)
        self.stored.add(number, ACTOR.get()[0], size_of(body))
        job = together(name_learner(number, name), audited("create", name, event.seq, event.at))
        return self.writer.add([event], self._dated(job))

    def change_settings(self, name: str, settings: Any) -> Answer:
        """Change the terms of a learner; nothing that it learned is touched."""
        terms = read_settings(settings)
        with self.lock:
            hosted = self.hosted(name)
            _require_fitting(terms, hosted.game)
            group = self.flushed()
            if terms != hosted.settings:
                self._require_stored(hosted)
                self.writer.require_room()
                hosted.change_settings(terms)
                body = json.dumps(msgspec.to_builtins(terms))
                job = audited("settings", name, self._seq + 1, self._now())
                group = self._append(hosted, SETTINGS, None, body, job)
            return self.describe(name), group

    def delete(self, name: str) -> Answer:
        """Delete a learner and everything that was kept of it."""
        with self.lock:
            hosted = self.hosted(name)
            self.writer.require_room()
            del self._hosted[name]
            body = json.dumps({"events": hosted.events})
            said = audited("delete", name, self._seq + 1, self._now())
            job, empty = together(delete_learner(hosted.number), said), self.store.checkpoint
            group = self._append(hosted, DELETED, None, body, job, after=empty)
            hosted.bytes.leave()
            self.stored.forget(hosted.number)
            return {"deleted": name}, group

    def predict(self, name: str, ask: Ask | Rank, *, alone: bool = False) -> Answer:
        """A prediction, with the trial by which its truth can be told later.

        Whoever is `alone` with a learner (see `Desk`) holds the lock only where events are put in their order.
        """
        with contextlib.nullcontext() if alone else self.lock:
            hosted = self.hosted(name)
            if ask.route != hosted.game.route:
                raise _by_another_route(hosted, ask.route)
            value, text = hosted.game.read(ask)
            size = hosted.game.size(value)
            if ask.trial is not None:
                known = self._asked_before(hosted, ask.trial, value, text)
                if known is not None:
                    return known, self.flushed()
            values = hosted.game.bytes_of(value)
            self._require_room(hosted, size, len(text), values)
            try:
                answer = hosted.game.ask(value)
            except Exception as problem:
                raise refused(problem) from None
            kept = encode(answer | {"told": hosted.told}).decode()
            body = f"{{{text},{kept[1:]}" if text else kept
            with self.lock:
                self._require_same(hosted)
                at = self._now()
                trial = ask.trial or f"t{self._seq + 1:012x}{_chance.getrandbits(32):08x}"
                group = self._append(hosted, TRIAL, trial, body, at=at)
                taken = weight(len(body), values)
                opened = OpenTrial(hosted.seq, at, value, answer, hosted.told, size, taken)
                opened.since, opened.key = self._clock.waited, ACTOR.get()[0]
                hosted.open_trial(trial, opened)
            return {"trial": trial} | hosted.game.shown(value, answer), group

    def _require_room(self, hosted: Hosted, size: int, length: int, values: int) -> None:
        """Refuse what would be too much: trials that wait, and bytes."""
        taken, key = weight(length, values), ACTOR.get()[0]
        if self._too_many(hosted, size, taken, key) is not None:
            with self.lock:
                self._let_go(hosted)
            too_many = self._too_many(hosted, size, taken, key)
            if too_many is not None:
                what, limit = too_many
                raise Refusal(
                    "too_many", f"{what}. Tell some of them first. {how(limit)}", retry_after=60
                )
        self._require_stored(hosted, key)
        self.writer.require_room(1, length)

    def _too_many(
        self, hosted: Hosted, size: int, taken: int, key: str | None
    ) -> tuple[str, str] | None:
        """What there would be too many of, and the limit; None where there is room."""
        limits = self.limits
        if hosted.waiting + size > limits.open_trials:
            return f"{hosted.waiting:,} trials of {hosted.name!r} wait for feedback", "open_trials"
        if (held := hosted.bytes.total) + taken > (most := limits.open_bytes_each):
            who, limit = f"of {hosted.name!r} ", "open_bytes_each"
        elif (held := self.open_bytes.total) + taken > (most := limits.open_bytes):
            who, limit = "", "open_bytes"
        elif key is not None and (
            (held := self.open_bytes.of_key(key)) + taken > (most := limits.open_bytes_key)
        ):
            who, limit = "of this key ", "open_bytes_key"
        else:
            return None
        said = f"Trials {who}that wait for feedback take {held:,} bytes, of {most:,} that they may take"
        return said, limit

    def _require_stored(self, hosted: Hosted, key: str | None = None) -> None:
        """Refuse where the log holds too much, or the disk."""
        self._require_disk()
        limits, stored = self.limits, self.stored
        if (held := stored.of_learner(hosted.number)) > (most := limits.stored_each):
            who, limit = f"of {hosted.name!r}", "stored_each"
        elif key is not None and (held := stored.of_key(key)) > (most := limits.stored_key):
            who, limit = "of this key", "stored_key"
        else:
            return
        raise Refusal(
            "store_full",
            f"What is stored {who} takes {held:,} bytes, of {most:,} that it may take. {how(limit)}",
            retry_after=60,
        )

    def _asked_before(
        self, hosted: Hosted, trial: str, value: Any, text: str
    ) -> dict[str, Any] | None:
        """The answer that a trial got before; None for a new one."""
        if not TRIAL_NAME.fullmatch(trial):
            raise Refusal(
                "refused",
                "A trial's name must be 1 to 64 letters, digits, dots, colons, dashes or underscores.",
            )
        known = hosted.open.get(trial) or hosted.dormant.get(trial)
        if known is None and trial in hosted.recent:
            known = hosted.recent[trial][0]
        if known is None:
            events = self.store.of_trial(hosted.number, trial)
            if TRIAL not in events:
                if _OURS.fullmatch(trial):
                    raise Refusal(
                        "refused", "A trial's name must not look like one of the server's."
                    )
                return None
            known = hosted.restored(events[TRIAL])
        if not _same(known.value, value):
            raise Refusal("conflict", f"Trial {trial!r} was asked about something else before.")
        return {"trial": trial} | hosted.game.shown(known.value, known.answer)

    def activate(self, name: str, tell: Activate, *, alone: bool = False) -> Answer:
        """Say that what a deferred trial chose was shown: its time begins. Again, it changes nothing."""
        with contextlib.nullcontext() if alone else self.lock:
            hosted, trial = self.hosted(name), tell.trial
            opened = hosted.dormant.get(trial)
            if opened is None:
                if trial not in hosted.open and trial not in hosted.recent:
                    events = self.store.of_trial(hosted.number, trial)
                    if TRIAL not in events:
                        raise Refusal("unknown_trial", f"No trial {trial!r} has been predicted.")
                    opened = hosted.of_events(events)
                    if not hosted.game.deferred(opened.value) or ACTIVATED in events:
                        opened = None
                if opened is None:
                    return {"trial": trial, "activated": False}, self.flushed()
            terms, now = hosted.settings, self._now()
            most = min(filter(None, (terms.wait, terms.feedback_within)), default=None)
            if most is not None and self._waited(opened) > most * 1000:
                raise Refusal(
                    "too_late",
                    f"Trial {trial!r} could be activated for {most:g} seconds, which are over.",
                )
            more = (0, 0) if trial in hosted.dormant else (opened.size, opened.weight)
            self._require_room(hosted, more[0], 0, more[1])
            with self.lock:
                self._require_same(hosted)
                group = self._append(hosted, ACTIVATED, trial, "{}", at=now)
                hosted.activate(trial, opened, now)
                opened.since = self._clock.waited
            return {"trial": trial, "activated": True}, group

    def feedback(self, name: str, tell: Tell, *, alone: bool = False) -> Answer:
        """Tell the truth of a trial; learned once, however often it is told. `alone` is as in `predict`."""
        with contextlib.nullcontext() if alone else self.lock:
            hosted = self.hosted(name)
            trial = tell.trial
            opened = hosted.open.get(trial)
            if opened is None:
                before = self._told_before(hosted, tell)
                if isinstance(before, dict):
                    return before, self.flushed()
                opened = before
            truth = self._truth(hosted, tell, opened)
            self._require_in_time(hosted, trial, opened)
            self._require_stored(hosted, ACTOR.get()[0])
            self.writer.require_room()
            group = self._learn(hosted, trial, opened, truth)
            return self._answer(hosted, trial, hosted.recent[trial][2], opened, applied=True), group

    def _truth(self, hosted: Hosted, tell: Tell, opened: OpenTrial) -> dict[str, Any]:
        try:
            return hosted.game.truth(tell, opened.value)
        except Exception as problem:
            raise refused(problem) from None

    def _told_before(self, hosted: Hosted, tell: Tell) -> OpenTrial | dict[str, Any]:
        """A trial that is not open: what it was told, or the trial where it can still be told."""
        trial = tell.trial
        if trial in hosted.dormant:
            raise _not_activated(trial)
        if trial in hosted.recent:
            opened, noted, wrong, _ = hosted.recent[trial]
        else:
            events = self.store.of_trial(hosted.number, trial)
            if TRIAL not in events:
                raise Refusal("unknown_trial", f"No trial {trial!r} has been predicted.")
            opened = hosted.of_events(events)
            if FEEDBACK not in events:
                if hosted.game.deferred(opened.value) and ACTIVATED not in events:
                    raise _not_activated(trial)
                return opened
            noted = told_decoder.decode(events[FEEDBACK].body)
            wrong = noted.pop("wrong")
        if noted.get("default"):
            raise Refusal("too_late", f"Trial {trial!r} has been told the default already.")
        if self._truth(hosted, tell, opened) != noted:
            raise ToldBefore(trial)
        return self._answer(hosted, trial, wrong, opened, applied=False)

    def _require_in_time(self, hosted: Hosted, trial: str, opened: OpenTrial) -> None:
        terms = hosted.settings
        if terms.wait is None and terms.feedback_within is None:
            return
        self._now()
        waited = self._waited(opened)
        if terms.wait is not None and waited > terms.wait * 1000:
            self._tell_default(hosted, trial, opened)
            raise Refusal("too_late", f"Trial {trial!r} has been told the default already.")
        if terms.feedback_within is not None and waited > terms.feedback_within * 1000:
            raise Refusal(
                "too_late",
                f"Trial {trial!r} takes feedback for {terms.feedback_within:g} seconds, which are over.",
            )

    def _tell_default(self, hosted: Hosted, trial: str, opened: OpenTrial) -> None:
        truth = hosted.game.default(opened.value, hosted.settings)
        self._learn(hosted, trial, opened, truth, default=True)

    def sweep(self, busy: Container[str] = ()) -> None:
        """Tell the default to trials that have waited long enough, and finish deletions that a reader held up.

        Learners that are `busy` are left for the next time.
        """
        with self.lock:
            if self._broken is not None:
                return
            if self.store.unemptied:
                self.writer.add(job=lambda _: None, after=self.store.checkpoint)
            if self._no_room is None:
                self._put_down_stored()
            self._now()
            for hosted in self._hosted.values():
                if hosted.name in busy:
                    continue
                self._forget_committed(hosted)
                wait = hosted.settings.wait
                while wait is not None and hosted.open and not hosted.damaged:
                    trial, opened = next(iter(hosted.open.items()))
                    if (
                        self._waited(opened) <= wait * 1000
                        or self.writer.waiting >= self.limits.queue
                    ):
                        break
                    self._tell_default(hosted, trial, opened)

    def _let_go(self, hosted: Hosted) -> None:
        """Forget trials whose time for feedback is over; the store still knows them."""
        self._now()
        terms = hosted.settings
        for held, within in (
            (hosted.open, terms.feedback_within),
            (hosted.dormant, terms.wait or terms.feedback_within),
        ):
            while within is not None and held:
                trial, opened = next(iter(held.items()))
                if self._waited(opened) <= within * 1000:
                    break
                hosted.let_go(trial, opened)

    def _learn(
        self,
        hosted: Hosted,
        trial: str,
        opened: OpenTrial,
        truth: dict[str, Any],
        default: bool = False,
    ) -> Group:
        """Learn, write it down, and remember it."""
        try:
            hosted.game.rehearse(opened.value, opened.answer, truth)
        except Exception as problem:
            raise refused(problem) from None
        try:
            wrong = hosted.learn(opened, truth)
        except Exception as problem:
            # It may have stopped half-way: the learner is what its events make it.
            hosted.damaged = True
            raise refused(problem) from None
        with self.lock:
            try:
                self._require_same(hosted)
            except Refusal:
                hosted.damaged = True  # it has learned what nobody will know of
                raise
            return self._noted(hosted, trial, opened, truth, wrong, default)

    def _noted(
        self,
        hosted: Hosted,
        trial: str,
        opened: OpenTrial,
        truth: dict[str, Any],
        wrong: int | None,
        default: bool,
    ) -> Group:
        """Write down what was learned."""
        noted = truth | {"default": True} if default else truth
        group = self._append(hosted, FEEDBACK, trial, encode(noted | {"wrong": wrong}).decode())
        hosted.close_trial(trial, opened, wrong)
        self._forget_committed(hosted)
        hosted.recent[trial] = opened, noted, wrong, hosted.seq
        if hosted.events - hosted.snapshot_events >= max(
            self.limits.snapshot_every, hosted.snapshot_events // 4
        ):
            self._put_down(hosted)
        return group

    def _forget_committed(self, hosted: Hosted) -> None:
        """What was told and is on disk need not be remembered: the store knows it."""
        upto, recent = max(self.writer.committed, self._loaded), hosted.recent
        while recent and next(iter(recent.values()))[3] <= upto:
            recent.popitem(last=False)

    @staticmethod
    def _answer(
        hosted: Hosted, trial: str, wrong: int | None, opened: OpenTrial, *, applied: bool
    ) -> dict[str, Any]:
        answer: dict[str, Any] = {"trial": trial, "applied": applied}
        if wrong is not None and "prediction" in opened.answer:
            answer["mistake"] = bool(wrong)
        elif wrong is not None:
            answer["wrong"] = wrong
        answer |= {"told": hosted.told, "mistakes": hosted.mistakes}
        if hosted.bound is not None:
            answer["bound"], answer["bound_at"] = hosted.bound
        return answer


def _by_another_route(hosted: Hosted, route: str) -> Refusal:
    algorithm, right = hosted.definition.algorithm, hosted.game.route
    return Refusal("refused", f"{algorithm} is asked by {right}, not by {route}.")


def _not_activated(trial: str) -> Refusal:
    return Refusal("conflict", f"Trial {trial!r} was deferred and is not activated. Activate it first.")  # fmt: skip


def _require_fitting(terms: Settings, game: Game) -> None:
    if terms.wait is not None and not game.waits:
        raise Refusal(
            "refused", "wait and its default are for bandits: others must be told the truth."
        )
    if terms.apprentice and not game.apprentices:
        raise Refusal("refused", "apprentice is for policies with context.")
    (low, high), reward = game.reward_range(), terms.default_reward
    fits = reward is None or low <= reward <= high
    with refusing():
        require(fits, "default_reward", f"between {low:g} and {high:g}", reward)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return type(one) is type(other) and bool(one == other)
