r"""The dual of the support vector machines, solved by working sets.

Minimise :math:`\tfrac12\beta^\top K\beta-t^\top\beta` subject to :math:`\sum\beta_i=0` and
:math:`l\le\beta\le u`. A classifier has one variable an example, :math:`\beta_i=y_i\alpha_i` and
:math:`t_i=y_i`; a regressor has two.

A variable's violation is :math:`v_i=t_i-(K\beta)_i`. At the minimum some number b has :math:`v_i\le b` wherever
:math:`\beta_i` may grow and :math:`v_i\ge b` wherever it may fall; by how much this fails is the KKT gap, and the
search ends when it is within the tolerance. Each round takes the examples that violate it most, solves for them
alone, and updates the scores of all others from rows of the Gram matrix that are computed by one product and kept.
Examples that no pair could move any more are set aside, and looked at again before the search ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.compiled.working_set import solve_working_set
from assay.errors import BadData
from assay.learners.kernel.gram import Gram
from assay.learners.kernel.kept_rows import KeptRows

Floats = NDArray[np.float64]

# Examples in a working set; half of them stay for the next round.
_SET = 512
# A working set is solved until its own gap is this share of the gap of all.
_SHARE = 0.1
# Setting examples aside pays only if so many go that shorter rows make up for moving the kept ones and for the
# scores that are computed anew in the end; searches of fewer rounds end sooner without.
_ASIDE = 0.5
_SMALLEST = 2000
_EVERY = 128
# Rounds without a smaller gap before the search gives up, and how often scores are added up anew.
_PATIENCE = 200
_MOST_SUMS = 5
# With unbounded variables, classes whose margin is below this share of the radius count as inseparable: rounding
# could not tell.
_NO_MARGIN = 1e-7


@dataclass(frozen=True)
class Dual:
    """A problem.

    Attributes
    ----------
    target, lower, upper : array
        t, l and u, for every variable.
    row : array
        The example each variable belongs to.
    """

    target: Floats
    lower: Floats
    upper: Floats
    row: NDArray[np.int64]


@dataclass(frozen=True)
class Found:
    """Where a search ended.

    Attributes
    ----------
    beta : array
        The variables.
    scores : array
        K beta, for every example.
    high, low : float
        The largest violation among the variables that may grow, the smallest among those that may fall.
    steps, rounds, rows : int
        Pairs moved, working sets solved, rows of the Gram matrix computed.
    """

    beta: Floats
    scores: Floats
    high: float
    low: float
    steps: int
    rounds: int
    rows: int

    @property
    def gap(self) -> float:
        """By how much the KKT conditions fail."""
        return max(0.0, self.high - self.low)


def solve(
    dual: Dual,
    gram: Gram,
    *,
    tolerance: float,
    most_steps: int = -1,
    room: float = 1e9,
    shrinking: bool = True,
    start: tuple[Floats, Floats] | None = None,
    kept: KeptRows | None = None,
) -> Found:
    """Search for the minimum, from zero or from a start of variables and their scores.

    `room` is how many bytes of rows are kept, and `kept` are rows to go on with.
    """
    with gram.threaded(len(gram) * min(len(gram), 2 * _SET)):
        search = _Search(dual, gram, room, start, kept)
        return search.run(tolerance, most_steps, shrinking)


class _Search:
    def __init__(
        self,
        dual: Dual,
        gram: Gram,
        room: float,
        start: tuple[Floats, Floats] | None,
        kept: KeptRows | None,
    ) -> None:
        self.dual, self.gram = dual, gram
        n, many = len(gram), len(dual.target)
        self.beta = np.zeros(many) if start is None else start[0].copy()
        self.scores = np.zeros(n) if start is None else start[1].copy()
        self.steps = self.rounds = 0
        self.set = np.empty(0, dtype=np.int64)
        self.size = min(_SET, many)
        self.kept = KeptRows(gram, room, self.size) if kept is None else kept
        self.unbounded = bool(np.isinf(dual.upper).any() or np.isinf(dual.lower).any())
        self._watch(self.kept.columns)

    def _watch(self, columns: NDArray[np.int64]) -> None:
        """Look only at the variables of these examples."""
        if len(columns) != len(self.kept.columns):
            self.kept.change(columns)
        self.columns = columns
        place = np.full(len(self.gram), -1, dtype=np.int64)
        place[columns] = np.arange(len(columns))
        self.place = place[self.dual.row]  # of each variable's example among the columns
        self.alive = np.flatnonzero(self.place >= 0)
        self.live_scores = self.scores[columns]
        self.reference = self.beta.copy()  # what the scores of the others are those of

    def run(self, tolerance: float, most_steps: int, shrinking: bool) -> Found:
        limit = np.inf if most_steps < 0 else most_steps
        best, waited, added_up = np.inf, 0, 0
        exact = self.rounds == 0  # whether the scores are sums made in one go
        while True:
            up, low = self._violations(self.alive, self.live_scores[self.place[self.alive]])
            gap = up.max(initial=-np.inf) - low.min(initial=np.inf)
            if self.unbounded:
                self._refuse_inseparable()
            # Rounding alone can keep the gap from closing; a long wait for less says so.
            best, waited = (gap, 0) if gap < 0.999 * best else (best, waited + 1)
            if gap <= tolerance or self.steps >= limit or waited > _PATIENCE:
                if not exact and added_up < _MOST_SUMS:
                    self._add_up()
                    best, waited, exact, added_up = np.inf, 0, True, added_up + 1
                elif len(self.columns) < len(self.gram) and self._take_back(tolerance):
                    best, waited = np.inf, 0
                else:
                    return self._found()
                continue
            moved = self._round(up, low, gap, tolerance, limit - self.steps)
            exact = exact and not moved
            waited = waited if moved else _PATIENCE + 1
            if shrinking and self.rounds % _EVERY == 0 and len(self.columns) > _SMALLEST:
                self._set_aside()

    def _violations(self, alive: NDArray[np.int64], scores: Floats) -> tuple[Floats, Floats]:
        v = self.dual.target[alive] - scores
        beta = self.beta[alive]
        up = np.where(beta < self.dual.upper[alive], v, -np.inf)
        low = np.where(beta > self.dual.lower[alive], v, np.inf)
        return up, low

    def _round(self, up: Floats, low: Floats, gap: float, tolerance: float, steps: float) -> bool:
        """Choose a working set and solve it; whether anything moved."""
        chosen = self._choose(up, low)
        rows, dual = self.dual.row[chosen], self.dual
        slots, columns = self.kept.slots(rows), self.place[chosen]
        K = self.kept.square(slots, columns)
        before = self.beta[chosen]
        beta, v = before.copy(), dual.target[chosen] - self.live_scores[columns]
        most = int(min(steps, 50 * len(chosen)))
        own = max(0.5 * tolerance, _SHARE * gap)
        size = self.gram.diagonal[rows]
        self.steps += solve_working_set(
            K, size, dual.lower[chosen], dual.upper[chosen], beta, v, own, most
        )
        step = beta - before
        changed = np.flatnonzero(step)
        self.rounds += 1
        if not changed.size:
            return False
        self.beta[chosen] = beta
        self.kept.add(slots[changed], step[changed], self.live_scores)
        return True

    def _choose(self, up: Floats, low: Floats) -> NDArray[np.int64]:
        """The worst on either side, beside half of those of the last round; places of variables."""
        up, low = up.copy(), low.copy()
        taken = self.set[-(self.size // 2) :]
        within = np.searchsorted(self.alive, taken)
        up[within], low[within] = -np.inf, np.inf
        half = min((self.size - len(taken)) // 2, len(up))
        if half == len(up):
            order = np.arange(half)
        else:
            order = np.argpartition(-up, half - 1)[:half] if half else np.empty(0, np.int64)
        first = order[up[order] > -np.inf]
        low[first] = np.inf
        half = min(self.size - len(taken) - len(first), len(low))
        order = np.arange(half) if half == len(low) else np.argpartition(low, half - 1)[:half]
        second = order[low[order] < np.inf]
        self.set = np.concatenate([taken, self.alive[np.concatenate([first, second])]])
        return self.set

    def _set_aside(self) -> None:
        """Stop looking at examples whose variables lie at a bound that they press against."""
        up, low = self._violations(self.alive, self.live_scores[self.place[self.alive]])
        idle = ~((up > low.min()) | (low < up.max()))
        busy = np.zeros(len(self.columns), dtype=bool)
        busy[self.place[self.alive[~idle]]] = True
        if busy.sum() < _ASIDE * len(self.columns):
            columns = self.columns[busy]
            self._catch_up()
            self._watch(columns)
            self.set = self.set[self.place[self.set] >= 0]

    def _catch_up(self) -> None:
        """Bring the scores of the examples that were set aside up to date."""
        self.scores[self.columns] = self.live_scores
        if len(self.columns) == len(self.gram):
            return
        aside = np.setdiff1d(np.arange(len(self.gram)), self.columns, assume_unique=True)
        step = self._by_example(self.beta - self.reference)
        moved = np.flatnonzero(step)
        if moved.size:
            self.scores[aside] += self.gram.product(aside, moved, step[moved])
        self.reference = self.beta.copy()

    def _take_back(self, tolerance: float) -> bool:
        """Look again at the examples set aside that violate the conditions; whether there are any."""
        self._catch_up()
        up, low = self._violations(np.arange(len(self.dual.target)), self.scores[self.dual.row])
        if up.max() - low.min() <= tolerance:
            return False
        alive_up, alive_low = self._violations(self.alive, self.live_scores[self.place[self.alive]])
        middle = 0.5 * (alive_up.max() + alive_low.min())
        hot = (up > middle) | (low < middle)
        if not hot[self.place < 0].any():
            return False
        hot[self.alive] = True
        self._watch(np.unique(self.dual.row[hot]))
        return True

    def _by_example(self, values: Floats) -> Floats:
        """The sum of each example's variables."""
        sums = np.bincount(self.dual.row, values, minlength=len(self.gram))
        return sums.astype(np.float64, copy=False)

    def _add_up(self) -> None:
        weights = self._by_example(self.beta)
        some = np.flatnonzero(weights)
        self.live_scores[:] = 0.0
        step = self.size
        for start in range(0, len(some), step):
            part = some[start : start + step]
            self.kept.add(self.kept.slots(part), weights[part], self.live_scores)

    def _refuse_inseparable(self) -> None:
        """With unbounded variables: a combination of the classes that nearly coincides rules a margin out."""
        total = float(np.abs(self.beta).sum())
        if total == 0.0:
            return
        weights = self._by_example(self.beta)
        square = float(weights[self.columns] @ self.live_scores)
        if square <= (_NO_MARGIN * total) ** 2 * float(self.gram.diagonal.max()):
            raise BadData(
                "No hyperplane separates the classes, so there is no hard margin. Give C a finite value."
            )

    def _found(self) -> Found:
        self._catch_up()
        up, low = self._violations(np.arange(len(self.dual.target)), self.scores[self.dual.row])
        high, least = float(up.max(initial=-np.inf)), float(low.min(initial=np.inf))
        return Found(
            self.beta, self.scores, high, least, self.steps, self.rounds, self.kept.computed
        )
