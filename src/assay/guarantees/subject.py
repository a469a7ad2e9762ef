"""What a guarantee is about: a quantity with its fields, and the words for it."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Literal, get_args

from assay.errors import require
from assay.theory.claim import (
    DIFFERENCES,
    METRICS,
    NUMERIC,
    OF_GROUP,
    OF_GROUPS,
    OF_PROBABILITIES,
    Quantity,
)

Label = str | int | float | bool

Group = tuple[tuple[str, Label | None], ...]
"""A group of rows: what each of some columns holds; None where it holds nothing."""

Uncertified = Literal["passes"]
"""What guarantees speak of and no certificate does."""

_WORDS: dict[Quantity | Uncertified, str] = {
    "error": "error",
    "batch-error": "error",
    "mean-loss": "mean loss",
    "mean-error-as-played": "mean error of the hypotheses as they were played",
    "chosen-error": "error of the learner that was chosen, as it was when it was chosen",
    # The error of a unit, such as a patient or a document, is the share of its rows that are wrong.
    "unit-mean-error": "mean error over units",
    # Of all rows of many units, so that long ones count for more; and of units as a whole.
    "unit-row-error": "error per row, over units",
    "unit-any-error": "share of units with a wrong row",
    "mistakes": "mistakes",
    "updates": "updates",
    "passes": "passes",
    "regret": "regret",
    # Of predictions that are numbers; a mean is a share of the declared range, or of its square.
    "mean-absolute-error": "mean absolute error, as a share of the range from {0} to {1}",
    "mean-squared-error": "mean squared error, as a share of the squared range from {0} to {1}",
    "beyond": "share of rows that are off by more than {0}",
    "unit-mean-beyond": "mean over units of the share of rows that are off by more than {0}",
    "unit-row-beyond": "share of rows that are off by more than {0}, over units",
    "unit-any-beyond": "share of units with a row that is off by more than {0}",
    "absolute-error-quantile": "absolute error that {0} of rows do not exceed",
    # Of probabilities; for two classes the Brier score is the mean of (p - y)^2.
    "brier": "Brier score{whose}",
    "log-loss": "log loss{whose}, as a share of ln(1/{0})",
    # Of two models on the same rows: positive where the new one is better.
    "difference": "error of {0} less that of {1}",
    "better": "error of {0} less that of {1}, by its sign",
    "unit-mean-difference": "mean over units of the error of {0} less that of {1}",
    "loss-difference": "mean loss of {0} less that of {1}",
    "unit-mean-loss-difference": "mean over units of the loss of {0} less that of {1}",
    # Of a batch that a judge has gone through: a count of all its items.
    "errors-in-batch": "errors in the batch",
    "batch-mean-loss": "mean loss of the batch",
}


class Subject(str):
    """A quantity and what it is asked of. It is its words wherever text is wanted; files carry the fields.

    Attributes
    ----------
    quantity : str
        The id of the quantity.
    label : str, int, float, bool or None
        The class that it speaks of, where it speaks of one.
    other : str, int, bool or None
        For a false-positive or false-negative rate, the class that it is taken for.
    side : str
        ``"positive"`` or ``"negative"`` for such a rate.
    delayed : bool
        Whether mistakes are counted when labels are learned, which may be later than predictions.
    next_rows : int
        How many rows to come it speaks of, where it speaks of them.
    numbers : tuple of str
        As decimal text: how far off a row may be, the two ends of a declared range, the share of rows that may
        be off by more, the floor at which probabilities are clipped, or by how much a new model may be worse.
    strata : tuple of str, int, float or bool
        The verdicts of the judge that went through a batch, in the order of its counts; empty where nobody named them.
    old, new : str
        Of two models on the same rows, what each is called; empty where it has no name.
    groups : tuple of Group
        The group that it speaks of, or all of the groups.

    Examples
    --------
    >>> Subject("class-error", label="spam")
    "error of class 'spam'"
    >>> Subject("next-rows-errors", next_rows=100).next_rows
    100
    """

    __slots__ = (
        "delayed",
        "groups",
        "label",
        "new",
        "next_rows",
        "numbers",
        "old",
        "other",
        "quantity",
        "side",
        "strata",
    )
    quantity: Quantity
    label: Label | None
    other: Label | None
    side: str
    delayed: bool
    next_rows: int
    numbers: tuple[str, ...]
    strata: tuple[Label, ...]
    old: str
    new: str
    groups: tuple[Group, ...]

    def __new__(
        cls,
        quantity: Quantity | Uncertified,
        label: Label | None = None,
        other: Label | None = None,
        side: str = "",
        delayed: bool = False,
        next_rows: int = 0,
        numbers: tuple[str, ...] = (),
        strata: tuple[Label, ...] = (),
        old: str = "",
        new: str = "",
        groups: tuple[Group, ...] = (),
    ) -> Subject:
        """A quantity with its fields."""
        known = (*get_args(Quantity), *get_args(Uncertified))
        require(quantity in known, "quantity", "one of " + ", ".join(known), quantity)
        if quantity in (*OF_GROUP, *OF_GROUPS):
            words = _group_words(quantity, groups)
        else:
            words = _words(quantity, label, other, side, delayed, next_rows, numbers)
        if quantity in DIFFERENCES:
            words = words.format(*two_models(old, new))
        subject = super().__new__(cls, words)
        # Certificates meet a subject by `subject_of`, which knows none that they do not speak of.
        subject.quantity = quantity  # type: ignore[assignment]
        subject.label, subject.other = label, other
        subject.side, subject.delayed, subject.next_rows = side, delayed, next_rows
        subject.numbers, subject.strata = numbers, strata
        subject.old, subject.new = old, new
        subject.groups = groups
        return subject

    def __getnewargs__(self) -> tuple[object, ...]:  # type: ignore[override]
        """What copies and pickles are made from."""
        fields = (self.label, self.other, self.side, self.delayed, self.next_rows, self.numbers)
        return self.quantity, *fields, self.strata, self.old, self.new, self.groups

    @property
    def group(self) -> str:
        """The one group that it speaks of, in words."""
        return group_text(self.groups[0])

    @property
    def columns(self) -> str:
        """The columns that divide rows into its groups."""
        return " and ".join(name for name, _ in self.groups[0])


def group_text(group: Group) -> str:
    """A group in words.

    Examples
    --------
    >>> group_text((("sex", "f"), ("age", None)))
    "sex = 'f', age missing"
    """
    return ", ".join(
        f"{name} missing" if level is None else f"{name} = {level!r}" for name, level in group
    )


def _group_words(quantity: Quantity | Uncertified, groups: tuple[Group, ...]) -> str:
    if quantity == "group-gap":
        return f"largest gap between the errors of two groups by {' and '.join(n for n, _ in groups[0])}"
    what = "error" if quantity in ("group-error", "worst-group-error") else "mean error over units"
    if quantity in OF_GROUP:
        return f"{what} of the group {group_text(groups[0])}"
    return f"{what} of the worst of {len(groups)} groups"


def _words(
    quantity: Quantity | Uncertified,
    label: Label | None,
    other: Label | None,
    side: str,
    delayed: bool,
    next_rows: int,
    numbers: tuple[str, ...],
) -> str:
    if quantity in METRICS:
        from assay.guarantees.measures import MEASURES  # most certificates speak of no metric

        return MEASURES[quantity].words.format(label=label)
    if quantity in NUMERIC:
        shown = (_share(numbers[0]),) if quantity == "absolute-error-quantile" else numbers
        return _WORDS[quantity].format(*shown)
    if quantity in OF_PROBABILITIES:
        whose = "" if label is None else f" of the probability of {label!r}"
        return _WORDS[quantity].format(*numbers, whose=whose)
    if quantity == "next-rows-errors":
        return f"errors among the next {next_rows} rows"
    if quantity == "class-error":
        rate = f"false-{side} rate: {label!r} taken for {other!r}"
        return rate if side else f"error of class {label!r}"
    whose = "" if label is None else f" of {label!r} against the rest"
    return f"{_WORDS[quantity]}{whose}" + (", at the time of learning" if delayed else "")


def two_models(old: str = "", new: str = "") -> tuple[str, str]:
    """What two models are called in a sentence: by their names, or the old one and the new one.

    Examples
    --------
    >>> two_models(), two_models("svc"), two_models("svc", "forest")
    (('the old model', 'the new one'), ("'svc'", 'the new model'), ("'svc'", "'forest'"))
    """
    second = "the new model" if old else "the new one"
    return repr(old) if old else "the old model", repr(new) if new else second


def _share(alpha: str) -> str:
    """The share of rows that are not left out, in per cent.

    Examples
    --------
    >>> _share("0.1"), _share("0.0025")
    ('90 %', '99.75 %')
    """
    exactly = Context(prec=500)
    share = exactly.multiply(exactly.subtract(Decimal(1), Decimal(alpha)), Decimal(100))
    return f"{share.normalize(exactly):f} %"


def subject_of(of: str) -> Subject | None:
    """What a guarantee is about; None for what no certificate speaks of.

    The ids of quantities that need no field, such as ``"error"``, stand for themselves.

    Examples
    --------
    >>> subject_of("mistakes").quantity, subject_of("price of a leaf")
    ('mistakes', None)
    """
    if isinstance(of, Subject):
        return of if of.quantity in get_args(Quantity) else None
    if of in get_args(Uncertified):
        return None
    return Subject(of) if of in _WORDS and of == _WORDS[of] else None


def another_quantity(of: str, quantity: Quantity | Uncertified) -> Subject:
    """Another quantity of the same thing.

    Examples
    --------
    >>> another_quantity(Subject("mistakes", label="spam"), "updates")
    "updates of 'spam' against the rest"
    """
    subject = subject_of(of)
    return Subject(quantity, None if subject is None else subject.label)


def when_learned(of: str) -> str:
    """The same, counted when labels are learned and not when they are predicted.

    Examples
    --------
    >>> when_learned("mistakes").delayed, when_learned("passes")
    (True, 'passes, at the time of learning')
    """
    subject = subject_of(of)
    if subject is None:
        return f"{of}, at the time of learning"
    return Subject(subject.quantity, subject.label, delayed=True)
