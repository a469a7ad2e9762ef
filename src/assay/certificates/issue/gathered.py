"""What `certify` was given, read as evidence: exactly one kind of input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from assay.certificates.issue.distinct_rows import Overlap
from assay.certificates.issue.evidence_sources import from_counts
from assay.certificates.issue.model_evidence import from_model
from assay.certificates.issue.score_claims import SCORE_RATES
from assay.errors import BadParameter, require
from assay.evidence.evidence import (
    Evidence,
    from_labels,
    from_losses,
    from_quantities,
    from_scored_pairs,
    from_scores,
)

_PAIRED = "Rows of one unit depend on each other, and scores are promised for rows that do not."


def labelled(y_true: Any, y_pred: Any, score: Any) -> dict[str, tuple[Any, ...]]:
    """The truth with what was said of it: predictions, scores, or both."""
    if score is None:
        return {"y_true and y_pred": (y_true, y_pred)}
    if y_pred is None:
        return {"y_true and score": (y_true, score)}
    return {"y_true, y_pred and score": (y_true, y_pred, score)}


def gathered(
    kinds: Mapping[str, tuple[Any, ...]],
    *,
    labels: Sequence[Any] | None,
    train: Any,
    overlap: Overlap,
    unit: Any,
    exact: bool,
    private: bool,
    numeric: bool = False,
    rates: Sequence[str] = (),
    positive: Any = None,
    groups: Any = None,
) -> Evidence:
    """Read whichever kind of input was given; refuse none, half of one, or two."""
    given = {name: parts for name, parts in kinds.items() if any(p is not None for p in parts)}
    if len(given) != 1:
        names = " and ".join(given) or "nothing"
        raise BadParameter(f"certify takes one of {'; '.join(kinds)}, but was given {names}.")
    name, parts = next(iter(given.items()))
    if any(part is None for part in parts):
        raise BadParameter(f"certify needs all of {name}, but some are missing.")
    if train is not None and name != "model, X and y":
        raise BadParameter(
            "train can only be compared with the rows X of a model; give model, X and y."
        )
    counted = name in ("loss", "errors and rows")
    require(unit is None or not counted, "unit", "left out where no labels are given", unit)
    require(labels is None or not counted, "labels", "left out where no labels are given", labels)
    plain = not counted and not numeric and name != "y_true and score"
    require(groups is None or plain, "groups", "given with labels that were predicted", "given")
    hint = "Predicted labels that the truth does not hold count as wrong."
    scored = name.endswith("score")
    of_columns = labels is None or not private or scored
    require(of_columns, "labels", "left out with a ledger", labels, hint)
    unseen: Literal["refuse", "wrong"] = "wrong" if private else "refuse"
    require(unit is None or not scored, "unit", "left out with score", unit, _PAIRED)
    if numeric:
        require(not scored, "score", "left out for quantities", "given")
        must = "left out for counts and losses"
        require(not counted, "coverage, within and range", must, name)
        require(labels is None, "labels", "left out for quantities", labels)
        if name == "y_true and y_pred":
            return from_quantities([parts if unit is None else (*parts, unit)])
        return from_model(*parts, train=train, overlap=overlap, unit=unit, numeric=True)
    match name:
        case "model, X and y":
            wanted = [rate for rate in rates if rate in SCORE_RATES]
            require(
                unit is None or not wanted, "unit", "left out with rates of scores", unit, _PAIRED
            )
            return from_model(
                *parts,
                labels=labels,
                unseen=unseen,
                train=train,
                overlap=overlap,
                unit=unit,
                scores=wanted,
                positive=positive,
                groups=groups,
            )
        case "y_true and y_pred":
            reading: dict[str, Any] = {"labels": labels, "unseen": unseen, "partition": private}
            return from_labels(*parts, unit=unit, groups=groups, **reading)
        case "y_true and score":
            return from_scores(
                [parts], labels=labels, positive=positive, unseen=unseen, partition=private
            )
        case "y_true, y_pred and score":
            evidence = from_scored_pairs(
                [parts], positive=positive, labels=labels, unseen=unseen, partition=private
            )
            if groups is None:
                return evidence
            grouped = from_labels(*parts[:2], groups=groups, labels=labels, unseen=unseen)
            return replace(evidence, groups=grouped.groups, notes=grouped.notes)
        case "loss":
            return from_losses(parts, exact=exact)
        case _:
            return from_counts(*parts)
