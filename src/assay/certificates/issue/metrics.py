"""The metrics of a report, counted from a confusion, and what may be promised of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from assay.certificates.issue.claims import claim_by
from assay.errors import BadData, BadParameter, Words, require
from assay.evidence.evidence import Evidence
from assay.evidence.tally import Tally
from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.measures import MEASURES
from assay.guarantees.subject import Label, Subject
from assay.theory.claim import Quantity
from assay.theory.registry import find_theorem
from assay.theory.tail.rates import CLASSES_FIRST


@dataclass(frozen=True)
class Metric:
    """A metric to promise: what it is of, the theorem that bounds it, the counts that this takes, and what was seen."""

    of: Subject
    theorem: str
    inputs: dict[str, Any]
    observed: Fraction
    known: tuple[Assumption, ...] = ()

    def claim(self, evidence: Evidence, share: str) -> Guarantee:
        """What may be promised with this share of delta."""
        inputs = self.inputs | {"delta": share}
        seen = (self.observed.numerator, self.observed.denominator)
        known = (*evidence.checked, *self.known)
        return claim_by(find_theorem(self.theorem), self.of, inputs, seen, known)


@dataclass(frozen=True)
class Confusion:
    """How often which label was taken for which."""

    labels: tuple[Label, ...]
    counts: tuple[tuple[int, ...], ...]
    #: All labels there are, where somebody said so beforehand.
    declared: tuple[Label, ...] | None = None

    @property
    def classes_first(self) -> Assumption:
        """How it is known that the rows did not choose the classes."""
        return Assumption(CLASSES_FIRST, "not asked" if self.declared is None else "declared")

    def by_class(self) -> list[tuple[int, int, int, int]]:
        """The four counts of every label, those that were declared and do not occur among them."""
        silent = len(set(self.declared or ()) - set(self.labels))
        rows = sum(map(sum, self.counts))
        return [*map(self.parts, range(len(self.labels))), *[(0, 0, 0, rows)] * silent]

    def parts(self, place: int) -> tuple[int, int, int, int]:
        """True positives, false positives, false negatives and true negatives of a label."""
        hits, rows = self.counts[place][place], sum(map(sum, self.counts))
        false_alarms = sum(row[place] for row in self.counts) - hits
        misses = sum(self.counts[place]) - hits
        return hits, false_alarms, misses, rows - hits - false_alarms - misses

    @property
    def right(self) -> int:
        """How many rows are right."""
        return sum(row[place] for place, row in enumerate(self.counts))


def metrics_asked(tally: Tally, names: Sequence[str], positive: Any) -> list[Metric]:
    """The metrics that were asked for, each once, in the order of `MEASURES`.

    Examples
    --------
    >>> from assay.evidence.tally import tally
    >>> counted = tally([(["ham", "spam", "spam"], ["ham", "spam", "ham"])])
    >>> [str(metric.of) for metric in metrics_asked(counted, ["recall", "accuracy"], None)]
    ['accuracy', "recall of 'spam'"]
    """
    if tally.confusion is None:
        raise BadData(f"{len(tally.labels):,} labels are too many for the metrics of a report.")
    confusion = Confusion(tally.labels, tally.confusion, tally.declared)
    wanted: list[Quantity] = [quantity for quantity in MEASURES if quantity in names]
    label = None
    if any(MEASURES[quantity].of_label for quantity in wanted):
        label = positive_label(tally.labels, positive)
    return [metric_of(quantity, confusion, label) for quantity in wanted]


def positive_label(labels: Sequence[Label], positive: Any) -> Label:
    """The label that metrics of one label speak of."""
    if positive is None:
        if len(labels) != 2:
            raise BadParameter(
                f"Say which of the {len(labels)} labels counts as positive, with ",
                Words("positive", "{}", "positive"),
                ", or ask for a mean over classes: balanced-accuracy, macro-precision, macro-f1.",
            )
        return labels[1]
    require(positive in labels, "positive", "one of " + ", ".join(map(repr, labels)), positive)
    return labels[labels.index(positive)]


def metric_of(quantity: Quantity, confusion: Confusion, label: Label | None) -> Metric:
    """One metric of a confusion."""
    of = Subject(quantity, label if MEASURES[quantity].of_label else None)
    if quantity == "accuracy":
        return _rate(of, confusion.right, sum(map(sum, confusion.counts)))
    if not MEASURES[quantity].of_label:
        return _mean(of, confusion)
    assert label is not None
    hits, false_alarms, misses, others = confusion.parts(confusion.labels.index(label))
    match quantity:
        case "precision":
            return _rate(of, hits, hits + false_alarms)
        case "recall":
            return _rate(of, hits, hits + misses)
        case "specificity":
            return _rate(of, others, others + false_alarms)
        case "jaccard":
            return _rate(of, hits, hits + false_alarms + misses)
    counts = (hits, false_alarms, misses)
    if not sum(counts):
        raise _undefined(of)
    return Metric(of, "f1-at-least", dict(zip(_COUNTS, counts, strict=True)), _f1(*counts))


_COUNTS = ("true_positives", "false_positives", "false_negatives")


def _rate(of: Subject, successes: int, rows: int) -> Metric:
    if not rows:
        raise _undefined(of)
    inputs = {"successes": successes, "rows": rows}
    return Metric(of, "rate-at-least", inputs, Fraction(successes, rows))


def _undefined(of: Subject) -> BadData:
    return BadData(f"The {of} is not defined for these rows: none of them counts towards it.")


def _mean(of: Subject, confusion: Confusion) -> Metric:
    """A mean over classes: of F1 over all of them, else over those that the truth holds, or that are predicted.

    Given how many rows are of each class, or taken for it, which classes these are is no accident. What F1 counts is
    not given so: whether a row brings one class or two tells whether it is right.
    """
    classes = confusion.by_class()
    if of.quantity == "macro-f1":
        columns = map(list, zip(*(parts[:3] for parts in classes), strict=True))
        cells, mean = (
            dict(zip(_COUNTS, columns, strict=True)),
            _mean_of([_f1(*c[:3]) for c in classes]),
        )
        return Metric(of, "macro-f1-at-least", cells, mean, (confusion.classes_first,))
    denominator: Callable[[tuple[int, ...]], int] = (
        (lambda parts: parts[0] + parts[1])
        if of.quantity == "macro-precision"
        else (lambda parts: parts[0] + parts[2])
    )
    counted = [(parts[0], denominator(parts)) for parts in classes if denominator(parts)]
    inputs = {"successes": [k for k, _ in counted], "rows": [n for _, n in counted]}
    mean = _mean_of([Fraction(k, n) for k, n in counted])
    return Metric(of, "mean-rate-at-least", inputs, mean)


def _mean_of(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _f1(hits: int, false_alarms: int, misses: int) -> Fraction:
    return Fraction(2 * hits, 2 * hits + false_alarms + misses or 1)
