"""Counting what a linear classifier gets wrong of the rows it was fitted to."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from assay.learners.common import kinds
from assay.learners.common.sparse_coef import dense_coef
from assay.record.linear_fit import LinearFitRecord
from assay.types import Array, Floats

#: Such a record in a model file.
FIT = kinds.record(
    LinearFitRecord,
    rows=kinds.whole(1),
    errors=kinds.count,
    features=kinds.whole(1),
    varying=kinds.count,
    constant=kinds.flag,
    classes=kinds.whole(2),
    hinge=kinds.size,
    rounds=kinds.count,
).where(lambda fit: fit.errors <= fit.rows and fit.varying <= fit.features)
#: The same of a learner whose errors may not have been counted.
MAYBE_FIT = kinds.maybe(FIT)


def linear_fit(
    model: Any,
    X: Any,
    labels: Array,
    predicted: Any,
    *,
    constant: bool,
    rounds: int = 0,
    scores: Floats | None = None,
) -> LinearFitRecord | None:
    """The record of a fit; None where a score is too large for a number.

    Parameters
    ----------
    model : estimator
        With ``classes_``, ``coef_`` and ``intercept_``.
    X, labels : array or CSR matrix, array
        All rows of the sample.
    predicted : callable
        From the scores, a column for each binary problem, to the labels that the classifier predicts.
    constant : bool
        Whether there is an intercept.
    rounds : int
        Those that an online learner has played.
    scores : array of shape (n_samples, n_problems), optional
        Those of the model, where the fit knows them.
    """
    if scores is None:
        with np.errstate(over="ignore", invalid="ignore"):  # looked at below
            scores = np.asarray(X @ dense_coef(model).T + model.intercept_, dtype=np.float64)
    if not np.isfinite(scores).all() or not X.shape[1]:
        return None
    wrong = int(np.count_nonzero(np.asarray(predicted(scores)) != labels))
    hinge = _hinge(scores, labels, model.classes_)
    if not np.isfinite(hinge):
        return None
    return LinearFitRecord(
        rows=len(labels),
        errors=wrong,
        features=int(X.shape[1]),
        varying=_varying(X),
        # One that nobody learns may have been given to start from, or be left of an earlier fit.
        constant=bool(constant) or bool(np.any(model.intercept_)),
        classes=len(model.classes_),
        hinge=hinge,
        rounds=int(rounds),
    )


def keep_fit(model: Any, X: Any, labels: Array, predicted: Any, **how: Any) -> None:
    """Let a model keep the record of its fit as `linear_fit_`, and none of an earlier one."""
    model.__dict__.pop("linear_fit_", None)
    fit = linear_fit(model, X, labels, predicted, **how)
    if fit is not None:
        model.linear_fit_ = fit


def _hinge(scores: Floats, labels: Array, classes: Array) -> float:
    """The hinge losses of all problems: a wrong choice is a mistake in at least one of them."""
    wanted = classes[1:] if len(classes) == 2 else classes
    signs = np.where(labels[:, None] == wanted[None, :], 1.0, -1.0)
    with np.errstate(over="ignore"):
        total = float(np.maximum(0.0, 1.0 - signs * scores).sum())
    # From above: each score, and the sum, may be a few units in the last place off.
    return total * (1 + 1e-12 + scores.size * 2e-16)


def _varying(X: Any) -> int:
    """How many columns are not the same in all rows."""
    first = _dense(X[:1])[0]
    alike = np.arange(X.shape[1])
    # Of most columns a few rows show it; rows are read only as long as there are others.
    start, many = 0, 100
    while start < X.shape[0] and len(alike):
        rows = X[start : start + many]
        if sparse.issparse(rows):
            alike = alike[~_differing(rows.tocsr(), first)[alike]]
        else:
            alike = alike[(rows[:, alike] == first[alike]).all(axis=0)]
        start, many = start + many, 2 * many
    return int(X.shape[1] - len(alike))


def _differing(rows: Any, first: Array) -> Array:
    """In which columns some row does not hold what the first row of all holds."""
    rows.sum_duplicates()
    differs = np.zeros(rows.shape[1], dtype=bool)
    differs[rows.indices[rows.data != first[rows.indices]]] = True
    # What is not stored is zero.
    held = np.flatnonzero(first)
    stored = np.bincount(rows.indices, minlength=rows.shape[1])[held]
    differs[held[stored < rows.shape[0]]] = True
    return differs


def _dense(rows: Any) -> Array:
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows)
