"""Vowpal Wabbit's text for ``--cb_explore_adf``: for each round a line of what is shared, and one for every action."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.data.decisions.registry import decision_format
from assay.data.decisions.rounds import Rounds
from assay.data.decisions.vw_line import first_lines, label_and_features, labelled, lines_of
from assay.errors import BadData


def _fits(head: bytes) -> bool:
    lines = first_lines(head)
    if not lines or not all(not line.strip() or "|" in line for line in lines[:-1]):
        return False
    return lines[0].startswith("shared") or "" in [line.strip() for line in lines[:-1]]


@decision_format("vw-adf", "Vowpal Wabbit (--cb_explore_adf)", fits=_fits)
def read(path: Path, rounds: Rounds) -> None:
    """Every round of which one action has a cost."""
    unlabelled = 0
    for first, block in _blocks(path):
        where = f"{path}, the round of line {first},"
        context: dict[str, float] = {}
        actions: list[dict[str, float]] = []
        chosen: tuple[int, float, float] | None = None
        for at, line in enumerate(block):
            words, features = label_and_features(line, where)
            if at == 0 and words[:1] == ["shared"]:
                context = features
                continue
            # The number before the cost is not looked at: the line says which action it is.
            label = labelled(words, where)
            if label is not None:
                if chosen is not None:
                    raise BadData(f"{where} holds costs of two actions.")
                chosen = len(actions), label[1], label[2]
            actions.append(features)
        if chosen is None:
            unlabelled += 1
            continue
        rounds.add(where, context, *chosen, actions=actions)
    if unlabelled:
        rounds.notes.append(f"{unlabelled:,} rounds without a cost were left out.")


def _blocks(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines between empty ones, with the number of the first."""
    first, block = 0, list[str]()
    for number, line in lines_of(path):
        if line:
            first = first if block else number
            block.append(line)
        elif block:
            yield first, block
            block = []
    if block:
        yield first, block
