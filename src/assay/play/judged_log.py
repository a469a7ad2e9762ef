"""A policy and the log of another: learned from its first rounds, judged by the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import BadData, BadParameter, require
from assay.guarantees.assumption import Assumption
from assay.learners.bandits.improve import improve
from assay.learners.bandits.learn_logged import learn_logged
from assay.learners.bandits.logged import logged_value
from assay.learners.registry import make_learner, name_of
from assay.record.bandit import Improvement, LoggedValue
from assay.record.decisions import DecisionLog
from assay.theory.tail.logged import DRAWN_AS_LOGGED, POLICY_BEFORE, ROUNDS_ALIKE
from assay.types import Floats

#: The learners that can learn from a log.
LEARNERS = ("epsilon-greedy", "square-cb", "linear-thompson", "linucb")


@dataclass(frozen=True)
class JudgedLog:
    """What a policy loses, by the log of another.

    Attributes
    ----------
    source : str
        What the log is called.
    log : DecisionLog
        All of its rounds.
    policy : object
        What was judged.
    name : str
        What it is called.
    learned : int
        From how many rounds, the first, it was learned.
    judged : int
        By how many rounds, the last, it was judged.
    logged_loss : float
        What whoever made the log lost in these rounds, on average.
    value : LoggedValue
        What the policy loses.
    improvement : Improvement
        By how much less that is.
    """

    source: str
    log: DecisionLog
    policy: Any
    name: str
    learned: int
    judged: int
    logged_loss: float
    value: LoggedValue
    improvement: Improvement

    @property
    def unit(self) -> str:
        """What the log holds: loss or reward."""
        return "reward" if self.log.rewards else "loss"

    def scaled(self, loss: float) -> float:
        """A loss between 0 and 1 in the numbers of the log."""
        low, high = self.log.bounds
        return high - (high - low) * loss if self.log.rewards else low + (high - low) * loss

    def interval(self) -> tuple[float, float]:
        """Between what the policy's mean lies, in the numbers of the log."""
        low, high = self.log.bounds
        ends = sorted((self.scaled(self.value.lower), self.scaled(self.value.upper)))
        return max(float(np.nextafter(ends[0], low)), low), min(
            float(np.nextafter(ends[1], high)), high
        )

    def better_by(self) -> float:
        """By how much, at least, it is better than whoever made the log; below zero where it may be worse."""
        low, high = self.log.bounds
        span = (high - low) * self.improvement.at_least
        return float(np.nextafter(span, -np.inf)) if (low, high) != (0.0, 1.0) else span

    def assumptions(self) -> list[Assumption]:
        """What both rest on."""
        before = "learned from earlier rounds" if self.learned else "nothing was learned here"
        return [
            Assumption(ROUNDS_ALIKE, "assumed"),
            Assumption(DRAWN_AS_LOGGED, "declared", "the log's propensities"),
            Assumption(POLICY_BEFORE, "by construction" if self.learned else "assumed", before),
        ]


