"""What a claim is about: its words in a document, its formula, and the predictor it speaks of.

The words are a grammar and no free text: what cannot be read back, no certificate promises.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.certificates.issue.distinct_rows import LEFT_OUT
from assay.guarantees.assumption import Assumption
from assay.theory.claim import Claim, Quantity
from assay.theory.registry import Theorem
from assay.theory.tail.binomial import IID

CHOSEN = "error of the learner that was chosen, as it was when it was chosen"
"""What a choice among candidates promises, by rows that were not held out."""

OVER_UNITS = "mean error over units"
"""The error of a unit, such as a patient or a document, is the share of its rows that are wrong."""

AS_PLAYED = "mean error of the hypotheses as they were played"
BEFORE_REFIT = "the candidate that was chosen, as learned from a part of the training rows"
DRAWN_AFRESH = "the predictor that draws one of the hypotheses afresh for each example"
ON_ITS_ROW = "each hypothesis of this run, on the row that it predicted"
THIS_RUN = "this run"

Label = str | int | float | bool

# A longer name of a quantity could only be there to keep a reader busy.
_LONGEST = 10_000

_LABEL = (
    r"""('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|-?\d{1,40}|-?\d+\.\d+(?:e[+-]?\d+)?|True|False)"""
)
_CLASS = re.compile(f"error of class {_LABEL}")
_BINARY = re.compile(f"false-(positive|negative) rate: {_LABEL} taken for {_LABEL}")
_NEXT = re.compile(r"errors among the next ([1-9]\d{0,17}) rows")
_RUN = re.compile(
    f"(mistakes|updates|regret)(?: of {_LABEL} against the rest)?(, at the time of learning)?"
)

# The words that need no label, and what they may mean; the theorem decides which.
_PLAIN: dict[str, tuple[Quantity, ...]] = {
    "error": ("error", "error in the batch"),
    "mean loss": ("mean loss",),
    AS_PLAYED: ("mean error as played",),
    CHOSEN: ("error of the choice",),
    OVER_UNITS: ("mean error over units",),
}

_FORMULAS: dict[Quantity, str] = {
    "error": "err_D(h)",
    "error in the batch": "err_batch(h)",
    "mean loss": "E[loss]",
    "mean error as played": "mean_t err_D(h_t)",
    "error of the choice": "err_D(h_chosen)",
    "mean error over units": "E_units[err(h)]",
    "mistakes": "M",
    "updates": "M",
    "regret": "regret",
}


@dataclass(frozen=True)
class Subject:
    """What a claim is about, read from its words.

    Attributes
    ----------
    quantities : tuple of str
        What the words may mean.
    label : str, int, float, bool or None
        The class that it speaks of, where it speaks of one.
    other : str, int, bool or None
        For a false-positive or false-negative rate, the class that it is taken for.
    side : str
        ``"positive"`` or ``"negative"`` for such a rate.
    delayed : bool
        Whether mistakes are counted when labels are learned, which may be later than predictions.
    following : int
        How many rows to come it speaks of, where it speaks of them.
    """

    quantities: tuple[Quantity, ...]
    label: Label | None = None
    other: Label | None = None
    side: str = ""
    delayed: bool = False
    following: int = 0


def next_rows(rows: int) -> str:
    """The words for a count of errors among rows to come.

    Examples
    --------
    >>> next_rows(100)
    'errors among the next 100 rows'
    """
    return f"errors among the next {rows} rows"


def read_subject(of: str) -> Subject | None:
    """What the words say; None for what no certificate speaks of.

    Examples
    --------
    >>> read_subject("error of class 'spam'").label
    'spam'
    >>> read_subject("error of all future models") is None
    True
    """
    if of in _PLAIN:
        return Subject(_PLAIN[of])
    if len(of) > _LONGEST:
        return None
    found = _CLASS.fullmatch(of)
    if found:
        subject = Subject(("class error",), label=_read(found[1]))
    elif found := _BINARY.fullmatch(of):
        subject = Subject(("class error",), _read(found[2]), _read(found[3]), found[1])
    elif found := _NEXT.fullmatch(of):
        return Subject(("errors among the next rows",), following=int(found[1]))
    elif found := _RUN.fullmatch(of):
        label = None if found[2] is None else _read(found[2])
        quantity: Quantity = found[1]  # type: ignore[assignment]
        subject = Subject((quantity,), label=label, delayed=found[3] is not None)
    else:
        return None
    # One spelling only: two names of one class could be claimed twice.
    return subject if _written(subject) == of else None


def _read(text: str) -> Label | None:
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return None
    return value if isinstance(value, str | int | float | bool) else None


def _written(subject: Subject) -> str:
    if subject.side:
        return f"false-{subject.side} rate: {subject.label!r} taken for {subject.other!r}"
    if subject.quantities == ("class error",):
        return f"error of class {subject.label!r}"
    whose = "" if subject.label is None else f" of {subject.label!r} against the rest"
    return f"{subject.quantities[0]}{whose}" + (
        ", at the time of learning" if subject.delayed else ""
    )


def meant(theorem: Theorem, of: str) -> tuple[Quantity, Claim] | None:
    """Which of the theorem's quantities the words speak of, in which claim; None where in none."""
    subject = read_subject(of)
    for quantity in () if subject is None else subject.quantities:
        claim = theorem.claim_of(quantity)
        if claim is not None:
            return quantity, claim
    return None


def formula_of(of: str, quantity: Quantity | None = None) -> str | None:
    """The rate as a formula; None for what no certificate speaks of.

    Examples
    --------
    >>> formula_of("error"), formula_of("error of class 'spam'")
    ('err_D(h)', "P[h(x) != y | y = 'spam']")
    """
    subject = read_subject(of)
    if subject is None:
        return None
    found = subject.quantities[0] if quantity is None else quantity
    if found == "class error":
        return f"P[h(x) != y | y = {subject.label!r}]"
    if found == "errors among the next rows":
        return f"errors(h, next {subject.following})"
    return _FORMULAS.get(found)


def certified_by(of: str, assumptions: Sequence[Assumption]) -> str:
    """Which predictor, on which rows, a claim is about."""
    subject = read_subject(of)
    quantities: tuple[Quantity, ...] = () if subject is None else subject.quantities
    if quantities and quantities[0] in ("mistakes", "updates", "regret"):
        return THIS_RUN
    if of == AS_PLAYED:
        # Of new rows nothing follows unless all rows are draws from one distribution, and somebody says so.
        unasked = any(a.name == IID and a.status == "not asked" for a in assumptions)
        return ON_ITS_ROW if unasked else DRAWN_AFRESH
    if of == CHOSEN:
        return BEFORE_REFIT
    model = "this model" if of == "mean loss" else "this classifier"
    if any(a.evidence.endswith(LEFT_OUT) for a in assumptions):
        return f"{model}, on rows that are not in its training set"
    return model
