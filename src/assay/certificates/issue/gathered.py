"""What `certify` was given, read as evidence: exactly one kind of input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from assay.certificates.issue.distinct_rows import Overlap
from assay.certificates.issue.evidence_sources import from_counts
from assay.certificates.issue.id_holdout import id_digests
from assay.certificates.issue.model_evidence import from_model
from assay.certificates.issue.named_rows import (
    declares_none,
    ids_of,
    known_of_units,
    listed,
    with_draws,
)
from assay.certificates.issue.score_claims import SCORE_RATES
from assay.certificates.issue.unit_losses import from_unit_losses
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
    ids: Any = None,
    exact: bool,
    private: bool,
    numeric: bool = False,
    rates: Sequence[str] = (),
    positive: Any = None,
    groups: Any = None,
) -> Evidence:
    """Read whichever kind of input was given; refuse none, half of one, or two."""
    name, parts = _only_kind(kinds)
    of_model, counted = name == "model, X and y", name in ("loss", "errors and rows")
    if train is not None and not of_model:
        raise BadParameter(
            "train can only be compared with the rows X of a model; give model, X and y."
        )
    column = None if declares_none(unit) else unit
    must = "left out with counts, which do not tell units"
    require(column is None or name != "errors and rows", "unit", must, "given")
    require(ids is None or name != "errors and rows", "ids", "left out with counts", "given")
    require(labels is None or not counted, "labels", "left out where no labels are given", labels)
    plain = not counted and not numeric and name != "y_true and score"
    require(groups is None or plain, "groups", "left out unless labels were predicted", "given")
    hint = "Predicted labels that the truth does not hold count as wrong."
    scored = name.endswith("score")
    of_columns = labels is None or not private or scored
    require(of_columns, "labels", "left out with a ledger", labels, hint)
    require(column is None or not scored, "unit", "left out with score", "given", _PAIRED)
    wanted = [rate for rate in rates if rate in SCORE_RATES] if of_model else []
    alone = column is None or not wanted
    require(alone, "unit", "left out with rates of scores", "given", _PAIRED)
    unseen: Literal["refuse", "wrong"] = "wrong" if private else "refuse"
    if numeric:
        require(not scored, "score", "left out for quantities", "given")
        must = "left out for counts and losses"
        require(not counted, "coverage, within and range", must, name)
        require(labels is None, "labels", "left out for quantities", labels)
    if of_model:
        return from_model(
            *parts,
            labels=labels,
            unseen=unseen,
            train=train,
            overlap=overlap,
            unit=unit,
            ids=ids,
            numeric=numeric,
            scores=wanted,
            positive=positive,
            groups=groups,
        )
    if numeric:
        evidence = from_quantities([parts if column is None else (*parts, column)])
    elif name == "errors and rows":
        evidence = from_counts(*parts)
    elif name == "loss" and column is not None:
        evidence = from_unit_losses([(*parts, column)], exact=exact)
    elif name == "loss":
        evidence = from_losses(parts, exact=exact)
    else:
        reading = _Reading(labels, unseen, private, positive, groups)
        evidence = reading.labelled(name, parts, column)
    if private and ids is not None:
        truth = listed(parts[0]) if name.startswith("y_true") and not numeric else None
        evidence = replace(evidence, known_rows=id_digests({"ids": listed(ids)}, truth))
    if evidence.units is not None and ids is not None:
        shared = known_of_units({"ids": ids}, column)
        return replace(evidence, checked=(*evidence.checked, *shared))
    return with_draws(evidence, unit, ids_of(ids, None))


def _only_kind(kinds: Mapping[str, tuple[Any, ...]]) -> tuple[str, tuple[Any, ...]]:
    given = {name: parts for name, parts in kinds.items() if any(p is not None for p in parts)}
    if len(given) != 1:
        names = " and ".join(given) or "nothing"
        raise BadParameter(f"certify takes one of {'; '.join(kinds)}, but was given {names}.")
    [(name, parts)] = given.items()
    if any(part is None for part in parts):
        raise BadParameter(f"certify needs all of {name}, but some are missing.")
    return name, parts


class _Reading(NamedTuple):
    """How a truth and what was said of it are read."""

    labels: Sequence[Any] | None
    unseen: Literal["refuse", "wrong"]
    private: bool
    positive: Any
    groups: Any

    def labelled(self, name: str, parts: tuple[Any, ...], unit: Any) -> Evidence:
        """Predictions, with units and groups where there are any, scores, or both."""
        terms: dict[str, Any] = {"labels": self.labels, "unseen": self.unseen}
        terms["partition"] = self.private
        if name == "y_true and score":
            return from_scores([parts], positive=self.positive, **terms)
        if name == "y_true and y_pred":
            return from_labels(*parts, unit=unit, groups=self.groups, **terms)
        evidence = from_scored_pairs([parts], positive=self.positive, **terms)
        if self.groups is None:
            return evidence
        seen = from_labels(*parts[:2], groups=self.groups, labels=self.labels, unseen=self.unseen)
        return replace(evidence, groups=seen.groups, notes=seen.notes)
