"""Whether claims about the rows of each class fit into the holdout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.certificates.format.claim import subject_in
from assay.guarantees.subject import Subject


def rows_of(inputs: Mapping[str, Any]) -> Any:
    """How many rows a claim rests on, whatever form they have in its inputs."""
    if "losses" in inputs:
        return inputs["losses"]["rows"]
    if "units" in inputs:
        return sum(rows * count for _, rows, count in inputs["units"])
    return inputs["rows"]


def errors_of(inputs: Mapping[str, Any]) -> Any:
    """How many of them were wrong; None for graded losses."""
    if "units" in inputs:
        return sum(errors * count for errors, _, count in inputs["units"])
    return inputs.get("errors")


def check_classes(whole: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> str | None:
    """Why the claims about classes cannot be about the rows of the first claim; None when they can."""
    rows, errors = rows_of(whole["inputs"]), errors_of(whole["inputs"])
    if type(errors) is not int:
        return "the rates of classes need counts of errors"
    subjects = [subject_in(part) for part in parts]
    if len({(type(s.label), s.label) for s in subjects}) != len(subjects):
        return "the same thing is claimed twice"
    counted = [(part["inputs"]["rows"], part["inputs"]["errors"]) for part in parts]
    if any(n < 1 or k > n for n, k in counted):
        return "a claim about a class counts more errors than rows"
    counted_rows, counted_errors = (sum(column) for column in zip(*counted, strict=True))
    if _are_all(subjects):
        if (counted_rows, counted_errors) != (rows, errors):
            what = "rows" if counted_rows != rows else "errors"
            return (
                f"the {what} of the classes do not add up to {rows if what == 'rows' else errors}"
            )
        return _pair_fault(subjects)
    # One side of two: the other has the remaining rows, and at least one.
    if counted_rows >= rows or not 0 <= errors - counted_errors <= rows - counted_rows:
        return "a claim about some of the rows counts more than there are"
    return _pair_fault(subjects)


def _are_all(subjects: Sequence[Subject]) -> bool:
    """Whether every class has its claim: always, unless only one side of a pair was asked for."""
    return len(subjects) > 1 or not subjects[0].side


def _pair_fault(subjects: Sequence[Subject]) -> str | None:
    """Rates of false positives and negatives speak of two classes, and of each other."""
    sided = [s for s in subjects if s.side]
    if not sided:
        return None
    classes = {s.label for s in subjects} | {s.other for s in sided}
    same_side = len({s.side for s in sided}) != len(sided)
    if len(classes) != 2 or same_side or any(s.label == s.other for s in sided):
        return "rates of false positives and negatives speak of two classes"
    return None
