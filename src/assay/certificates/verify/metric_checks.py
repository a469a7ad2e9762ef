"""What is checked of the metrics in a certificate: their counts are of the same rows, and what was seen follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from assay.certificates.format.claim import subject_in
from assay.certificates.verify.document_checks import errors_of, rows_of
from assay.guarantees.decimals import decimal_ratio
from assay.guarantees.printable import printable
from assay.guarantees.subject import Subject
from assay.guarantees.unit_shares import seen_of_units

_COUNTS = ("true_positives", "false_positives", "false_negatives")


def seen_in(claim: Mapping[str, Any]) -> str:
    """What was seen of a metric, by the counts that its claim rests on."""
    inputs = claim["inputs"]
    if "units" in inputs:
        seen = seen_of_units(claim["quantity"], inputs["units"])
        return decimal_ratio(seen.numerator, seen.denominator)
    if "successes" in inputs:
        pairs = zip(_listed(inputs["successes"]), _listed(inputs["rows"]), strict=True)
        shares = [Fraction(successes, rows) for successes, rows in pairs]
    else:
        columns = [_listed(inputs[name]) for name in _COUNTS]
        counts = zip(*columns, strict=True)
        shares = [Fraction(2 * hits, 2 * hits + a + b or 1) for hits, a, b in counts]
    mean = sum(shares, Fraction(0)) / len(shares)
    return decimal_ratio(mean.numerator, mean.denominator)


def metrics_fault(
    overall: Mapping[str, Any],
    metrics: Sequence[Mapping[str, Any]],
    classes: Sequence[Mapping[str, Any]] = (),
) -> str | None:
    """Why the metrics cannot be those of the rows of the first claim, or of `classes`; None when they can."""
    rows, errors = rows_of(overall["inputs"]), errors_of(overall["inputs"])
    if type(errors) is not int:
        return "metrics need counts of errors"
    subjects = [subject_in(claim) for claim in metrics]
    if len(set(subjects)) != len(subjects):
        return "the same thing is claimed twice"
    known: dict[Any, dict[str, int]] = {}
    fault = units_fault(overall, metrics)
    if fault is not None:
        return fault
    for subject, claim in zip(subjects, metrics, strict=True):
        inputs = _of_rows(claim["inputs"])
        if subject.quantity == "accuracy":
            if (inputs["successes"], inputs["rows"]) != (rows - errors, rows):
                return "the accuracy counts other rows than the error does"
        elif subject.label is None:
            fault = _mean_fault(subject, inputs, rows, errors)
            if fault is not None:
                return fault
        else:
            counts = known.setdefault((type(subject.label), subject.label), {})
            for name, number in _cells(subject, inputs).items():
                if counts.setdefault(name, number) != number:
                    return f"{printable(subject, 80)} counts other rows than another metric does"
    faults = [_label_fault(cells, rows, errors) for cells in known.values()]
    means = [c["inputs"] for c, s in zip(metrics, subjects, strict=True) if s.label is None]
    faults += [_together_fault(known, rows, errors), _classes_fault(known, classes, means)]
    return next(filter(None, faults), None)


def _together_fault(known: Mapping[Any, Mapping[str, int]], rows: int, errors: int) -> str | None:
    """Whether the metrics of several labels can be those of the same rows."""
    cells = list(known.values())
    right = sum(c.get("true_positives", 0) for c in cells)
    sides = [
        sum(c["true_positives"] + c[wrong] for c in cells if {"true_positives", wrong} <= c.keys())
        for wrong in ("false_positives", "false_negatives")
    ]
    fits = right <= rows - errors and max(sides) <= rows and len({kind for kind, _ in known}) <= 1
    return (
        None if fits else f"metrics of several labels do not fit {rows} rows with {errors} errors"
    )


def _classes_fault(
    known: Mapping[Any, Mapping[str, int]],
    classes: Sequence[Mapping[str, Any]],
    means: Sequence[Mapping[str, Any]],
) -> str | None:
    """Whether the rows of a label are as many wherever they are counted."""
    recalled = {
        label: (cells["true_positives"], cells["true_positives"] + cells["false_negatives"])
        for label, cells in known.items()
        if {"true_positives", "false_negatives"} <= cells.keys()
    }
    for claim in classes:
        subject, inputs = subject_in(claim), claim["inputs"]
        counted = (inputs["rows"] - inputs["errors"], inputs["rows"])
        if recalled.get((type(subject.label), subject.label), counted) != counted:
            return f"the rows of class {printable(repr(subject.label), 60)} are counted differently"
    for inputs in means:
        if isinstance(inputs.get("rows"), list) and len(inputs["rows"]) > 1:
            listed = list(zip(inputs["successes"], inputs["rows"], strict=True))
            taken = [
                (c["true_positives"], c["true_positives"] + c["false_positives"])
                for c in known.values()
                if {"true_positives", "false_positives"} <= c.keys()
            ]
            by_truth = all(pair in listed for pair in recalled.values())
            if not by_truth and not all(pair in listed for pair in taken):
                return "a mean over classes counts other rows than the metrics of a class"
    return None


def _cells(subject: Subject, inputs: Mapping[str, Any]) -> dict[str, int]:
    """The cells of a label's own confusion that a metric tells: true positives and negatives, false ones, or both."""
    if subject.quantity == "f1" and "successes" not in inputs:
        return {name: inputs[name] for name in _COUNTS}
    right, wrong = inputs["successes"], inputs["rows"] - inputs["successes"]
    match subject.quantity:
        case "precision":
            return {"true_positives": right, "false_positives": wrong}
        case "recall":
            return {"true_positives": right, "false_negatives": wrong}
        case "specificity":
            return {"true_negatives": right, "false_positives": wrong}
    return {"true_positives": right, "false": wrong}


