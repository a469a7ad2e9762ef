"""A log of bandit rounds, chunk by chunk: what another policy would have lost, and between which bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from assay.data.examples import Examples
from assay.errors import BadData, BadParameter, require
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_text
from assay.guarantees.guarantee import Guarantee
from assay.learners.bandits.replay import replay
from assay.learners.common.sign_labels import plain
from assay.learners.registry import make_learner
from assay.play.bandit_log import Log as Log
from assay.play.bandit_log import read_log as read_log
from assay.play.bandit_log import until_bad
from assay.play.row_stream import PolicyStream, unknown_label
from assay.record.bandit import Replay
from assay.theory.claim import Condition
from assay.theory.needs import inside_unit
from assay.theory.rounding import Number, as_fraction
from assay.theory.tail.binomial import IID
from assay.theory.tail.progressive_anytime import PREDICTED_FIRST, progressive_anytime
from assay.types import Array, Floats, Ints

#: The policies that can be replayed.
POLICIES = ("ucb1", "kl-ucb", "thompson-sampling", "exp3", "exp3-ix")

PROPENSITIES = Condition(
    "propensities-right", "every propensity is the probability with which the arm was drawn"
)
LEAST = Condition("least-propensity", "no row of the log could have had a smaller propensity")


@dataclass(frozen=True)
class Arm:
    """One arm of the log.

    Attributes
    ----------
    name : str
        What the log calls it.
    logged, replayed : int
        In how many rows of the log, and of the replay, it was played.
    loss : float or None
        The mean loss of its own rows, each weighted by one over its propensity; where propensities do not change,
        their plain mean. The mean reward, where the log holds rewards. None where it was never logged.
    standard_error : float or None
        The estimated standard deviation of that, as if one row with the least loss and one with the largest had been
        seen besides: rows that are all alike are not certain to go on so.
    """

    name: str
    logged: int
    replayed: int
    loss: float | None
    standard_error: float | None


@dataclass(frozen=True)
class RegretBound:
    """The most that a policy regrets on average, in the numbers of the log.

    Attributes
    ----------
    of : str
        What is bounded.
    promised : str
        The most it is, as decimal text.
    theorem : str
        The theorem that says so.
    vacuous : bool
        Whether that says nothing, being as much as there is to lose.
    """

    of: str
    promised: str
    theorem: str
    vacuous: bool = False


class BanditStream(PolicyStream):
    """A policy that is replayed on a log whose propensities are known.

    It learns from the rows whose arm it would have chosen itself, as `assay.replay` does, and its mean loss in
    them is put between bounds that hold at whatever row the log ends.

    Parameters
    ----------
    policy : str
        The policy's name.
    log : Log
        The arms and the least propensity; `read_log` finds them.
    parameters : mapping, optional
        Other parameters of the policy.
    bounds : pair of numbers, default=(0.0, 1.0)
        Between which the losses lie.
    delta : number, default=0.05
        The probability that the interval fails.
    names : tuple of str
        The columns of the loss and of the propensity.
    rewards : bool, default=False
        Whether the log holds rewards: then all means and intervals are of rewards, and a loss is the largest reward
        less the reward.
    source : str
        What the log is called in refusals.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> arms = rng.choice(["a", "b"], 4000)
    >>> losses = (rng.random(4000) < np.where(arms == "b", 0.2, 0.6)).astype(float)
    >>> stream = BanditStream("ucb1", Log(np.array(["a", "b"]), 0.5, declared=True))
    >>> stream.learn(Examples(np.column_stack([losses, np.full(4000, 0.5)]), arms, ["loss", "p"]))
    >>> lower, upper = stream.interval()
    >>> lower < stream.mean_loss < upper, round(upper - lower, 2)
    (True, 0.07)
    """

    def __init__(
        self,
        policy: str,
        log: Log,
        *,
        parameters: Mapping[str, Any] | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
        delta: Number = 0.05,
        names: tuple[str, str] = ("loss", "propensity"),
        rewards: bool = False,
        source: str = "the log",
    ) -> None:
        given = dict(parameters or {})
        if "arms" in given:
            raise BadParameter(
                "'arms' is no parameter to give here: the arms are those of the log."
            )
        inside_unit("delta", delta)
        require(bounds[0] < bounds[1], "range", "two numbers, the smaller first", bounds)
        self.policy = self._opened(policy, len(log.arms), given)
        self._coins = check_random_state(self.policy.random_state)
        self.log, self.bounds, self.delta, self.rewards = log, bounds, delta, rewards
        self.source, self._names = source, names
        self.rows = self.kept = 0
        self._loss = self._logged_loss = 0.0
        self._sums = np.zeros((7, len(log.arms)))

    def _opened(self, policy: Any, arms: int, parameters: dict[str, Any]) -> Any:
        require(policy in POLICIES, "policy", f"one of {', '.join(POLICIES)}", policy)
        # The same command twice gives the same answer, unless a seed is asked for.
        return make_learner(policy, {"arms": arms, "random_state": 0, **parameters})

    def learn(self, examples: Examples) -> None:
        """Replay the rows of a chunk: the arm as label, loss and propensity as features.

        Raises
        ------
        BadData
            If a row cannot be replayed; those before it have been.
        """
        self._learn(examples)

    def _until_bad(self, examples: Examples) -> tuple[int, BadData | None]:
        least = self.log.least_propensity
        good, refusal = until_bad(examples, self._names, self.bounds, least, self.source)
        arms = np.asarray(examples.y)[:good]
        known = self.log.arms[self._places(arms)] == arms
        if known.all():
            return good, refusal
        stop = int(known.argmin())
        return stop, unknown_label(self.source, examples, stop, self.log.arms, "arms")

    def _places(self, arms: Array) -> Ints:
        """The number of each arm; any number for an arm that is unknown."""
        return np.minimum(np.searchsorted(self.log.arms, arms), len(self.log.arms) - 1)

    def _play(self, examples: Examples) -> None:
        if not len(examples):
            return
        low, high = self.bounds
        arms = self._places(np.asarray(examples.y))
        losses, propensities = (examples.X[:, 0] - low) / (high - low), examples.X[:, 1]
        if self.rewards:
            losses = 1.0 - losses
        run = self._replay(examples, arms, losses, propensities)
        self.rows += run.logged
        self.kept += run.kept
        self._loss += run.loss
        self._logged_loss += float(losses.sum())
        weights, k = 1.0 / propensities, len(self.log.arms)
        self._sums[0] += np.bincount(arms, None, k)
        for power in (1, 2):
            for row in range(3):
                terms = weights**power * losses**row
                self._sums[3 * power - 2 + row] += np.bincount(arms, terms, k)

    def _replay(
        self, examples: Examples, arms: Ints, losses: Floats, propensities: Floats
    ) -> Replay:
        terms = {"least_propensity": self.log.least_propensity, "random_state": self._coins}
        return replay(self.policy, arms, losses, propensities, **terms)

    # What is known so far

    @property
    def unit(self) -> str:
        """What the log holds: loss or reward."""
        return "reward" if self.rewards else "loss"

    @property
    def mean_loss(self) -> float:
        """The policy's mean loss in the rows that were replayed, or reward, where the log holds those; NaN if none."""
        return self._scaled(self._loss / self.kept) if self.kept else math.nan

    @property
    def logged_loss(self) -> float:
        """The mean loss of all rows: that of whoever made the log."""
        return self._scaled(self._logged_loss / self.rows) if self.rows else math.nan

    def interval(self) -> tuple[float, float]:
        """Between what the mean of the policy's expected losses lies, over the rows replayed.

        Each end fails with probability delta / 2 at most, at every moment at once.
        """
        if not self.kept:
            return self.bounds
        half, n = as_fraction(self.delta) / 2, self.kept
        # A sum of n doubles below 1 is off by less than n units in the last place of n.
        slack = n * n * 2.0**-52
        upper = progressive_anytime(min(self._loss + slack, n), n, half)
        lower = 1.0 - progressive_anytime(min(n - self._loss + slack, n), n, half)
        low, high = self.bounds
        ends = sorted((self._scaled(lower), self._scaled(upper)))
        return max(math.nextafter(ends[0], low), low), min(math.nextafter(ends[1], high), high)

    def _scaled(self, loss: float) -> float:
        low, high = self.bounds
        return high - (high - low) * loss if self.rewards else low + (high - low) * loss

    def arms(self) -> list[Arm]:
        """Every arm, the best first, and last those that were never logged."""
        counts, means, errors = self._sums[0], *_own_means(self._sums)
        plays = self._plays()
        low, high = self.bounds
        return [
            Arm(
                str(plain(self.log.arms[i])),
                int(counts[i]),
                int(plays[i]),
                self._scaled(float(means[i])) if counts[i] else None,
                (high - low) * float(errors[i]) if counts[i] else None,
            )
            for i in np.argsort(np.where(counts > 0, means, np.inf), kind="stable")
        ]

    def _plays(self) -> Ints:
        """In how many rows of the replay each arm was played."""
        plays: Ints = self.policy.record_.plays
        return plays

    def guarantees(self) -> list[Guarantee]:
        """What is promised about the policy, whose losses are scaled into [0, 1]: then `of` says so."""
        guarantees: list[Guarantee] = self.policy.guarantees() if self.kept else []
        if self.bounds == (0.0, 1.0):
            return guarantees
        return [replace(g, of=f"{g.of}, of losses scaled into [0, 1]") for g in guarantees]

    def regret_bounds(self) -> list[RegretBound]:
        """What is promised about its regret, in the numbers of the log."""
        low, high = (as_fraction(end) for end in self.bounds)
        return [
            RegretBound(
                g.of,
                decimal_text((high - low) * as_fraction(g.promised_text)),
                g.theorem,
                g.vacuous,
            )
            for g in (self.policy.guarantees() if self.kept else [])
            if g.kind == "regret" and g.observed is None and g.promised_text is not None
        ]

    @property
    def never_logged(self) -> list[str]:
        """The arms that were declared, and never logged."""
        return [
            str(plain(arm))
            for arm, rows in zip(self.log.arms, self._sums[0], strict=True)
            if not rows
        ]

    @property
    def waits_for(self) -> str | None:
        """The arm that the policy has chosen, if it was never logged: it learns nothing until it is."""
        chosen = self.policy.next_arm()
        return str(plain(self.log.arms[chosen])) if not self._sums[0, chosen] else None

    def assumptions(self) -> list[Assumption]:
        """What the interval rests on."""
        least = f"{self.log.least_propensity:g}"
        return [
            Assumption(IID, "assumed"),
            Assumption(PROPENSITIES, "declared"),
            Assumption(LEAST, "declared", least)
            if self.log.declared
            else Assumption(LEAST, "assumed", f"{least}, read off the log"),
            Assumption(
                PREDICTED_FIRST, "assumed", "in this replay; rows of a log are not compared"
            ),
        ]


def _own_means(sums: Floats) -> tuple[Floats, Floats]:
    """The weighted mean of each arm's own rows and its standard error; what arms without rows hold means nothing.

    With w = 1 / propensity, rows of `sums` are: how many, the sums of w, w l and w l^2, and those of w^2, w^2 l and
    w^2 l^2.
    """
    _, weight, first, _, square, mixed, second = sums
    logged = weight > 0
    total = np.where(logged, weight, 1.0)
    mean = first / total
    spread = np.maximum(
        second - 2 * mean * mixed + mean**2 * square, 0.0
    )  # sum of w^2 (l - mean)^2
    rows = total**2 / np.where(logged, square, 1.0)  # as many rows of one weight would tell as much
    middle = (rows * mean + 1) / (rows + 2)
    apart = rows * (spread * rows / total**2 + (mean - middle) ** 2) + middle**2 + (1 - middle) ** 2
    return mean, np.sqrt(apart) / (rows + 2)