def judge_log(
    log: DecisionLog,
    *,
    policy: Any = None,
    learner: str = "epsilon-greedy",
    parameters: Mapping[str, Any] | None = None,
    method: str = "doubly-robust",
    holdout: float = 0.5,
    delta: float = 0.05,
    source: str = "the log",
) -> JudgedLog:
    """Judge a policy by a log; one that is to be learned learns from the first rounds, and the last ones judge it.

    Parameters
    ----------
    log : DecisionLog
        The rounds.
    policy : policy or str, optional
        A policy with context as it stands; ``"uniform"``; ``"first"``, the first action of every round; or
        ``"arm=NAME"``. When not given one is learned.
    learner : str
        Which, by its name.
    parameters : mapping, optional
        Its parameters.
    method : str
        As `learn_logged` takes it.
    holdout : float
        The share of the rounds that judge a policy which is learned.
    delta : float
        The probability with which either statement may fail.
    source : str
        What the log is called.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> actions = rng.integers(2, size=2000)
    >>> losses = np.where(actions == 1, 0.25, 0.75)
    >>> log = DecisionLog(losses, np.full(2000, 0.5), actions, arms=2)
    >>> judged = judge_log(log)
    >>> judged.learned, judged.judged, judged.improvement.better
    (1000, 1000, True)
    """
    n = len(log)
    if policy is not None:
        given = [name for name, value in (("parameters", parameters),) if value]
        require(not given, "parameters", "left out for a policy that is not learned", parameters)
        return _judged(log, log, _fixed(policy, log), _called(policy), 0, delta, source)
    require(0.0 < holdout < 1.0, "holdout", "a share between 0 and 1", holdout)
    cut = n - round(n * holdout)
    if not 0 < cut < n:
        raise BadData(
            f"{source} holds {n} rounds, too few to learn from some and be judged by others."
        )
    require(learner in LEARNERS, "learner", f"one of {', '.join(LEARNERS)}", learner)
    own = dict(parameters or {})
    if learner == "epsilon-greedy":
        own.setdefault("exploration", 0.02)
    if log.features is None:
        if "arms" in own:
            raise BadParameter(
                "'arms' is no parameter to give here: the arms are those of the log."
            )
        own["arms"] = log.arms
    own.setdefault("random_state", 0)
    made = learn_logged(make_learner(learner, own), log.part(0, cut), method=method)
    made.log_columns_ = columns_of_log(log)
    name = f"{name_of(made)}, learned from the first {cut:,} rounds by {method} losses"
    return _judged(log, log.part(cut, n), made, name, cut, delta, source)


def columns_of_log(log: DecisionLog) -> dict[str, Any]:
    """What the columns of a log are called, for the file of a policy that learned them."""
    return {
        "contexts": list(log.context_names),
        "features": list(log.feature_names),
        "arms": list(log.arm_names),
        "hashed": log.hashed,
    }


def like_columns(columns: Mapping[str, Any]) -> DecisionLog:
    """A log of no rounds with the columns that a policy learned, for `read_decisions`."""
    nothing = np.zeros(0)
    return DecisionLog(
        nothing,
        nothing,
        nothing.astype(np.int64),
        arms=len(columns["arms"]),
        context_names=tuple(columns["contexts"]),
        feature_names=tuple(columns["features"]),
        arm_names=tuple(columns["arms"]),
        hashed=columns["hashed"],
    )


def _judged(
    log: DecisionLog,
    rest: DecisionLog,
    policy: Any,
    name: str,
    learned: int,
    delta: float,
    source: str,
) -> JudgedLog:
    # Both ask what the policy does in every round, which is worked out once.
    from assay.learners.bandits.on_log import policy_chances

    chances = policy_chances(policy, rest)
    value = logged_value(rest, policy=chances, delta=delta)
    better = improve(chances, None, rest, delta=delta)
    lost = float(np.mean(rest.losses))
    return JudgedLog(source, log, policy, name, learned, len(rest), lost, value, better)


def _called(policy: Any) -> str:
    return policy if isinstance(policy, str) else name_of(policy)


def _fixed(policy: Any, log: DecisionLog) -> Any:
    if not isinstance(policy, str):
        return policy
    if policy == "uniform":
        return _uniform(log)
    if policy == "first":
        return lambda context, features: 0
    kind, _, name = policy.partition("=")
    must = "uniform, first, arm=NAME or the file of a policy"
    require(kind == "arm" and bool(name), "policy", must, policy)
    if log.features is not None:
        raise BadParameter("policy must not name an arm where actions have features: they change.")
    if name not in log.arm_names:
        known = ", ".join(map(repr, log.arm_names[:10]))
        raise BadParameter(f"policy names the arm {name!r}, which is none of {known}.")
    place = log.arm_names.index(name)
    return lambda context, features: place


def _uniform(log: DecisionLog) -> Callable[[Any, Any], Floats]:
    def uniform(context: Any, features: Any) -> Floats:
        many = log.arms if features is None else len(features)
        return np.full(many, 1.0 / many)

    return uniform
