"""Successive halving: all candidates on few rows or few splits, the better ones on more, the best on all.

What is learned here is which candidates to drop, never what may be promised of the one that is left. That is
promised by its errors on all judging rows of the first split, at the share of delta that its own code word has:

    Given the rows that learn, each candidate's hypothesis on the first split is fixed, and the judging rows are
    independent of it. So with probability 1 - delta all bounds hold at once, one for each word of the code,
    whether its candidate was tried or not (Kraft, and the union bound). On that event the bound of whichever
    candidate is left holds, however it came to be left: by its errors, by errors on part of the judging rows, on
    other splits of the same rows, or by the clock.

A candidate whose errors on the first split are not known to the end is never chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from assay.errors import AssayError
from assay.tables.candidates import Candidate, learned
from assay.tables.rehearsal import few_rows, rehearse
from assay.tables.rows import Features, Part, some_rows
from assay.tables.stopwatch import Stopwatch
from assay.types import Array

# A first look takes a sixteenth of the learning rows, then a quarter, as long as so many are left.
_FEWEST_ROWS = 500
# So many judged rows are enough to drop the worse half, and so many to decide among the last ones.
_FIRST_LOOK, _LAST_LOOK = 200, 800
_MOST_SPLITS = 6
#: Seconds of learning, unless another limit is given.
TIME_LIMIT = 60.0
# In early stages so many rows judge, or as many as were learned from.
_JUDGED_EARLY = 2000
# Looks at part of the rows may take such a part of the time.
_EARLY = 0.5
# So many candidates go on to the last look at least.
_FINALISTS = 4


class Judge(Protocol):
    """How predictions are judged: by errors, or by how far they are off."""

    def cost(self, predicted: Array, y: Array) -> float:
        """What these predictions cost, summed over rows."""

    def weight(self, cost: float, rows: int, bits: int) -> float:
        """By what candidates are compared: the less, the better."""


@dataclass(frozen=True)
class Split:
    """Training rows divided once more: those that learn, those that judge, and the features the first give."""

    learning: Part
    judging: Part
    features: Features


@dataclass(frozen=True)
class Stage:
    """Whoever is left learns so many rows of a split, and then so many are left."""

    split: int
    rows: int
    keep: int


@dataclass
class Runner:
    """A candidate in the race.

    Attributes
    ----------
    candidate : Candidate
        It.
    cost, rows : float, int
        Over the splits judged since it learned from as many rows as now.
    learned_rows : int
        How many rows it learned from last.
    first : float or None
        Its cost on all judging rows of the first split, where it learned from all learning rows.
    seconds : float
        How long learning took.
    spent : float
        How long learning and predicting took, the last time.
    remark : str
        Why it is out.
    cut : bool
        Whether it is out because time was up.
    """

    candidate: Candidate
    cost: float = 0.0
    rows: int = 0
    learned_rows: int = 0
    first: float | None = None
    seconds: float = 0.0
    spent: float = 0.0
    remark: str = ""
    cut: bool = False


def stages(candidates: int, learning: int, judging: int) -> list[Stage]:
    """What is tried in which order: it depends on how many there are of everything, and on nothing else.

    Examples
    --------
    >>> [(one.split, one.rows, one.keep) for one in stages(18, 16000, 5000)]
    [(0, 1000, 6), (0, 4000, 4), (0, 16000, 4)]
    >>> [(one.split, one.keep) for one in stages(18, 150, 50)]
    [(0, 18), (1, 18), (2, 18), (3, 6), (4, 6), (5, 6)]
    """
    listed, left = [], candidates
    for part in (16, 4):
        if learning // part >= _FEWEST_ROWS:
            left = _fewer(left)
            listed.append(Stage(0, learning // part, left))
    splits = min(_MOST_SPLITS, max(1, -(-_LAST_LOOK // judging)))
    early = min(splits, -(-_FIRST_LOOK // judging)) - 1
    for split in range(splits):
        if split == early:
            left = _fewer(left)
        listed.append(Stage(split, learning, left))
    return listed


def _fewer(many: int) -> int:
    return min(many, max(_FINALISTS, -(-many // 3)))


def race(
    candidates: Sequence[Candidate],
    splits: Callable[[int], Split | None],
    judge: Judge,
    *,
    seed: int,
    limit: float,
    tell: Callable[[str], None],
) -> tuple[list[Runner], Runner | None]:
    """Let candidates race: all of them in their order, and the winner, if anyone can learn at all.

    Parameters
    ----------
    candidates : sequence of Candidate
        Who runs.
    splits : callable
        The split of a number; None where there is no further one.
    judge : Judge
        How they are judged.
    seed : int
        What learners and subsets of rows are drawn by.
    limit : float
        Seconds of learning and predicting after which nothing is begun but what a winner takes.
    tell : callable
        Is told what is being tried.
    """
    first = splits(0)
    assert first is not None
    runners = [Runner(one) for one in candidates]
    left = [one for one in runners if _is_able(one, first, seed, limit)]
    able = [one.candidate for one in left]
    rehearse(few_rows(able, first.learning, first.features, seed), tell)
    used = 0.0
    for stage in stages(len(left), len(first.learning), len(first.judging)):
        split = splits(stage.split)
        coming = sum(one.spent for one in left)
        if split is None or (stage.split > 0 and used + coming > limit):
            break  # further splits refine the choice: all who are left are judged on one, or nobody
        running, left = left, []
        # Early looks leave time for those that come last.
        share = _EARLY if stage.rows < len(first.learning) else 1.0
        for runner in running:
            growth = stage.rows / runner.learned_rows if runner.learned_rows else 1.0
            if left and used + growth * runner.spent >= limit * share:
                runner.cut = True
                continue
            tell(f"{runner.candidate} from {stage.rows:,} rows")
            if _run(runner, split, stage, judge, seed):
                used += runner.spent
                left.append(runner)
        left.sort(key=lambda one: judge.weight(one.cost, one.rows, one.candidate.bits))
        left, dropped = left[: stage.keep], left[stage.keep :]
        for runner in dropped:
            runner.remark = f"stopped early, after {runner.learned_rows:,} rows"
    return runners, left[0] if left else None


def _is_able(runner: Runner, split: Split, seed: int, limit: float) -> bool:
    """Whether a table is small enough for a candidate; more time makes larger ones small enough."""
    rows = len(split.learning)
    try:
        width = split.features.width(runner.candidate.make(seed))
    except AssayError as refusal:
        runner.remark = f"left out: {refusal}"
        return False
    if runner.candidate.too_large(rows, width, max(1.0, limit / TIME_LIMIT)):
        runner.remark = f"left out: too slow for {rows:,} rows of {width:,} features"
        return False
    return True


def _run(runner: Runner, split: Split, stage: Stage, judge: Judge, seed: int) -> bool:
    """Learn and be judged; what it cannot learn puts it out."""
    rows = some_rows(split.learning.y, stage.rows, seed)
    judged = some_rows(split.judging.y, max(stage.rows, _JUDGED_EARLY), seed)
    if stage.rows == len(split.learning):
        judged = np.arange(len(split.judging))
    one = runner.candidate
    model = one.make(seed)
    try:
        X = split.features.matrix(split.learning, one.learner, model, one.scaling)[rows]
        Z = split.features.matrix(split.judging, one.learner, model, one.scaling)[judged]
        watch = Stopwatch()
        learned(model, one.learner, X, split.learning.y[rows], split.learning.name)
        runner.seconds = watch.seconds
        predicted = model.predict(Z)
        runner.spent = watch.seconds
    except AssayError as refusal:
        runner.remark = f"left out: {refusal}"
        return False
    cost = judge.cost(predicted, split.judging.y[judged])
    if stage.rows != runner.learned_rows:
        runner.cost, runner.rows = 0.0, 0
    runner.learned_rows = stage.rows
    runner.cost, runner.rows = runner.cost + cost, runner.rows + len(judged)
    if stage.split == 0 and stage.rows == len(split.learning):
        runner.first = cost
    return True
