"""What a vector of weights leaves of the normal equations, rounded up.

The numbers here stand behind promises, so what floating point may have lost is added to them. A sum of n
products in any order is off by at most n u / (1 - n u) times the sum of their sizes, u being half the
distance from 1 to the next double.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from assay.types import Floats

_UNIT = np.finfo(np.float64).eps / 2
# The bounds are themselves computed in floating point; this covers it many times over.
SLACK = 1.0 + 1e-9
_BLOCK = 4096


def lost(terms: int) -> float:
    """How much of the sum of its sizes a sum of so many products can be off."""
    part = (terms + 4) * _UNIT
    return part / (1 - part)


def left_over(
    X: Any,
    y: Floats,
    coef: Floats,
    intercept: Floats,
    weights: Floats | None,
    *,
    penalty: Floats,
    centred: bool,
) -> tuple[Floats, Floats]:
    """How far each target's gradient is from zero, and what a better intercept would save.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
    y : array of shape (n, t)
        The targets, as columns.
    coef : array of shape (t, d)
    intercept : array of shape (t,)
    weights : array of shape (n,) or None
        The weights s of the rows.
    penalty : array of shape (t,)
    centred : bool
        Whether the intercept was fitted.

    Returns
    -------
    gradient : array of shape (t,)
        The length of X' S r - penalty coef, from above, r being the residuals less their mean if centred.
    offset : array of shape (t,)
        (sum of s r)^2 / (sum of s), from above; zero if there is no intercept.
    """
    n, d = X.shape
    parts = [X[i : i + _BLOCK] for i in range(0, n, _BLOCK)]
    s = np.ones((n, 1)) if weights is None else weights[:, None]
    sized = np.abs(coef).T
    fitted = np.concatenate([np.asarray(part @ coef.T) for part in parts])
    r = y - fitted - intercept
    sizes = np.concatenate([np.asarray(abs(part) @ sized) for part in parts])
    off = lost(d + 2) * (np.abs(y) + sizes + np.abs(intercept))
    offset = np.zeros(len(coef))
    if centred:
        weight = s.sum()
        total = (s * r).sum(axis=0)
        doubt = (s * off).sum(axis=0) + lost(n + 2) * (s * np.abs(r)).sum(axis=0)
        offset = (np.abs(total) + doubt) ** 2 / weight * SLACK
        r = r - total / weight
        off = off + doubt / weight + lost(4) * (np.abs(r) + np.abs(total) / weight)
    pulled, sway = np.zeros((d, len(coef))), np.zeros((d, len(coef)))
    start = 0
    for part in parts:
        stop = start + part.shape[0]
        rows = slice(start, stop)
        pulled += np.asarray(part.T @ (s[rows] * r[rows]))
        slack = s[rows] * (off[rows] + lost(n + 4) * np.abs(r[rows]))
        sway += np.asarray(abs(part).T @ slack)
        start = stop
    shrunk = penalty * coef.T
    each = np.abs(pulled - shrunk) + sway + lost(2) * (np.abs(pulled) + np.abs(shrunk))
    return length_of(each), offset


def length_of(each: Floats) -> Floats:
    """The length of every column, from above."""
    # Lengths by hypot-like scaling, so that tiny numbers are not squared to zero.
    largest = each.max(axis=0, initial=0.0)
    scaled = each / np.where(largest > 0, largest, 1.0)
    return np.asarray(largest * np.sqrt((scaled**2).sum(axis=0)) * SLACK)


def centre(X: Any, y: Floats, weights: Floats | None, *, move: bool) -> tuple[Floats, Floats]:
    """The weighted means of the columns of X and of y; zeros where nothing is to move."""
    if not move:
        return np.zeros(X.shape[1]), np.zeros(y.shape[1])
    if weights is None:
        means = X.mean(axis=0)
        return np.asarray(means, dtype=np.float64).ravel(), y.mean(axis=0)
    shares = weights / weights.sum()
    return np.asarray(X.T @ shares).ravel(), np.asarray(y.T @ shares)


def moved(X: Any, means: Floats, weights: Floats | None) -> Floats:
    """A dense copy of X less its means, every row times the root of its weight."""
    rows = X.toarray() if sparse.issparse(X) else np.array(X)
    if means.any():
        rows -= means
    if weights is not None:
        rows *= np.sqrt(weights)[:, None]
    return np.asarray(rows)


def centred_rows(X: Any, means: Floats, weights: Floats | None) -> LinearOperator:
    """Sparse rows less their means, every row times the root of its weight, as products with vectors."""
    roots = np.ones(X.shape[0]) if weights is None else np.sqrt(weights)
    return LinearOperator(
        X.shape,
        matvec=lambda w: roots * (X @ w.ravel() - means @ w.ravel()),
        rmatvec=lambda a: X.T @ (roots * a.ravel()) - means * (roots @ a.ravel()),
        dtype=np.float64,
    )
