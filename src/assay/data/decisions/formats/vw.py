"""Vowpal Wabbit's text for ``--cb`` and ``--cb_explore``: a line for each round, actions told apart by their number."""

from __future__ import annotations

from pathlib import Path

from assay.data.decisions.registry import decision_format
from assay.data.decisions.rounds import Rounds
from assay.data.decisions.vw_line import first_lines, label_and_features, labelled, lines_of
from assay.errors import BadData


def _fits(head: bytes) -> bool:
    lines = first_lines(head)
    if not lines or not all(not line.strip() or "|" in line for line in lines[:-1]):
        return False
    # With features of actions a round has several lines, and an empty one behind them.
    return not lines[0].startswith("shared") and "" not in [line.strip() for line in lines[:-1]]


@decision_format("vw", "Vowpal Wabbit (--cb)", fits=_fits)
def read(path: Path, rounds: Rounds) -> None:
    """Every line that has a label; actions are counted from 1 there."""
    unlabelled, restricted, most = 0, 0, 0
    for number, line in lines_of(path):
        if not line:
            continue
        where = f"{path}, line {number},"
        words, features = label_and_features(line, where)
        label = labelled(words, where)
        if label is None:
            unlabelled += 1
            continue
        action, cost, probability = label
        if action < 1:
            raise BadData(f"{where} names the action 0; actions are counted from 1.")
        listed = [int(word) for word in words if word.isdigit()]
        restricted += bool(listed)
        most = max(most, action, *listed) if listed else max(most, action)
        rounds.add(where, features, action - 1, cost, probability)
    rounds.arm_names = tuple(str(at + 1) for at in range(most))
    if unlabelled:
        rounds.notes.append(f"{unlabelled:,} lines without a cost were left out.")
    if restricted:
        rounds.notes.append(
            f"{restricted:,} lines list the actions that could be chosen; here all could in every round."
        )
