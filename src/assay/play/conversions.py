"""Six ways from an online run to one classifier, each with what its theorems promise.

A conversion plays the rows once, in their order, and returns a hypothesis that no later row changed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from assay.certificates.issue.stream import Order
from assay.errors import BadData, BadParameter, require
from assay.evidence.order_check import DECLARED, OrderCheck, status_of
from assay.evidence.spread_rows import SpreadExamples
from assay.guarantees.assumption import Assumption, Status
from assay.guarantees.decimals import decimal_ratio, decimal_text
from assay.guarantees.error_rates import DRAWN_AFRESH, error_guarantee
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.mistakes import mistake_guarantee
from assay.learners.common.sign_labels import plain
from assay.play.online import progressive_guarantee
from assay.play.rows_again import RowsAgain
from assay.play.runs import Run, runs
from assay.play.turns import Examples, Player
from assay.theory.generalization.online_to_batch import (
    BOUNDED_ON_SUPPORT,
    INDEPENDENT,
    large_gap_run_potential,
    online_to_batch_blocks_rows,
)
from assay.theory.needs import count, inside_unit
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number, exact
from assay.theory.tail.binomial import IID
from assay.theory.tail.union import split
from assay.types import Array, Floats


@dataclass(eq=False, repr=False, kw_only=True)
class Declared:
    """What is declared before a conversion looks at any row; `to_batch` says what each is."""

    delta: Number = 0.05
    accuracy: Number | None = None
    mistakes: int | None = None
    checkpoints: int = 100
    random_state: Any = None
    order: Order | None = None


@dataclass(eq=False, repr=False)
class Sample(Declared):
    """What a conversion works with: a fresh learner, the rows, and what was declared beforehand."""

    learner: Any
    examples: Examples
    labels: Array
    classes: Array

    def __len__(self) -> int:
        return len(self.labels)

    def player(self) -> Player:
        """The learner, ready to be asked and taught."""
        return Player(self.learner, self.classes)

    def errors(self, hypothesis: Any, start: int) -> int:
        """How often a hypothesis is wrong from some row on."""
        rest = hypothesis_answers(hypothesis, self.examples, start)
        return int(np.count_nonzero(rest != self.labels[start:]))

    @cached_property
    def _draw(self) -> tuple[Status, str] | None:
        """How it is known that the rows are independent draws: copies, and what their order tells."""
        seen = RowsAgain()
        seen.add(self.examples.rows, self.labels)
        repeats = seen.repeats()
        if repeats is not None and repeats.alarm:
            return "violated", repeats.evidence
        if self.order == "none":
            return "declared", DECLARED
        spread = SpreadExamples()
        spread.add((self.examples.rows, self.labels), len(self))
        check = spread.check()
        return None if check is None else (status_of(check), check)

    def drawn(self, theorem: str) -> list[Assumption]:
        """The conditions of a theorem on the draw of the rows, where anything is known of it."""
        named = [name for name in find_theorem(theorem).assumes if name in (IID, INDEPENDENT)]
        return [Assumption(name, *self._draw) for name in named] if self._draw else []

    def drawn_as_played(self) -> list[Assumption]:
        """The same for what holds of each next row, whether rows are independent draws or not."""
        known = self.drawn("progressive-validation")
        if any(isinstance(a.evidence, OrderCheck) and a.status == "violated" for a in known):
            return [Assumption(IID, "not asked")]
        return known

    def bounded(self, made: int) -> Assumption:
        """The declared mistake bound, and whether the run kept it."""
        if self.mistakes is not None and made > self.mistakes:
            seen = f"{made} mistakes were made, and at most {self.mistakes} were declared"
            return Assumption(BOUNDED_ON_SUPPORT, "violated", seen)
        return Assumption(BOUNDED_ON_SUPPORT, "declared", f"at most {self.mistakes} mistakes")


@dataclass(frozen=True)
class Converted:
    """A hypothesis, how many rows it took, and what is promised about it."""

    hypothesis: Any
    rows: int
    guarantees: list[Guarantee]
    stopped: bool = True


def hypothesis_answers(hypothesis: Any, examples: Examples, start: int = 0) -> Array:
    """The labels a hypothesis gives to the rows from some row on."""
    if isinstance(hypothesis, Vote) or (hasattr(hypothesis, "predict") and not examples.dicts):
        return np.asarray(hypothesis.predict(examples.block(start, len(examples))))
    return np.asarray(
        [hypothesis.predict_one(examples.named(i)) for i in range(start, len(examples))]
    )


def random_stopping(sample: Sample) -> Converted:
    """The hypothesis held at a time drawn uniformly, before any row was seen."""
    rows = len(sample)
    before = int(check_random_state(sample.random_state).randint(rows))
    player = sample.player()
    player.teach_rows(sample.examples, 0, before, sample.labels)
    hypothesis = player.hypothesis(sample.examples)
    errors = sample.errors(hypothesis, before)
    inputs = {"errors": errors, "rows": rows - before, "checkpoints": 1, "delta": sample.delta}
    guarantees = [_suffix(sample, inputs)]
    if sample.mistakes is not None:
        guarantees.append(
            error_guarantee(
                "online-to-batch-random-stopping",
                {"mistakes": sample.mistakes, "rows": rows},
                of="expected error",
                known=[sample.bounded(0), *sample.drawn("online-to-batch-random-stopping")],
            )
        )
    return Converted(hypothesis, before, guarantees)


def large_gap(sample: Sample) -> Converted:
    """The first hypothesis that is right often enough in a row, or the best one by its run."""
    best, chosen, made, stopped = math.inf, None, 0, False
    level = float(exact(sample.delta).low)
    for run in runs(sample.player(), sample.examples, sample.labels):
        made, length = run.mistakes, run.length
        if sample.accuracy is not None:
            wanted = large_gap_run_potential(made, sample.accuracy, sample.delta)
            stopped, length = length >= wanted, min(length, wanted)
        price = math.log((made + 1) * (made + 2) / level) / length if length else math.inf
        if stopped or chosen is None or price < best:
            best, chosen = price, (run, length, run.hypothesis())
        if stopped:
            break
    assert chosen is not None  # there is always a first run, be it empty
    run, length, hypothesis = chosen
    used = run.start + length if stopped else len(sample)
    return Converted(hypothesis, used, _gap_guarantees(sample, run, length, made, used), stopped)


def _gap_guarantees(sample: Sample, run: Run, length: int, made: int, used: int) -> list[Guarantee]:
    guarantees = []
    if length:
        inputs = {"run": length, "mistakes": run.mistakes, "delta": sample.delta}
        guarantees = [
            error_guarantee(theorem, inputs, observed="0", known=sample.drawn(theorem))
            for theorem in ("large-gap-exact", "online-to-batch-large-gap")
        ]
    if sample.accuracy is not None and sample.mistakes is not None:
        guarantees.append(
            mistake_guarantee(
                "large-gap-sample-size",
                {
                    "mistakes": sample.mistakes,
                    "accuracy": decimal_text(sample.accuracy),
                    "delta": decimal_text(sample.delta),
                },
                used,
                of="rows used",
                assumptions=(sample.bounded(made),),
                letter="m",
            )
        )
    return guarantees


def large_gap_average(sample: Sample) -> Converted:
    """The hypotheses held since the last mistake, with a vote for each row, once it lies far enough back."""
    if sample.accuracy is None:
        raise BadParameter(
            "accuracy must be declared for 'large-gap-average': hypotheses are kept until it is reached."
        )
    player, examples = sample.player(), sample.examples
    row, _ = player.row(examples)
    held = _Held(0, large_gap_run_potential(0, sample.accuracy, sample.delta))
    best, used = held, len(sample)
    for place, label in enumerate(sample.labels):
        if player.answers(examples, place, place + 1)[0] == label:
            held.keep(player, examples)
        else:
            made = held.mistakes + 1
            held = _Held(made, large_gap_run_potential(made, sample.accuracy, sample.delta))
        player.teach(
            row(place), plain(label)
        )  # also what was right: this learner goes on as it does
        if held.share < best.share:
            best = held
        if held.length == held.wanted:
            best, used = held, place + 1
            break
    if not best.length:
        alone = Vote([player.hypothesis(examples)], np.ones(1), sample.classes)
        return Converted(alone, used, [], False)
    shares = np.asarray(best.votes) / best.length
    vote = Vote(best.hypotheses, shares, sample.classes)
    inputs = {"run": best.length, "mistakes": best.mistakes, "delta": sample.delta}
    promises = _vote_guarantees(sample, "large-gap-average", inputs, "0", " since the last mistake")
    return Converted(vote, used, promises, best.length == best.wanted)


class _Held:
    """The hypotheses of one run without mistakes, and the length at which it is long enough."""

    def __init__(self, mistakes: int, wanted: int) -> None:
        self.mistakes, self.wanted, self.length = mistakes, wanted, 0
        self.hypotheses: list[Any] = []
        self.votes: list[int] = []

    def keep(self, player: Player, examples: Examples) -> None:
        """One vote more for what the learner predicts with now."""
        self.length += 1
        if self.votes and getattr(player.learner, "conservative", False):
            self.votes[-1] += 1  # nothing was learned since
            return
        self.hypotheses.append(player.hypothesis(examples))
        self.votes.append(1)

    @property
    def share(self) -> float:
        """What the run costs for each of its rows: the smaller, the better the promise."""
        return self.wanted / self.length if self.length else math.inf


def blocks(sample: Sample) -> Converted:
    """The hypothesis of the first of M equal blocks without a mistake, or the last one."""
    if sample.mistakes is None:
        raise BadParameter("mistakes must be declared for 'blocks': the learner's mistake bound.")
    most, size = count("mistakes", sample.mistakes, at_least=1), _block_size(sample)
    part = range(most * size)
    examples = Examples(sample.examples.block(0, len(part)))
    chosen, clean, made = None, False, 0
    for run in runs(sample.player(), examples, sample.labels[: len(part)]):
        made = run.mistakes
        # The first block that starts while this hypothesis is held.
        begins = math.ceil(run.start / size)
        clean = begins < most and (begins + 1) * size <= run.stop
        if clean or not run.ended:
            chosen = run.hypothesis()
            break
    inputs = {"mistakes": most, "rows": len(part), "delta": sample.delta}
    bounded = sample.bounded(made)
    known = [bounded, *sample.drawn("online-to-batch-blocks")]
    guarantees = [error_guarantee("online-to-batch-blocks", inputs, known=known)]
    if clean:
        exact_inputs = {"run": size, "hypotheses": most, "delta": sample.delta}
        known = [bounded, *sample.drawn("large-gap-exact")]
        clear = error_guarantee("large-gap-exact", exact_inputs, observed="0", known=known)
        guarantees.insert(0, clear)
    used = (begins + 1) * size if clean else len(part)
    return Converted(chosen, used, guarantees, clean)


def _block_size(sample: Sample) -> int:
    assert sample.mistakes is not None
    most, rows = sample.mistakes, len(sample)
    if sample.accuracy is None:
        needed, size = most, rows // most
    else:
        needed = online_to_batch_blocks_rows(most, sample.accuracy, sample.delta)
        size = needed // most
    if rows < needed:
        raise BadData(f"X must have at least {needed} rows for {most} blocks, but has {rows}.")
    return size


def longest_survivor(sample: Sample) -> Converted:
    """The hypothesis that was right most often in a row, judged on all rows after it."""
    chosen, made = None, 0
    for run in runs(sample.player(), sample.examples, sample.labels):
        made = run.mistakes
        if chosen is None or run.length > chosen[0].length:
            chosen = run, run.hypothesis()
    assert chosen is not None
    run, hypothesis = chosen
    rest = len(sample) - run.start
    half, other = split(exact(sample.delta).low, 2)  # two promises that fail each for itself
    guarantees = []
    if rest:
        errors = sample.errors(hypothesis, run.start)
        inputs = {"errors": errors, "rows": rest, "mistakes": run.mistakes, "delta": half}
        guarantees.append(_suffix(sample, inputs))
    guarantees.append(progressive_guarantee(made, len(sample), other, sample.drawn_as_played()))
    return Converted(hypothesis, len(sample), guarantees)


def average(sample: Sample) -> Converted:
    """All hypotheses held at the checkpoints, with one vote for each row they predicted."""
    parts = min(count("checkpoints", sample.checkpoints, at_least=2), len(sample))
    if parts < 2:
        raise BadData("X must have at least 2 rows for 'average', but has 1.")
    edges = [len(sample) * j // parts for j in range(parts + 1)]
    player, examples = sample.player(), sample.examples
    player.teach_rows(examples, 0, edges[1], sample.labels)  # the first part only teaches
    hypotheses, votes, errors = [], [], 0
    for start, stop in itertools.pairwise(edges[1:]):
        hypotheses.append(player.hypothesis(examples))
        votes.append(stop - start)
        answers = player.answers(examples, start, stop)
        errors += int(np.count_nonzero(answers != sample.labels[start:stop]))
        player.teach_rows(examples, start, stop, sample.labels)
    judged = sum(votes)
    vote = Vote(hypotheses, np.asarray(votes) / judged, sample.classes)
    inputs = {"errors": errors, "rows": judged, "delta": sample.delta}
    seen = decimal_ratio(errors, judged)
    promises = _vote_guarantees(sample, "progressive-validation", inputs, seen)
    return Converted(vote, len(sample), promises)


def _vote_guarantees(
    sample: Sample, theorem: str, inputs: dict[str, Any], seen: str, since: str = ""
) -> list[Guarantee]:
    """Three promises of one event: they fail together."""
    known = sample.drawn(theorem)
    by_vote = sample.drawn(f"{theorem}-vote")
    return [
        error_guarantee(f"{theorem}-vote", inputs, of="error of the vote", known=by_vote),
        error_guarantee(
            theorem,
            inputs,
            of="mean absolute loss of predict_proba",
            formula="E[1 - proba_D(y)]",
            observed=seen,
            known=known,
        ),
        error_guarantee(
            theorem,
            inputs,
            of=f"mean error of the hypotheses as they were played{since}",
            formula="mean_t err_D(h_t)",
            certified=DRAWN_AFRESH,
            observed=seen,
            known=known,
        ),
    ]


class Vote:
    """Several hypotheses, each with its share of the votes."""

    def __init__(self, hypotheses: list[Any], shares: Floats, classes: Array) -> None:
        self.hypotheses, self.shares, self.classes = hypotheses, shares, classes

    def predict_proba(self, X: Any) -> Floats:
        """The share of the votes for every class, in the order of the classes."""
        examples = Examples(X)
        shares = np.zeros((len(examples), len(self.classes)))
        for hypothesis, share in zip(self.hypotheses, self.shares, strict=True):
            answers = hypothesis_answers(hypothesis, examples)
            if answers.dtype == object:  # before anything was learned the first class is predicted
                answers = np.array([self.classes[0] if a is None else a for a in answers])
            shares[np.arange(len(examples)), np.searchsorted(self.classes, answers)] += share
        return shares

    def predict(self, X: Any) -> Array:
        """The class with the most votes."""
        return np.asarray(self.classes[self.predict_proba(X).argmax(axis=1)])


def _suffix(sample: Sample, inputs: dict[str, Any]) -> Guarantee:
    seen = decimal_ratio(inputs["errors"], inputs["rows"])
    known = sample.drawn("suffix-holdout")
    return error_guarantee("suffix-holdout", inputs, observed=seen, known=known)


CONVERSIONS: dict[str, Callable[[Sample], Converted]] = {
    "random-stopping": random_stopping,
    "large-gap": large_gap,
    "large-gap-average": large_gap_average,
    "blocks": blocks,
    "average": average,
    "longest-survivor": longest_survivor,
}


def checked(sample: Sample) -> Sample:
    """Refuse what was declared wrongly, before anything is played."""
    inside_unit("delta", sample.delta)
    if sample.accuracy is not None:
        inside_unit("accuracy", sample.accuracy)
    if sample.mistakes is not None:
        count("mistakes", sample.mistakes)
    require(sample.order in (None, "none"), "order", "'none', or left out", sample.order)
    return sample
