"""A log of decisions: what was known, what was done and with which probability, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

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

    def __len__(self) -> int:
        """The number of rounds."""
        return len(self.losses)
