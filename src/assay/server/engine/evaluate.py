"""What another policy would have earned in the rounds that a learner logged, with its interval.

Each reward that was told is weighted by the probability with which the policy would have done what was done, over that
with which it was done. Of slots every one is a round, with what the slots before it took gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from assay.errors import require
from assay.learners.bandits.improve import improve
from assay.learners.bandits.logged import logged_value
from assay.record.decisions import DecisionLog
from assay.server.engine.bandit import BanditGame
from assay.server.engine.contextual import ContextualGame
from assay.server.engine.decisions import names_and_places
from assay.server.engine.definition import refused, refusing
from assay.server.engine.game import Game
from assay.server.engine.requests import Kept, kept_decoder, told_decoder
from assay.server.refusals import Refusal
from assay.server.store.trials import KeptTrial

#: What can be judged, as it is asked for.
POLICIES = "logged, baseline, uniform, action:ID or learner:NAME"


class Choice(NamedTuple):
    """One decision of the log.

    Attributes
    ----------
    names : list of str
        The actions of the round that were not excluded, in their order.
    baseline : str
        What would be done without any policy.
    action : str
        What was done.
    chances : dict of str to float
        With which probabilities actions were chosen; only that of `action` where no others are logged.
    reward : float
    kept : Kept
        The trial, for a policy that looks at its features.
    slot : int
    taken : list of str
        What slots before it took.
    """

    names: list[str]
    baseline: str
    action: str
    chances: dict[str, float]
    reward: float
    kept: Kept
    slot: int
    taken: list[str]


Chances = Callable[[Choice], dict[str, float]]


class Logged:
    """The decisions of a learner of which a reward was told.

    Parameters
    ----------
    game : Game
        The learner, by which trials are read.
    trials : iterator of KeptTrial

    Attributes
    ----------
    untold : int
        Decisions without a reward among those gone through.
    """

    def __init__(self, game: Game, trials: Iterator[KeptTrial]) -> None:
        if not isinstance(game, ContextualGame | BanditGame):
            raise Refusal(
                "refused",
                f"{game.definition.algorithm} draws no actions, so its log holds no propensities by which another "
                "policy could be judged.",
            )
        self._game, self._trials = game, trials
        self.untold = 0

    def __iter__(self) -> Iterator[Choice]:
        for trial in self._trials:
            kept = kept_decoder.decode(trial.asked)
            if not trial.told:
                self.untold += max(1, len(kept.chosen))
                continue
            truth = told_decoder.decode(trial.told)
            if isinstance(self._game, BanditGame):
                yield _of_bandit(self._game, kept, truth)
            else:
                yield from self._of_round(kept, truth)

    def _of_round(self, kept: Kept, truth: dict[str, Any]) -> Iterator[Choice]:
        rewards = truth["rewards"] if "rewards" in truth else [truth["reward"]]
        given = [one if isinstance(one, str) else one.id for one in kept.actions or ()]
        names, places = names_and_places(given, self._game.definition)
        named, taken = dict(zip(places, names, strict=True)), list[str]()
        for at, (place, reward) in enumerate(zip(kept.chosen, rewards, strict=True)):
            slot = kept.slots[at] if kept.slots else None
            out = {*kept.excluded, *taken, *(slot.excluded if slot else ())}
            left = [name for name in names if name not in out]
            baseline = slot.baseline if slot and slot.baseline in left else left[0]
            if reward is None:
                self.untold += 1
            else:
                chances = dict(zip(names, kept.chances[at], strict=True))
                yield Choice(left, baseline, named[place], chances, reward, kept, at, taken[:])
            taken.append(named[place])


def _of_bandit(game: BanditGame, kept: Kept, truth: dict[str, Any]) -> Choice:
    names = arm_names(game)
    assert kept.arm is not None
    assert kept.probability is not None
    action, reward = names[kept.arm], 1.0 - truth["loss"]
    chances = {action: kept.probability}
    return Choice(names, names[0], action, chances, reward, kept, 0, [])


def arm_names(game: BanditGame) -> list[str]:
    """What the arms of a bandit are called."""
    return game.actions or [str(arm) for arm in range(game.arms)]


# Policies


def policy_of(asked: str, others: Callable[[str], Game]) -> Chances:
    """A policy by its name; `others` gives learners by theirs."""
    kind, _, which = asked.partition(":")
    if asked in ("logged", "baseline", "uniform"):
        return {"logged": _logged, "baseline": _baseline, "uniform": _uniform}[asked]
    if kind == "action" and which:
        return lambda one: {which if which in one.names else one.baseline: 1.0}
    if kind == "learner" and which:
        return _learner(others(which))
    raise Refusal("refused", f"policy must be {POLICIES}, but is {asked[:200]!r}.")


def _logged(one: Choice) -> dict[str, float]:
    return one.chances


def _baseline(one: Choice) -> dict[str, float]:
    return {one.baseline: 1.0}


def _uniform(one: Choice) -> dict[str, float]:
    return dict.fromkeys(one.names, 1.0 / len(one.names))


def _learner(game: Game) -> Chances:
    """What a learner would do as it stands: it learns nothing here."""
    if isinstance(game, ContextualGame):
        return lambda one: game.would_do(one.kept, one.slot, one.taken)
    if isinstance(game, BanditGame):
        chances = dict(zip(arm_names(game), game.would_do(), strict=True))

        def of_arms(one: Choice) -> dict[str, float]:
            if chances.keys() != set(one.names):
                raise Refusal("refused", "The learner must choose among the same actions.")
            return chances

        return of_arms
    raise Refusal("refused", f"{game.definition.algorithm} chooses no actions.")


# The value


def evaluate(
    policy: str, logged: Logged, game: Game, others: Callable[[str], Game], delta: str
) -> dict[str, Any]:
    """The mean reward of a policy on what was logged, with an interval that fails with probability `delta` at most."""
    with refusing():
        level = _level(delta)
        chances = policy_of(policy, others)
        rewards, propensities, weights, covered = _columns(logged, chances)
        if not len(rewards):
            raise Refusal("conflict", "There is no reward yet by which a policy could be judged.")
        _require_chance(propensities, weights)
        low, high = game.reward_range()
        losses = np.clip((high - rewards) / (high - low), 0.0, 1.0)
        value = logged_value(losses, propensities, weights, delta=level)
        log = DecisionLog(losses, propensities, np.zeros(len(losses), dtype=np.int64), arms=2)
        better = improve(np.column_stack([weights, 1.0 - weights]), None, log, delta=level)

    def reward(loss: float) -> float:
        return high - loss * (high - low)

    whole = covered > 1.0 - 1e-9
    return {
        "policy": policy,
        "rounds": len(rewards),
        "untold": logged.untold,
        "logged_mean": float(np.mean(rewards)),
        "lower": reward(value.upper),
        "upper": reward(value.lower),
        "delta": level,
        "inverse_propensity": reward(value.inverse_propensity) if whole else None,
        "self_normalised": reward(value.self_normalised) if weights.any() else None,
        "standard_error": _finite(value.standard_error * (high - low)),
        "effective_rounds": value.effective_rounds,
        "largest_weight": value.largest_weight,
        "covered": min(covered, 1.0),
        "theorem": value.theorem,
        "improvement": {
            "at_least": better.at_least * (high - low),
            "delta": better.delta,
            "better": better.better,
            "theorem": better.theorem,
        },
    }


def _level(delta: str) -> float:
    try:
        level = float(delta)
    except ValueError:
        level = 0.0
    require(0.0 < level < 1.0, "delta", "strictly between 0 and 1", delta)
    return level


def _columns(logged: Logged, policy: Chances) -> tuple[Any, Any, Any, float]:
    """Rewards, propensities, what the policy would have had in their place, and how much of it the log covers."""
    rewards: list[float] = []
    propensities: list[float] = []
    weights: list[float] = []
    covered = 0.0
    for one in logged:
        try:
            chances = policy(one)
        except Exception as problem:
            raise refused(problem) from None
        mine, its = chances.get(one.action, 0.0), one.chances[one.action]
        rewards.append(one.reward)
        propensities.append(its)
        weights.append(min(1.0, max(0.0, mine)))
        if len(one.chances) > 1 or its == 1.0:
            covered += sum(chances.get(name, 0.0) for name, p in one.chances.items() if p > 0.0)
        else:  # nothing is logged of the others, which could have been chosen as well
            covered += 1.0
    held = (np.array(column) for column in (rewards, propensities, weights))
    return *held, covered / max(len(rewards), 1)  # type: ignore[return-value]


def _require_chance(propensities: Any, weights: Any) -> None:
    if (propensities == 1.0).all() and (weights < 1.0).any():
        raise Refusal(
            "refused",
            "Whatever was done in the log was done with probability 1, so it says nothing of other actions. Give the "
            "learner a least_propensity, or judge the policy that was followed.",
        )


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
