"""What all bandit policies share: choosing, learning, whole sequences, many runs."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from assay.compiled.bandits.bandit_book import (
    ARMS,
    CHOSEN,
    EXPECTED,
    KNOWN,
    LOSS,
    PLAYS,
    PROBABILITY,
    ROUNDS,
    SEEN,
    TALLY,
)
from assay.compiled.bandits.bandit_game import begin, play_rounds, simulate_runs
from assay.compiled.common.bypass_dispatcher import bypass_dispatcher
from assay.compiled.common.generator import start_stream
from assay.errors import BadData, BadParameter
from assay.guarantees.guarantee import Guarantee
from assay.learners.bandits.inputs import loss_table, mean_losses, one_loss
from assay.learners.common import kinds
from assay.learners.common.guaranteed import Guaranteed, Terms
from assay.learners.common.policy import Policy
from assay.record.bandit import BanditRecord, BanditRuns
from assay.theory.needs import count
from assay.types import Array, Floats, Ints, Words

# What a game writes of its rounds where none is traced: arms, probabilities, losses and curves.
_UNTRACED = np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros((0, 2))
_MOST_ARMS = 10**7


class BanditPolicy(Guaranteed, Policy):
    """Base of the bandit policies; a subclass says which compiled step it takes and what it remembers.

    The state appears with the first call. Its arrays are laid out as `assay.compiled.bandits.bandit_book` says.
    """

    state = kinds.declare(
        state_=kinds.array("<u8"),
        choice_=kinds.group(kinds.count, kinds.finite),
        trace_=kinds.maybe(
            kinds.group(*(kinds.each(kinds.array(of)) for of in ("<i8", "<f8", "<f8")), made=list)
        ),
        curves_=kinds.maybe(kinds.each(kinds.array("<f8", None, 2))),
        opponent_looked_=kinds.maybe(kinds.one_of(True)),
    )
    earlier_state: ClassVar[Any] = {"watched_": kinds.renamed("opponent_looked_")}

    arms: int
    random_state: Any
    trace: bool

    #: The policy's number in the compiled game.
    _kind: ClassVar[int]
    #: The compiled step: learn the loss of the arm that was chosen, and choose the next one.
    _step: ClassVar[Callable[..., tuple[int, float]]]
    #: The same without the dispatcher, once it has been compiled.
    _quick_step: ClassVar[Callable[..., tuple[int, float]]]
    #: The record of a run, and what the theorems say from it and from what was declared.
    _record: ClassVar[type[BanditRecord]] = BanditRecord
    _guarantees: ClassVar[Callable[..., list[Guarantee]]]

    # What a subclass provides

    def _own(self, arms: int) -> Floats:
        """The policy's own numbers as they start."""
        return np.zeros(0)

    def _recorded(self) -> dict[str, Any]:
        """What the record holds besides what every policy has."""
        return {}

    # One round at a time

    def choose(self) -> tuple[int, float]:
        """The arm to play and the probability with which it was chosen.

        The choice stands until its loss is told: asked again, the answer is the same.

        Returns
        -------
        arm : int
        probability : float
        """
        try:
            return self.choice_
        except AttributeError:
            self._open()
            return self.choice_

    def next_arm(self) -> int:
        """The arm that `choose` answers with, without its probability."""
        if not hasattr(self, "choice_"):
            self._open()
        return self.choice_[0]

    def update(self, arm: int, loss: float) -> None:
        """Learn the loss of the arm that was chosen.

        Parameters
        ----------
        arm : int
            The arm that `choose` answered with.
        loss : float
            Its loss, between 0 and 1.
        """
        if type(arm) is not int or type(loss) is not float or self.trace:
            self._update(arm, loss)
            return
        try:
            choice = self._quick_step(self.state_, arm, loss)
        except (AttributeError, OverflowError):  # the first loss of all, or no arm
            self._update(arm, loss)
            return
        if choice[0] < 0:
            raise self._refusal(arm, loss)
        self.choice_ = choice

    def _update(self, arm: Any, loss: Any) -> None:
        """The same for numbers of other types, and with a trace."""
        if not hasattr(self, "choice_"):
            raise BadParameter(
                f"No arm has been chosen yet, so arm {arm!r} has no loss. Call choose() first."
            )
        try:
            place = -1 if isinstance(arm, bool | np.bool_) else operator.index(arm)
        except TypeError:
            raise self._refusal(arm, 0.0) from None
        paid = one_loss(loss)
        chosen = self.choice_
        if not -1 <= place < 2**31:
            place = -1
        choice = self._step(self.state_, place, paid)
        if choice[0] < 0:
            raise self._refusal(arm, loss)
        self.choice_ = choice
        # From now on without looking at types, which the arrays of a state always have.
        type(self)._quick_step = staticmethod(bypass_dispatcher(self._step))
        if self.trace:
            self._keep(np.array([chosen[0]]), np.array([chosen[1]]), np.array([paid]))

    def _refusal(self, arm: Any, loss: Any) -> BadParameter:
        """Why a loss was not learned; nothing has changed."""
        chosen, arms = self.choice_[0], self._arms
        known = not isinstance(arm, bool | np.bool_) and isinstance(arm, int | np.integer)
        if not known or not 0 <= arm < arms:
            return BadParameter(f"arm must be one of the arms 0 to {arms - 1}, but is {arm!r}.")
        if arm != chosen:
            return BadParameter(
                f"arm must be {chosen}, the one that was chosen, but is {arm!r}: "
                "the loss of an arm that was not played cannot be known."
            )
        return BadParameter(f"loss must be a number between 0 and 1, but is {loss!r}.")

    # Whole sequences

    def play(self, losses: Any) -> Any:
        """Play against the losses of all arms, round by round: the same steps as one at a time.

        The policy sees only the losses of the arms it plays; those of the others are added up for the
        record, so that the regret is known.

        Parameters
        ----------
        losses : array-like of shape (rounds, arms)
            Numbers between 0 and 1.

        Returns
        -------
        self
        """
        if not hasattr(self, "choice_"):
            table = loss_table(losses, _arms_of(self.arms))
            self._open()
        else:
            table = loss_table(losses, self._arms)
        rounds = len(table)
        kept = rounds if self.trace else 0
        arms, chances, paid = np.empty(kept, dtype=np.int64), np.empty(kept), np.empty(kept)
        traced = arms, chances, paid, np.empty((kept, 2))
        play_rounds(*self._game(self._arms), self.state_, table, rounds, False, True, traced)
        self.choice_ = int(self._tally[CHOSEN]), float(self._book[PROBABILITY])
        if kept:
            self._keep(arms, chances, paid)
            self.curves_ = [*getattr(self, "curves_", []), traced[3]]
        return self

    def _game(self, arms: int) -> tuple[int, int, int]:
        """How the compiled game knows this policy, and how much of the state is its own."""
        return self._kind, self._counts, len(self._own(arms))

    def simulate(
        self,
        losses: Any = None,
        *,
        means: Any = None,
        rounds: int | None = None,
        runs: int = 1000,
        threads: int | None = None,
    ) -> BanditRuns:
        """Play many independent runs of a fresh policy with these parameters; this one stays as it is.

        Run 0 draws what this policy draws when it is played from its start. Each run has a random stream of
        its own, named by `random_state` and the number of the run, so that threads change nothing.

        Parameters
        ----------
        losses : array-like of shape (rounds, arms), optional
            Losses that are the same in every run.
        means : array-like of shape (arms,), optional
            Instead: the probability of a loss of 1 of each arm, whose losses are drawn.
        rounds : int, optional
            How many rounds, with `means`.
        runs : int, default=1000
        threads : int, optional
            As many as there are processors, unless given.

        Returns
        -------
        BanditRuns
        """
        arms = _arms_of(self.arms)
        if (losses is None) == (means is None):
            raise BadParameter("Give either the losses of all rounds, or the means of the arms.")
        if losses is not None:
            if rounds is not None:
                raise BadParameter("rounds is for means; a table of losses has its own.")
            table = loss_table(losses, arms)
            length, totals = len(table), table.sum(axis=0)
        else:
            table = mean_losses(means, arms).reshape(1, -1)
            length = count("rounds", rounds, at_least=1)
            totals = length * table[0]
        number = count("runs", runs, at_least=1)
        plays, sums = np.zeros((number, arms), dtype=np.int64), np.zeros((number, 2))
        workers = min(count("threads", threads or os.cpu_count() or 1, at_least=1), number)
        game, seed, fresh = self._game(arms), self._seed(), self._memory(arms)
        against = table, length, means is not None

        def some(first: int, stop: int) -> None:
            written = plays[first:stop], sums[first:stop]
            simulate_runs(*game, seed, first, fresh, *against, *written, _UNTRACED)

        ends = np.linspace(0, number, workers + 1).astype(int).tolist()
        if workers == 1:
            some(0, number)
        else:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(some, ends[:-1], ends[1:]))
        return BanditRuns(length, sums[:, 0].copy(), sums[:, 1].copy(), plays, totals)

    # What happened

    @property
    def record_(self) -> BanditRecord:
        """What happened so far."""
        if not hasattr(self, "choice_"):
            self._open()
        arms, tally, book = self._arms, self._tally, self._book
        rounds = int(tally[ROUNDS])
        known = rounds > 0 and tally[KNOWN] == rounds
        return self._record(
            rounds=rounds,
            loss=float(book[LOSS]),
            plays=tally[PLAYS : PLAYS + arms].copy(),
            seen_losses=book[SEEN : SEEN + arms].copy(),
            expected_loss=float(book[EXPECTED]) if known else None,
            arm_losses=book[SEEN + arms : SEEN + 2 * arms].copy() if known else None,
            trace=self._traced() if self.trace else None,
            opponent_looked=hasattr(self, "opponent_looked_"),
            **self._recorded(),
        )

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """The theorems about this run, from what was known before it, such as the ``means`` of the arms."""
        record = self.record_
        if not record.rounds:
            raise BadData("Nothing has been played yet, so there is nothing to promise.")
        declared = {"delta": terms.delta, **terms.declared}
        if "means" in declared:
            declared["means"] = mean_losses(declared["means"], record.arms).tolist()
        return self._guarantees(record, declared)

    # The state

    #: How many own counts there are for every arm.
    _counts: ClassVar[int] = 0

    @property
    def _arms(self) -> int:
        return int(self.state_[ARMS])

    @property
    def _tally(self) -> Ints:
        return self.state_[TALLY : _book_at(self._arms, self._counts)].view(np.int64)

    @property
    def _book(self) -> Floats:
        return self.state_[_book_at(self._arms, self._counts) :].view(np.float64)

    @property
    def _numbers(self) -> Floats:
        """The policy's own numbers."""
        return self._book[SEEN + 2 * self._arms :]

    def _memory(self, arms: int) -> Words:
        """The state of a policy that has not chosen yet."""
        own, at = self._own(arms), _book_at(arms, self._counts)
        state = np.zeros(at + SEEN + 2 * arms + len(own), dtype=np.uint64)
        state[ARMS] = arms
        state[TALLY:at].view(np.int64)[CHOSEN] = -1
        state[len(state) - len(own) :].view(np.float64)[:] = own
        return state

    def _require_state(self) -> None:
        """Refuse, in a model file, a memory that no run leaves behind."""
        state, (arm, probability) = self.state_, self.choice_
        if len(state) <= TALLY or not 1 <= self._arms < len(state):
            raise ValueError("its memory does not fit its arms")
        arms = self._arms
        if state.shape != self._memory(arms).shape:
            raise ValueError("its memory does not fit its arms")
        tally, book = self._tally, self._book
        chosen, rounds, known = tally[:PLAYS].tolist()
        plays, counts = tally[PLAYS : PLAYS + arms], tally[PLAYS + arms :].reshape(-1, arms)
        fits = [
            arm == chosen < arms,
            0 < probability <= 1,
            probability == book[PROBABILITY],
            (tally >= 0).all(),
            known <= rounds < 2**53,
            sum(plays.tolist()) == rounds,
            (counts <= plays).all(),
            # Sums of losses between 0 and 1, which may be off by their last digits; then sums, weights and rates.
            ((book >= 0) & (book <= 1e150)).all(),
            (book[LOSS:SEEN] <= rounds * (1 + 1e-9)).all(),
            (book[SEEN : SEEN + arms] <= plays * (1 + 1e-9)).all(),
            len({sum(map(len, column)) for column in getattr(self, "trace_", [])}) <= 1,
            state[:ARMS].any(),  # or the random numbers have run dry
        ]
        if not all(fits):
            raise ValueError("its memory is none that it could have come to")

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**63 - 1, dtype=np.int64))

    def _open(self) -> None:
        state = self._memory(_arms_of(self.arms))
        start_stream(state[:ARMS], self._seed(), 0)
        arm, probability = begin(self._kind, state)
        self.state_, self.choice_ = state, (int(arm), float(probability))

    def _keep(self, *columns: Array) -> None:
        if not hasattr(self, "trace_"):
            self.trace_: list[list[Array]] = [[], [], []]
        for kept, column in zip(self.trace_, columns, strict=True):
            kept.append(column)

    def _traced(self) -> dict[str, Array]:
        kept = getattr(self, "trace_", [[column] for column in _UNTRACED[:3]])
        names = ("arm", "probability", "loss")
        columns = {name: np.concatenate(column) for name, column in zip(names, kept, strict=True)}
        columns["cumulative_loss"] = np.cumsum(columns["loss"])
        curves = np.concatenate([_UNTRACED[3], *getattr(self, "curves_", [])])
        # Where a round was told its own loss only, nobody knows what the others would have lost.
        if 0 < len(curves) == len(columns["arm"]):
            columns["best"] = curves[:, 1].copy()
            columns["expected_regret"] = curves[:, 0] - curves[:, 1]
        return columns


def _book_at(arms: int, counts: int) -> int:
    """Where the book begins in the state."""
    return TALLY + PLAYS + arms * (1 + counts)


def _arms_of(arms: Any) -> int:
    number = count("arms", arms, at_least=1)
    if number > _MOST_ARMS:
        raise BadParameter(f"arms must be at most {_MOST_ARMS:,}, but is {arms!r}.")
    return number
