"""Policies that weigh experts by their losses: given as losses, or from advice and outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from assay.compiled.experts.expert_losses import (
    ABSOLUTE,
    ENTROPIC,
    SQUARE,
    expert_losses,
    own_losses,
)
from assay.compiled.experts.exponential_weights import draw, uniform
from assay.errors import BadData, BadParameter, require
from assay.learners.common import kinds
from assay.learners.experts.advice import as_numbers, outcomes_for, single, table
from assay.learners.experts.policy import DRAWN, LOSS, SECOND, ExpertPolicy, number
from assay.theory.needs import count, positive, real
from assay.types import Array, Floats, Ints

CODES = {"square": SQUARE, "absolute": ABSOLUTE, "entropic": ENTROPIC}
# Losses are made for so many cells at a time, however long the game.
_CELLS = 2**20
_NONE = np.empty(0, dtype=np.int64)
# By how much of its size a mean of numbers may be off by rounding.
_ROUNDING = 2.0**-40

Loss = str | Callable[[Any, Any], Any] | None


@dataclass
class Rounds:
    """Some rounds to be played, and what the compiled loop writes about them."""

    losses: Floats
    advice: Floats
    outcomes: Floats
    mean: Floats
    second: Floats
    chosen: Ints
    guess: Floats

    @classmethod
    def of(cls, losses: Floats, given: Any, outcomes: Any, draws: bool) -> Rounds:
        """Room for what will be written; outcomes are None where losses are given."""
        n, k = losses.shape
        advice = np.empty((0, k)) if outcomes is None else given[:n]
        came = np.empty(0) if outcomes is None else outcomes[:n]
        chosen = np.empty(n, dtype=np.int64) if draws else _NONE
        return cls(losses, advice, came, np.empty(n), np.empty(n), chosen, np.empty(len(advice)))

    @property
    def written(self) -> tuple[Floats, Floats, Ints, Floats]:
        """What the compiled loop writes, in its order."""
        return self.mean, self.second, self.chosen, self.guess


class WeighingPolicy(ExpertPolicy):
    """Base of the policies whose weights follow from the experts' losses."""

    #: Whether advice and outcomes must lie in a range that the policy knows.
    bounded = True
    #: Whether the theorems need the sum of what the loop writes second.
    _needs_second = False
    #: How many rounding errors are kept of each expert.
    _carries = 1

    loss: Loss
    low: float = 0.0
    high: float = 1.0
    largest_loss: float = 1.0
    sample: bool = False
    weights_: Floats
    #: The first round in which a function lost more than the mean of the experts, so is not convex; 0 if none.
    broken_: int

    def _fresh(self, experts: int) -> dict[str, Any]:
        return {"carries_": np.zeros((self._carries, experts)), "weights_": np.ones(experts)}

    def _pass(self, rounds: Rounds) -> int:
        """Play by the compiled loop; return how many rounds were played."""
        raise NotImplementedError

    def _run(self, loop: Callable[..., int], *given: Any, rounds: Rounds) -> int:
        """Call a compiled loop, all of which end with what draws and what is written."""
        return int(loop(*given, self.rounds_, np.uint64(self.seed_), rounds.written))

    def _weights(self) -> Floats:
        """The weights of the coming round, up to a factor."""
        raise NotImplementedError

    state = kinds.declare(
        broken_=kinds.whole(most="rounds_"),
        carries_=kinds.numbers(None, "totals_"),
        weights_=kinds.amounts("totals_"),
    )

    def _require_state(self) -> None:
        super()._require_state()
        # Files of 0.1 may hold the weights of the round before.
        self.weights_ = self._weights()

    # The scale on which losses are stated

    def _scale(self) -> tuple[float, float]:
        """Where the range of outcomes starts, and how wide it is."""
        if not self.bounded or callable(self.loss):
            return 0.0, 1.0
        low, high = number(real, "low", self.low), number(real, "high", self.high)
        require(high > low, "high", f"above low, which is {low!r}", self.high)
        require(
            self.loss != "entropic" or (low, high) == (0.0, 1.0),
            "high",
            "1 and low 0 under the entropic loss, which is about probabilities",
            self.high,
        )
        return low, high - low

    def _largest(self) -> float:
        """The largest loss the policy allows, on the scale on which losses are stated."""
        if self.loss is None or callable(self.loss):
            return number(positive, "largest_loss", self.largest_loss)
        return np.inf if self.loss == "entropic" else 1.0

    def _require_loss(self) -> None:
        known = self.loss in CODES if isinstance(self.loss, str) else callable(self.loss)
        must = "'square', 'absolute', 'entropic' or a function of outcome and prediction"
        require(known, "loss", must, self.loss)

    def _begin(self, experts: int) -> dict[str, Any]:
        return super()._begin(experts) | {"broken_": 0}

    def _draws(self) -> bool:
        return self.sample and self.loss is None

    def _recorded(self) -> dict[str, Any]:
        return {
            "drawn_loss": self._sum(DRAWN) if self._draws() else None,
            "loss_name": "function" if callable(self.loss) else self.loss,
            "not_convex": self.broken_,
        }

    # One round

    def predict(self, advice: Any = None, *, experts: int | None = None) -> Any:
        """The prediction for advice; without a loss, the distribution over the experts.

        Changes nothing.

        Parameters
        ----------
        advice : array-like of shape (n_experts,), or dict by name
            What the experts say, where the policy has a loss.
        experts : int, optional
            How many experts there are, where nothing has been played yet.
        """
        if self.loss is None:
            weights = self._with_experts(experts)._weights()
            return weights / weights.sum()
        self._require_loss()
        cells, names = single(advice, self._names(), "advice")
        row = as_numbers(cells, "advice")
        middle = np.array([self._scale()[0] + self._scale()[1] / 2])
        twin = self._ahead(cells.shape[1], names)
        twin._refuse_bad_advice(row, middle, *twin._unfit(row, middle))
        # The same step as in a game, with losses that are always allowed.
        rounds = Rounds.of(np.zeros_like(row), row, middle, False)
        twin._pass(rounds)
        return float(rounds.guess[0])

    def choose(self, *, experts: int | None = None) -> int:
        """An expert drawn by the weights of the coming round; asked again, the same one."""
        twin = self._with_experts(experts)
        if not twin.seed_:
            twin.seed_ = twin._seed()
            if hasattr(self, "rounds_"):
                self.seed_ = twin.seed_  # the first draw of a policy that needed none so far
        return int(draw(twin._weights(), uniform(np.uint64(twin.seed_), twin.rounds_)))

    def _with_experts(self, experts: int | None) -> Self:
        """A copy that has met so many experts, which must be said before the first round."""
        if not hasattr(self, "rounds_"):
            require(experts is not None, "experts", "given before the first round", experts)
        known = None if experts is None else count("experts", experts, at_least=1)
        return self._ahead(known, None)

    @property
    def _given(self) -> str:
        """What the policy is given in a round."""
        return "losses" if self.loss is None else "advice"

    def update(self, advice: Any, outcome: Any = None) -> None:
        """Learn one round: from advice and the outcome; without a loss, from the experts' losses.

        Parameters
        ----------
        advice : array-like of shape (n_experts,), or dict by name
            What the experts said, or, without a loss, what each of them lost.
        outcome : number
            What came true.
        """
        cells, names = single(advice, self._names(), self._given)
        self._learn(cells, names, None if outcome is None else [outcome])

    # Many rounds

    def play(self, advice: Any, outcomes: Any = None) -> Floats:
        """Play many rounds by the same compiled step as one at a time, to the same bits.

        Parameters
        ----------
        advice : array-like or data frame of shape (n_rounds, n_experts)
            What the experts said, or, without a loss, what each of them lost.
        outcomes : array-like of shape (n_rounds,)
            What came true.

        Returns
        -------
        array of shape (n_rounds,)
            The predictions; without a loss, the weighted mean loss of each round.
        """
        return self._learn(*table(advice, self._given), outcomes)

    def _learn(self, cells: Array, names: Any, outcomes: Any) -> Floats:
        if self.loss is not None:
            self._require_loss()
        must = "left out where losses are given" if self.loss is None else "given with the advice"
        require((outcomes is None) == (self.loss is None), "outcome", must, outcomes)
        matrix = as_numbers(cells, self._given)
        if outcomes is not None:
            outcomes = as_numbers(outcomes_for(outcomes, len(matrix)), "outcomes")
        self._scale(), self._largest()
        with self._meeting(matrix.shape[1], names), self._unless_failed():
            answers = [self._some(part, y) for part, y in self._parts(matrix, outcomes)]
        return np.concatenate(answers) if answers else np.empty(0)

    @contextmanager
    def _unless_failed(self) -> Iterator[None]:
        """Forget all rounds of a game in which a function fails; after bad data those before it are kept."""
        if not callable(self.loss):
            yield
            return
        before = {
            name: value.copy() if isinstance(value, np.ndarray | list) else value
            for name, value in vars(self).items()
        }
        try:
            yield
        except BadData:
            raise
        except BaseException:
            self.__dict__.update(before)
            raise

    def _parts(
        self, matrix: Floats, outcomes: Floats | None
    ) -> Iterator[tuple[Floats, Floats | None]]:
        """One round at a time when traced; given losses in one piece, else in pieces."""
        size = 1 if self.trace else max(1, _CELLS // matrix.shape[1])
        if outcomes is None and not self.trace:
            yield matrix, None
            return
        for start in range(0, len(matrix), size):
            stop = start + size
            yield matrix[start:stop], None if outcomes is None else outcomes[start:stop]

    def _some(self, matrix: Floats, outcomes: Floats | None) -> Floats:
        losses, stop, culprit = matrix, len(matrix), 0
        if outcomes is not None:
            losses = np.empty_like(matrix)
            stop, culprit = self._judged(matrix, outcomes, losses)
        rounds = Rounds.of(losses[:stop], matrix, outcomes, self.sample and outcomes is None)
        played = self._pass(rounds)
        own = rounds.mean[:played]
        if outcomes is not None:
            own = self._own(rounds.guess[:played], outcomes[:played])
            self._watch(own, rounds, outcomes)
        self._add(LOSS, own)
        if len(rounds.chosen):
            self._add(DRAWN, losses[np.arange(played), rounds.chosen[:played]])
        if self._needs_second:
            self._add(SECOND, rounds.second[:played])
        if played < stop:
            self._refuse_bad_losses(losses, played)
        self.rounds_ += played
        if outcomes is not None:
            self._refuse_bad_advice(matrix, outcomes, stop, culprit, played)
        if self.trace:
            self._keep()
        answers: Floats = rounds.mean if outcomes is None else rounds.guess
        return answers

    def _watch(self, own: Floats, rounds: Rounds, outcomes: Floats) -> None:
        """See whether a function is as convex as it should be; of the other losses that is known."""
        if not callable(self.loss) or self.broken_:
            return
        advice = rounds.advice[: len(own)]
        least, most = advice.min(axis=1), advice.max(axis=1)
        off = _ROUNDING * np.maximum(np.abs(least), np.abs(most))
        # Where all say the same up to rounding, nothing can be seen.
        suspects = np.flatnonzero((own > rounds.mean[: len(own)]) & (most - least > 4 * off))
        least, most, off = least[suspects], most[suspects], off[suspects]
        # The average itself may be off by rounding: as much as that changes the loss is no offence.
        guess = rounds.guess[suspects]
        beside = [np.clip(guess + shift, least, most) for shift in (-off, off)]
        near = [own[suspects], *(self._called(outcomes[suspects], x) for x in beside)]
        allowed = np.ptp(near, axis=0) + _ROUNDING * np.abs(own[suspects])
        more = suspects[own[suspects] - rounds.mean[suspects] > allowed]
        if len(more):
            self.broken_ = self.rounds_ + int(more[0]) + 1

    def _unfit(self, matrix: Floats, outcomes: Floats) -> tuple[int, int]:
        """The first round and expert whose advice has no loss; all rounds if there is none."""
        if not callable(self.loss):
            return self._judged(matrix, outcomes, np.empty_like(matrix))
        finite = np.isfinite(np.column_stack([matrix, outcomes]))
        bad = np.argwhere(~finite)
        return (int(bad[0, 0]), int(bad[0, 1])) if len(bad) else (len(matrix), 0)

    def _judged(self, matrix: Floats, outcomes: Floats, losses: Floats) -> tuple[int, int]:
        """Write the experts' losses; return where that was not possible."""
        if callable(self.loss):
            stop, culprit = self._unfit(matrix, outcomes)
            losses[:stop] = self._called(outcomes[:stop, None], matrix[:stop])
            return stop, culprit
        code, bounded = CODES[str(self.loss)], self.bounded or self.loss == "entropic"
        t, i = expert_losses(code, matrix, outcomes, *self._scale(), bounded, False, losses)
        return int(t), int(i)

    def _called(self, outcomes: Floats, predictions: Floats) -> Floats:
        """The losses that a function gives, one for each prediction."""
        assert callable(self.loss)
        if not predictions.size:
            return np.empty(predictions.shape)
        losses = np.asarray(self.loss(outcomes, predictions))
        if losses.shape != predictions.shape or losses.dtype.kind not in "biuf":
            raise BadParameter(
                "loss must give a number for every prediction, but for predictions of shape "
                f"{predictions.shape} gives {losses.dtype} of shape {losses.shape}."
            )
        return losses.astype(np.float64)

    def _own(self, guess: Floats, outcomes: Floats) -> Floats:
        """The policy's own losses."""
        if callable(self.loss):
            own = self._called(outcomes, guess)
            for t in np.flatnonzero(~np.isfinite(own))[:1]:
                raise BadParameter(
                    f"loss must give finite numbers, but for the prediction {guess[t]:g} and the outcome "
                    f"{outcomes[t]:g} gives {own[t]:g}."
                )
            return own
        losses, bounded = np.empty_like(guess), self.bounded or self.loss == "entropic"
        own_losses(CODES[str(self.loss)], guess, outcomes, *self._scale(), bounded, losses)
        return losses

    # Refusals

    def _refuse_bad_losses(self, losses: Floats, played: int) -> None:
        row, largest = losses[played], self._largest() if self.bounded else np.inf
        fits = (row >= 0) & (row <= largest) if self.bounded else np.isfinite(row)
        where = self._round(played)
        self.rounds_ += played
        for expert in np.flatnonzero(~fits)[:1]:
            must = f"lie between 0 and {largest:g}" if self.bounded else "be a finite number"
            hint = " Scale the losses, or declare largest_loss." if self.bounded else ""
            why = f" must {must}, but is {row[expert]:g}.{hint}{_learned(played)}"
            raise BadData(f"The loss of {self._expert(expert)} in ", where, why)
        low, high = float(row.min()), float(row.max())
        if self.bounded:
            so = "Every expert has now been sure of something false: nobody is left after ", "."
        elif math.isfinite(high - low):
            so = "With ", " the losses add up to more than numbers go. Scale them down."
        else:
            apart = (
                f" lie further apart than numbers go, from {low:g} to {high:g}. Scale them down."
            )
            so = "The losses in ", apart
        raise BadData(so[0], where, so[1] + _learned(played))

    def _refuse_bad_advice(
        self, matrix: Floats, outcomes: Floats, stop: int, culprit: int, played: int = 0
    ) -> None:
        if stop == len(matrix):
            return
        where = self._round(stop - played)
        outcome = culprit == matrix.shape[1]
        value = outcomes[stop] if outcome else matrix[stop, culprit]
        if np.isnan(value) and not outcome:
            raise BadData(
                f"The advice of {self._expert(culprit)} in ",
                where,
                " is missing. SleepingExperts takes advice that may be missing." + _learned(stop),
            )
        low, width = self._scale()
        inside = (self.bounded or self.loss == "entropic") and not callable(self.loss)
        must = f"lie between {low:g} and {low + width:g}" if inside else "be a finite number"
        what = "The outcome" if outcome else f"The advice of {self._expert(culprit)}"
        hint = " Declare the range as low and high." if inside and self.loss != "entropic" else ""
        why = f" must {must}, but is {value:g}.{hint}{_learned(stop)}"
        raise BadData(f"{what} in ", where, why)


def _learned(rounds: int) -> str:
    return " Everything before it was learned." if rounds else ""
