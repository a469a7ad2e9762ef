"""What was seen of a model from anywhere on a holdout: its predictions, on rows that count."""

from __future__ import annotations

import contextlib
import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.certificates.issue.distinct_rows import (
    Counted,
    Overlap,
    copies_known,
    count_rows,
    not_in_training,
    require_overlap,
)
from assay.certificates.issue.model_scores import model_scores
from assay.certificates.issue.named_rows import declares_none, ids_of, with_draws
from assay.errors import BadData, BadParameter, require
from assay.evidence.evidence import (
    Evidence,
    Unseen,
    as_column,
    as_rows,
    from_labels,
    from_quantities,
)
from assay.evidence.group_columns import GroupColumns, group_columns
from assay.evidence.scores import read_scores
from assay.guarantees.assumption import Assumption

if TYPE_CHECKING:
    from assay.evidence.fitted_rows import FittedRows


def from_model(
    model: Any,
    X: Any,
    y: Any,
    *,
    labels: Sequence[Any] | None = None,
    unseen: Unseen = "refuse",
    train: Any = None,
    overlap: Overlap = "refuse",
    unit: Any = None,
    ids: Any = None,
    numeric: bool = False,
    scores: Sequence[str] = (),
    positive: Any = None,
    groups: Any = None,
) -> Evidence:
    """Evidence from a fitted model of any library: anything with ``predict``.

    Rows are known by their features alone: a row that was learned from is not fresh whatever its label is now,
    and the number found must tell nothing about the labels. Without `train`, a model that has kept digests of the
    rows it learned, as assay's learners do (`assay.evidence.fitted_rows`), is asked itself. Its
    `scores`, where something is asked of them, are what ``predict_proba`` or ``decision_function`` says.
    """
    from assay.evidence.digest import digest_labels
    from assay.evidence.partition import digest_partition
    from assay.evidence.quantities import digest_numbers, read_numbers

    if not callable(getattr(model, "predict", None)):
        raise BadParameter(
            f"model must have a predict method, but is a {type(model).__name__}. "
            "Give y_true and y_pred to certify predictions made elsewhere."
        )
    truth, predicted = as_column(y), as_column(model.predict(X))
    if numeric:
        truth, predicted = read_numbers(truth, "truth"), read_numbers(predicted, "prediction")
    scored = _Scored(*model_scores(model, X, scores, positive)) if scores else None
    column = None if declares_none(unit) else unit
    divided = None if groups is None else group_columns(groups, X)
    fresh = fresh_rows([model], X, train=train, overlap=overlap, unit=column)
    if fresh is None:
        evidence = _paired(truth, predicted, column, labels, unseen, numeric, scored, divided)
        evidence = evidence if numeric else replace(evidence, partition=digest_partition(truth))
        return with_draws(evidence, unit, ids_of(ids, X))
    kept, predicted = where(truth, fresh.keep), where(predicted, fresh.keep)
    column = None if column is None else where(column, fresh.keep)
    divided = None if divided is None else divided.where(fresh.keep)
    if scored is not None:
        scored = scored._replace(values=where(scored.values, fresh.keep))
    evidence = replace(
        _paired(kept, predicted, column, labels, unseen, numeric, scored, divided),
        row_digest=_rows_digest(fresh.digests),
        # Of all rows: which were left out depends on the model.
        holdout=digest_numbers(truth) if numeric else digest_labels(truth),
        partition=None if numeric else digest_partition(truth),
        checked=fresh.checked,
        known_rows=fresh.digests,
    )
    return with_draws(evidence, unit, ids_of(ids, X, fresh.keep))


@dataclass(frozen=True)
class FreshRows:
    """Which rows of a holdout count for models that learned from others.

    Attributes
    ----------
    keep : array of bool
        Whether each row counts.
    digests : array of uint8
        Of every row.
    checked : tuple of Assumption
        What is known about rows that were seen before or that repeat one another.
    """

    keep: Any
    digests: Any
    checked: tuple[Assumption, ...]


def fresh_rows(
    models: Sequence[Any], X: Any, *, train: Any, overlap: Overlap, unit: Any
) -> FreshRows | None:
    """The rows that none of the models has learned, each counted once; None where rows cannot be told apart."""
    require_overlap(overlap)
    digests, known = _digests(X, train)
    if digests is None:
        return None
    units = None if unit is None else _codes(unit, len(digests))
    own = [] if train is not None else [kept for m in models if (kept := _own_rows(m)) is not None]
    learned = [kept.among(digests) for kept in own]
    seen = functools.reduce(operator.or_, learned) if learned else None
    counted = count_rows(digests, known, units, seen)
    keep, checked = counted.rows, _checked(counted, overlap, train is not None, own)
    if overlap == "refuse":
        # What was seen voids the promise, so that nothing is gained by leaving it out as well.
        keep = count_rows(digests, None, units).rows
    elif overlap == "keep":
        keep = keep | True
    if not keep.any():
        raise BadData(
            "Every row of the holdout is in the training set, so none is left to certify."
        )
    return FreshRows(keep, digests, checked)


