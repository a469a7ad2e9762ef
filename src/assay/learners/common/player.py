"""One binary problem of a linear online learner: its weights, its run, and what the run left behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.compiled.common.rows import affine
from assay.errors import BadData, Where
from assay.learners.common import kinds
from assay.learners.common.rows import Rows
from assay.types import Array, Floats, Ints

if TYPE_CHECKING:
    from assay.record.online import OnlineRecord

# A label of -1 and one of +1, in either precision.
SIGNS = {
    np.dtype(precision).char: (np.array([-1], dtype=precision), np.array([1], dtype=precision))
    for precision in (np.float32, np.float64)
}


class NotANumber(Exception):
    """A row could not be played; everything before it was learned."""

    def __init__(self, place: int) -> None:
        self.place = place


class Player:
    """Weights that are played against labels of -1 and +1.

    A subclass says in `_pass` how one block is played; the same compiled loop serves a whole sample, a
    chunk and a single example, so all three give the same bits. Sparse rows have a loop of their own, whose
    sums are added up in another order: there the bits are those of other sparse rows.
    """

    #: The arrays that are the learner's state, in a model file and in a warm start.
    arrays: tuple[str, ...] = ("weights", "bias")

    state = kinds.declare(
        constant=kinds.one_of(0.0, 1.0), passes=kinds.optional(kinds.count), _log=kinds.log
    )

    #: Whether an example whose score is on the right side of zero changes nothing.
    mistakes_only = False
    #: Whether the rows that changed it are kept, for a comparator to be looked for among them.
    keeps_rows = True

    def __init__(self, width: int, dtype: np.dtype[Any], constant: bool) -> None:
        # Only here: what a run leaves behind is not needed before there is one.
        from assay.learners.search.comparator_store import Hindsight

        self.weights = np.zeros(width, dtype=dtype)
        self.bias = np.zeros(1, dtype=dtype)
        self.constant = float(constant)
        self.rounds = self.mistakes = self.updates = 0
        self.passes: int | None = None
        self.clean = False
        self.tracing = False
        self.hindsight = Hindsight()
        self._log: list[dict[str, float]] = []

    # What the weights amount to

    @property
    def width(self) -> int:
        """The number of features."""
        return len(self.weights)

    @property
    def coef(self) -> Array:
        """The weights of the features in the score."""
        return self.weights

    @property
    def intercept(self) -> Array:
        """What is added to the score, as an array of one."""
        return self.bias

    def score(self, row: Array) -> float:
        """The score of one example, as the loops compute it."""
        return float(affine(row, self.coef, self.intercept))

    def score_packed(self, raw: bytes) -> float:
        """The same of an example whose numbers are packed into bytes."""
        return self.score(np.frombuffer(raw, self.bias.dtype).copy())

    # Learning

    def play(self, rows: Rows, signs: Array) -> int:
        """Predict and learn row by row, in their order of play; return the number of rows that `fit` will not end with.

        These are the mistakes, or the updates of a learner that also insists on a margin.
        """
        if not self.tracing or len(rows) == 1:
            return self._played(rows, signs)
        open_rows = 0
        for t in map(rows.turn, range(len(rows))):
            try:
                open_rows += self._played(rows.part(t, t + 1), signs[t : t + 1])
            except NotANumber:
                raise NotANumber(t) from None
        return open_rows

    def play_one(self, row: Array, positive: bool) -> None:
        """Predict and learn one example."""
        self.play(Rows(dense=row.reshape(1, -1)), SIGNS[self.bias.dtype.char][positive])

    def _played(self, rows: Rows, signs: Array) -> int:
        updated = np.empty(len(rows), dtype=np.int64)
        mistakes, updates, stopped = self._pass(rows, signs, updated)
        self._note(rows, signs, updated[:updates], mistakes, stopped)
        if stopped < len(rows):
            raise NotANumber(rows.turn(stopped))
        return mistakes

    def _pass(self, rows: Rows, signs: Array, updated: Ints) -> tuple[int, int, int]:
        """Play a block; write the rows of updates; return mistakes, updates and rows played."""
        raise NotImplementedError

    def _note(self, rows: Rows, signs: Array, updated: Ints, mistakes: int, played: int) -> None:
        self.mistakes += mistakes
        self.updates += len(updated)
        if updated.size:
            if self.keeps_rows:
                self.hindsight.add(rows, updated, signs, self.constant)
            if self.tracing:
                self._log.append({"round": float(self.rounds + updated[-1])} | self._marks())
        self.rounds += played

    def refusal(self, rows: Rows, place: int, names: Sequence[Any] | None) -> BadData:
        """Why a row could not be played."""
        if np.isfinite(rows.row(place)).all():
            why = " of X is too large to be learned from: its score overflows."
            return BadData(Where(row=place), why)
        return BadData("Input X contains NaN or infinity: ", *rows.bad_cell(place, names), ".")

    def widen(self, width: int) -> None:
        """Make room for features that were not there before; their weights start at zero."""
        grown = np.zeros(width, dtype=self.weights.dtype)
        grown[: len(self.weights)] = self.weights
        self.weights = grown

    # Model files

    @property
    def _begun_with(self) -> list[Any]:
        """What the learner begins such a player with: the number of features, and the type of weights."""
        return [len(self.weights), self.weights.dtype.str]

    def _log_columns(self) -> set[str]:
        """The columns of the log; for these alone a player is begun, since reading marks off may change it."""
        return {"round", *self._marks()}

    def _require_state(self) -> None:
        """Refuse parts that are each in order but do not belong together."""
        if self.hindsight.examples()[0].width > self.width or self.mistakes > self.rounds:
            raise ValueError("the parts of a player do not belong together")

    # What happened

    def record(self, *, trace: bool, names: Sequence[Any] | None = None) -> OnlineRecord:
        """What happened so far, and what the theorems ask of it; the names are those of the features."""
        from assay.record.online import OnlineRecord

        return OnlineRecord(**self._recorded(trace))

    def _recorded(self, trace: bool) -> dict[str, Any]:
        """What is recorded of every run."""
        return {
            "rounds": self.rounds,
            "mistakes": self.mistakes,
            "updates": self.updates,
            "passes": self.passes,
            "clean": self.clean,
            "radius": self.hindsight.radius,
            "kept": self.hindsight.kept,
            "trace": self._trace() if trace else None,
            "largest_square": self.hindsight.largest,
            "constant": bool(self.constant),
            "weights": np.append(self.coef, self.intercept),
            "hindsight": self.hindsight.snapshot(),
        }

    def _marks(self) -> dict[str, float]:
        """What the proof follows, read off after an update; a subclass says what."""
        return {}

    def _trace(self) -> dict[str, Floats]:
        """Update by update, what the proofs follow."""
        names = self._log[0] if self._log else {"round": 0.0} | self._marks()
        return {name: np.array([marks[name] for marks in self._log]) for name in names}
