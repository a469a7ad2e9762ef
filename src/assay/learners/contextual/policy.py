"""What all policies with context share: the round that stands, its feedback, and what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from assay.compiled.common.generator import start_stream
from assay.errors import BadData, BadParameter
from assay.guarantees.guarantee import Guarantee
from assay.learners.common import kinds
from assay.learners.common.guaranteed import Guaranteed, Terms
from assay.learners.common.policy import Policy
from assay.learners.common.settings import Settled
from assay.learners.contextual.inputs import action_of, loss_of
from assay.record.contextual import ContextualRecord
from assay.theory.needs import nonnegative
from assay.types import Array, Floats, Words

_UNTRACED = np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)


def _is_columns(value: Any) -> bool:
    """Whether that is what the columns of a log are called."""
    listed = [value[name] for name in ("contexts", "features", "arms")]
    texts = all(type(names) is list and all(type(n) is str for n in names) for names in listed)
    hashed = value["hashed"]
    return len(value) == 4 and texts and (hashed is None or (type(hashed) is int and hashed > 0))


class ContextualPolicy(Settled, Guaranteed, Policy):
    """Base of the policies with context; a subclass says how it chooses and learns.

    The state appears with the first round, whose shape all others must have.
    """

    state = kinds.declare(
        generator_=kinds.array("<u8", 4).where(lambda words: words.any()),
        choice_=kinds.maybe(kinds.group(kinds.count, kinds.real(0, 1))),
        chances_=kinds.maybe(kinds.array("<f8", least=0, most=1), along="choice_"),
        told_=kinds.flag,
        log_columns_=kinds.maybe(kinds.plain(_is_columns)),
        trace_=kinds.maybe(
            kinds.group(*(kinds.each(kinds.array(of)) for of in ("<i8", "<f8", "<f8")), made=list)
        ),
    )

    random_state: Any
    trace: bool
    least_propensity: float

    _guarantees: ClassVar[Callable[..., list[Guarantee]]]

    # One round at a time

    def update(self, action: int, loss: float) -> None:
        """Learn the loss of the action that was chosen last.

        Parameters
        ----------
        action : int
            The action that `choose` answered with.
        loss : float
            Its loss, between 0 and 1.
        """
        if getattr(self, "told_", True):
            raise BadParameter(
                f"No action waits for its loss, so action {action!r} has none. Call choose() first, or learn() "
                "for a round of before."
            )
        chosen, chance = self.choice_
        if type(action) is not int:
            action = action_of("action", action, len(self.chances_))
        if action != chosen:
            raise BadParameter(
                f"action must be {chosen}, the one that was chosen, but is {action!r}: "
                "the loss of an action that was not taken cannot be known."
            )
        if type(loss) is not float or not 0.0 <= loss <= 1.0:
            loss = loss_of(loss)
        self._learn_choice(action, chance, loss)
        self.told_ = True
        if self.trace:
            self._keep(np.array([action]), np.array([chance]), np.array([loss]))

    def _learn_choice(self, action: int, chance: float, loss: float) -> None:
        raise NotImplementedError

    def mark(self) -> tuple[Array, ...]:
        """What `retract` needs to take the next choice back."""
        names = ("tally_", "sums_")
        return tuple(getattr(self, name).copy() for name in names if hasattr(self, name))

    def retract(self, mark: tuple[Array, ...]) -> None:
        """Take back the choice made since `mark`: as if it had not been asked, though draws go on from it.

        Examples
        --------
        >>> from assay import LinUCB
        >>> policy = LinUCB(arms=2)
        >>> before = policy.mark()
        >>> action, probability = policy.choose([1.0])
        >>> policy.retract(before)
        >>> policy.record_.asked
        0
        """
        names = (name for name in ("tally_", "sums_") if hasattr(self, name))
        for place, name in enumerate(names):
            kept = getattr(self, name)
            kept[:] = mark[place] if mark else 0
        self.told_ = True

    @property
    def probabilities_(self) -> Floats:
        """The probability of every action in the round that stands; 0 where it was excluded."""
        if not hasattr(self, "choice_"):
            raise BadData("No action has been chosen yet. Call choose() first.")
        chances: Floats = self.chances_.copy()
        return chances

    # What happened

    @property
    def record_(self) -> ContextualRecord:
        """What happened so far."""
        raise NotImplementedError

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """The theorems about this run, for the delta it was played with where that made a difference."""
        record = self.record_
        if not record.asked:
            raise BadData("Nothing has been chosen yet, so there is nothing to promise.")
        return self._guarantees(record, dict(terms.declared))

    def _started(self) -> Words:
        generator = np.zeros(4, dtype=np.uint64)
        seed = check_random_state(self.random_state).randint(2**63 - 1, dtype=np.int64)
        start_stream(generator, int(seed), 0)
        return generator

    def _floor(self) -> float:
        floor = float(nonnegative("least_propensity", self.least_propensity).low)
        if floor > 1.0:
            raise BadParameter(
                f"least_propensity must be at most 1, but is {self.least_propensity!r}."
            )
        return floor

    def _require_floor(self, actions: int) -> None:
        """Refuse a floor that so many actions cannot all have."""
        floor = self.settings_.get("least_propensity", 0.0)
        if floor * actions > 1.0 + 1e-12:
            raise BadParameter(
                f"least_propensity must be at most 1/{actions} where there are {actions} actions to choose from, "
                f"but is {floor!r}."
            )

    def _keep(self, *columns: Array) -> None:
        if not hasattr(self, "trace_"):
            self.trace_: list[list[Array]] = [[], [], []]
        for kept, column in zip(self.trace_, columns, strict=True):
            kept.append(column)

    def _traced(self) -> dict[str, Array] | None:
        if not self.trace:
            return None
        kept: Iterable[Any] = getattr(self, "trace_", [[column] for column in _UNTRACED])
        names = ("action", "probability", "loss")
        columns = {name: np.concatenate(column) for name, column in zip(names, kept, strict=True)}
        columns["cumulative_loss"] = np.cumsum(columns["loss"])
        return columns

    def _require_choice(self) -> None:
        """Refuse, in a model file, a round that nobody could have asked."""
        if not hasattr(self, "choice_"):
            if not self.told_:
                raise ValueError("it waits for the loss of no choice")
            return
        action, chance = self.choice_
        fits = action < len(self.chances_) and self.chances_[action] == chance > 0
        if not fits or not abs(float(self.chances_.sum()) - 1.0) < 1e-9:
            raise ValueError("its choice is none that it could have made")