def _label_fault(cells: dict[str, int], rows: int, errors: int) -> str | None:
    """Whether some confusion of so many rows and errors has these cells for a label."""
    false = [cells[name] for name in ("false_positives", "false_negatives") if name in cells]
    both = cells.get("false", sum(false))
    fits = min(cells.values()) >= 0 and sum(false) <= both <= errors
    fits = fits and (both == sum(false) or len(false) < 2)
    right = [cells[name] for name in ("true_positives", "true_negatives") if name in cells]
    # Right rows of other labels are true negatives, and so are rows of other labels taken for each other.
    fits = fits and cells.get("true_positives", 0) <= rows - errors
    fits = fits and sum(right) + both <= rows
    if len(right) == 2 and ("false" in cells or len(false) == 2):
        fits = fits and sum(right) + both == rows
    return None if fits else f"metrics of one label do not fit {rows} rows with {errors} errors"


def _mean_fault(subject: Subject, inputs: Mapping[str, Any], rows: int, errors: int) -> str | None:
    """Means over classes count every row once, by its truth or by its prediction."""
    if subject.quantity == "macro-f1":
        hits, false_alarms, misses = (sum(inputs[name]) for name in _COUNTS)
        fits = (hits, false_alarms, misses) == (rows - errors, errors, errors)
    else:
        fits = (sum(inputs["successes"]), sum(inputs["rows"])) == (rows - errors, rows)
    return None if fits else f"the {subject} counts other rows than the error does"


def units_fault(overall: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> str | None:
    """Whether all metrics speak of units, or none, as the first claim does; and of no more units than there are."""
    stated = [overall["inputs"], *(claim["inputs"] for claim in metrics)]
    by_units = [inputs for inputs in stated if "units" in inputs]
    if not by_units:
        return None
    if len(by_units) != len(stated):
        return "metrics and errors speak of units and of rows"
    if len({inputs.get("most_rows") for inputs in stated}) != 1:
        return "its claims declare other sizes of units"
    there = sum(many for *_, many in overall["inputs"]["units"])
    if any(sum(many for *_, many in inputs["units"]) > there for inputs in stated):
        return f"a metric counts more than the {there} units that there are"
    return None


def _of_rows(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """The counts of a metric without regard to units."""
    if "units" not in inputs:
        return inputs
    rows = rows_of(inputs)
    return {"successes": rows - errors_of(inputs), "rows": rows}


def _listed(value: Any) -> list[int]:
    return value if isinstance(value, list) else [value]
