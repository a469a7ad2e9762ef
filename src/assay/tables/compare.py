"""Learners side by side on one table: error, certificate, time and memory, delta shared by all of them."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from assay.certificates.certificate import Certificate
from assay.certificates.issue.certify import certify_evidence
from assay.certificates.issue.distinct_rows import Overlap, require_overlap
from assay.certificates.issue.quantity_claims import AskedQuantity, counted_within
from assay.certificates.ledger.ledger import Entry, Ledger
from assay.errors import AssayError, BadData, BadParameter
from assay.evidence.evidence import Evidence
from assay.evidence.tally import wrong_rows
from assay.guarantees.decimals import delta_text
from assay.tables.candidates import CANDIDATES, REGRESSORS, Candidate, first_settings, learned, make
from assay.tables.divide import Divided, commonest_of, divide, how_drawn, labels_of, require_two
from assay.tables.holdout_size import size_asked
from assay.tables.left_out import leave_out, without_row_names
from assay.tables.looks import charge, paid_for
from assay.tables.memory import memory_used
from assay.tables.odd_columns import ColumnTold
from assay.tables.pairs import Behind, Judged, behind, certify_every_pair
from assay.tables.quantity import (
    asked_quantity,
    finite,
    median_of,
    promised_of,
    require_in_range,
    require_no_quantity,
    require_promised,
)
from assay.tables.rehearsal import few_rows, rehearse
from assay.tables.row_order import Order, require_order
from assay.tables.rows import Features, Part
from assay.tables.source import Source, load_rows
from assay.tables.stopwatch import Stopwatch
from assay.tables.task import AskedTask, Task, asked_task, require_suited
from assay.theory.rounding import Number
from assay.types import Bools

#: Who is compared when nobody is named: those that ``auto`` chooses among, and the perceptron.
COMPARED = (
    *(replace(one, scaling=None) for one in first_settings(CANDIDATES)),
    Candidate("perceptron", 5),
)
#: Who is compared where a quantity is predicted.
COMPARED_REGRESSORS = first_settings(REGRESSORS)


@dataclass(frozen=True)
class Compared:
    """One learner: what it got wrong, what may be promised, and what it took.

    Attributes
    ----------
    learner : str
        Its registered name.
    errors : int or None
        How many of the held-out rows it got wrong; None where it could not learn.
    certificate : Certificate or None
        At its share of delta, so that all certificates of the comparison hold at once.
    seconds : float or None
        To fit.
    memory : int or None
        Bytes by which the process grew while it was fitted.
    remark : str
        Why there are no numbers.
    evidence : Evidence or None
        What was seen of it on the held-out rows.
    wrong : array of bool, or None
        Which of them it got wrong, where that is counted.
    """

    learner: str
    errors: int | None = None
    certificate: Certificate | None = None
    seconds: float | None = None
    memory: int | None = None
    remark: str = ""
    evidence: Evidence | None = field(default=None, repr=False)
    wrong: Bools | None = field(default=None, repr=False, compare=False)

    @property
    def off(self) -> float | None:
        """How far off it is on average, where a quantity was predicted."""
        numbers = None if self.evidence is None else self.evidence.quantities
        return None if numbers is None else numbers.mean_absolute


@dataclass(frozen=True)
class Comparison:
    """All learners, the smallest promise first.

    Attributes
    ----------
    rows : tuple of Compared
        The learners.
    train_rows, holdout_rows : int
        How many rows were learned from and tested on.
    commonest : tuple
        The commonest class of the training rows, and how many held-out rows are of another; of a quantity the
        median, and how far off it is on average.
    source, holdout_source : Source
        The tables.
    delta : number
        The probability that any of the certificates fails.
    drawn : str
        How the holdout was drawn.
    repeated : int
        How many held-out rows are not counted, since they repeat another row.
    notes : tuple of str
        What else there is to know.
    entry : Entry or None
        The look that was charged to a ledger; one for all learners.
    columns_told : tuple of ColumnTold
        Columns that were left out or look odd.
    unlabelled : int
        How many rows of the table have no label, and were left out.
    quantity : AskedQuantity or None
        What is promised of a quantity; None where classes are predicted.
    differences : Certificate or None
        The difference of every pair of learners, both ways; None where there is no pair, where errors are not counted,
        and with a ledger.
    """

    rows: tuple[Compared, ...]
    train_rows: int
    holdout_rows: int
    commonest: tuple[Any, float]
    source: Source
    holdout_source: Source | None
    delta: Number
    drawn: str
    repeated: int = 0
    notes: tuple[str, ...] = ()
    entry: Entry | None = None
    columns_told: tuple[ColumnTold, ...] = ()
    unlabelled: int = 0
    quantity: AskedQuantity | None = None
    differences: Certificate | None = None

    @property
    def best(self) -> Compared | None:
        """The learner with the smallest promise; None where nothing is promised of any."""
        first = self.rows[0]
        promised = first.certificate is not None and first.certificate.claims[0].applies
        return first if promised else None

    @property
    def behind(self) -> list[Behind]:
        """By how much each other learner is behind the best, as far as may be promised of all at once."""
        known = self.differences is not None and self.best is not None
        return behind(self.differences, self.best.learner) if known else []  # type: ignore[arg-type, union-attr]

    @property
    def task(self) -> str:
        """What is predicted: ``"classes"`` or a ``"quantity"``."""
        return "classes" if self.quantity is None else "quantity"


def compare_table(
    data: Any,
    target: str | None = None,
    *,
    learners: Sequence[str] = (),
    holdout: float | int | str = 0.2,
    holdout_file: Any = None,
    delta: Number = 0.05,
    random_state: int = 0,
    columns: Sequence[str] | None = None,
    drop: Collection[str] = (),
    categories: Collection[str] = (),
    numbers: Collection[str] = (),
    format: str | None = None,
    overlap: Overlap = "drop",
    unit: str | None = None,
    time: str | None = None,
    keep: Collection[str] = (),
    after_event: Collection[str] = (),
    order: Order | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    task: AskedTask = "auto",
    coverage: Number | None = None,
    within: Number | None = None,
    range: Sequence[Number] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Comparison:
    """Fit several learners to the same rows, and certify each on the same holdout.

    Every learner gets an equal share of half of `delta`, and every pair of them, both ways, one of the other half. So
    all promises hold at once: the best may be taken after looking at all of them, and so may any difference. Where
    there are no differences (one learner alone, a quantity without `within`, a ledger) the errors share all of it.

    Parameters
    ----------
    data, target, holdout, holdout_file, random_state, columns, drop, categories, numbers, format, overlap
        As in `fit_table`.
    unit, time, keep, after_event, order, ledger, task, coverage, within, range, progress
        As there, too.
    learners : sequence of str, optional
        Names of learners; a choice of them if not given.
    delta : float or decimal text, default=0.05
        The probability that any of the promises fails.

    Returns
    -------
    Comparison
    """
    tell = progress or (lambda sentence: None)
    delta = delta_text(delta)
    _require_once(learners)
    numeric = asked_quantity(coverage, within, range)
    require_overlap(overlap)
    source = Source.of(
        data,
        target,
        columns=columns,
        drop=drop,
        categories=categories,
        numbers=numbers,
        format=format,
        unit=unit,
        time=time,
        keep=keep,
        after_event=after_event,
        task=asked_task(task, learners),
    )
    apart = None if holdout_file is None else source.beside(holdout_file)
    size = size_asked(holdout, time, apart=apart is not None)
    require_order(order, size, time)
    tell(f"Reading {source.path}")
    loaded = load_rows(source)
    where = "the target" if target is None else f"column {target!r}"
    require_suited(learners, loaded.task, where)
    asked, quantity = _asked(learners, loaded.task), loaded.task == "quantity"
    if quantity:
        require_promised(numeric, units=unit is not None, ledger=ledger is not None)
        require_in_range(loaded.y, numeric, loaded.name, where)
    else:
        require_no_quantity(numeric, where)
    divided = divide(
        without_row_names(loaded, source),
        apart,
        size,
        random_state,
        overlap,
        rows_order=order,
        told=ledger is None,
    )
    divided, told = leave_out(divided, loaded, source, overlap=overlap, seed=random_state)
    loaded = divided.loaded
    test, train = divided.test, divided.part(overlap)
    require_two(train, loaded)
    features = Features(loaded, source, train, random_state)
    features.require_readable((train, test), asked[0].learner, asked[0].make(random_state))
    labels = [] if quantity else labels_of(train.y, test.y)
    # Half of delta is for pairs, where errors are counted and no ledger is charged for what they tell.
    pairs = len(asked) > 1 and ledger is None and (not quantity or numeric.within is not None)
    promising = promised_of(numeric, len(test), delta, models=len(asked)) if quantity else None
    drawn = how_drawn(apart, size, random_state, overlap, unit, time)
    small = [one for one in asked if not _too_large(one, features, train, random_state)]
    rehearse(few_rows(small, train, features, random_state), tell)
    tried = []
    for candidate in asked:
        tell(f"Learning {candidate.learner} from {len(train):,} rows")
        tried.append(_measured(candidate, features, train, divided, labels, random_state))
    if promising is not None:
        tried = [_counted(one, promising) for one in tried]
    seen = [one.evidence for one in tried if one.evidence is not None]
    if not seen:
        raise BadData(f"No learner could learn {loaded.name}: {tried[0].remark}")
    entry = charge(ledger, seen, delta=delta)
    terms = (delta, drawn, entry, promising, pairs)
    certified = [_certified(one, len(asked), *terms) for one in tried]
    judged = [
        Judged(one.learner, one.wrong, one.evidence)
        for one in tried
        if one.wrong is not None and one.evidence is not None
    ]
    every_pair = (
        certify_every_pair(judged, len(asked), divided, delta=delta, drawn=drawn) if pairs else None
    )
    ordered = sorted(certified, key=_by_promise)
    return Comparison(
        tuple(ordered),
        len(train),
        len(test),
        median_of(train.y, test.y) if quantity else commonest_of(train.y, test.y),
        source,
        apart,
        delta,
        drawn,
        divided.sides.left_out,
        (*(one.sentence for one in told), *loaded.notes, *divided.sides.notes),
        entry,
        told,
        loaded.unlabelled,
        promising,
        every_pair,
    )


def _by_promise(one: Compared) -> tuple[float, float]:
    """The least promise first; where nothing is promised, the fewest errors, or those that are least off."""
    if one.certificate is None:
        return math.inf, math.inf
    promised = one.certificate.claims[0].promised
    seen = one.off if one.off is not None else float(one.errors or 0)
    return math.inf if promised is None else float(promised), seen


def _require_once(learners: Sequence[str]) -> None:
    if len(set(learners)) < len(learners):
        twice = next(name for name in learners if list(learners).count(name) > 1)
        raise BadParameter(f"{twice} is named twice. Name every learner once.")


def _asked(learners: Sequence[str], task: Task) -> list[Candidate]:
    """The learners by name, those of the choice with the parameters they have there."""
    compared = COMPARED_REGRESSORS if task == "quantity" else COMPARED
    if not learners:
        return list(compared)
    usual = {candidate.learner: candidate for candidate in compared}
    return [usual.get(name, Candidate(name, 5)) for name in learners]


def _measured(
    candidate: Candidate,
    features: Features,
    train: Part,
    divided: Divided,
    labels: list[Any],
    seed: int,
) -> Compared:
    model = make(candidate.learner, candidate.parameters, seed)
    try:
        if _too_large(candidate, features, train, seed):
            why = f"too slow for {len(train):,} rows of {features.width(model):,} features"
            return Compared(candidate.learner, remark=why)
        X = features.matrix(train, candidate.learner, model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with memory_used() as used:
                watch = Stopwatch()
                learned(model, candidate.learner, X, train.y, train.name)
                seconds = watch.seconds
        predicted = model.predict(features.matrix(divided.test, candidate.learner, model))
        if divided.loaded.task == "quantity":
            predicted = finite(predicted, candidate.learner)
    except AssayError as refusal:
        return Compared(candidate.learner, remark=str(refusal))
    evidence = divided.evidence(predicted, labels)
    wrong = None
    if divided.loaded.task == "classes":
        wrong = np.asarray(wrong_rows(divided.test.y, predicted))
    return Compared(
        candidate.learner, evidence.errors, None, seconds, used.bytes, "", evidence, wrong
    )


def _too_large(candidate: Candidate, features: Features, train: Part, seed: int) -> bool:
    return candidate.too_large(len(train), features.width(candidate.make(seed)))


def _counted(one: Compared, asked: AskedQuantity) -> Compared:
    if one.evidence is None:
        return one
    evidence, wrong = counted_within(one.evidence, asked), None
    if asked.within is not None and evidence.quantities is not None:
        wrong = evidence.quantities.beyond(Fraction(str(asked.within)))
    return replace(one, evidence=evidence, errors=evidence.errors, wrong=wrong)


def _certified(
    one: Compared,
    many: int,
    delta: Number,
    drawn: str,
    entry: Entry | None,
    asked: AskedQuantity | None,
    pairs: bool,
) -> Compared:
    """The learner with its certificate, at its share of delta, or of the half that pairs leave."""
    if one.evidence is None:
        return one
    half = Fraction(delta_text(delta)) / (2 * many) if pairs else None
    certificate = certify_evidence(
        paid_for(one.evidence, entry),
        delta=delta,
        models=many,
        drawn=drawn,
        entry=entry,
        quantity=asked,
        further=half,
    )
    return replace(one, certificate=certificate)
