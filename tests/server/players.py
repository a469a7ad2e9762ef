"""Learners that are asked and told by rule: what a trial is about, and its truth, follow from its name alone."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.learners.registry import make_learner
from assay.server.engine.requests import ask_decoder, rank_decoder


@dataclass(frozen=True)
class Player:
    """A learner's definition, what it is asked, what it is told, and how it learns without any server."""

    name: str
    definition: dict[str, Any]
    asked: Callable[[random.Random], dict[str, Any]]
    told: Callable[[random.Random], dict[str, Any]]
    #: Learns one round of the library's own learner; None where the order of draws is the engine's.
    learn: Callable[[Any, dict[str, Any], dict[str, Any]], None] | None
    #: How it is asked.
    route: str = "predict"

    def ask(self, trial: str) -> bytes:
        return json.dumps(self.asked(random.Random(f"{trial} asked")) | {"trial": trial}).encode()

    def tell(self, trial: str) -> bytes:
        return json.dumps(self.told(random.Random(f"{trial} told")) | {"trial": trial}).encode()

    def decoded(self, asked: bytes) -> Any:
        """The same as the engine takes it."""
        return {"predict": ask_decoder, "rank": rank_decoder}[self.route].decode(asked)

    def fresh(self) -> Any:
        return make_learner(self.definition["algorithm"], self.definition.get("params", {}))


def _row(chance: random.Random) -> list[float]:
    return [chance.gauss(0, 1) for _ in range(4)]


def _learn(model: Any, asked: dict[str, Any], told: dict[str, Any]) -> None:
    model.learn_one(np.array(asked["x"]), told["label"], classes=np.array([0, 1]))


def _learn_block(model: Any, asked: dict[str, Any], told: dict[str, Any]) -> None:
    rows, labels = np.array(asked["rows"], dtype=float), np.array(told["labels"])
    model.partial_fit(rows, labels, classes=np.array([0, 1]))


def _shop(chance: random.Random) -> dict[str, Any]:
    """A round with two to four actions, of which one may be excluded."""
    many = chance.randint(2, 4)
    actions = [{"id": f"item{n}", "features": [chance.random(), float(n)]} for n in range(many)]
    excluded = [f"item{chance.randrange(many)}"] if chance.random() < 0.3 else []
    return {"context": [chance.gauss(0, 1)], "actions": actions, "excluded": excluded}


def _page(chance: random.Random) -> dict[str, Any]:
    """Two slots, and features as JSON has them."""
    user = {"city": chance.choice(["Bonn", "Jena"]), "age": chance.random(), "new": True}
    actions = [{"id": name, "features": {"kind": chance.choice("xyz")}} for name in "abc"]
    slots = [{"id": "top", "features": {"at": 0}}, {"id": "side", "baseline": "c"}]
    return {"context": [{"user": user}], "actions": actions, "slots": slots}


def _share(model: Any, asked: dict[str, Any], told: dict[str, Any]) -> None:
    model.choose(experts=3)
    model.update(told["losses"])


PLAYERS = {
    player.name: player
    for player in (
        Player(
            "spam",
            {"algorithm": "perceptron", "classes": [0, 1], "features": 4},
            lambda chance: {"x": _row(chance)},
            lambda chance: {"label": chance.randrange(2)},
            _learn,
        ),
        Player(
            "blocks",
            {"algorithm": "winnow", "classes": [0, 1], "features": 4},
            lambda chance: {"rows": [[chance.randrange(2) for _ in range(4)] for _ in range(3)]},
            lambda chance: {"labels": [chance.randrange(2) for _ in range(3)]},
            _learn_block,
        ),
        Player(
            "panel",
            {
                "algorithm": "sleeping-experts",
                "experts": 3,
                "params": {"loss": "square", "random_state": 6},
            },
            lambda chance: {"advice": [chance.random(), None, chance.random()]},
            lambda chance: {"outcome": chance.random()},
            lambda model, asked, told: model.update(asked["advice"], told["outcome"]),
        ),
        Player(
            "shares",
            {"algorithm": "adahedge", "experts": 3, "params": {"random_state": 5}},
            lambda chance: {},
            lambda chance: {"losses": [chance.random() for _ in range(3)]},
            _share,
        ),
        Player(
            "arms",
            {"algorithm": "exp3", "params": {"arms": 3, "random_state": 3}},
            lambda chance: {},
            lambda chance: {"loss": chance.random()},
            None,
        ),
        Player(
            "draws",
            {"algorithm": "thompson-sampling", "params": {"arms": 3, "random_state": 4}},
            lambda chance: {},
            lambda chance: {"reward": float(chance.randrange(2))},
            None,
        ),
        Player(
            "shop",
            {
                "algorithm": "square-cb",
                "params": {"least_propensity": 0.01, "random_state": 7},
                "features": 1,
                "action_features": 2,
                "rewards": [-1, 4],
            },
            _shop,
            lambda chance: {"reward": chance.uniform(-1, 4)},
            None,
            route="rank",
        ),
        Player(
            "page",
            {
                "algorithm": "linucb",
                "params": {"random_state": 8},
                "features": 4,
                "action_features": 4,
                "hashed": True,
            },
            _page,
            lambda chance: {"rewards": {"side": chance.random(), "top": chance.random()}},
            None,
            route="rank",
        ),
    )
}
