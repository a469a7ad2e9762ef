"""Bandit policies: an arm now, its loss or reward later, whatever else was asked in between.

A policy has one standing choice, drawn when it last learned. A trial takes it; trials that come before the
next feedback draw again from the same weights. Feedback is learned with the probability that its own trial was drawn
by, so the estimates of EXP3 stay unbiased however late it comes. Told at once, a policy goes through the same
states, to the bit, as by `choose` and `update`.

A policy that does not draw chooses as if arms that were chosen and not told had lost what they lose on average, so that
it does not play the same arm until it is told. With a least propensity, every arm is drawn at least as often, whatever
the policy thinks of it.
"""

from __future__ import annotations

import contextlib
import copy
from collections import Counter
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from assay.compiled.bandits.bandit_book import ARMS, CHOSEN, PLAYS, PROBABILITY, ROUNDS, SEEN
from assay.compiled.bandits.bandit_game import EXP3_KIND, THOMPSON_KIND, begin
from assay.compiled.bandits.exp3 import exp3_draw
from assay.compiled.bandits.thompson import thompson_draw
from assay.compiled.experts.exponential_weights import uniform
from assay.errors import require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.lateness import drawn_alone, told_in_turn
from assay.server.engine.definition import Definition, Settings
from assay.server.engine.game import Game, seed_of_draws
from assay.server.engine.requests import Ask, Kept, Tell
from assay.server.limits import Limits
from assay.server.refusals import Refusal

_REDRAWN = {EXP3_KIND: exp3_draw, THOMPSON_KIND: thompson_draw}


