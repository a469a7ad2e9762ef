"""Bandit policies: an arm now, its loss or reward later, whatever else was asked in between.

A policy has one standing choice, drawn when it last learned. A trial takes it; trials that come before the
next feedback draw again from the same weights. Feedback is learned with the probability that its own trial was drawn
by, so the estimates of EXP3 stay unbiased however late it comes. Told at once, a policy goes through the same
states, to the bit, as by `choose` and `update`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.compiled.bandits.bandit_book import ARMS, CHOSEN, PROBABILITY
from assay.compiled.bandits.bandit_game import EXP3_KIND, THOMPSON_KIND
from assay.compiled.bandits.exp3 import exp3_draw
from assay.compiled.bandits.thompson import thompson_draw
from assay.errors import require
from assay.server.engine.definition import Definition, Settings
from assay.server.engine.game import Game
from assay.server.engine.requests import Ask, Kept, Tell
from assay.server.limits import Limits
from assay.server.refusals import Refusal

_REDRAWN = {EXP3_KIND: exp3_draw, THOMPSON_KIND: thompson_draw}


class BanditGame(Game):
    """A policy that sees only the loss of what it chose."""

    kind = "bandit"
    fields = frozenset({"actions"})
    labels = False
    waits = True

    def __init__(self, definition: Definition, seed: int, limits: Limits) -> None:
        super().__init__(definition, seed, limits)
        self.actions = definition.actions
        self.model.choose()  # refuses parameters that are out of range
        self._taken = False

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
        """The standing choice, or another draw by the same weights."""
        if self._taken:
            self._draw_again()
        self._taken = True
        return self._answer(*self.model.choose())

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

    def counts(self) -> dict[str, Any]:
        """Whether the standing choice is taken."""
        return {"taken": self._taken}

    def set_counts(self, counts: dict[str, Any]) -> None:
        """Go on from there."""
        self._taken = counts["taken"]

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

    def guarantees(self) -> Sequence[Any]:
        """What the policy's theorems say about the order in which it was told."""
        return super().guarantees() if self.model.record_.rounds else ()
