"""What Personalizer's routes do with a learner: rounds, rewards, activations, and the groups that make them durable.

Every slot of an event is a trial of its own, as each may be rewarded by itself and is told the default by itself.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from assay.server.engine.engine import Answer, Engine
from assay.server.engine.requests import Activate, Tell
from assay.server.personalizer.bodies import (
    MultiSlotRankRequest,
    MultiSlotRewardRequest,
    RankRequest,
    RewardRequest,
    round_of,
    slot_of,
)
from assay.server.personalizer.events import slots_of, trial_of, trial_of_slot
from assay.server.personalizer.loop import require_loop
from assay.server.refusals import Refusal, ToldBefore
from assay.server.store.writer import Group


class Done(NamedTuple):
    """What comes of an act.

    Attributes
    ----------
    answer : dict
        What a round is answered with.
    applied : bool
        Whether anything has changed.
    groups : list of Group
        What must be committed before anybody is told.
    reason : str or None
        Why nothing changed, as a word.
    """

    answer: dict[str, Any]
    applied: bool
    groups: list[Group]
    reason: str | None = None


def rank(engine: Engine, name: str, request: RankRequest, **terms: bool) -> Done:
    """Choose an action."""
    require_loop(name, engine.hosted(name).definition)
    answer, group = engine.predict(name, round_of(request), **terms)
    shown = {"ranking": answer["ranking"], "eventId": request.event_id or answer["trial"]}
    return Done(shown | {"rewardActionId": answer["action"]}, True, _groups(group))


def rank_slots(engine: Engine, name: str, request: MultiSlotRankRequest, **terms: bool) -> Done:
    """Choose an action for each slot, each once."""
    require_loop(name, engine.hosted(name).definition)
    whole = round_of(request)
    engine.hosted(name).game.read(whole)  # refuses before anything is drawn what cannot be
    event = request.event_id or uuid.uuid4().hex
    groups: list[Group] = []
    taken: list[str] = []
    for slot in request.slots:
        ask = round_of(request)
        ask.trial, ask.slots = trial_of_slot(event, slot.id), [slot_of(slot)]
        ask.excluded = taken[:]
        answer, group = engine.predict(name, ask, **terms)
        taken.append(answer["slots"][0]["action"])
        groups += _groups(group)
    chosen = zip(request.slots, taken, strict=True)
    slots = [{"id": slot.id, "rewardActionId": action} for slot, action in chosen]
    return Done({"slots": slots, "eventId": event}, True, groups)


def reward(engine: Engine, name: str, event: str, request: RewardRequest, **terms: bool) -> Done:
    """Tell the reward of an event: the first one counts."""
    tell = Tell(trial_of(event), reward=request.value)
    with _named(f"event {event!r}"):
        return _if_in_time(engine, partial(engine.feedback, name, tell, **terms))


def reward_slots(
    engine: Engine, name: str, event: str, request: MultiSlotRewardRequest, **terms: bool
) -> Done:
    """Tell rewards of slots, all or some; of each the first one counts."""
    if len({one.slot_id for one in request.reward}) < len(request.reward) or not request.reward:
        raise Refusal("refused", "reward must name slots, each once.")
    low, high = engine.hosted(name).game.reward_range()
    for one in request.reward:  # of all of them before any is learned
        if not low <= one.value <= high:
            raise Refusal("refused", f"reward must be between {low:g} and {high:g}, but is {one.value}.")  # fmt: skip
    done = []
    for one in request.reward:
        tell = Tell(trial_of_slot(event, one.slot_id), rewards={one.slot_id: one.value})
        with _named(f"slot {one.slot_id!r} of event {event!r}"):
            done.append(_if_in_time(engine, partial(engine.feedback, name, tell, **terms)))
    return _together(done)


def activate(engine: Engine, name: str, event: str, **terms: bool) -> Done:
    """Say that what was chosen for an event was shown."""
    with _named(f"event {event!r}"):
        return _if_in_time(
            engine, partial(engine.activate, name, Activate(trial_of(event)), **terms)
        )


def activate_slots(engine: Engine, name: str, event: str, **terms: bool) -> Done:
    """Say it of all slots of an event."""
    number = engine.hosted(name).number
    trials = engine.store.trials_with(number, slots_of(event))
    if not trials:
        raise Refusal("unknown_trial", f"No event {event!r} is known.")
    return _together(
        [
            _if_in_time(engine, partial(engine.activate, name, Activate(trial), **terms))
            for trial in trials
        ]
    )


def _if_in_time(engine: Engine, act: Callable[[], Answer]) -> Done:
    """What Personalizer takes without effect is no failure: a second reward, and whatever comes too late."""
    try:
        answer, group = act()
    except Refusal as no:
        if no.code != "too_late" and not isinstance(no, ToldBefore):
            raise
        return Done({}, False, _groups(engine.flushed()), no.code)
    return Done({}, bool(answer.get("applied", answer.get("activated"))), _groups(group))


def _together(done: list[Done]) -> Done:
    groups = [group for one in done for group in one.groups]
    reason = next((one.reason for one in done if one.reason), None)
    return Done({}, any(one.applied for one in done), groups, reason)


def _groups(group: Group | None) -> list[Group]:
    return [] if group is None else [group]


@contextlib.contextmanager
def _named(what: str) -> Iterator[None]:
    """Say what is not known by the name that the client has for it."""
    try:
        yield
    except Refusal as no:
        if no.code != "unknown_trial":
            raise
        raise Refusal("unknown_trial", f"No {what} is known.") from None
