"""Opponents of those who listen to experts: they show where a bound is met, and what breaks without it."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import BadParameter, require
from assay.play.expert_game import Past
from assay.theory.needs import count, inside_unit
from assay.theory.tuning import WEIGHTED_MAJORITY_BETA
from assay.types import Floats

# Sums of weights this close to each other are equal; ties go against the policy.
_TIE = 1e-12


class WeightSplitting:
    r"""Make just half of the weight wrong in every round, and expert 0 never.

    Played against `assay.WeightedMajority` of the same :math:`\beta`, every round is a mistake, although expert 0
    is perfect. Wrong are all but expert 0, less the heaviest ones without whom half of the weight is still
    wrong. The game ends when the others together weigh less than expert 0.

    Twelve experts and :math:`\beta=\frac12` cost 7 mistakes, which refutes the bound :math:`2.63\ln K=6.5` that has
    been printed for that :math:`\beta`; at :math:`\beta=1/e`, where it belongs, 64 experts cost 10, and
    ``weighted-majority-mistakes`` allows 10.

    Parameters
    ----------
    experts : int
        The number K of experts.
    beta : float, optional
        The factor of the policy; 1/e when not given, as there.
    classes : pair of labels, default=(0, 1)
        The labels; the first always comes true, so that ties are lost.

    Examples
    --------
    >>> from assay import WeightedMajority, theorem
    >>> from assay.play.expert_game import play_experts
    >>> play_experts(WeightedMajority(), WeightSplitting(experts=64), rounds=100).mistakes
    10
    >>> theorem("weighted-majority-mistakes")(best_mistakes=0, experts=64)
    10
    """

    def __init__(
        self, experts: int, beta: float | None = None, classes: tuple[Any, Any] = (0, 1)
    ) -> None:
        self.experts = count("experts", experts, at_least=1)
        self.beta = WEIGHTED_MAJORITY_BETA if beta is None else float(inside_unit("beta", beta).low)
        require(len(classes) == 2, "classes", "two labels", classes)
        self.classes = classes
        #: How often each expert was wrong.
        self.mistakes = np.zeros(self.experts, dtype=np.int64)

    def advise(self) -> list[Any] | None:
        """What the experts say; None when no more mistakes can be forced."""
        weights = self.beta ** self.mistakes.astype(np.float64)
        enough, held = weights.sum() / 2 * (1 - _TIE), weights[1:].sum()
        if held < enough:
            return None
        wrong = np.ones(self.experts, dtype=bool)
        wrong[0] = False
        # The heaviest are spared first: they keep the weight that later rounds are won with.
        for i in 1 + np.argsort(-weights[1:], kind="stable"):
            if held - weights[i] >= enough:
                wrong[i] = False
                held -= weights[i]
        self.mistakes += wrong
        return [self.classes[int(w)] for w in wrong]

    def answer(self, advice: Any, prediction: Any) -> Any:
        """What expert 0 said."""
        return self.classes[0]


class Contrary:
    """Experts that were fixed in advance, and an outcome as far from the prediction as it can be.

    Parameters
    ----------
    advice : array-like of shape (rounds, experts)
        What the experts say, round by round.
    outcomes : pair
        What may come true: two labels, or the ends of a range of numbers. A prediction that is as far from
        one as from the other is answered with the first.

    Examples
    --------
    >>> from assay import WeightedAverage
    >>> from assay.play.expert_game import play_experts
    >>> record = play_experts(WeightedAverage(loss="absolute"), Contrary([[0, 1]] * 100), rounds=100)
    >>> bool(record.loss >= 50), float(record.expert_losses.sum())
    (True, 100.0)
    """

    def __init__(self, advice: Any, outcomes: tuple[Any, Any] = (0, 1)) -> None:
        self._advice = iter(list(advice))
        require(len(outcomes) == 2, "outcomes", "two labels or numbers", outcomes)
        self.outcomes = outcomes

    def advise(self) -> Any | None:
        """The next row; None when there is none."""
        return next(self._advice, None)

    def answer(self, advice: Any, prediction: Any) -> Any:
        """The outcome that is farther away."""
        first, second = self.outcomes
        if prediction in (first, second):
            return second if prediction == first else first
        return first if abs(prediction - first) >= abs(prediction - second) else second


class Skilled:
    """Experts that are right with probabilities of their own, about a coin.

    Parameters
    ----------
    skills : array-like of shape (experts,)
        How probably each expert is right, independently of the others.
    classes : pair of labels, default=(0, 1)
        The sides of the coin.
    random_state : int, optional
        The seed of the draws.

    Examples
    --------
    >>> from assay import WeightedMajority
    >>> from assay.play.expert_game import play_experts
    >>> record = play_experts(WeightedMajority(), Skilled([0.9, 0.5, 0.5], random_state=0), rounds=500)
    >>> record.best
    0
    """

    def __init__(
        self, skills: Any, classes: tuple[Any, Any] = (0, 1), random_state: Any = None
    ) -> None:
        self.skills = np.asarray(skills, dtype=np.float64)
        if self.skills.ndim != 1 or not ((self.skills >= 0) & (self.skills <= 1)).all():
            raise BadParameter(f"skills must be numbers between 0 and 1, but are {skills!r}.")
        require(len(classes) == 2, "classes", "two labels", classes)
        self.classes = classes
        self._rng = np.random.default_rng(random_state)
        self._truth = 0

    def advise(self) -> list[Any]:
        """What the experts say about the next coin."""
        self._truth = int(self._rng.integers(2))
        right = self._rng.random(len(self.skills)) < self.skills
        return [self.classes[self._truth if r else 1 - self._truth] for r in right]

    def answer(self, advice: Any, prediction: Any) -> Any:
        """The coin."""
        return self.classes[self._truth]


def against_the_favourite(past: Past) -> Floats:
    """A loss of 1 for whatever the policy is most likely to play, and of 0 for everything else.

    The opponent of the games of allocation and of bandits that answers to the policy. One that draws nothing
    loses every round to it, while the best of K arms loses every K-th at most.

    Examples
    --------
    >>> against_the_favourite(Past(2, np.array([1.0, 1.0]), lambda: [0.25, 0.75])).tolist()
    [0.0, 1.0]
    """
    losses = np.zeros(len(past.weights))
    losses[int(np.argmax(past.weights))] = 1.0
    return losses


def alternating_losses(rounds: int) -> Floats:
    r"""Losses of two experts that ruin whoever follows the leader: (½, 0), (0, 1), (1, 0), (0, 1), ...

    Each leads by half a loss just before it loses. Following the leader costs nearly 1 in every round, and
    so does `assay.Hedge` at a rate that is far too large, such as :math:`\sqrt{2T\ln K}`; either expert pays half of
    that. At the rate for T rounds the regret stays below ``hedge-regret``.

    Parameters
    ----------
    rounds : int
        The number T of rounds.

    Examples
    --------
    >>> from assay import Hedge
    >>> from assay.play.expert_game import play_allocation
    >>> def regret(policy):
    ...     return round(play_allocation(policy, alternating_losses(100)).regret, 2)
    >>> regret(Hedge(rounds=100)), regret(Hedge(learning_rate=(200 * np.log(2)) ** 0.5))
    (3.16, 49.48)
    """
    losses = np.zeros((count("rounds", rounds, at_least=1), 2))
    losses[0::2, 0] = losses[1::2, 1] = 1.0
    losses[0, 0] = 0.5
    return losses


def one_who_knows(experts: int) -> tuple[Floats, Floats]:
    r"""Advice and outcome of the one round on which the entropic bound is met with equality.

    The last expert says 1, all others say 0, and 1 comes true. The mean is 1/K, its entropic loss
    :math:`\ln K`, and the last expert loses nothing: the regret is the :math:`\ln K` of ``wa-entropic-regret``.

    Parameters
    ----------
    experts : int
        The number K of experts.

    Examples
    --------
    >>> from assay import WeightedAverage
    >>> policy = WeightedAverage(loss="entropic")
    >>> _ = policy.play(*one_who_knows(10))
    >>> print(policy.guarantees()[0])
    regret against expert 9: at most 2.30259, observed 2.30259, by wa-entropic-regret
    """
    advice = np.zeros((1, count("experts", experts, at_least=1)))
    advice[0, -1] = 1.0
    return advice, np.ones(1)
