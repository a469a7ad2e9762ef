"""What can go wrong with a model of a table: copies, order, columns that tell too much, rows without a label."""

from __future__ import annotations

from assay.certificates.show.words import capital
from assay.evidence.training_overlap import TrainingOverlap
from assay.guarantees.added_conditions import COPIES, NOT_IN_TRAINING, SEPARATE
from assay.guarantees.assumption import Assumption
from assay.report.blocks import counted
from assay.report.story import Concern
from assay.tables.fit import FittedTable
from assay.theory.tail.binomial import IID


def concerns_of(fitted: FittedTable) -> tuple[Concern, ...]:
    """What was looked at, and what was found; with a ledger, only what its certificate says."""
    known = {one.id: one for one in fitted.certificate.claims[0].assumptions}
    concerns = [_order(known.get(IID.id)), *_copies(known)]
    if fitted.entry is None:
        concerns += _columns(fitted)
        if fitted.unlabelled:
            without = f"{counted(fitted.unlabelled, 'row')} without a label left out."
            concerns.append(Concern("Rows without a label", without))
    return tuple(one for one in concerns if one is not None)


def other_notes(fitted: FittedTable) -> tuple[str, ...]:
    """What else there is to know: the notes but for those about columns, which are concerns."""
    return fitted.notes[len(fitted.columns_told) :]


def _order(drawn: Assumption | None) -> Concern | None:
    if drawn is None:
        return None
    topic = "Drift and order"
    if drawn.status == "violated":
        return Concern(topic, f"{capital(drawn.evidence)}: nothing is promised.")
    if drawn.evidence:
        return Concern(topic, f"{capital(drawn.evidence)}.", raised=False)
    nothing = "Not looked for: that new rows come from where these came from is assumed."
    return Concern(topic, nothing, raised=False)


def _copies(known: dict[str, Assumption]) -> list[Concern]:
    concerns = []
    overlap = known.get(NOT_IN_TRAINING.id)
    if overlap is not None and isinstance(overlap.evidence, TrainingOverlap):
        seen = overlap.evidence
        among = f"{seen.repeated:,} of {seen.rows:,}" if seen.repeated else f"None of {seen.rows:,}"
        occur = "occurs" if seen.repeated < 2 else "occur"
        then = "" if not seen.repeated else ("; left out" if seen.left_out else "; so no promise")
        where = " in the sample compared" if seen.by_sample else " in training"
        sentence = f"{among} holdout rows also {occur}{where}{then}."
        concerns.append(Concern("Test rows that were learned", sentence, seen.repeated > 0))
    for condition in (COPIES, SEPARATE):
        one = known.get(condition.id)
        if one is not None and one.evidence:
            concerns.append(Concern("Duplicate rows", f"{capital(one.evidence)}."))
    return concerns


def _columns(fitted: FittedTable) -> list[Concern]:
    if fitted.columns_told:
        return [Concern("Leaks and odd columns", one.sentence) for one in fitted.columns_told]
    if fitted.preparation is None:
        return []
    none = "No column tells the target alone, and none is an id, a row number or constant."
    return [Concern("Leaks and odd columns", none, raised=False)]
