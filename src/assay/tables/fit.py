"""From a table to a certified model: split, choose, learn, test on rows that nothing has seen."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from assay.certificates.certificate import Certificate
from assay.certificates.issue.certify import certify_evidence
from assay.certificates.issue.claims import choice_claim
from assay.certificates.issue.distinct_rows import Overlap, require_overlap
from assay.certificates.issue.quantity_claims import AskedQuantity, counted_within
from assay.certificates.ledger.ledger import Entry, Ledger
from assay.data.prepare import Preparation
from assay.errors import BadParameter, Words, require
from assay.evidence.digest import digest_file
from assay.evidence.evidence import Evidence
from assay.guarantees.decimals import delta_text
from assay.guarantees.guarantee import Guarantee
from assay.tables.asked import asked_learners
from assay.tables.calibration import Confidence, confidence_of
from assay.tables.candidates import learned, make
from assay.tables.choice import Choice, choose
from assay.tables.divide import commonest_of, divide, how_drawn, labels_of, require_two
from assay.tables.halving import TIME_LIMIT
from assay.tables.holdout_size import HoldoutSize, size_asked
from assay.tables.kept import keep_preparation
from assay.tables.large import fit_in_chunks, is_large
from assay.tables.left_out import leave_out, without_row_names
from assay.tables.looks import charge, paid_for
from assay.tables.odd_columns import ColumnTold, known_after
from assay.tables.quantity import (
    asked_quantity,
    finite,
    median_of,
    promised_of,
    require_in_range,
    require_no_quantity,
    require_promised,
)
from assay.tables.row_order import Order, require_order
from assay.tables.rows import Features
from assay.tables.source import Source, load_rows
from assay.tables.stopwatch import Stopwatch
from assay.tables.task import AskedTask, asked_task, require_suited
from assay.tables.time_blocks import worse_note
from assay.theory.rounding import Number
from assay.theory.tail.binomial import IID

Progress = Callable[[str], None]
#: Of so many classes each has a promise of its own, and they share a tenth of delta.
MOST_CLASSES = 30


@dataclass(frozen=True)
class FittedTable:
    """A model learned from a table, and everything that a certificate or a report says about it.

    Attributes
    ----------
    model : learner
        Fitted; `assay.save` keeps it with its preparation.
    learner : str
        Its registered name.
    source, holdout_source : Source
        The table, and the one that the held-out rows come from, if it is another.
    preparation : Preparation or None
        How columns became features; None for libsvm text.
    choice : Choice or None
        How ``auto`` chose.
    train_rows : int
        How many rows were learned from.
    evidence : Evidence
        What was seen on the held-out rows.
    commonest : tuple
        The commonest class of the training rows, and how many of the held-out rows are of another; of a quantity the
        median, and how far off it is on average.
    repeated : int
        How many held-out rows are not counted, since they repeat another row.
    guarantees : tuple of Guarantee
        What the learner itself promises.
    delta : number
        The probability that a promise of the certificate fails.
    drawn : str
        How the holdout was drawn.
    seconds : float
        How long learning took, the choice not included.
    notes : tuple of str
        What else there is to know.
    entry : Entry or None
        The look that was charged to a ledger; then nothing else is told of the table.
    columns_told : tuple of ColumnTold
        Columns that were left out or look odd, such as ids and what tells the target alone.
    confidence : Confidence or None
        How sure the model was of each held-out row; None where it gives no probabilities.
    unlabelled : int
        How many rows of the table have no label, and were left out.
    quantity : AskedQuantity or None
        What is promised of a quantity; None where classes are predicted.
    """

    model: Any
    learner: str
    source: Source
    holdout_source: Source | None
    preparation: Preparation | None
    choice: Choice | None
    train_rows: int
    evidence: Evidence
    commonest: tuple[Any, float]
    repeated: int
    guarantees: tuple[Guarantee, ...]
    delta: Number
    drawn: str
    seconds: float
    notes: tuple[str, ...] = ()
    entry: Entry | None = None
    columns_told: tuple[ColumnTold, ...] = field(default=(), kw_only=True)
    confidence: Confidence | None = field(default=None, kw_only=True)
    unlabelled: int = field(default=0, kw_only=True)
    quantity: AskedQuantity | None = field(default=None, kw_only=True)

    @property
    def task(self) -> str:
        """What is predicted: ``"classes"`` or a ``"quantity"``."""
        return "classes" if self.quantity is None else "quantity"

    @property
    def error(self) -> float:
        """The share of the held-out rows that are wrong; of a quantity the mean absolute error on them."""
        if self.evidence.quantities is not None:
            return self.evidence.quantities.mean_absolute
        return (self.evidence.errors or 0) / self.evidence.rows

    @property
    def void(self) -> bool:
        """Whether a check found that the rows are no independent draws, so that nothing is promised."""
        return any(one.status == "violated" for one in self.evidence.checked)

    @cached_property
    def certificate(self) -> Certificate:
        """What may be promised, issued once; it names the model once that is saved."""
        paid, evidence = None, paid_for(self.evidence, self.entry)
        # Rows of one unit depend on each other, and with a ledger only what was charged for is told.
        # What a choice promises is about errors; the promise about a quantity rests on the holdout alone.
        counted = self.evidence.units is None and self.entry is None and self.quantity is None
        if self.choice is not None and counted:
            best = self.choice.chosen
            assert best.errors is not None
            drawn = [known for known in evidence.checked if known.name == IID]
            bits, share = best.candidate.bits, self.choice.delta
            paid = choice_claim(best.errors, best.rows, bits, share, drawn)
        tally = self.evidence.tally
        named = counted and tally is not None and len(tally.labels) <= MOST_CLASSES
        named = named and tally is not None and tally.confusion is not None
        return certify_evidence(
            evidence,
            delta=self.delta,
            rates=("class",) if named else (),
            further=Fraction(delta_text(self.delta)) / 10 if named else None,
            drawn=self.drawn,
            choice=paid,
            entry=self.entry,
            quantity=self.quantity,
        )

    def save(self, path: str | os.PathLike[str]) -> FittedTable:
        """Write the model; the certificate of what is returned names it by its digest."""
        from assay.learners.model_file.files import save

        save(self.model, path)
        return replace(self, evidence=replace(self.evidence, model=digest_file(Path(path))))


def fit_table(
    data: Any,
    target: str | None = None,
    *,
    learner: str | Sequence[str] = "auto",
    parameters: Mapping[str, Any] | None = None,
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
    time_limit: float = TIME_LIMIT,
    task: AskedTask = "auto",
    coverage: Number | None = None,
    within: Number | None = None,
    range: Sequence[Number] | None = None,
    progress: Progress | None = None,
) -> FittedTable:
    r"""Learn to predict a column of a table, and find out what may be promised about it.

    Some rows are held out at random before anything else happens; equal rows stay together. The columns of the
    others are made ready for learning (`assay.data.Preparation`), a learner is chosen by them alone if none is
    named, and the model is then tested once on the held-out rows. A table too large for memory is learned in
    chunks by an online learner. Numbers that hardly repeat, or more than 100 different ones, are a quantity: then
    regressors learn, chosen by their mean absolute error, and it is promised how far off new rows are.

    Parameters
    ----------
    data : path or data frame
        CSV, TSV, Parquet, Feather, Excel or libsvm text; a folder or pattern of such files, with one schema; or a frame
        of pandas, polars or Arrow, or a query of DuckDB. ``"book.xlsx#May"`` is a sheet other than the first.
    target : str
        The column to predict; libsvm text needs none.
    learner : str or sequence of str, default="auto"
        A learner's name, such as ``"random-forest-classifier"``, or ``"auto"`` to have one chosen by structural
        risk minimisation on the training rows, which costs a tenth of `delta`. Several names, in a sequence or with
        commas between, have one of these chosen.
    parameters : mapping, optional
        Parameters of the learner that is named.
    holdout : float, int or str, default=0.2
        The share of the rows to hold out, or their number. ``"last"``, ``"last:0.3"`` or ``"last:500"`` holds out
        the last rows of the table instead of some at random.
    holdout_file : path or data frame, optional
        A table of rows to test on, instead.
    delta : float or decimal text, default=0.05
        The probability that a promise fails. 0.05 means 95 % confidence.
    random_state : int, default=0
        What the split and the learner draw by.
    columns, drop, categories, numbers : collection of str
        The columns to learn from, to leave out, to read as categories though they hold numbers, and to read as
        numbers whatever they look like.
    format : str, optional
        What the file is, where its name does not tell.
    overlap : {"drop", "keep", "refuse"}, default="drop"
        What becomes of rows with equal features. ``"drop"``: they stay on one side, and the holdout counts each
        distinct row once; rows of a `holdout_file` that are learned from are left out. ``"keep"`` declares that
        they are separate draws: all count, and the certificate says so. ``"refuse"``: a table that holds any is
        refused.
    unit : str, optional
        A column that says what a row belongs to, such as a patient. Units are held out whole, nothing is learned
        from the column, and the promise is about the mean over units.
    time : str, optional
        A column that says when a row came: a number, a date or a timestamp. The last rows in its order are held out,
        rows of one time together; nothing is learned from the column. A unit comes when its last row does.
    keep : collection of str
        Columns to learn from though they look like ids or row numbers, which are left out otherwise.
    after_event : collection of str
        Columns that are known only after what is to be predicted, and so are left out.
    order : {"none"}, optional
        Declares that the order of the file is not the order in which its rows were drawn. Otherwise, where the holdout
        is drawn at random by rows, the order of the training rows is looked at: if it tells something about them, they
        are no independent draws, and nothing is promised. Of exchangeable rows that is said once in 100 tables at most.
        With a `ledger` it is not looked at.
    ledger : Ledger or path, optional
        Where looks at this table are kept, so that this one pays for those before it, whatever seed they drew by.
        What was not charged for is then not told: the candidates' errors, the commonest class, the learner's own
        promises.
    time_limit : float, default=60
        Seconds of learning that the choice of a learner may take; compiling and the final fit are not counted. What
        there was no time for is named in the notes. More time also lets slower learners try larger tables.
    task : {"auto", "classes", "quantity"}, default="auto"
        What the target holds. By default its values tell, or the learners that are named.
    coverage : float, optional
        Of a quantity: promise how far off this share of new rows is at most. 0.9 if neither it nor `within` is given,
        less where rows are too few.
    within : float, optional
        Of a quantity: promise how many new rows are off by more than this.
    range : pair of numbers, optional
        Of a quantity: promise the mean absolute error as well, if every true number lies in this range.
    progress : callable, optional
        Called with a short sentence before every step.

    Returns
    -------
    FittedTable

    Raises
    ------
    BadData
        If the table cannot be read or learned; the message says where and why.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> rows = "".join(f"{i},{'low' if i < 90 else 'high'}\n" for i in range(200))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "t.csv").write_text("size,level\n" + rows)
    ...     fitted = fit_table(f"{folder}/t.csv", "level", learner="decision-tree-classifier", order="none")
    >>> fitted.evidence.errors, round(fitted.certificate.error, 4)
    (0, 0.0746)
    """
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
    )
    numeric = asked_quantity(coverage, within, range)
    require_overlap(overlap)
    tell = progress or (lambda sentence: None)
    named, delta = parameters or {}, delta_text(delta)
    learner, among = asked_learners(learner)
    require(0 < time_limit < math.inf, "time_limit", "a number of seconds above zero", time_limit)
    if learner == "auto" and named:
        raise BadParameter("Parameters are for a learner that is named; auto chooses its own.")
    listed = among or ((learner,) if learner != "auto" else ())
    source = replace(source, task=asked_task(task, listed))
    if learner != "auto":
        make(learner, named, random_state)
    apart = None if holdout_file is None else source.beside(holdout_file)
    size = size_asked(holdout, time, apart=apart is not None)
    require_order(order, size, time)
    if is_large(source):
        if source.task == "quantity":
            raise BadParameter(
                f"{source.path} is too large to be held in memory, and a quantity is learned from tables that fit. "
                f"Give fewer rows."
            )
        if among:
            raise BadParameter(
                f"{source.path} is too large to be held in memory, and nothing is chosen there. Name one learner."
            )
        return _fit_large(
            source, apart, learner, named, size, delta, random_state, overlap, order, ledger, tell
        )
    tell(f"Reading {source.path}")
    loaded = load_rows(source)
    where = "the target" if target is None else f"column {target!r}"
    require_suited(listed, loaded.task, where)
    quantity = loaded.task == "quantity"
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
    test, drawn = divided.test, how_drawn(apart, size, random_state, overlap, unit, time)
    train = divided.part(overlap)
    require_two(train, loaded)
    choice, scaling = None, None
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        if learner == "auto":
            choice = choose(
                divided,
                source,
                overlap=overlap,
                delta=delta,
                seed=random_state,
                learners=among,
                time_limit=time_limit,
                progress=lambda what: tell(f"Trying {what}"),
            )
            learner, named = choice.candidate.learner, dict(choice.candidate.parameters)
            scaling = choice.candidate.scaling
        heard.clear()
        tell(f"Learning {learner} from {len(train):,} rows")
        model = make(learner, named, random_state)
        features = Features(loaded, source, train, random_state)
        watch = Stopwatch()
        X = features.matrix(train, learner, model, scaling)
        learned(model, learner, X, train.y, train.name)
        seconds = watch.seconds
        tell(f"Testing on {len(test):,} rows that were held out")
        X = features.matrix(test, learner, model, scaling)
        predicted = model.predict(X)
        confidence = confidence_of(model, X, predicted, test.y)
        preparation = features.preparation(learner, model, scaling)
        void = any(one.status == "violated" for one in divided.draw)
        looked = choice is not None or any(one.action == "left out" for one in told)
        promises = guarantees_of(model, preparation, chosen=looked or void)
    keep_preparation(model, preparation or loaded.numbered, train if unit is None else None)
    asked = None
    if quantity:
        asked = promised_of(numeric, len(test), delta)
        evidence = counted_within(divided.evidence(finite(predicted, learner), []), asked)
    else:
        evidence = divided.evidence(predicted, labels_of(train.y, test.y))
    # Every word of the code could have been chosen, whether there was time to try it or not.
    chosen_among = 1 if choice is None else len(choice.tried)
    return FittedTable(
        model,
        learner,
        source,
        apart,
        preparation,
        choice,
        len(train),
        evidence,
        median_of(train.y, test.y) if quantity else commonest_of(train.y, test.y),
        divided.sides.left_out,
        promises,
        delta,
        drawn,
        seconds,
        (
            *worse_note(divided.sides.checked, evidence.checked),
            *(one.sentence for one in told),
            *loaded.notes,
            *divided.sides.notes,
            *(() if choice is None else choice.notes),
            *dict.fromkeys(_sentence(one) for one in heard),
        ),
        charge(ledger, [evidence], delta=delta, choices=chosen_among),
        columns_told=told,
        unlabelled=loaded.unlabelled,
        quantity=asked,
        confidence=confidence,
    )


def guarantees_of(
    model: Any, preparation: Preparation | None, *, chosen: bool = False
) -> tuple[Guarantee, ...]:
    """What the learner itself promises of these rows.

    A promise that holds with a probability over the training rows, or in expectation over them, is about a learner
    and features that were fixed before them. So it is left out where means or categories were taken from them, and
    where the learner, or the columns, were chosen by them, or they are no independent draws.
    """
    promises = [g for g in model.guarantees() if g.promised is not None]
    if not chosen and (preparation is None or _fixed_before(preparation)):
        return tuple(promises)
    return tuple(g for g in promises if g.quantifier == "always")


def _fixed_before(preparation: Preparation) -> bool:
    kinds = {column.kind for column in preparation.columns}
    scaled = preparation.scaled and "number" in kinds
    return not (scaled or preparation.flagged or kinds & {"category", "coded", "time"})


def _sentence(heard: warnings.WarningMessage) -> str:
    return str(heard.message).split("\n")[0]


def _fit_large(
    source: Source,
    apart: Source | None,
    learner: str,
    named: Mapping[str, Any],
    size: HoldoutSize,
    delta: Number,
    seed: int,
    overlap: Overlap,
    order: Order | None,
    ledger: Ledger | str | os.PathLike[str] | None,
    tell: Progress,
) -> FittedTable:
    """The same in chunks, by an online learner."""
    if size.last:
        raise BadParameter(
            f"{source.path} is too large to be held in memory, and only a table that is can be ordered in time. Write "
            "its last rows to a file of their own, and name that ",
            Words("as holdout_file", "with {}", "holdout_file"),
            ".",
        )
    name = "sgd-classifier" if learner == "auto" else learner
    model = make(name, named, seed)
    fitted = fit_in_chunks(
        source,
        apart,
        name,
        model,
        size.size,
        seed,
        tell,
        overlap=overlap,
        known=ledger is not None,
        order=order,
    )
    void = any(one.status == "violated" for one in fitted.held.checked if one.name == IID)
    promises = guarantees_of(model, fitted.preparation, chosen=void)
    keep_preparation(model, fitted.preparation or fitted.numbered)
    notes: tuple[str, ...] = (
        "The table was read in chunks and learned in one pass, for it is too large to be held in memory.",
    )
    if learner == "auto":
        notes += (
            f"{name} was taken because it learns in chunks; nothing was chosen, and nothing paid for.",
        )
    told = known_after(source.after_event)
    notes = (*(one.sentence for one in told), *fitted.held.notes, *notes)
    return FittedTable(
        model,
        name,
        source,
        apart,
        fitted.preparation,
        None,
        fitted.train_rows,
        fitted.evidence,
        fitted.commonest,
        fitted.held.passed,
        promises,
        delta,
        how_drawn(apart, size, seed, overlap, source.unit),
        fitted.seconds,
        notes,
        charge(ledger, [fitted.evidence], delta=delta_text(delta)),
        columns_told=told,
    )
