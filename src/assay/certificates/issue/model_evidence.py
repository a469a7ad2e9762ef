"""What was seen of a model from anywhere on a holdout: its predictions, on rows that count."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.certificates.issue.distinct_rows import (
    Counted,
    Overlap,
    copies_known,
    count_rows,
    not_in_training,
    require_overlap,
)
from assay.errors import BadData, BadParameter, require
from assay.evidence.evidence import (
    Evidence,
    Unseen,
    as_column,
    as_rows,
    from_pairs,
    from_quantities,
    from_units,
)
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
    numeric: bool = False,
) -> Evidence:
    """Evidence from a fitted model of any library: anything with ``predict``.

    Rows are known by their features alone: a row that was learned from is not fresh whatever its label is now,
    and the number found must tell nothing about the labels. Without `train`, a model that has kept digests of the
    rows it learned, as assay's learners do (`assay.evidence.fitted_rows`), is asked itself.
    """
    from assay.evidence.digest import digest_labels
    from assay.evidence.partition import digest_partition
    from assay.evidence.quantities import digest_numbers, read_numbers

    if not callable(getattr(model, "predict", None)):
        raise BadParameter(
            f"model must have a predict method, but is a {type(model).__name__}. "
            "Give y_true and y_pred to certify predictions made elsewhere."
        )
    require_overlap(overlap)
    truth, predicted = as_column(y), as_column(model.predict(X))
    if numeric:
        truth, predicted = read_numbers(truth, "truth"), read_numbers(predicted, "prediction")
    digests, known = _digests(X, train)
    if digests is None:
        evidence = _paired(truth, predicted, unit, labels, unseen, numeric)
        return evidence if numeric else replace(evidence, partition=digest_partition(truth))
    units = None if unit is None else _codes(unit, len(digests))
    own = None if train is not None else _own_rows(model)
    counted = count_rows(digests, known, units, None if own is None else own.among(digests))
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
    truth_kept, predicted = where(truth, keep), where(predicted, keep)
    unit = None if unit is None else where(unit, keep)
    return replace(
        _paired(truth_kept, predicted, unit, labels, unseen, numeric),
        row_digest=_rows_digest(digests),
        # Of all rows: which were left out depends on the model.
        holdout=digest_numbers(truth) if numeric else digest_labels(truth),
        partition=None if numeric else digest_partition(truth),
        checked=checked,
        known_rows=digests,
    )


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
) -> Evidence:
    if numeric:
        return from_quantities([(truth, predicted) if unit is None else (truth, predicted, unit)])
    if unit is None:
        return from_pairs([(truth, predicted)], labels=labels, unseen=unseen)
    return from_units([(truth, predicted, unit)], labels=labels, unseen=unseen)


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
    counted: Counted, overlap: Overlap, compared: bool, own: FittedRows | None
) -> tuple[Assumption, ...]:
    """What is known about rows that were seen before or that repeat one another."""
    rows, seen = counted.rows.size, counted.seen
    known = copies_known(counted.copies, rows, overlap, seen=seen)
    if not (compared or own) or (overlap == "keep" and seen):
        return known
    if seen and overlap == "drop" and own is not None and not own.whole:
        raise BadParameter(
            f"overlap must not be 'drop': {own.compared}, {seen} of {rows} rows of the holdout are in it, and "
            "others may be among the rest. Give the training rows as train."
        )
    kept, learned = (0, 0) if own is None else (len(own.digests), own.rows)
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
