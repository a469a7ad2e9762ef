"""What may be promised of rows that come in units: over units, over their rows, of whole units, and metrics of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

from assay.certificates.issue.claims import claim_by
from assay.certificates.issue.metrics import Metric, positive_label
from assay.errors import BadData, BadParameter, Words, require, setting
from assay.evidence.evidence import Evidence
from assay.evidence.units import UnitLabels
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.measures import MEASURES
from assay.guarantees.subject import Subject
from assay.guarantees.unit_shares import Kinds, seen_of_units
from assay.theory.claim import Quantity
from assay.theory.needs import count
from assay.theory.registry import find_theorem

Over = Literal["units", "rows", "whole-units"]
"""What a promise about units is about: the mean over units, all rows of many units, or units as a whole."""

#: Metrics that are promised of the rows of units.
UNIT_METRICS = ("accuracy", "precision", "recall", "specificity", "jaccard", "f1")

_THEOREMS = {
    "units": "unit-mean-betting",
    "rows": "unit-ratio-betting",
    "whole-units": "units-wholly-right",
}
_ERRORS: dict[str, Quantity] = {
    "units": "unit-mean-error",
    "rows": "unit-row-error",
    "whole-units": "unit-any-error",
}
_BEYOND: dict[str, Quantity] = {
    "units": "unit-mean-beyond",
    "rows": "unit-row-beyond",
    "whole-units": "unit-any-beyond",
}


@dataclass(frozen=True)
class AskedUnits:
    """What a promise about units is asked to be about, and how many rows a unit can have at most."""

    over: Over = "units"
    most_rows: int | None = None

    def check(self, units: Kinds | None, names: Sequence[str] = ()) -> None:
        """Refuse what makes no sense together, or does not fit these units; `names` are the rates asked for."""
        words = get_args(Over)
        require(self.over in words, "over", "one of " + ", ".join(map(repr, words)), self.over)
        if self.over != "rows":
            must = "left out unless the promise is over rows of units"
            require(self.most_rows is None, "most_rows", must, self.most_rows)
        if units is None:
            require(self.over == "units", "over", "left out unless rows come in units", self.over)
            return
        self._check_rates(names)
        if self.over == "rows":
            self._check_most(units)

    def _check_rates(self, names: Sequence[str]) -> None:
        why = "Rows of one unit depend on each other."
        if self.over != "rows" and names:
            raise BadParameter(
                subject="rates",
                must="left out with units",
                got=list(names),
                remedy=(
                    why,
                    " Metrics of the rows of units are promised with ",
                    setting("over", "rows"),
                    ".",
                ),
            )
        for name in names:
            must = "some of " + ", ".join(UNIT_METRICS) + " with units"
            require(name in UNIT_METRICS, "rates", must, name, why)

    def _check_most(self, units: Kinds) -> None:
        if self.most_rows is None:
            raise BadParameter(
                Words("most_rows", "{}", "most_rows"),
                " must be given for a promise over rows: how many a unit can have at most, which is declared "
                "beforehand and not read off these units.",
            )
        most = count("most_rows", self.most_rows, at_least=1)
        largest = max(rows for _, rows, _ in units)
        must = f"at least {largest}, the rows of the largest of these units"
        require(most >= largest, "most_rows", must, most)

    def inputs(self, units: Kinds) -> dict[str, Any]:
        """What the theorem is given, but for its share of delta."""
        bounded = {} if self.most_rows is None else {"most_rows": self.most_rows}
        return {"units": [list(kind) for kind in units], **bounded}


ONE_MEAN = AskedUnits()
"""The mean over units."""


def unit_claim(
    evidence: Evidence, share: str, asked: AskedUnits = ONE_MEAN, within: str | None = None
) -> Guarantee:
    """The promise about wrong rows of units; with `within` about rows that are off by more.

    Examples
    --------
    >>> from assay.evidence.evidence import from_units
    >>> seen = from_units([([0, 1] * 50, [0, 1] * 45 + [0, 0] * 5, [i // 4 for i in range(100)])])
    >>> for over, most in (("units", None), ("rows", 4), ("whole-units", None)):
    ...     claim = unit_claim(seen, "0.05", AskedUnits(over, most))
    ...     print(f"{claim.of}: at most {claim.promised:.3f}, observed {claim.observed}")
    mean error over units: at most 0.252, observed 0.05
    error per row, over units: at most 0.252, observed 0.05
    share of units with a wrong row: at most 0.282, observed 0.12
    """
    assert evidence.units is not None
    quantity = (_ERRORS if within is None else _BEYOND)[asked.over]
    of = Subject(quantity, numbers=() if within is None else (within,))
    seen = seen_of_units(of.quantity, evidence.units)
    theorem = find_theorem(_THEOREMS[asked.over])
    inputs = asked.inputs(evidence.units) | {"delta": share}
    return claim_by(theorem, of, inputs, (seen.numerator, seen.denominator), evidence.checked)


def unit_metrics(
    evidence: Evidence, names: Sequence[str], positive: Any, asked: AskedUnits
) -> list[Metric]:
    """The metrics that were asked for of the rows of units, each once, in the order of `MEASURES`."""
    if evidence.unit_labels is None:
        raise BadParameter("rates of units need the labels of every row beside its unit.")
    wanted: list[Quantity] = [quantity for quantity in MEASURES if quantity in names]
    label = None
    if any(MEASURES[quantity].of_label for quantity in wanted):
        label = positive_label(evidence.unit_labels.labels, positive)
    return [unit_metric(quantity, evidence.unit_labels, label, asked) for quantity in wanted]


def unit_metric(quantity: Quantity, seen: UnitLabels, label: Any, asked: AskedUnits) -> Metric:
    """One metric of the rows of units."""
    of = Subject(quantity, label if MEASURES[quantity].of_label else None)
    counted, failed = _rows_of(of, seen)
    if not counted.any():
        raise BadData(f"The {of} is not defined for these rows: none of them counts towards it.")
    kinds = seen.kinds(counted, failed)
    theorem = "unit-f1-at-least" if quantity == "f1" else "unit-rate-at-least"
    observed: Fraction = seen_of_units(quantity, kinds)
    return Metric(of, theorem, asked.inputs(kinds), observed)


def _rows_of(of: Subject, seen: UnitLabels) -> tuple[Any, Any]:
    """Which rows count towards a metric, and which are not what they should be."""
    wrong = seen.truth != seen.predicted
    if of.label is None:
        return wrong | True, wrong
    place = seen.labels.index(of.label)
    true, taken = seen.truth == place, seen.predicted == place
    match of.quantity:
        case "precision":
            return taken, ~true
        case "recall":
            return true, ~taken
        case "specificity":
            return ~true, taken
    return true | taken, ~(true & taken)
