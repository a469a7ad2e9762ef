"""What Personalizer's libraries send and read, and the same as the engine has it.

Features are handed on as they came: those of the context, of actions and of slots are hashed by
`assay.server.engine.context_features`, whatever JSON they are.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from assay.server.engine.requests import Action, Rank, Slot, Tell
from assay.server.personalizer.events import LONGEST, trial_of
from assay.server.refusals import Refusal

_NOTHING = msgspec.Raw()
_Id = Annotated[str, Meta(min_length=1, max_length=LONGEST)]


class _Body(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A field that is not known is refused: what is misspelt would have no effect otherwise."""


class RankableAction(_Body):
    """An action with its features."""

    id: _Id
    features: msgspec.Raw = _NOTHING


class RankRequest(_Body):
    """A round with one action to choose."""

    actions: list[RankableAction]
    context_features: msgspec.Raw = _NOTHING
    excluded_actions: list[str] | None = None
    event_id: _Id | None = None
    defer_activation: bool | None = None


class SlotRequest(_Body):
    """A place that gets an action, and the one it would have without Personalizer."""

    id: _Id
    baseline_action: str
    features: msgspec.Raw = _NOTHING
    excluded_actions: list[str] | None = None


class MultiSlotRankRequest(_Body):
    """A round with an action to choose for each of several slots."""

    actions: list[RankableAction]
    slots: list[SlotRequest]
    context_features: msgspec.Raw = _NOTHING
    event_id: _Id | None = None
    defer_activation: bool | None = None


class RewardRequest(_Body):
    """The reward of an event."""

    value: float


class SlotReward(_Body):
    """The reward of a slot."""

    slot_id: _Id
    value: float


class MultiSlotRewardRequest(_Body):
    """The rewards of an event's slots."""

    reward: list[SlotReward]


rank_decoder = msgspec.json.Decoder(RankRequest)
slots_decoder = msgspec.json.Decoder(MultiSlotRankRequest)
reward_decoder = msgspec.json.Decoder(RewardRequest)
rewards_decoder = msgspec.json.Decoder(MultiSlotRewardRequest)


def asked(request: RankRequest | MultiSlotRankRequest) -> Rank:
    """A round as the engine has it."""
    event = request.event_id
    ask = Rank(
        trial=None if event is None else trial_of(event),
        context=request.context_features,
        actions=[Action(one.id, one.features) for one in request.actions],
        deferred=bool(request.defer_activation),
    )
    if isinstance(request, RankRequest):
        ask.excluded = request.excluded_actions or []
    else:
        ask.slots = [
            Slot(one.id, one.features, one.excluded_actions or [], one.baseline_action)
            for one in request.slots
        ]
    return ask


def ranked(request: RankRequest | MultiSlotRankRequest, answer: dict[str, Any]) -> dict[str, Any]:
    """The engine's answer as Personalizer's libraries read it."""
    event = {"eventId": request.event_id or answer["trial"]}
    if isinstance(request, RankRequest):
        return {"ranking": answer["ranking"], "rewardActionId": answer["action"]} | event
    slots = [{"id": one["slot"], "rewardActionId": one["action"]} for one in answer["slots"]]
    return {"slots": slots} | event


def told(event: str, request: RewardRequest | MultiSlotRewardRequest) -> Tell:
    """A reward as the engine has it."""
    if isinstance(request, RewardRequest):
        return Tell(trial_of(event), reward=request.value)
    rewards = {one.slot_id: one.value for one in request.reward}
    if len(rewards) < len(request.reward):
        raise Refusal("refused", "reward must name each slot once.")
    return Tell(trial_of(event), rewards=rewards)
