"""The metrics of a report: what each is called, its formula, and the sentences in which it is seen and promised.

A metric is one entry here, one line among the quantities of `assay.theory.claim`, and one function of
`assay.certificates.issue.metrics`, which takes its counts from a confusion; that of scores, of `score_claims` there.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.theory.claim import Quantity


@dataclass(frozen=True)
class Measure:
    """A share of which more is better.

    Attributes
    ----------
    words, formula : str
        What it is called, and what it is.
    seen, promise : str
        What was seen of it, and what is promised of new rows, without the number.
    of_label : bool
        Whether it speaks of one label, which its texts name.
    """

    words: str
    formula: str
    seen: str
    promise: str
    of_label: bool = False


def _of(words: str, formula: str, seen: str, promise: str) -> Measure:
    return Measure(words, formula, seen, promise, of_label=True)


_COUNTED = (
    "({true_positives:,} true positives, {false_positives:,} false positives, {false_negatives:,} "
    "false negatives)"
)

MEASURES: dict[Quantity, Measure] = {
    "accuracy": Measure(
        "accuracy",
        "P[h(x) = y]",
        "{successes:,} of {rows:,} rows are right ({share}).",
        "The chance that a new row is right",
    ),
    "precision": _of(
        "precision of {label!r}",
        "P[y = {label!r} | h(x) = {label!r}]",
        "Of {rows:,} rows that are taken for {label!r}, {successes:,} are ({share}).",
        "The chance that a new row that is taken for {label!r} is {label!r}",
    ),
    "recall": _of(
        "recall of {label!r}",
        "P[h(x) = {label!r} | y = {label!r}]",
        "Of {rows:,} rows that are {label!r}, {successes:,} are taken for it ({share}).",
        "The chance that a new row that is {label!r} is taken for it",
    ),
    "specificity": _of(
        "specificity for {label!r}",
        "P[h(x) != {label!r} | y != {label!r}]",
        "Of {rows:,} rows that are not {label!r}, {successes:,} are not taken for it ({share}).",
        "The chance that a new row that is not {label!r} is not taken for it",
    ),
    "jaccard": _of(
        "Jaccard index of {label!r}",
        "P[y = h(x) = {label!r} | y = {label!r} or h(x) = {label!r}]",
        "Of {rows:,} rows that are {label!r} or are taken for it, {successes:,} are both ({share}).",
        "The chance that a new row that is {label!r} or is taken for it is both",
    ),
    "f1": _of(
        "F1 of {label!r}",
        "F1(h, {label!r})",
        f"The F1 of {{label!r}} is {{share}} {_COUNTED}.",
        "The F1 of {label!r} on new rows",
    ),
    "balanced-accuracy": Measure(
        "balanced accuracy",
        "mean_c P[h(x) = c | y = c]",
        "The mean over {classes} classes of the share of rows that are right is {share}.",
        "The chance that a new row of a class is right, averaged over the {classes} classes,",
    ),
    "macro-precision": Measure(
        "macro precision",
        "mean_c P[y = c | h(x) = c]",
        "The mean over {classes} classes of the precision is {share}.",
        "The precision on new rows, averaged over the {classes} classes,",
    ),
    "macro-f1": Measure(
        "macro F1",
        "mean_c F1(h, c)",
        "The mean over {classes} classes of the F1 is {share}.",
        "The F1 on new rows, averaged over the {classes} classes,",
    ),
    "auc": _of(
        "area under the ROC curve of {label!r}",
        "P[s(x) > s(x') | y = {label!r} != y']",
        "In {concordant:,} of {pairs:,} pairs of a row that is {label!r} and one that is not, the first ranks higher "
        "({share}).",
        "The chance that a new row that is {label!r} scores above one that is not",
    ),
}
"""By the id that certificates carry."""
