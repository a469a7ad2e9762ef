"""What a claim is about: its formula, the claim of its theorem, and the predictor it speaks of."""

from __future__ import annotations

from collections.abc import Sequence

from assay.guarantees.assumption import Assumption
from assay.guarantees.subject import Subject, subject_of
from assay.theory.claim import DIFFERENCES, LOSSES, METRICS, NUMERIC, Claim, Quantity
from assay.theory.registry import Theorem
from assay.theory.tail.binomial import IID

CHOSEN = Subject("chosen-error")
"""What a choice among candidates promises, by rows that were not held out."""

MEAN_LOSS = Subject("mean-loss")
AS_PLAYED = Subject("mean-error-as-played")

BEFORE_REFIT = "the candidate that was chosen, as learned from a part of the training rows"
DRAWN_AFRESH = "the predictor that draws one of the hypotheses afresh for each example"
ON_ITS_ROW = "each hypothesis of this run, on the row that it predicted"
THIS_RUN = "this run"
TWO_MODELS = "these two models"
THIS_BATCH = "this batch"

_FORMULAS: dict[Quantity, str] = {
    "error": "err_D(h)",
    "batch-error": "err_batch(h)",
    "class-error": "P[h(x) != y | y = {0.label!r}]",
    "mean-loss": "E[loss]",
    "mean-error-as-played": "mean_t err_D(h_t)",
    "chosen-error": "err_D(h_chosen)",
    "unit-mean-error": "E_units[err(h)]",
    "unit-row-error": "E_units[wrong rows] / E_units[rows]",
    "unit-any-error": "P_units[a row is wrong]",
    "next-rows-errors": "errors(h, next {0.next_rows})",
    "mistakes": "M",
    "updates": "M",
    "regret": "regret",
    "absolute-error-quantile": "q_(1 - {0.numbers[0]})(|y - h(x)|)",
    "beyond": "P[|y - h(x)| > {0.numbers[0]}]",
    "unit-mean-beyond": "E_units[P[|y - h(x)| > {0.numbers[0]}]]",
    "unit-row-beyond": "E_units[rows with |y - h(x)| > {0.numbers[0]}] / E_units[rows]",
    "unit-any-beyond": "P_units[a row has |y - h(x)| > {0.numbers[0]}]",
    "mean-absolute-error": "E[|y - clip(h(x))|] / ({0.numbers[1]} - {0.numbers[0]})",
    "mean-squared-error": "E[(y - clip(h(x)))^2] / ({0.numbers[1]} - {0.numbers[0]})^2",
    "brier": "E[|p(x) - e_y|^2] / 2",
    "log-loss": "E[-ln max(p_y(x), {0.numbers[0]})] / ln(1/{0.numbers[0]})",
    "difference": "err_D({0}) - err_D({1})",
    "better": "err_D({0}) - err_D({1})",
    "unit-mean-difference": "E_units[err({0}) - err({1})]",
    "loss-difference": "E[loss({0}) - loss({1})]",
    "unit-mean-loss-difference": "E_units[loss({0}) - loss({1})]",
    "errors-in-batch": "errors(batch)",
    "batch-mean-loss": "mean loss(batch)",
    "group-error": "P[h(x) != y | {0.group}]",
    "worst-group-error": "max_g P[h(x) != y | g]",
    "group-gap": "max_(g, k) (P[h(x) != y | g] - P[h(x) != y | k]), g and k by {0.columns}",
    "group-unit-mean-error": "E_units[err(h) | {0.group}]",
    "worst-group-unit-mean-error": "max_g E_units[err(h) | g]",
}


def next_rows(rows: int) -> Subject:
    """A count of errors among rows to come.

    Examples
    --------
    >>> next_rows(100)
    'errors among the next 100 rows'
    """
    return Subject("next-rows-errors", next_rows=rows)


def meant(theorem: Theorem, of: str) -> tuple[Quantity, Claim] | None:
    """The quantity, and the claim of the theorem that bounds it; None where it bounds no such thing."""
    subject = subject_of(of)
    claim = None if subject is None else theorem.claim_of(subject.quantity)
    return None if subject is None or claim is None else (subject.quantity, claim)


def formula_of(of: str, quantity: Quantity | None = None) -> str | None:
    """The quantity as a formula; None for what no certificate speaks of.

    Examples
    --------
    >>> formula_of("error"), formula_of(Subject("class-error", label="spam"))
    ('err_D(h)', "P[h(x) != y | y = 'spam']")
    """
    subject = subject_of(of)
    if subject is None:
        return None
    named = quantity or subject.quantity
    if named in METRICS:
        from assay.guarantees.measures import MEASURES

        return MEASURES[named].formula.format(label=subject.label)
    if named in DIFFERENCES:
        names = (subject.old, "old"), (subject.new, "new")
        return _FORMULAS[named].format(*(repr(name) if name else role for name, role in names))
    return _FORMULAS[named].format(subject)


def on_new_rows(assumptions: Sequence[Assumption]) -> bool:
    """Whether a promise about a run speaks of new rows too.

    Nothing follows of them unless all rows are draws from one distribution, and somebody says so.
    """
    return not any(a.id == IID.id and a.status == "not asked" for a in assumptions)


def certified_by(of: str, assumptions: Sequence[Assumption]) -> str:
    """Which predictor, on which rows, a claim is about."""
    subject = subject_of(of)
    quantity = None if subject is None else subject.quantity
    if quantity in ("mistakes", "updates", "regret"):
        return THIS_RUN
    if quantity == "mean-error-as-played":
        return DRAWN_AFRESH if on_new_rows(assumptions) else ON_ITS_ROW
    if quantity == "chosen-error":
        return BEFORE_REFIT
    if quantity in DIFFERENCES:
        return TWO_MODELS
    if quantity in ("errors-in-batch", "batch-mean-loss"):
        return THIS_BATCH
    model = "this model" if quantity in (*LOSSES, *NUMERIC) else "this classifier"
    return f"{model}, on rows that are not in its training set" if outside(assumptions) else model


def outside(assumptions: Sequence[Assumption]) -> bool:
    """Whether a promise speaks of rows outside the training set alone: those within were left out."""
    # What a `TrainingOverlap` says of itself; other evidence is text.
    return any(getattr(assumption.evidence, "left_out", False) for assumption in assumptions)
