"""What happened in the game of partial feedback: plays, losses, estimates, and many runs of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from assay.types import Floats, Ints


@dataclass(frozen=True)
class BanditRecord:
    """The run of one bandit policy.

    Attributes
    ----------
    rounds : int
        Rounds played.
    loss : float
        The loss suffered.
    plays : array of shape (arms,)
        How often each arm was played.
    seen_losses : array of shape (arms,)
        The losses seen of each arm, summed.
    expected_loss : float or None
        The sum over the rounds of what the draw cost on average, given the past; None unless the losses
        of all arms are known in every round.
    arm_losses : array of shape (arms,) or None
        What each arm would have lost, where that is known.
    estimates : array of shape (arms,) or None
        The importance-weighted estimates of `arm_losses`, of a policy that draws its arms.
    variances : array of shape (arms,) or None
        Estimates of their variances, themselves unbiased where the estimates are.
    squared_estimates : float or None
        The sum of loss^2 / probability over the rounds.
    trace : dict of str to array, or None
        Round by round, when asked for: the arm, its probability and its loss, the cumulative loss, and what
        the policy's proof follows.
    opponent_looked : bool
        Whether the opponent looked at the probabilities before it chose the losses.
    """

    rounds: int
    loss: float
    plays: Ints
    seen_losses: Floats
    expected_loss: float | None = None
    arm_losses: Floats | None = None
    estimates: Floats | None = None
    variances: Floats | None = None
    squared_estimates: float | None = None
    trace: dict[str, Floats | Ints] | None = None
    opponent_looked: bool = field(default=False, repr=False)

    @property
    def arms(self) -> int:
        """How many arms there are."""
        return len(self.plays)

    @property
    def mean_losses(self) -> Floats:
        """The mean of the losses seen of each arm; NaN for an arm that was never played.

        A policy that plays an arm for what it saw of it makes these means biased.
        """
        never = np.full(len(self.plays), math.nan)
        np.divide(self.seen_losses, self.plays, out=never, where=self.plays > 0)
        return never

    @property
    def best(self) -> int | None:
        """The arm that would have lost least, where that is known."""
        return None if self.arm_losses is None else int(np.argmin(self.arm_losses))

    @property
    def regret(self) -> float | None:
        """The loss suffered less that of the best arm, where that is known."""
        return None if self.arm_losses is None else self.loss - float(np.min(self.arm_losses))

    @property
    def expected_regret(self) -> float | None:
        """The same with what the draws cost on average, given the past."""
        if self.arm_losses is None or self.expected_loss is None:
            return None
        return self.expected_loss - float(np.min(self.arm_losses))


@dataclass(frozen=True)
class EXP3Record(BanditRecord):
    """The run of exponential weights over arms.

    Attributes
    ----------
    learning_rate : float or None
        The rate, where it was the same in every round.
    """

    learning_rate: float | None = None


@dataclass(frozen=True)
class KLUCBRecord(BanditRecord):
    """The run of KL-UCB.

    Attributes
    ----------
    form : str
        Which exploration it was played with, ``"plain"`` or ``"optimal"``.
    """

    form: str = "plain"


@dataclass(frozen=True)
class BanditRuns:
    """Independent runs of one policy in one setting.

    Attributes
    ----------
    rounds : int
        Rounds of each run.
    loss : array of shape (runs,)
        The loss suffered in each run.
    expected_loss : array of shape (runs,)
        What the draws of each run cost on average, given the past: fixed losses at the probabilities
        of the draws, or the means of the arms.
    plays : array of shape (runs, arms)
        How often each arm was played.
    arm_losses : array of shape (arms,)
        What each arm would have lost, or its mean times the rounds.

    Examples
    --------
    >>> import numpy as np
    >>> runs = BanditRuns(2, np.array([1.0, 0.0]), np.array([1.0, 0.5]), np.ones((2, 2)), np.array([2.0, 0.0]))
    >>> runs.regret.tolist(), runs.mean_regret
    ([1.0, 0.5], 0.75)
    """

    rounds: int
    loss: Floats
    expected_loss: Floats
    plays: Ints
    arm_losses: Floats

    @property
    def regret(self) -> Floats:
        """For each run, its expected loss given the past, less the loss of the best arm.

        Its mean over the runs estimates the expected regret, and varies less than that of `loss`.
        """
        return np.asarray(self.expected_loss - self.arm_losses.min())

    @property
    def mean_regret(self) -> float:
        """The mean of `regret` over the runs."""
        return float(np.mean(self.regret))

    def interval(self, deviations: float = 3.0) -> tuple[float, float]:
        """So many standard errors to either side of the mean regret; NaN for a single run.

        An interval of the central limit theorem: good for judging a simulation, no certificate.
        """
        if len(self.regret) < 2:
            return math.nan, math.nan
        error = float(np.std(self.regret, ddof=1)) / math.sqrt(len(self.regret))
        return self.mean_regret - deviations * error, self.mean_regret + deviations * error


@dataclass(frozen=True)
class LoggedValue:
    """What a policy would have lost, judged by rounds that another one played.

    Attributes
    ----------
    rounds : int
        Logged rounds.
    inverse_propensity : float
        The mean of weight times loss, the weight being the probability of the logged arm under the policy
        over that under which it was logged: unbiased.
    self_normalised : float
        The sum of weight times loss over the sum of the weights: a little biased, often nearer the truth.
    standard_error : float
        The estimated standard deviation of `inverse_propensity`.
    effective_rounds : float
        How many rounds of the policy itself the log is worth: (sum of weights)^2 / sum of their squares.
    largest_weight : float
        The largest weight met.
    lower, upper : float
        An interval for the policy's mean loss that fails with probability `delta` at most.
    delta : float
        The probability of failure.
    theorem : str
        Where the interval comes from.
    doubly_robust : float or None
        The estimate that forecasts of the losses and the log give together, where forecasts were given: unbiased.
    losses, gains : tuple of (float, float)
        What the two ends rest on: weighted losses, and weighted gains (one less the loss), each with the number of
        rounds that have it.
    shift : float
        What was added to them so that none is negative.
    digest : str
        The digest of the columns.
    """

    rounds: int
    inverse_propensity: float
    self_normalised: float
    standard_error: float
    effective_rounds: float
    largest_weight: float
    lower: float
    upper: float
    delta: float
    theorem: str
    doubly_robust: float | None = None
    losses: tuple[tuple[float, float], ...] = field(default=(), repr=False)
    gains: tuple[tuple[float, float], ...] = field(default=(), repr=False)
    shift: float = field(default=0.0, repr=False)
    digest: str = field(default="", repr=False)


@dataclass(frozen=True)
class Improvement:
    """By how much a new policy loses less than an old one, judged by logged rounds.

    Attributes
    ----------
    rounds : int
        Logged rounds.
    estimate : float
        The mean loss of the old policy less that of the new one, estimated without bias.
    at_least : float
        A lower bound on it, which fails with probability `delta` at most.
    delta : float
        The probability of failure.
    theorem : str
        Where the bound comes from.
    paired : bool
        Whether the old policy made the log, so that every round is compared with itself.
    returns : tuple of (float, float)
        What the bound rests on, where rounds are paired.
    old, new : LoggedValue or None
        What each of them loses, where they are not.
    digest : str
        The digest of the columns.
    """

    rounds: int
    estimate: float
    at_least: float
    delta: float
    theorem: str
    paired: bool
    returns: tuple[tuple[float, float], ...] = field(default=(), repr=False)
    old: LoggedValue | None = field(default=None, repr=False)
    new: LoggedValue | None = field(default=None, repr=False)
    digest: str = field(default="", repr=False)

    @property
    def better(self) -> bool:
        """Whether the new policy certainly loses less."""
        return self.at_least > 0


@dataclass(frozen=True)
class Replay:
    """A policy replayed on logged rounds.

    Attributes
    ----------
    logged : int
        Rounds of the log.
    kept : int
        Rounds in which the policy chose the logged arm and the round was kept: as many rounds as it has
        really played.
    loss : float
        The loss in these rounds.
    """

    logged: int
    kept: int
    loss: float

    @property
    def mean_loss(self) -> float:
        """The mean loss of the kept rounds; NaN if there are none."""
        return self.loss / self.kept if self.kept else math.nan
