"""CSV in the form of the Open Bandit Dataset: an item at a position, whether it was clicked, and its propensity.

Files of items beside it (``item_context.csv``) and the affinities of users to items are not read: items are told apart
by their number.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.data.decisions.registry import decision_format
from assay.data.decisions.rounds import Rounds
from assay.data.table import open_table
from assay.errors import BadData

_NEEDED = ("item_id", "position", "click", "propensity_score")
_AFFINITY = "user-item_affinity_"


def _fits(head: bytes) -> bool:
    names = [
        name.strip().strip('"') for name in head.split(b"\n")[0].decode(errors="replace").split(",")
    ]
    return set(_NEEDED) <= set(names)


@decision_format("open-bandit", "Open Bandit (CSV)", fits=_fits, rewards=True)
def read(path: Path, rounds: Rounds) -> None:
    """The rows; positions and the features of users are categories."""
    table = open_table(path)
    missing = [name for name in _NEEDED if name not in table.columns]
    if missing:
        raise BadData(f"{path} has no column {missing[0]!r}, which logs of Open Bandit have.")
    users = [name for name in table.columns if name.startswith("user_feature_")]
    items = sum(name.startswith(_AFFINITY) for name in table.columns)
    number = 0
    for batch in table.scan([*_NEEDED, *users]):
        columns = [_values(batch.column(name)) for name in [*_NEEDED, *users]]
        for item, position, click, propensity, *told in zip(*columns, strict=True):
            number += 1
            where = f"{path}, row {number},"
            if not isinstance(item, int) or item < 0:
                raise BadData(f"{where} holds no item, but {item!r}.")
            # What is missing of a user is no category.
            features = {
                f"{name}={value}": 1.0
                for name, value in zip(users, told, strict=True)
                if value is not None
            }
            features[f"position={position}"] = 1.0
            outcome, chance = (_number(value, where) for value in (click, propensity))
            rounds.add(where, features, item, outcome, chance)
    rounds.arm_names = tuple(map(str, range(max(items, rounds.most_actions()))))
    if items:
        rounds.notes.append("Affinities of users to items were not read.")


def _values(column: Any) -> list[Any]:
    return column if isinstance(column, list) else list(column.to_pylist())


def _number(value: Any, where: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise BadData(f"{where} holds {value!r}, where a number is needed.") from None
