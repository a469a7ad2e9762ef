"""What a learner was asked, what it answered and what it was told, a row for each decision.

Slots have a row each; a block of examples is one row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.server.engine.definition import Definition
from assay.server.engine.requests import encode, told_decoder
from assay.server.store.trials import KeptTrial

#: What of a trial in the log is the question.
_ASKED = ("x", "rows", "advice", "context", "actions", "excluded", "slots")
#: What of it is the answer of a learner that does not choose among actions.
_ANSWERED = ("prediction", "predictions", "distribution", "expert")
#: Names of the columns, with the kind of what they hold.
COLUMNS = {
    "seq": "int",
    "learner": "text",
    "trial": "text",
    "slot": "text",
    "asked_at": "time",
    "activated_at": "time",
    "told_at": "time",
    "deferred": "flag",
    "question": "text",
    "answer": "text",
    "action": "text",
    "probability": "number",
    "probabilities": "text",
    "own_action": "text",
    "reward": "number",
    "truth": "text",
    "default": "flag",
    "wrong": "int",
}


def decisions_of(
    trials: Iterator[KeptTrial], name: str, definition: Definition
) -> Iterator[dict[str, Any]]:
    """The rows of a learner's trials.

    Examples
    --------
    >>> kept = KeptTrial(2, "a", 1000, '{"arm":1,"probability":0.5,"told":0}', None, 2000, '{"loss":0.25,"wrong":null}')
    >>> [row] = decisions_of(iter([kept]), "coin", Definition("exp3", actions=["head", "tail"]))
    >>> row["action"], row["probability"], row["reward"]
    ('tail', 0.5, 0.75)
    """
    for kept in trials:
        asked = told_decoder.decode(kept.asked)
        told = told_decoder.decode(kept.told) if kept.told else None
        row = _of_trial(kept, name, asked, told)
        if "chosen" in asked:
            yield from _chosen(row, asked, told, definition)
        elif "arm" in asked:
            yield row | _drawn(asked, told, definition)
        else:
            row["answer"] = _text({key: asked[key] for key in _ANSWERED if key in asked})
            yield row


def _of_trial(
    kept: KeptTrial, name: str, asked: dict[str, Any], told: dict[str, Any] | None
) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row |= {
        "seq": kept.seq,
        "learner": name,
        "trial": kept.trial,
        "asked_at": kept.asked_at,
        "activated_at": kept.activated_at,
        "told_at": kept.told_at,
        "deferred": bool(asked.get("deferred", False)),
        "question": _text({key: asked[key] for key in _ASKED if key in asked}),
    }
    if told is not None:
        row["default"], row["wrong"] = bool(told.pop("default", False)), told.pop("wrong", None)
        row["truth"] = _text(told)
    return row


def _drawn(
    asked: dict[str, Any], told: dict[str, Any] | None, definition: Definition
) -> dict[str, Any]:
    """Of a policy without context."""
    arm = asked["arm"]
    action = str(arm) if definition.actions is None else definition.actions[arm]
    reward = None if told is None else 1.0 - told["loss"]
    return {"action": action, "probability": asked["probability"], "reward": reward}


def _chosen(
    row: dict[str, Any], asked: dict[str, Any], told: dict[str, Any] | None, definition: Definition
) -> Iterator[dict[str, Any]]:
    """Of a policy with context, a row for each slot."""
    given = [one if isinstance(one, str) else one["id"] for one in asked.get("actions", ())]
    names, places = names_and_places(given, definition)
    at_place = dict(zip(places, names, strict=True))
    rewards = [None] if told is None else told.get("rewards", [told.get("reward")])
    slots = asked.get("slots") or [{"id": None}]
    for at, (slot, action, chances) in enumerate(
        zip(slots, asked["chosen"], asked["chances"], strict=True)
    ):
        by_name = dict(zip(names, chances, strict=True))
        own = asked.get("would")
        yield row | {
            "slot": slot["id"],
            "action": at_place[action],
            "probability": by_name[at_place[action]],
            "probabilities": _text(by_name),
            "own_action": None if own is None else at_place[own[at]],
            "reward": rewards[at] if at < len(rewards) else None,
        }


def names_and_places(given: list[str], definition: Definition) -> tuple[list[str], list[int]]:
    """The actions of a round, and which of the model's they are; `given` are those that the round brings or names."""
    if definition.actions is None:
        return given, list(range(len(given)))
    names = given or definition.actions
    return names, [definition.actions.index(name) for name in names]


def _text(value: Any) -> str:
    return encode(value).decode()
