"""A log of decisions: what was known, what was done and with which probability, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.types import Floats, Ints


@dataclass(frozen=True)
class DecisionLog:
    """Rounds in which somebody chose an action, as `assay.read_decisions` reads them.

    Attributes
    ----------
    losses : array of shape (rounds,)
        What each round cost, between 0 and 1.
    propensities : array of shape (rounds,)
        With which probability the action was chosen.
    actions : array of int of shape (rounds,)
        Which it was, counted from 0 among those that there were to choose from.
    contexts : array of shape (rounds, features), or None
        What was known of each round.
    features : sequence of arrays of shape (actions, features), or None
        What was known of the actions that there were to choose from, round by round.
    probabilities : sequence of arrays of shape (actions,), or None
        The probabilities of all of them, where the log holds these.
    arms : int
        The most actions there were to choose from in a round.
    context_names, feature_names, arm_names : tuple of str
        What the columns are called, where they have names.
    notes : tuple of str
        What was left out of the log, and why.
    bounds : (float, float)
        Between which the costs or rewards of the file lie; losses are these, scaled.
    rewards : bool
        Whether the file holds rewards.
    format : str
        What the file is.
    hashed : int or None
        How many columns features were hashed into.
    encoder : Encoder or None
        How the columns of a table became features.
    """

    losses: Floats
    propensities: Floats
    actions: Ints
    contexts: Floats | None = None
    features: Sequence[Floats] | None = field(default=None, repr=False)
    probabilities: Sequence[Floats] | None = field(default=None, repr=False)
    arms: int = 0
    context_names: tuple[str, ...] = ()
    feature_names: tuple[str, ...] = ()
    arm_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    bounds: tuple[float, float] = (0.0, 1.0)
    rewards: bool = False
    format: str = ""
    hashed: int | None = None
    encoder: Any = field(default=None, repr=False)

    def __len__(self) -> int:
        """The number of rounds."""
        return len(self.losses)

    def part(self, start: int, stop: int) -> DecisionLog:
        """Some rounds that follow one another, from `start` to before `stop`."""
        rows = slice(start, stop)
        return replace(
            self,
            losses=self.losses[rows],
            propensities=self.propensities[rows],
            actions=self.actions[rows],
            contexts=None if self.contexts is None else self.contexts[rows],
            features=None if self.features is None else self.features[rows],
            probabilities=None if self.probabilities is None else self.probabilities[rows],
        )
