"""The learner behind Personalizer's routes: the one that is made where there is none, and which ones will do."""

from __future__ import annotations

from typing import Any

from assay.server.engine.definition import Definition
from assay.server.engine.engine import Engine
from assay.server.refusals import Refusal

#: Rewards from -1 to 1, features of any kind, and actions that every round brings along; so that what is logged can
#: judge other policies, each action of a round is shown in four of a thousand at least.
DEFINITION: dict[str, Any] = {
    "algorithm": "square-cb",
    "params": {"gamma": 30.0, "least_propensity": 0.004},
    "features": 32,
    "action_features": 12,
    "hashed": True,
    "rewards": [-1.0, 1.0],
}
#: Ten minutes for a reward, and none is a reward of 0: as a new loop of Personalizer has it.
SETTINGS: dict[str, Any] = {"wait": 600.0, "default_reward": 0.0}


def open_loop(engine: Engine, name: str) -> None:
    """Make the learner where there is none of this name; refuse one that could not answer."""
    if name in engine.names():
        require_loop(name, engine.hosted(name).definition)
        return
    _, group = engine.create(name, DEFINITION, SETTINGS)
    if group is not None:
        group.wait()


def require_loop(name: str, definition: Definition) -> None:
    """Refuse a learner that is asked otherwise."""
    if definition.action_features is None or not definition.hashed:
        raise Refusal(
            "conflict",
            f"The learner {name!r} cannot answer for Personalizer: its definition must have action_features and "
            "hashed=true.",
        )
