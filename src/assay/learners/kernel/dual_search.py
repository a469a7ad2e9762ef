r"""The dual of the support vector machines, solved by working sets.

Minimise :math:`\tfrac12\beta^\top K\beta-t^\top\beta` subject to :math:`\sum\beta_i=0` and
:math:`l\le\beta\le u`. A classifier has one variable an example, :math:`\beta_i=y_i\alpha_i` and
:math:`t_i=y_i`; a regressor has two.

A variable's violation is :math:`v_i=t_i-(K\beta)_i`. At the minimum some number b has :math:`v_i\le b` wherever
:math:`\beta_i` may grow and :math:`v_i\ge b` wherever it may fall; by how much this fails is the KKT gap, and the
search ends when it is within the tolerance. Each round takes the examples that violate it most, solves for them
alone, by smaller working sets in turn, and updates the scores of all others from rows of the Gram matrix that are
computed by one product and kept.
Examples that no pair could move any more are set aside, and looked at again before the search ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.errors import BadData
from assay.learners.kernel.block_search import choose, solve_block, violations
from assay.learners.kernel.gram import Gram
from assay.learners.kernel.kept_rows import KeptRows
from assay.types import Floats, Ints

# Variables in a working set: all where there are few, or where rows are kept for other searches, too. Else this share
# of them within these bounds, so that the square of kernel values is small beside all of them, and at most twice as
# many as violate the conditions. Half of them stay for the next round.
_LARGEST = 2048
_LEAST = 512
_PART = 0.35
# A working set is solved until its own gap is this share of the gap of all.
_SHARE = 0.1
# Setting examples aside pays only if so many go that shorter rows make up for moving the kept ones and for the
# scores that are computed anew in the end; searches of fewer rounds end sooner without.
_ASIDE = 0.5
_SMALLEST = 2000
_EVERY = 16
# Rounds without a smaller gap before the search gives up, and how often scores are added up anew.
_PATIENCE = 50
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
    impossible : str
        What it means where nothing holds the variables and they run away.
    """

    target: Floats
    lower: Floats
    upper: Floats
    row: Ints
    impossible: str = "No hyperplane separates the classes, so there is no hard margin."


@dataclass(frozen=True)
class Optimum:
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
) -> Optimum:
    """Search for the minimum, from zero or from a start of variables and their scores.

    `room` is how many bytes of rows are kept, and `kept` are rows to go on with.
    """
    with gram.threaded(len(gram) * min(len(gram), _LARGEST)):
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
        self.shared = kept is not None
        self.kept = KeptRows(gram, room) if kept is None else kept
        everything = n <= _LARGEST or (self.shared and self.kept.roomy)
        self.most = many if everything else max(_LEAST, min(_LARGEST, int(_PART * n)))
        self.unbounded = bool(np.isinf(dual.upper).any() or np.isinf(dual.lower).any())
        self._watch(self.kept.columns)

    def _watch(self, columns: Ints) -> None:
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

    def run(self, tolerance: float, most_steps: int, shrinking: bool) -> Optimum:
        limit = np.inf if most_steps < 0 else most_steps
        best, waited, added_up = np.inf, 0, 0
        exact = self.rounds == 0  # whether the scores are sums made in one go
        while True:
            up, low = self._violations()
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
                    return self._ended()
                continue
            moved = self._round(up, low, gap, tolerance, limit - self.steps)
            exact = exact and not moved
            waited = waited if moved else _PATIENCE + 1
            if shrinking and self.rounds % _EVERY == 0 and len(self.columns) > _SMALLEST:
                self._set_aside()

    def _violations(self) -> tuple[Floats, Floats]:
        """Of the variables that are looked at."""
        return violations(self._part(self.alive), self.beta[self.alive], self.live_scores)

    def _all_violations(self) -> tuple[Floats, Floats]:
        return violations(self.dual, self.beta, self.scores)

    def _part(self, chosen: Ints) -> Dual:
        """The problem of some variables, their examples being numbered as the columns are."""
        dual = self.dual
        return Dual(dual.target[chosen], dual.lower[chosen], dual.upper[chosen], self.place[chosen])

    def _round(self, up: Floats, low: Floats, gap: float, tolerance: float, steps: float) -> bool:
        """Choose a working set and solve it; whether anything moved."""
        self.rounds += 1
        chosen = self._choose(up, low)
        part = self._part(chosen)
        places, row = np.unique(part.row, return_inverse=True)
        rows, everyone = self.columns[places], len(chosen) == len(self.dual.target)
        beta, scores = self.beta[chosen], self.live_scores[places]
        self.steps += solve_block(
            replace(part, row=row),
            self.kept.square(rows),
            self.gram.diagonal[rows],
            beta,
            scores,
            tolerance=0.5 * tolerance if everyone else max(0.5 * tolerance, _SHARE * gap),
            most_steps=steps,
        )
        step = beta - self.beta[chosen]
        self.beta[chosen] = beta
        sums = np.bincount(row, step).astype(np.float64, copy=False)
        moved = np.flatnonzero(sums)
        if moved.size:
            self.kept.add(rows[moved], sums[moved], self.live_scores)
        return bool(step.any())

    def _choose(self, up: Floats, low: Floats) -> Ints:
        """The places of the variables that violate the conditions most, beside half of those of the last round."""
        if self.most == len(up):
            return self.alive
        violating = int((up > low.min()).sum() + (low < up.max()).sum())
        size = min(self.most, max(_LEAST, 2 * violating))
        self.set = self.alive[choose(up, low, np.searchsorted(self.alive, self.set), size)]
        return self.set

    def _set_aside(self) -> None:
        """Stop looking at examples whose variables lie at a bound that they press against."""
        up, low = self._violations()
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
        up, low = self._all_violations()
        if up.max() - low.min() <= tolerance:
            return False
        alive_up, alive_low = self._violations()
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
        # A last look is no reason to keep a row, unless the rows are for other searches, too.
        self.kept.add(some, weights[some], self.live_scores, keep=self.shared)

    def _refuse_inseparable(self) -> None:
        """With unbounded variables: a combination of examples that nearly vanishes, and gains, has no bound."""
        total = float(np.abs(self.beta).sum())
        if total == 0.0 or float(self.dual.target @ self.beta) <= 0.0:
            return
        weights = self._by_example(self.beta)
        square = float(weights[self.columns] @ self.live_scores)
        if square <= (_NO_MARGIN * total) ** 2 * float(self.gram.diagonal.max()):
            raise BadData(f"{self.dual.impossible} Give C a finite value.")

    def _ended(self) -> Optimum:
        self._catch_up()
        up, low = self._all_violations()
        high, least = float(up.max(initial=-np.inf)), float(low.min(initial=np.inf))
        return Optimum(
            self.beta, self.scores, high, least, self.steps, self.rounds, self.kept.computed
        )
