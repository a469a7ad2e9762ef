"""Experts that are not always awake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.compiled.common.elementary import exps, log
from assay.compiled.experts.expert_losses import expert_losses, own_losses
from assay.compiled.experts.sleeping_experts import sleeping_experts_pass
from assay.errors import BadData, require
from assay.guarantees.experts import sleeping_guarantees
from assay.learners.common import kinds
from assay.learners.common.sign_labels import plain
from assay.learners.experts.advice import as_numbers, missing, outcomes_for, refuse_mixed, single
from assay.learners.experts.policy import DRAWN, LOSS, SECOND, AdvisedPolicy, number
from assay.learners.experts.weighing import CODES
from assay.learners.registry import register
from assay.record.experts import SleepingRecord
from assay.theory.needs import positive, real
from assay.types import Array, Bools, Floats, Ints

_LOSSES = ("zero-one", "square", "absolute")


@register(
    "sleeping-experts",
    use="combining forecasters of whom some are silent",
    promise="loses little more than each while awake",
)
@dataclass(eq=False, repr=False)
class SleepingExperts(AdvisedPolicy):
    r"""Combine experts of whom only some are awake in a round; missing advice (NaN, None) means asleep.

    An awake expert's weight is multiplied by :math:`(1+\varepsilon)^{P/(1+\varepsilon)-\ell_i}`, where
    :math:`P` is the weighted mean loss of those awake. In the rounds in which expert i was awake, the
    policy then loses at most :math:`(1+\varepsilon)(L_i+\ln K/\ln(1+\varepsilon))`, for every i at once, with
    :math:`L_i` the expert's own loss in them (``sleeping-experts-mistakes``). For labels that is the
    expectation over the draw of an awake expert by weight; for numbers the weighted mean of the advice is
    predicted, which loses no more. Where nobody is awake the policy abstains: it predicts nothing (None, in a
    table of numbers NaN), learns nothing, and counts no round.

    Parameters
    ----------
    epsilon : float, default=0.1
        The step :math:`\varepsilon`, above zero.
    loss : {"zero-one", "square", "absolute"}, default="zero-one"
        The loss: of labels, or of numbers between `low` and `high`, scaled into [0, 1].
    low, high : float, default=0.0, 1.0
        Between which numbers advice and outcomes lie.
    random_state : int, RandomState instance or None, default=None
        Seeds the draws. A round's draw depends on the seed and the round alone.
    trace : bool, default=False
        Whether `record_` holds, round by round, what the proof follows.

    Attributes
    ----------
    record_ : ExpertRecord
        Rounds, losses, in which of them each expert was awake, regret, and how often the policy abstained.
    totals_ : array
        What each expert lost while awake.

    References
    ----------
    .. [1] Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.18.
    .. [2] Freund, Schapire, Singer & Warmuth (1997). Using and combining predictors that specialize.

    Examples
    --------
    >>> from assay import SleepingExperts
    >>> policy = SleepingExperts(epsilon=0.5, random_state=0)
    >>> policy.update(["sports", "business", None], "sports")
    >>> policy.update([None, "business", "business"], "business")
    >>> policy.record_.awake.tolist(), policy.record_.expert_losses.tolist()
    ([1, 2, 1], [0.0, 1.0, 0.0])
    >>> policy.predict([None, None, None]) is None
    True
    >>> print(policy.guarantees(against=0)[0])
    loss while expert 0 was awake: at most 4.06427, observed 0.5, by sleeping-experts-mistakes
    """

    state = kinds.declare(
        log_weights_=kinds.array("<f8", "totals_", most=kinds.LARGEST),
        awake_losses_=kinds.numbers("totals_"),
        carries_=kinds.numbers(None, "totals_"),
        awake_=kinds.counts("totals_"),
        # Files of before it could abstain have none.
        abstained_=kinds.maybe(kinds.count),
    )
    earlier_state: ClassVar[Any] = {"paid_": kinds.renamed("awake_losses_")}

    _record = SleepingRecord
    _guarantees = staticmethod(sleeping_guarantees)

    epsilon: float = 0.1
    loss: str = "zero-one"
    low: float = 0.0
    high: float = 1.0
    random_state: Any = None
    trace: bool = False

    def _epsilon(self) -> float:
        return number(positive, "epsilon", self.epsilon)

    def _scale(self) -> tuple[float, float]:
        low, high = number(real, "low", self.low), number(real, "high", self.high)
        require(high > low, "high", f"above low, which is {low!r}", self.high)
        return low, high - low

    def _fresh(self, experts: int) -> dict[str, Any]:
        require(self.loss in _LOSSES, "loss", "'zero-one', 'square' or 'absolute'", self.loss)
        self._epsilon(), self._scale()
        return {
            "log_weights_": np.zeros(experts),
            "awake_losses_": np.zeros(experts),
            "carries_": np.zeros((2, experts)),
            "awake_": np.zeros(experts, dtype=np.int64),
            "abstained_": 0,
        }

    def predict(self, advice: Any) -> Any:
        """The prediction for one round's advice: that of an awake expert drawn by weight, or the mean.

        Changes nothing; asked again, the same expert is drawn. None where nobody is awake.

        Parameters
        ----------
        advice : array-like of shape (n_experts,), or dict by name
            What each expert says, NaN or None if asleep.
        """
        cells, names = single(advice, self._names(), "advice")
        twin = self._ahead(cells.shape[1], names)
        if twin.loss == "zero-one":
            losses = np.where(missing(cells), np.nan, 0.0)
        else:
            cells = as_numbers(cells, "advice")
            losses = twin._judged(cells, np.full(1, twin._scale()[0]))
        if np.isnan(losses).all():
            return None
        # The same step as in a game; what it makes of the losses is forgotten.
        _, guess, chosen = twin._step(cells, losses)
        if twin.loss != "zero-one":
            return float(guess[0])
        return plain(cells[0, chosen[0]])

    def _learn(self, cells: Array, names: Any, outcomes: Any) -> Array:
        truth = outcomes_for(outcomes, len(cells))
        with self._meeting(cells.shape[1], names):
            if self.loss == "zero-one":
                losses = self._mistaken(cells, truth)
            else:
                cells, truth = as_numbers(cells, "advice"), as_numbers(truth, "outcomes")
                losses = self._judged(cells, truth)
        silent = np.asarray(np.isnan(losses).all(axis=1))
        if silent.any():
            return self._between(cells, truth, losses, silent)
        blocks = self._blocks(len(cells))
        answers = [self._some(cells[b], truth[b], losses[b]) for b in blocks]
        return np.concatenate(answers) if answers else np.empty(0)

    def _between(self, cells: Array, outcomes: Array, losses: Floats, silent: Bools) -> Array:
        """Play the rounds in which somebody speaks as if there were no others, and abstain in those."""
        # What nobody says is what every silent expert said: NaN, or None.
        answers = cells[:, 0].copy() if len(cells[0]) else np.full(len(cells), np.nan)
        spoken = np.flatnonzero(~silent)
        for block in self._blocks(len(spoken)):
            rows = spoken[block]
            if len(rows):
                answers[rows] = self._some(cells[rows], outcomes[rows], losses[rows])
        self.abstained_ = getattr(self, "abstained_", 0) + int(silent.sum())
        return answers

    def _some(self, cells: Array, outcomes: Array, losses: Floats) -> Array:
        n, labels = len(cells), self.loss == "zero-one"
        mean, guess, chosen = self._step(cells, losses)
        self._add(LOSS, mean)
        if labels:
            self._add(DRAWN, losses[np.arange(n), chosen])
        else:
            own = np.empty(n)
            own_losses(CODES[self.loss], guess, outcomes, *self._scale(), True, own)
            self._add(SECOND, own)
        self.rounds_ += n
        if self.trace:
            self._keep()
        return cells[np.arange(n), chosen] if labels else guess

    def _step(self, cells: Array, losses: Floats) -> tuple[Floats, Floats, Ints]:
        """The mean losses of those awake, the mean advice if it is numbers, and the experts drawn."""
        n = len(cells)
        advice = np.empty((0, self.n_experts)) if self.loss == "zero-one" else cells
        written = np.empty(n), np.empty(len(advice)), np.empty(n, dtype=np.int64)
        own = self.log_weights_, self.totals_, self.awake_losses_, self.carries_, self.awake_
        draws = self.rounds_, np.uint64(self.seed_)
        sleeping_experts_pass(losses, advice, *own, self._epsilon(), *draws, written)
        return written

    def _draws(self) -> bool:
        return self.loss == "zero-one"

    def _mistaken(self, cells: Array, outcomes: Array) -> Floats:
        unknown = np.flatnonzero(missing(outcomes))
        if len(unknown):
            raise BadData(f"The outcome in {self._round(int(unknown[0]))} is missing.")
        refuse_mixed(cells, outcomes, self.rounds_ + 1)
        return np.where(missing(cells), np.nan, (cells != outcomes[:, None]).astype(np.float64))

    def _judged(self, cells: Floats, outcomes: Floats) -> Floats:
        losses = np.empty_like(cells)
        low, width = self._scale()
        t, i = expert_losses(CODES[self.loss], cells, outcomes, low, width, True, True, losses)
        if t < len(cells):
            outcome = i == cells.shape[1]
            what = "The outcome" if outcome else f"The advice of {self._expert(i)}"
            value = outcomes[t] if outcome else cells[t, i]
            must = f" must lie between {low:g} and {low + width:g}, but is {value:g}."
            hint = " Declare the range as low and high."
            raise BadData(f"{what} in ", self._round(t), must + hint)
        return losses

    # What happened

    def _followed(self) -> dict[str, float]:
        top = float(self.log_weights_.max())
        weight = top + float(log(exps(self.log_weights_ - top).sum()))
        return {"loss": self._lost(), "log_weight": weight}

    def _lost(self) -> float:
        """The policy's own loss: of its predictions, or, for labels, the mean of those awake."""
        return self._sum(LOSS if self.loss == "zero-one" else SECOND)

    def _paid(self, loss: float) -> Any:
        return self.awake_losses_

    def _recorded(self) -> dict[str, Any]:
        drawn = self._sum(DRAWN) if self.loss == "zero-one" else None
        return {
            "mistakes": None if drawn is None else round(drawn),
            "awake": self.awake_.copy(),
            "paid": self.awake_losses_.copy(),
            "drawn_loss": drawn,
            "abstained": getattr(self, "abstained_", 0),
            "epsilon": self._epsilon(),
        }
