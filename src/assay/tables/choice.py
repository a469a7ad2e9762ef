"""Which learner to take: structural risk minimisation on the training rows, and nothing else.

The training rows are split once more. Candidates learn from most of them, and their errors on the others are
weighed with the length of their names: the promise at delta times 2 to the minus that length is what counts, and
all promises hold at once, since the code is prefix-free. Losers stop early (`assay.tables.halving`, which says why
the promise of the winner holds all the same), and where few rows judge, further splits of the same rows help to
choose. The winner then learns from all training rows. The holdout is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from assay.certificates.issue.distinct_rows import Overlap
from assay.errors import BadData, Words
from assay.tables.candidates import Candidate, Shape, candidates_for, named_candidates
from assay.tables.divide import Divided
from assay.tables.halving import TIME_LIMIT, Judge, Runner, Split, race
from assay.tables.holdout import judging_rows
from assay.tables.quantity import ByAbsoluteError
from assay.tables.rows import Features
from assay.tables.source import Source
from assay.theory.rounding import Number
from assay.theory.tail.exact_twins import occam_exact
from assay.theory.tail.union import split as shares
from assay.types import Array

#: What part of the training rows judges the candidates.
JUDGING = 0.25
#: How delta is shared between the holdout's promise and that of the choice.
SHARES = (9, 1)
_NAME_ONE = ("Name one", Words(" as learner", " with {}", "learner"), ".")


@dataclass(frozen=True)
class Tried:
    """A candidate, and how it did: errors among so many judging rows, and what that promises.

    Of a quantity there are no errors, but how far `off` it was on average.
    """

    candidate: Candidate
    errors: int | None
    rows: int
    promised: float | None
    seconds: float
    remark: str = ""
    cut: bool = False
    off: float | None = None

    @property
    def judged(self) -> bool:
        """Whether it was judged to the end."""
        return self.errors is not None or self.off is not None


@dataclass(frozen=True)
class Choice:
    """All candidates, the one chosen, and the share of delta that was paid.

    Attributes
    ----------
    tried : tuple of Tried
        All words of the code, whether there was time for them or not.
    chosen : Tried
        The one with the least weight in the end.
    delta : str
        The share of delta that all of them share.
    time_limit : float
        Seconds of learning that the choice could take.
    splits : int
        On how many splits of the training rows the last ones were compared.
    """

    tried: tuple[Tried, ...]
    chosen: Tried
    delta: str
    time_limit: float = TIME_LIMIT
    splits: int = 1

    @property
    def candidate(self) -> Candidate:
        """The one chosen."""
        return self.chosen.candidate

    @property
    def cut(self) -> tuple[Candidate, ...]:
        """Those that there was no time to try to the end."""
        return tuple(one.candidate for one in self.tried if one.cut)

    @property
    def notes(self) -> tuple[str, ...]:
        """How many there was no time for, in a sentence."""
        if not self.cut:
            return ()
        return (
            f"The time limit of {self.time_limit:g} s was reached before {len(self.cut):,} of {len(self.tried):,} "
            f"candidates were tried to the end.",
        )


@dataclass(frozen=True)
class ByErrors:
    """Candidates weighed by their errors and the length of their names."""

    share: str

    def cost(self, predicted: Array, y: Array) -> float:
        """How many predictions are wrong."""
        return float(np.count_nonzero(predicted != y))

    def weight(self, cost: float, rows: int, bits: int) -> float:
        """What so many errors on so many fresh rows would promise."""
        return occam_exact(int(cost), rows, bits, self.share)


def choose(
    divided: Divided,
    source: Source,
    *,
    overlap: Overlap = "drop",
    delta: Number = 0.05,
    seed: int = 0,
    candidates: Sequence[Candidate] | None = None,
    learners: Sequence[str] = (),
    time_limit: float = TIME_LIMIT,
    progress: Callable[[str], None] | None = None,
) -> Choice:
    """Choose a learner on some rows of a table.

    Parameters
    ----------
    divided, source : Divided, Source
        The table and its training rows.
    overlap : {"drop", "keep", "refuse"}
        As in `assay.fit_table`.
    delta : number
        The probability that any promise of the certificate fails; a tenth is paid for the choice.
    seed : int
        What the splits and the learners draw by.
    candidates : sequence of Candidate, optional
        With names in a prefix-free code, fixed before the judging rows are seen; those that suit the shape of the
        learning rows if not given.
    learners : sequence of str
        Choose among the settings of these only.
    time_limit : float
        Seconds of learning and predicting, compiling apart.
    progress : callable, optional
        Called with what is being tried.
    """
    _, share = shares(delta, SHARES)
    loaded, rows = divided.loaded, divided.rows
    if len(rows) < 4:
        raise BadData(
            f"{loaded.name} has {len(rows)} training rows, too few to choose a learner by. ",
            *_NAME_ONE,
        )
    splits = _Splits(divided, source, seed, overlap)
    first = splits(0)
    assert first is not None
    learning, features = first.learning, first.features
    classes, quantity = len(np.unique(learning.y)), loaded.task == "quantity"
    if classes < 2:
        raise BadData(
            f"{loaded.name} has too few rows of more than one {'number' if quantity else 'class'} to choose a learner "
            f"by. ",
            *_NAME_ONE,
        )
    if candidates is None:
        shape = Shape(len(loaded.columns), classes, features.texts, loaded.task)
        candidates = named_candidates(learners, shape) if learners else candidates_for(shape)
    assert sum(Fraction(1, 2**one.bits) for one in candidates) <= 1
    features.require_readable(
        (learning, first.judging), candidates[0].learner, candidates[0].make(seed)
    )
    tell = progress or (lambda sentence: None)
    tell(f"{len(candidates)} candidates, for at most {time_limit:g} s of learning")
    judge: Judge = ByAbsoluteError() if quantity else ByErrors(share)
    runners, winner = race(candidates, splits, judge, seed=seed, limit=time_limit, tell=tell)
    judged = len(first.judging)
    tried = {id(one): _tried(one, judged, share, quantity) for one in runners}
    if winner is None:
        raise BadData(f"No learner could learn {loaded.name}: {runners[0].remark}")
    listed = tuple(tried.values())
    compared = max(1, round(winner.rows / judged))
    return Choice(listed, tried[id(winner)], share, time_limit, compared)


class _Splits:
    """Training rows divided into those that learn and those that judge, in several ways, each made when asked for."""

    def __init__(self, divided: Divided, source: Source, seed: int, overlap: Overlap) -> None:
        self._divided, self._source, self._seed, self._overlap = divided, source, seed, overlap
        self._made: dict[int, Split] = {}
        self._judging: list[bytes] = []

    def __call__(self, number: int) -> Split | None:
        if number not in self._made:
            made = self._split(number)
            if made is None:
                return None
            # The splits before are not asked for again.
            self._made = {number: made}
        return self._made[number]

    def _split(self, number: int) -> Split | None:
        loaded, rows = self._divided.loaded, self._divided.rows
        sides = judging_rows(
            self._divided.digests,
            share=JUDGING,
            seed=self._seed + 1 + number,
            overlap=self._overlap,
            unit=None if loaded.unit is None else loaded.unit[rows],
            order=self._divided.order,
        )
        judging = sides[1].tobytes()
        if judging in self._judging:
            return None
        self._judging.append(judging)
        learning, judged = (self._divided.part(self._overlap, side) for side in sides)
        return Split(learning, judged, Features(loaded, self._source, learning, self._seed))


def _tried(runner: Runner, rows: int, share: str, quantity: bool) -> Tried:
    """What became of a candidate; only what was judged to the end on the first split has numbers."""
    one, remark = runner.candidate, runner.remark
    if runner.cut:
        remark = "not tried to the end: time was up"
    if runner.first is None:
        return Tried(one, None, rows, None, 0.0, remark, runner.cut)
    if quantity:
        off = runner.first / rows
        return Tried(one, None, rows, None, runner.seconds, remark, runner.cut, off)
    errors = int(runner.first)
    promised = occam_exact(errors, rows, one.bits, share)
    return Tried(one, errors, rows, promised, runner.seconds, remark, runner.cut)
