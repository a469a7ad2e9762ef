"""What Personalizer's libraries send and read, and the same as the engine has it.

Features are handed on as they came: those of the context, of actions and of slots are hashed by
`assay.server.engine.context_features`, whatever JSON they are.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from assay.server.engine.requests import Action, Rank, Slot
from assay.server.personalizer.events import LONGEST, trial_of

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


def round_of(request: RankRequest | MultiSlotRankRequest) -> Rank:
    """A round as the engine has it; of slots, all at once."""
    ask = Rank(
        context=request.context_features,
        actions=[Action(one.id, one.features) for one in request.actions],
        deferred=bool(request.defer_activation),
    )
    if isinstance(request, RankRequest):
        ask.excluded = request.excluded_actions or []
        ask.trial = None if request.event_id is None else trial_of(request.event_id)
    else:
        ask.slots = [slot_of(slot) for slot in request.slots]
    return ask


def slot_of(slot: SlotRequest) -> Slot:
    """A slot as the engine has it."""
    return Slot(slot.id, slot.features, slot.excluded_actions or [], slot.baseline_action)
