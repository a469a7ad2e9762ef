"""One learner of the service: the fold over its events, the same when they happen and when they are replayed."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from assay.errors import BadData
from assay.learners.registry import name_of
from assay.server.engine.arithmetic import ARITHMETIC
from assay.server.engine.bandit import BanditGame
from assay.server.engine.classifier import ClassifierGame
from assay.server.engine.contextual import ContextualGame
from assay.server.engine.definition import Definition, Settings, kind_of, refusing
from assay.server.engine.experts import ExpertGame
from assay.server.engine.game import Game
from assay.server.engine.open_bytes import OpenBytes, weight
from assay.server.engine.requests import kept_decoder, told_decoder, truth_values, waiting_decoder
from assay.server.engine.truths import Truths
from assay.server.limits import Limits
from assay.server.refusals import Refusal
from assay.server.store.event import (
    ACTIVATED,
    CREATED,
    FEEDBACK,
    SETTINGS,
    TRIAL,
    Event,
    chained,
    is_empty,
)
from assay.server.store.store import Snapshot

_GAMES: dict[str, type[Game]] = {
    game.kind: game for game in (ClassifierGame, ExpertGame, BanditGame, ContextualGame)
}


class OpenTrial:
    """A prediction that waits for its feedback."""

    __slots__ = ("answer", "at", "key", "seq", "since", "size", "told", "value", "weight")

    #: The waiting time at which it was asked, where that is known; see `WaitingClock`.
    since: int | None
    #: The id of the key that asked, where that is known.
    key: str | None

    def __init__(
        self,
        seq: int,
        at: int,
        value: Any,
        answer: dict[str, Any],
        told: int,
        size: int,
        weight: int,
    ) -> None:
        self.seq, self.at, self.value, self.answer = seq, at, value, answer
        #: What had been told before it, how many examples it holds, and the bytes that it takes.
        self.told, self.size, self.weight = told, size, weight
        self.since = self.key = None


class StoredTrial(OpenTrial):
    """One that waited in the store: read when it is told, since a start may find a million of them."""

    __slots__ = ("_body", "_game")

    def __init__(self, event: Event, game: Game) -> None:
        held = waiting_decoder.decode(event.body)
        self.seq, self.at, self.told = event.seq, event.at, held.told
        parts = held.rows if held.rows is not None else held.slots
        self.size = len(parts) if parts is not None else 1
        self.weight = weight(len(event.body), 0)
        self._body, self._game, self.since, self.key = event.body, game, None, None

    def __getattr__(self, name: str) -> Any:
        if name not in ("value", "answer"):
            raise AttributeError(name)
        self.value, self.answer = self._game.restore(kept_decoder.decode(self._body))
        return getattr(self, name)


@refusing()
def make_game(definition: Definition, seed: int, limits: Limits) -> Game:
    """The game of a definition; refuses with a sentence what cannot be played."""
    kind = kind_of(definition.algorithm)
    if kind is None:
        raise Refusal(
            "refused",
            f"{definition.algorithm} cannot be served: it does not learn one example at a time.",
        )
    for field in set().union(*(game.fields for game in _GAMES.values())) - _GAMES[kind].fields:
        if getattr(definition, field) is not None:
            raise Refusal("refused", f"{field} does not belong to {definition.algorithm}.")
    return _GAMES[kind](definition, seed, limits)


class Hosted:
    """A learner with everything that happened to it.

    Attributes
    ----------
    trials, told, mistakes : int
        Examples predicted, told, and predicted wrongly when they were predicted.
    late : int
        Examples told after the learner had learned something else since their prediction.
    open : dict
        The trials that wait, oldest first.
    dormant : dict
        Trials that were asked for but not activated yet.
    """

    def __init__(
        self, number: int, name: str, created: Event, limits: Limits, game: Game | None = None
    ) -> None:
        self.number, self.name, self.limits = number, name, limits
        body = json.loads(created.body)
        self.definition = msgspec.convert(body["definition"], Definition)
        self.first_settings = msgspec.convert(body["settings"], Settings)
        self.settings_version = 0
        self.seed: int = body["seed"]
        #: Whether a version made it that added up or counted otherwise: a replay need not give the same bits.
        self.earlier = body.get("arithmetic", 1) < ARITHMETIC
        self.game = game or make_game(self.definition, self.seed, limits)
        self.game.rules = body.get("rules", 0)
        self.change_settings(self.first_settings)
        #: The digest of what was told so far, where that is labels.
        self.truths = Truths(self.game.label_type) if self.game.labels else None
        self.created_at = created.at
        self.seq, self.link, self.events = created.seq, created.link, 1
        self.trials = self.told = self.mistakes = self.late = 0
        self.open: OrderedDict[str, OpenTrial] = OrderedDict()
        self.dormant: OrderedDict[str, OpenTrial] = OrderedDict()
        #: When trials were activated, by their places, as long as they are open.
        self.activated: dict[int, int] = {}
        self.waiting = 0
        #: Bytes of the trials in memory.
        self.bytes = OpenBytes()
        #: Told and not surely committed, with the place of the event: what a repetition is compared with.
        self.recent: OrderedDict[str, tuple[OpenTrial, dict[str, Any], Any, int]] = OrderedDict()
        self.bound: tuple[float, int] | None = None
        #: When its state was put down last, by events and by a steady clock.
        self.snapshot_events, self.snapshot_at = 1, time.monotonic()
        #: The last event that was let go; None where nobody has looked.
        self.let_go_upto: int | None = None
        #: Whether it may have stopped half-way, and must be read again from the store.
        self.damaged = False

    @property
    def source(self) -> str:
        """What certificates call the stream."""
        return self.definition.source or f"learner {self.name}"

    # The fold

    def next_event(self, seq: int, at: int, kind: str, trial: str | None, body: str) -> Event:
        """An event behind the last one; `follow` must be called with it."""
        return chained(self.link, seq, self.number, kind, at, trial, body)

    def follow(self, event: Event) -> None:
        """Stand behind an event."""
        self.seq, self.link = event.seq, event.link
        self.events += 1

    def open_trial(self, trial: str, opened: OpenTrial) -> None:
        """A prediction was made."""
        deferred = self.game.deferred(opened.value)
        self.hold(self.dormant if deferred else self.open, trial, opened)
        self.trials += opened.size

    def hold(self, held: OrderedDict[str, OpenTrial], trial: str, opened: OpenTrial) -> None:
        """Remember a trial that waits."""
        held[trial] = opened
        self.waiting += opened.size
        self.bytes.add(opened.key, opened.weight)

    def activate(self, trial: str, opened: OpenTrial, at: int) -> None:
        """A trial takes part from now on."""
        self.let_go(trial, opened)
        opened.at, opened.since = at, None
        self.activated[opened.seq] = at
        self.hold(self.open, trial, opened)

    def change_settings(self, settings: Settings) -> None:
        """Other terms from now on."""
        self.settings, self.settings_version = settings, self.settings_version + 1
        self.game.apprentice = settings.apprentice

    def close_trial(self, trial: str, opened: OpenTrial, wrong: int | None) -> None:
        """Its feedback was learned."""
        self.let_go(trial, opened)
        if opened.told != self.told:
            self.late += opened.size
        self.told += opened.size
        self.mistakes += wrong or 0

    def let_go(self, trial: str, opened: OpenTrial) -> None:
        """Remember a trial no longer."""
        for held in (self.open, self.dormant):
            if held.pop(trial, None) is not None:
                self.waiting -= opened.size
                self.bytes.add(opened.key, -opened.weight)
        self.activated.pop(opened.seq, None)

    def replay(self, event: Event, *, same: Callable[[Any, Any], bool] | None = None) -> None:
        """Do once more what an event did; with `same`, also see that it gives the same answer.

        Raises
        ------
        BadData
            If it does not.
        """
        if is_empty(event):
            raise BadData(f"Event {event.seq} was erased, but a replay begins before it.")
        if event.kind == TRIAL:
            assert event.trial is not None
            opened = self.restored(event)
            if same is not None:
                answer = json.loads(json.dumps(self.game.ask(opened.value)))
                if not same(answer, json.loads(json.dumps(opened.answer))):
                    raise BadData(
                        f"Event {event.seq} holds the answer {opened.answer!r}, but a replay gives {answer!r}."
                    )
            else:
                self.game.asked(opened.value, opened.answer)
            self.open_trial(event.trial, opened)
        elif event.kind == FEEDBACK:
            assert event.trial is not None
            truth = told_decoder.decode(event.body)
            noted, _ = truth.pop("wrong"), truth.pop("default", None)
            trial = self.open.get(event.trial)
            if trial is None:
                raise BadData(f"Event {event.seq} tells of a trial that is not open.")
            wrong = self.learn(trial, truth)
            if wrong != noted:
                raise BadData(f"Event {event.seq} counts {noted} mistakes, but a replay {wrong}.")
            self.close_trial(event.trial, trial, wrong)
        elif event.kind == SETTINGS:
            self.change_settings(msgspec.convert(json.loads(event.body), Settings))
        elif event.kind == ACTIVATED:
            assert event.trial is not None
            dormant = self.dormant.get(event.trial)
            if dormant is None:
                raise BadData(f"Event {event.seq} activates a trial that does not wait for it.")
            self.activate(event.trial, dormant, event.at)
        elif event.kind == CREATED:
            raise BadData(f"Event {event.seq} creates a learner a second time.")
        self.follow(event)

    def learn(self, opened: OpenTrial, truth: dict[str, Any]) -> int | None:
        """Learn the truth of a trial; return how many predictions had been wrong, where that is known."""
        wrong = self.game.learn(opened.value, opened.answer, truth)
        if self.truths is not None:
            self.truths.add(truth_values(truth))
        return wrong

    def restored(self, event: Event) -> OpenTrial:
        """A trial from the log."""
        kept = kept_decoder.decode(event.body)
        value, answer = self.game.restore(kept)
        size = self.game.size(value)
        taken = weight(len(event.body), self.game.bytes_of(value))
        return OpenTrial(event.seq, event.at, value, answer, kept.told, size, taken)

    def of_events(self, events: Mapping[str, Event]) -> OpenTrial:
        """A trial as the store knows it, with its time since it was activated."""
        opened = self.restored(events[TRIAL])
        if ACTIVATED in events:
            opened.at = events[ACTIVATED].at
        return opened

    # Snapshots

    def counts(self) -> dict[str, Any]:
        """Everything but the model."""
        counts: dict[str, Any] = {}
        if self.dormant:
            counts["dormant"] = [opened.seq for opened in self.dormant.values()]
        if self.activated:
            counts["activated"] = {str(seq): at for seq, at in self.activated.items()}
        return counts | {
            "settings": msgspec.to_builtins(self.settings),
            "settings_version": self.settings_version,
            "events": self.events,
            "trials": self.trials,
            "told": self.told,
            "mistakes": self.mistakes,
            "late": self.late,
            "open": [opened.seq for opened in self.open.values()],
            "game": self.game.counts(),
            "arithmetic": ARITHMETIC,
            "truths": None if self.truths is None else self.truths.to_json(),
        }

    def marked(self) -> str:
        """The counts as a snapshot keeps them, of the moment after the last event."""
        self.snapshot_events, self.snapshot_at = self.events, time.monotonic()
        return json.dumps(self.counts(), separators=(",", ":"))

    def put_back(
        self,
        snapshot: Snapshot,
        still_open: Iterator[Event],
        told: Callable[[], Iterator[str]] | None,
    ) -> None:
        """Go on from a snapshot; one of an earlier version does not hold the truths, which are then read again.

        Without `told` they cannot be, since events were erased.
        """
        counts = json.loads(snapshot.counts)
        self.game.put_back(snapshot.model)
        if name_of(self.game.model) != self.definition.algorithm:
            raise BadData("The snapshot is of another learner.")
        self.game.set_counts(counts["game"])
        self.change_settings(msgspec.convert(counts["settings"], Settings))
        self.settings_version = counts["settings_version"]
        self.events = self.snapshot_events = counts["events"]
        self.trials, self.told = counts["trials"], counts["told"]
        self.mistakes, self.late = counts["mistakes"], counts["late"]
        if self.truths is not None and counts.get("truths") is not None:
            self.truths = Truths.from_json(counts["truths"], self.game.label_type)
        elif self.truths is not None:
            if told is None:
                self.truths = Truths.lost()
            for body in told() if told is not None else ():
                self.truths.add(truth_values(told_decoder.decode(body)))
        dormant = set(counts.get("dormant", ()))
        self.activated = {int(seq): at for seq, at in counts.get("activated", {}).items()}
        for event in still_open:
            if event.trial is None:  # erased since
                continue
            opened = StoredTrial(event, self.game)
            opened.at = self.activated.get(event.seq, event.at)
            self.hold(self.dormant if event.seq in dormant else self.open, event.trial, opened)
        if self.activated:  # whoever waits longest comes first
            self.open = OrderedDict(sorted(self.open.items(), key=lambda item: item[1].at))
        self.seq, self.link = snapshot.seq, snapshot.link

    # What is known so far

    @property
    def untold(self) -> int:
        """Trials that were not told, without the last one if nothing was learned since it was asked."""
        waiting = self.trials - self.told
        last = next(reversed(self.open.values()), None)
        return waiting - last.size if last is not None and last.told == self.told else waiting

    def standing(self) -> dict[str, Any]:
        """Where it stands, cheaply."""
        return {
            "trials": self.trials,
            "told": self.told,
            "open": self.trials - self.told,
            "mistakes": self.mistakes,
            "late": self.late,
        }
