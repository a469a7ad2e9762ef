"""Least squares over weights of zero or more."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import linalg, optimize, sparse
from sklearn.exceptions import ConvergenceWarning

from assay.learners.linear.normal_equations import centred_rows, moved
from assay.types import Floats


def least_squares_above_zero(
    X: Any,
    means: Floats,
    weights: Floats | None,
    right: Floats,
    *,
    penalties: Floats,
    few: int = 2000,
) -> Floats:
    r"""Minimise :math:`\|Aw-b\|^2+\lambda\|w\|^2` over w of zero or more, one row of weights for each column of b.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
    means : array of shape (d,)
        What its columns are less in A.
    weights : array of shape (n,) or None
        A's rows are those times the roots of these.
    right : array of shape (n, t)
        b, the roots of the weights in it already.
    penalties : array of shape (t,)
    few : int
        Up to so many columns an active set is searched for, which solves a dense system in each step; beyond, projected
        steps are made.

    Examples
    --------
    >>> X, b = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0], [-1.0]])
    >>> least_squares_above_zero(X, np.zeros(2), None, b, penalties=np.zeros(1)).round(9).tolist()
    [[1.0, 0.0]]
    """
    small = X.shape[1] <= few
    products = sparse.issparse(X) and not small
    rows = centred_rows(X, means, weights) if products else moved(X, means, weights)
    pairs = zip(right.T, penalties.tolist(), strict=True)
    solve = _by_active_set if small else _by_projection
    return np.array([solve(rows, column, penalty) for column, penalty in pairs])


def _by_active_set(rows: Floats, right: Floats, penalty: float) -> Floats:
    """Lawson and Hanson's method, on a triangle that is as long as there are columns."""
    n, d = rows.shape
    if penalty > 0:
        rows = np.vstack([rows, np.sqrt(penalty) * np.eye(d)])
        right = np.concatenate([right, np.zeros(d)])
    if len(rows) > 2 * d:
        turned, rows = linalg.qr(rows, mode="economic", check_finite=False)
        right = turned.T @ right
    return np.asarray(optimize.nnls(rows, right, maxiter=30 * (n + d))[0])


def _by_projection(rows: Any, right: Floats, penalty: float) -> Floats:
    """L-BFGS within bounds, which only multiplies by the rows."""
    back = rows.rmatvec if hasattr(rows, "rmatvec") else lambda a: rows.T @ a
    largest = float(np.abs(back(right)).max(initial=0.0))

    def objective(w: Floats) -> tuple[float, Floats]:
        rest = rows @ w - right
        return 0.5 * float(rest @ rest + penalty * (w @ w)), back(rest) + penalty * w

    terms = {"maxiter": 10_000, "maxfun": 20_000, "ftol": 1e-15, "gtol": 1e-9 * largest}
    bounds = optimize.Bounds(0.0, np.inf)
    done = optimize.minimize(
        objective,
        np.zeros(rows.shape[1]),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options=terms,
    )
    if done.nit >= terms["maxiter"]:
        warnings.warn(
            "The search for weights above zero stopped before it was done. Scale the features.",
            ConvergenceWarning,
            stacklevel=5,
        )
    return np.asarray(done.x)