class BanditGame(Game):
    """A policy that sees only the loss of what it chose."""

    kind = "bandit"
    fields = frozenset({"actions", "least_propensity"})
    labels = False
    waits = True

    def __init__(self, definition: Definition, seed: int, limits: Limits) -> None:
        super().__init__(definition, seed, limits)
        self.actions = definition.actions
        self.model.choose()  # refuses parameters that are out of range
        self._taken = False
        self.arms = len(self.model.record_.plays)
        self._floor = definition.least_propensity or 0.0
        must = f"between 0 and 1/{self.arms}, as there are {self.arms} arms"
        require(0 <= self._floor * self.arms <= 1, "least_propensity", must, self._floor)
        self._seed = seed_of_draws(self.model) if self._floor else np.uint64(0)
        #: How often each arm was chosen that was not told yet, and how often any was asked for.
        self._pending: Counter[int] = Counter()
        self._asked = 0
        self._rehearse()

    def _rehearse(self) -> None:
        """Compile what requests will need, by a copy that plays two rounds."""
        twin = self.copied()
        with contextlib.suppress(Exception):
            for _ in range(2):
                answer, _ = twin.ask(None), twin.ask(None)
                twin.learn(None, answer, {"loss": 0.5})

    def params(self) -> dict[str, Any]:
        """As many arms as actions have names."""
        params, named = super().params(), self.definition.actions or []
        if named and params.get("arms", len(named)) != len(named):
            raise Refusal("refused", "params.arms must be the number of actions.")
        return params | {"arms": len(named)} if named else params

    def read(self, ask: Ask) -> tuple[None, str]:
        """Nothing is asked about."""
        if bytes(ask.x) or bytes(ask.rows) or bytes(ask.advice):
            raise Refusal("refused", "A bandit is asked with nothing but an optional trial.")
        return None, ""

    def restore(self, kept: Kept) -> tuple[None, dict[str, Any]]:
        """From the log."""
        return None, self._answer(kept.arm, kept.probability)

    def ask(self, value: None) -> dict[str, Any]:
        """The standing choice, another draw by the same weights, or one that explores."""
        if self.rules and self._pending and self._counts_pending:
            arm, chance = self._as_if_told()
        else:
            if self._taken:
                self._draw_again()
            arm, chance = self.model.choose()
        self._taken = True
        if self._floor:
            arm, chance = self._explored(arm, chance)
        self._asked += 1
        self._pending[arm] += 1
        return self._answer(arm, chance)

    def would_do(self) -> list[float]:
        """With which probabilities the policy as it stands chooses its arms; asked of a copy."""
        arm, _ = self.model.choose()
        drawn = self.model._kind in _REDRAWN
        held = self.model.probabilities_.tolist() if drawn else [0.0] * self.arms
        if not drawn:
            held[arm] = 1.0
        return [self._floor + (1.0 - self._floor * self.arms) * chance for chance in held]

    @property
    def _counts_pending(self) -> bool:
        return self.model._kind not in _REDRAWN

    def _as_if_told(self) -> tuple[int, float]:
        """The choice if every arm that waits had lost its mean so far; half, where nothing was told of it."""
        twin = copy.copy(self.model)
        twin.state_ = self.model.state_.copy()
        tally, book = twin._tally, twin._book
        for arm, waiting in self._pending.items():
            plays = tally[PLAYS + arm]
            mean = book[SEEN + arm] / plays if plays else 0.5
            tally[PLAYS + arm] += waiting
            tally[ROUNDS] += waiting
            book[SEEN + arm] += mean * waiting
        arm, chance = begin(twin._kind, twin.state_)
        return int(arm), float(chance)

    def _explored(self, arm: int, chance: float) -> tuple[int, float]:
        """Any arm in a share of the trials; with the probability of whichever it is."""
        share, number = self._floor * self.arms, float(uniform(self._seed, self._asked))
        if number < share:
            other = min(int(number / self._floor), self.arms - 1)
            if other != arm:
                drawn = self.model._kind in _REDRAWN
                arm, chance = other, float(self.model.probabilities_[other]) if drawn else 0.0
        return arm, self._floor + (1.0 - share) * chance

    def asked(self, value: None, answer: dict[str, Any]) -> None:
        """Draw as it was drawn then."""
        self.ask(value)

    def _answer(self, arm: Any, probability: Any) -> dict[str, Any]:
        named = {} if self.actions is None else {"action": self.actions[arm]}
        return {"arm": arm, "probability": probability} | named

    def _draw_again(self) -> None:
        draw = _REDRAWN.get(self.model._kind)
        if draw is not None:  # the others choose the same until they are told something
            model = self.model
            arms = int(model.state_[ARMS])
            arm, chance = draw(model.state_[:ARMS], model._tally, model._book, arms)
            model.choice_ = int(arm), float(chance)

    def truth(self, tell: Tell, value: None) -> dict[str, Any]:
        """The loss; a reward is one minus it."""
        name, given = tell.only("loss", "reward")
        assert isinstance(given, float)
        require(0 <= given <= 1, name, "between 0 and 1", given)
        return {"loss": given if name == "loss" else 1.0 - given}

    def default(self, value: None, terms: Settings) -> dict[str, Any]:
        """The default loss."""
        loss = terms.default_loss
        return {"loss": 1.0 - (terms.default_reward or 0.0) if loss is None else loss}

    def learn(self, value: None, answer: dict[str, Any], truth: dict[str, Any]) -> None:
        """Learn the loss of the arm of this trial, as it was drawn."""
        model, arm = self.model, answer["arm"]
        model._tally[CHOSEN], model._book[PROBABILITY] = arm, answer["probability"]
        model.choice_ = arm, answer["probability"]
        model.update(arm, float(truth["loss"]))
        self._taken = False
        self.forget(value, answer)

    def forget(self, value: None, answer: dict[str, Any]) -> None:
        """One of this arm waits no more."""
        arm = answer["arm"]
        self._pending[arm] -= 1
        if self._pending[arm] <= 0:
            del self._pending[arm]

    def counts(self) -> dict[str, Any]:
        """Whether the standing choice is taken, and what waits for feedback."""
        counts: dict[str, Any] = {"taken": self._taken}
        if self.rules:
            pending = sorted(self._pending.items()) if self._counts_pending else []
            counts |= {"asked": self._asked, "pending": [list(item) for item in pending]}
        return counts

    def set_counts(self, counts: dict[str, Any]) -> None:
        """Go on from there."""
        self._taken, self._asked = counts["taken"], counts.get("asked", 0)
        self._pending = Counter(dict(counts.get("pending", ())))

    def copied(self) -> Self:
        """A copy with its own count of what waits."""
        twin = super().copied()
        twin._pending = Counter(self._pending)
        return twin

    def standing(self) -> dict[str, Any]:
        """Plays and losses of the arms."""
        record = self.model.record_
        return {
            "rows": record.rounds,
            "loss": record.loss,
            "reward": record.rounds - record.loss,
            "plays": record.plays.tolist(),
            "arm_losses": record.seen_losses.tolist(),
        }

    def told_late(
        self, guarantees: Sequence[Guarantee], late: int, untold: int
    ) -> Sequence[Guarantee]:
        """Those about choices, which need feedback in turn and draws of the policy's own."""
        return drawn_alone(told_in_turn(guarantees, late, untold), self._floor)

    def guarantees(self) -> Sequence[Any]:
        """What the policy's theorems say about the order in which it was told."""
        return super().guarantees() if self.model.record_.rounds else ()
