"""DSJSON, a JSON object for each event: what Personalizer logged, and what Vowpal Wabbit reads as ``--dsjson``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.data.decisions.registry import decision_format
from assay.data.decisions.rounds import Rounds
from assay.data.logs.strict_json import read_lines
from assay.errors import BadData

_DEEPEST = 16
_LONGEST = 1000
_MARKS = (b'"_label_cost"', b'"_multi"', b'"_outcomes"')


def _fits(head: bytes) -> bool:
    return head[:1] == b"{" and any(mark in head for mark in _MARKS)


# Personalizer takes rewards between 0 and 1, and writes them as costs with the other sign.
@decision_format("dsjson", "DSJSON (Personalizer, Vowpal Wabbit)", fits=_fits, bounds=(-1.0, 0.0))
def read(path: Path, rounds: Rounds) -> None:
    """Every event that was chosen and told; one with several slots is a round for each of them."""
    left: dict[str, int] = {}
    thinned: set[float] = set()
    slotted = 0
    for number, event in read_lines(path):
        where = f"{path}, line {number},"
        why = _left_out(event)
        if why:
            left[why] = left.get(why, 0) + 1
            continue
        thinned.add(float(event.get("pdrop") or 0.0))
        shared = event["c"]
        actions = [dict(_flat(one, "")) for one in shared["_multi"]]
        context = dict(_flat(shared, ""))
        if "_outcomes" in event:
            slotted += len(event["_outcomes"]) > 1
            _slots(where, event, context, actions, rounds)
            continue
        chances = _chances(where, event["a"], event["p"], len(actions))
        action = event.get("_labelIndex")
        action = int(event["_label_Action"]) - 1 if action is None else int(action)
        outcome, chance = float(event["_label_cost"]), float(event["_label_probability"])
        rounds.add(where, context, action, outcome, chance, actions=actions, probabilities=chances)
    if len(thinned) > 1:
        raise BadData(
            f"{path} holds events that were thinned out with different probabilities (pdrop): the rounds that are left "
            "are not draws from one distribution. Keep those of one pdrop."
        )
    noun = "events were left out:"
    rounds.notes += [f"{many:,} {noun} {why}." for why, many in left.items()]
    if slotted:
        rounds.notes.append(
            f"{slotted:,} events have several slots, each of which is a round here; slots of one event are not "
            "independent draws."
        )


def _left_out(event: dict[str, Any]) -> str:
    """Why an event tells nothing; empty where it does."""
    if "c" not in event:
        return "they hold no decision, such as a reward that came alone"
    if event.get("_skipLearn"):
        return "they were never activated"
    told = event.get("_outcomes") if "_outcomes" in event else event.get("_label_cost")
    return "" if told is not None else "they have no cost"


def _slots(
    where: str,
    event: dict[str, Any],
    context: dict[str, float],
    actions: list[dict[str, float]],
    rounds: Rounds,
) -> None:
    """A round for each slot: what could be chosen is what the slots before it had left."""
    slots = event["c"].get("_slots") or [{}] * len(event["_outcomes"])
    for slot, outcome in zip(slots, event["_outcomes"], strict=True):
        order = [int(action) for action in outcome["_a"]]
        if "_label_cost" not in outcome or not order:
            continue
        if not all(0 <= action < len(actions) for action in order):
            raise BadData(f"{where} names an action that it does not describe.")
        drawn = dict(zip(order, map(float, outcome["_p"]), strict=True))
        there = sorted(drawn)
        rounds.add(
            where,
            context | dict(_flat(slot, "slot")),
            there.index(order[0]),
            float(outcome["_label_cost"]),
            drawn[order[0]],
            actions=[actions[action] for action in there],
            probabilities=[drawn[action] for action in there],
        )


def _chances(where: str, ranked: list[int], drawn: list[float], many: int) -> list[float]:
    """The probabilities in the order of the actions; they stand in that in which actions were ranked."""
    # Both ways of counting are met.
    first = 0 if 0 in ranked else 1
    places = [int(action) - first for action in ranked]
    if sorted(places) != list(range(many)) or len(drawn) != many:
        raise BadData(f"{where} must rank each of the {many} actions once, with its probability.")
    chances = [0.0] * many
    for place, chance in zip(places, drawn, strict=True):
        chances[place] = float(chance)
    return chances


def _flat(value: Any, path: str, deep: int = 0) -> Iterator[tuple[str, float]]:
    """Numbers under the path to them, and texts and truth values as 1, as Vowpal Wabbit takes them."""
    if deep > _DEEPEST:
        raise BadData("Features are nested too deeply.")
    added: dict[str, float] = {}
    for name, number in _cells(value, path, deep):
        added[name] = added.get(name, 0.0) + number
    yield from added.items()


def _cells(value: Any, path: str, deep: int) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if not key.startswith("_"):
                yield from _flat(inner, f"{path}^{key}" if path else key, deep + 1)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            number = isinstance(inner, int | float) and not isinstance(inner, bool)
            yield from _flat(inner, f"{path}[{place}]" if number else path, deep + 1)
    elif isinstance(value, str):
        yield f"{path}={value[:_LONGEST]}", 1.0
    elif isinstance(value, bool):
        if value:
            yield path, 1.0
    elif value is not None:
        yield path, float(value)