class _Scored(NamedTuple):
    """What a model says of each row beside its label."""

    values: Any
    labels: Sequence[Any]
    positive: Any


def is_regressor(model: Any) -> bool:
    """Whether a model says of itself, as scikit-learn's do, that it predicts numbers."""
    kind = getattr(model, "_estimator_type", None)
    tags = getattr(model, "__sklearn_tags__", None)
    if callable(tags):
        # A model of another library may have tags of its own; it is then asked for errors.
        with contextlib.suppress(AttributeError, TypeError, NotImplementedError):
            kind = tags().estimator_type
    return bool(kind == "regressor")


def _paired(
    truth: Any,
    predicted: Any,
    unit: Any,
    labels: Sequence[Any] | None,
    unseen: Unseen,
    numeric: bool,
    scored: _Scored | None = None,
    groups: GroupColumns | None = None,
) -> Evidence:
    if numeric:
        return from_quantities([(truth, predicted) if unit is None else (truth, predicted, unit)])
    made = from_labels(truth, predicted, unit=unit, groups=groups, labels=labels, unseen=unseen)
    if scored is None:
        return made
    read = read_scores(
        [(truth, scored.values)], labels=scored.labels, positive=scored.positive, unseen=unseen
    )
    return replace(made, scores=read)


def _digests(X: Any, train: Any) -> tuple[Any, Any]:
    """The digests of the holdout's rows and of the training rows, by their features.

    Rows of things that are neither numbers nor text have none, and then no training rows can be looked for.
    """
    from assay.evidence.rows import row_digests

    if train is None:
        try:
            return row_digests(as_rows(X)), None
        except BadData:
            return None, None
    known = train
    if isinstance(train, tuple):
        require(len(train) == 2, "train", "X or the pair (X, y)", f"a tuple of {len(train)}")
        known = train[0]
    X, known = _alike(as_rows(X), as_rows(known))
    return row_digests(X), row_digests(known)


def _rows_digest(digests: Any) -> str:
    from assay.evidence.rows import rows_digest

    return rows_digest(digests)


def _codes(unit: Any, rows: int) -> Any:
    from assay.evidence.units import unit_codes

    codes = unit_codes(unit)
    require(codes.size == rows, "unit", f"one name for each of {rows} rows", codes.size)
    return codes


def _own_rows(model: Any) -> FittedRows | None:
    """What a model has kept of the rows it learned; None where it keeps nothing."""
    from assay.evidence.fitted_rows import FittedRows

    kept = getattr(model, "fitted_rows_", None)
    return kept if isinstance(kept, FittedRows) else None


def _checked(
    counted: Counted, overlap: Overlap, compared: bool, own: Sequence[FittedRows]
) -> tuple[Assumption, ...]:
    """What is known about rows that were seen before or that repeat one another."""
    rows, seen = counted.rows.size, counted.seen
    known = copies_known(counted.copies, rows, overlap, seen=seen)
    if not (compared or own) or (overlap == "keep" and seen):
        return known
    sample = next((one for one in own if not one.whole), None)
    if seen and overlap == "drop" and sample is not None:
        raise BadParameter(
            f"overlap must not be 'drop': {sample.compared}, {seen} of {rows} rows of the holdout are in it, and "
            "others may be among the rest. Give the training rows as train."
        )
    kept, learned = sum(len(one.digests) for one in own), sum(one.rows for one in own)
    return (not_in_training(seen, rows, overlap, compared=kept, learned=learned), *known)


def _alike(X: Any, train: Any) -> tuple[Any, Any]:
    """Holdout and training rows with the same columns in the same order and precision."""
    import numpy as np

    columns, known = (list(getattr(part, "columns", [])) for part in (X, train))
    if columns and known:
        if sorted(map(str, columns)) != sorted(map(str, known)):
            odd = sorted(set(map(str, columns)) ^ set(map(str, known)))
            raise BadData(
                f"train and X must have the same columns, but {odd[0]!r} is in only one of them."
            )
        return X, train[columns]
    shapes = [part.shape if hasattr(part, "shape") else np.shape(part) for part in (X, train)]
    if len(shapes[1]) < 2 or not shapes[1][0]:
        raise BadData("train must hold at least one row, each with the columns of X.")
    if shapes[0][1:] != shapes[1][1:]:
        raise BadData(
            f"train and X must have the same columns, but train has {shapes[1][1]} and X {shapes[0][1]}."
        )
    return X, train


def where(values: Any, keep: Any) -> Any:
    """Some of the values, as an array."""
    import numpy as np

    return np.asarray(values)[keep]
