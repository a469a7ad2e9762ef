"""The weighted majority of experts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.compiled.common.elementary import log, powers
from assay.compiled.experts.weighted_majority import weighted_majority_pass
from assay.errors import BadData, require
from assay.guarantees.experts import majority_guarantees
from assay.learners.common import kinds
from assay.learners.common.sign_labels import plain
from assay.learners.experts.advice import missing, outcomes_for, single
from assay.learners.experts.policy import DRAWN, LOSS, AdvisedPolicy, number
from assay.learners.registry import register
from assay.record.experts import MajorityRecord
from assay.theory.needs import unit
from assay.theory.tuning import WEIGHTED_MAJORITY_BETA
from assay.types import Array, Floats

_NONE = np.empty(0, dtype=np.int64)


@register(
    "weighted-majority",
    use="a vote of experts that name labels",
    promise="loses little more than the best expert",
)
@dataclass(eq=False, repr=False)
class WeightedMajority(AdvisedPolicy):
    r"""Predict what more than half of the weight says; multiply the weight of every wrong expert by :math:`\beta`.

    Among K experts the majority makes at most :math:`(\ln\frac1\beta\,M_i+\ln K)/\ln\frac2{1+\beta}` mistakes,
    whichever expert i is compared with, where :math:`M_i` are its mistakes
    (``weighted-majority-mistakes``): at :math:`\beta=1/e` at most :math:`2.633\,(M_i+\ln K)`. Followed at
    random, by weight, the experts lead to at most :math:`(\ln\frac1\beta\,M_i+\ln K)/(1-\beta)` mistakes on
    average (``randomized-majority-mistakes``), which is half as many when :math:`\beta` is near one. At
    :math:`\beta=0` an expert is out with its first mistake: while one of them never errs, the majority of the
    others halves with each of its own, so there are at most :math:`\log_2K` (``halving-mistakes``).

    Parameters
    ----------
    beta : float, optional
        The factor :math:`\beta`, at least 0 and below 1; 1/e when not given.
    randomized : bool, default=False
        Whether one expert, drawn by weight, is followed in place of the vote.
    classes : pair of labels, default=(0, 1)
        The two labels; a tie goes to the second.
    random_state : int, RandomState instance or None, default=None
        Seeds the draws. A round's draw depends on the seed and the round alone.
    trace : bool, default=False
        Whether `record_` holds, round by round, what the proof follows.

    Attributes
    ----------
    record_ : ExpertRecord
        Rounds, mistakes, the experts' mistakes, regret.
    totals_ : array
        The mistakes of each expert.
    weights_ : array
        The weights of the experts in the round to come, up to a common factor.

    References
    ----------
    .. [1] Littlestone & Warmuth (1994). The weighted majority algorithm.

    Examples
    --------
    >>> from assay import WeightedMajority
    >>> advice = [[1, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 0]]
    >>> policy = WeightedMajority(beta=0.5)
    >>> policy.play(advice, [1, 1, 0, 1]).tolist()
    [0, 1, 0, 1]
    >>> policy.record_.mistakes, policy.record_.expert_losses.tolist()
    (1, [0.0, 3.0, 4.0])
    >>> print(policy.guarantees()[0])
    mistakes, compared with expert 0: at most 3, observed 1, by weighted-majority-mistakes
    """

    state = kinds.declare(weights_=kinds.amounts("totals_"), mistakes_=kinds.count)

    if TYPE_CHECKING:
        mistakes_: int

    _record = MajorityRecord
    _guarantees = staticmethod(majority_guarantees)

    beta: float | None = None
    randomized: bool = False
    classes: tuple[Any, Any] = (0, 1)
    random_state: Any = None
    trace: bool = False

    def _beta(self) -> float:
        if self.beta is None:
            return WEIGHTED_MAJORITY_BETA
        beta = number(unit, "beta", self.beta)
        require(beta < 1, "beta", "at least 0 and below 1", self.beta)
        return beta

    def _labels(self) -> tuple[Any, Any]:
        given: Any = self.classes
        known = isinstance(given, tuple | list | np.ndarray) and len(given) == 2
        require(known, "classes", "two labels", given)
        first, second = given
        require(bool(first != second), "classes", "two different labels", self.classes)
        return first, second

    def _fresh(self, experts: int) -> dict[str, Any]:
        self._beta(), self._labels()
        return {"weights_": np.ones(experts), "mistakes_": 0}

    def predict(self, advice: Any) -> Any:
        """The label predicted for one round's advice; changes nothing.

        Parameters
        ----------
        advice : array-like of shape (n_experts,), or dict by name
            The label that each expert names.
        """
        cells, names = single(advice, self._names(), "advice")
        twin = self._ahead(cells.shape[1], names)
        # The same step as in a game; what it makes of the outcome is forgotten.
        [sign] = twin._vote(twin._signs(cells, "advice"), np.ones(1), 0.5)[0]
        return plain(self._labels()[1 if sign > 0 else 0])

    def _learn(self, cells: Array, names: Any, outcomes: Any) -> Array:
        truth = outcomes_for(outcomes, len(cells)).reshape(-1, 1)
        with self._meeting(cells.shape[1], names):
            advice, signs = self._signs(cells, "advice"), self._signs(truth, "outcome")[:, 0]
            answers = [self._some(advice[b], signs[b]) for b in self._blocks(len(cells))]
        return np.concatenate(answers) if answers else np.empty(0, dtype=object)

    def _some(self, advice: Floats, outcomes: Floats) -> Array:
        guess, share = self._vote(advice, outcomes, self._beta())
        played = len(guess)
        self._add(LOSS, share)
        wrong = guess != outcomes[:played]
        self._add(DRAWN, wrong.astype(np.float64))
        self.mistakes_ += int(np.count_nonzero(wrong))
        self.rounds_ += played
        if played < len(advice):
            learned = " Everything before it was learned." if played else ""
            raise BadData(
                f"In {self._round(0)} the last expert errs who never erred before, so nobody is left: "
                f"beta=0 needs one who is always right.{learned}"
            )
        if self.trace:
            self._keep()
        labels: Array = np.array(self._labels())
        return np.asarray(labels[(guess > 0).astype(int)])

    def _vote(self, advice: Floats, outcomes: Floats, beta: float) -> tuple[Floats, Floats]:
        """The predictions and the wrong shares of weight, of the rounds that could be played."""
        n = len(advice)
        guess, share = np.empty(n), np.empty(n)
        chosen = np.empty(n, dtype=np.int64) if self.randomized else _NONE
        own = self.weights_, self.totals_, beta, self.rounds_, np.uint64(self.seed_)
        played = weighted_majority_pass(advice, outcomes, *own, guess, share, chosen)
        if self.randomized:
            guess = advice[np.arange(played), chosen[:played]]
        return guess[:played], share[:played]

    def _draws(self) -> bool:
        return self.randomized

    def _signs(self, cells: Array, what: str) -> Floats:
        """Labels as -1 and +1."""
        first, second = self._labels()
        signs = np.where(cells == second, 1.0, np.where(cells == first, -1.0, 0.0))
        bad = np.argwhere(signs == 0)
        if not len(bad):
            return np.ascontiguousarray(signs)
        t, i = (int(place) for place in bad[0])
        who = "The outcome" if what == "outcome" else f"The advice of {self._expert(i)}"
        if missing(cells)[t, i]:
            hint = " SleepingExperts takes advice that may be missing." if what == "advice" else ""
            raise BadData(f"{who} in {self._round(t)} is missing.{hint}")
        raise BadData(
            f"{who} in {self._round(t)} must be {first!r} or {second!r}, but is {plain(cells[t, i])!r}. "
            "Name the two labels as classes."
        )

    # What happened

    def _followed(self) -> dict[str, float]:
        fewest = float(self.totals_.min())
        relative = powers(self._beta(), self.totals_ - fewest)
        weight = float(log(relative.sum()))
        if fewest:  # never at beta = 0
            weight += fewest * float(log(self._beta()))
        return super()._followed() | {"log_weight": weight}

    def _lost(self) -> float:
        """The mistakes, expected ones if an expert was drawn."""
        return self._sum(LOSS) if self.randomized else float(self.mistakes_)

    def _recorded(self) -> dict[str, Any]:
        drawn = float(self.mistakes_) if self.randomized else None
        beta = None if self.beta is None else self._beta()
        return {"mistakes": self.mistakes_, "drawn_loss": drawn, "beta": beta}
