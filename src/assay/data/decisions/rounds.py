"""The rounds of a log as readers hand them over, one after the other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.data.decisions.features import Columns
from assay.errors import BadData, Words
from assay.types import Floats, Ints

Cells = list[tuple[int, float]]
#: The most actions that a log may have.
MOST_ACTIONS = 10_000
#: The most numbers that the features of all rounds may be: 4 GiB.
MOST_NUMBERS = 2**29
DECLARE_RANGE = (
    "Declare between which two numbers all lie with ",
    Words("range=(LO, HI)", "{} LO HI", "bounds"),
    ".",
)


@dataclass
class Rounds:
    """Rounds in which somebody chose an action.

    Attributes
    ----------
    source : str
        What the log is called in refusals.
    bounds : (float, float)
        Between which the outcomes lie.
    rewards : bool
        Whether more is better.
    contexts, features : Columns
        The features of rounds, and those of actions.
    """

    source: str
    bounds: tuple[float, float]
    rewards: bool
    contexts: Columns
    features: Columns
    format: str = ""
    arm_names: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    _contexts: list[Cells] = field(default_factory=list)
    _features: list[list[Cells]] = field(default_factory=list)
    _outcomes: list[float] = field(default_factory=list)
    _propensities: list[float] = field(default_factory=list)
    _actions: list[int] = field(default_factory=list)
    _probabilities: list[list[float]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._outcomes)

    def add(
        self,
        where: str,
        context: Mapping[str, float],
        action: int,
        outcome: float,
        propensity: float,
        *,
        actions: Sequence[Mapping[str, float]] | None = None,
        probabilities: Sequence[float] | None = None,
    ) -> None:
        """Take a round; a refusal says where it stands."""
        low, high = self.bounds
        what = "reward" if self.rewards else "cost"
        if not low <= outcome <= high:
            raise BadData(
                f"{where} holds the {what} {outcome:g}, outside the range {low:g} to {high:g}.",
                remedy=DECLARE_RANGE,
            )
        if not 0.0 < propensity <= 1.0:
            raise BadData(
                f"{where} holds the probability {propensity!r}, where one above 0 and at most 1 is needed."
            )
        if not 0 <= action < MOST_ACTIONS or len(actions or ()) > MOST_ACTIONS:
            raise BadData(f"{where} has more than {MOST_ACTIONS:,} actions.")
        if actions is not None and not 0 <= action < len(actions):
            raise BadData(
                f"{where} says that action {action} of {len(actions)} was chosen, counted from 0."
            )
        if probabilities is not None:
            total = math.fsum(probabilities)
            fits = abs(total - 1.0) <= 1e-3 and min(probabilities) >= 0.0
            if not fits or abs(probabilities[action] - propensity) > 1e-3 * propensity:
                raise BadData(
                    f"{where} holds probabilities that do not add up to 1, or say something else of the action that "
                    "was chosen."
                )
            self._probabilities.append([p / total for p in probabilities])
        self._contexts.append(self.contexts.cells(context, where))
        if actions is not None:
            self._features.append([self.features.cells(one, where) for one in actions])
        self._outcomes.append(outcome)
        self._propensities.append(propensity)
        self._actions.append(action)

    def losses(self) -> Floats:
        """Outcomes as losses between 0 and 1."""
        low, high = self.bounds
        scaled = (np.array(self._outcomes) - low) / (high - low)
        return np.clip(1.0 - scaled if self.rewards else scaled, 0.0, 1.0)

    def propensities(self) -> Floats:
        """The probability of each action that was chosen."""
        return np.array(self._propensities)

    def actions(self) -> Ints:
        """The actions that were chosen, counted from 0."""
        return np.array(self._actions, dtype=np.int64)

    def context_table(self) -> Floats | None:
        """The features of the rounds; None where there are none."""
        self._require_room(len(self._contexts) * self.contexts.width)
        return self.contexts.table(self._contexts) if self.contexts.width else None

    def feature_tables(self) -> list[Floats] | None:
        """The features of the actions of each round; None where actions have none."""
        if not self._features or not self.features.width:
            return None
        self._require_room(sum(map(len, self._features)) * self.features.width)
        return [self.features.table(rows) for rows in self._features]

    def _require_room(self, numbers: int) -> None:
        if numbers > MOST_NUMBERS:
            raise BadData(
                f"{self.source} holds {len(self):,} rounds whose features are {numbers:,} numbers, more than "
                f"{MOST_NUMBERS:,}. Read it in parts, or with fewer features."
            )

    def probabilities(self) -> list[Floats] | None:
        """The probabilities of all actions, where every round holds them."""
        if len(self._probabilities) < len(self):
            return None
        return [np.array(row) for row in self._probabilities]

    def most_actions(self) -> int:
        """The most actions that there were to choose from, as far as the log tells."""
        known = max(self._actions, default=-1) + 1
        listed = max(map(len, self._features), default=0)
        return max(
            known, listed, max(map(len, self._probabilities), default=0), len(self.arm_names)
        )
