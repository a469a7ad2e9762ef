"""The distances: how they are named, and what they ask of the data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import BadData, BadParameter, require
from assay.learners.common.number_kinds import is_number
from assay.learners.common.settings import OWN
from assay.types import Array, Floats

EUCLIDEAN, MANHATTAN, MAHALANOBIS, COSINE = "euclidean", "manhattan", "mahalanobis", "cosine"
MINKOWSKI, CHEBYSHEV, PRECOMPUTED = "minkowski", "chebyshev", "precomputed"

_OTHER_NAMES = {"l2": EUCLIDEAN, "l1": MANHATTAN, "cityblock": MANHATTAN, "infinity": CHEBYSHEV}
#: Those that compiled loops compute.
NAMES = (EUCLIDEAN, MANHATTAN, MAHALANOBIS, COSINE)


def metric_named(metric: Any, p: Any = 2, params: Any = None) -> str:
    """The distance that a name stands for; "minkowski" is the one of the power `p`.

    Examples
    --------
    >>> metric_named("minkowski", 1), metric_named("l2"), metric_named("minkowski", 3)
    ('manhattan', 'euclidean', 'minkowski')
    """
    if not isinstance(metric, str):
        fine = callable(metric) or hasattr(metric, "pairwise")
        require(fine, "metric", "a name, or a function of two rows", metric)
        return OWN
    name = _OTHER_NAMES.get(metric, metric)
    if name == MINKOWSKI:
        p = (params or {}).get("p", p) if isinstance(params, Mapping | None) else p
        require(bool(is_number(p) and p > 0), "p", "a number above zero", p)
        if isinstance(params, Mapping) and "w" in params:
            return MINKOWSKI
        return {1: MANHATTAN, 2: EUCLIDEAN, math.inf: CHEBYSHEV}.get(p, MINKOWSKI)
    if name not in (*NAMES, CHEBYSHEV, PRECOMPUTED):
        from sklearn.neighbors import VALID_METRICS  # only here: it is slow to import

        known = sorted({*VALID_METRICS["brute"], "hamming"} - {"pyfunc"})
        require(name in known, "metric", f"a function, or one of {', '.join(known)}", metric)
    return name


def require_metric_params(name: str, params: Any) -> None:
    """Refuse parameters that the distance does not have."""
    if params is None:
        return
    require(isinstance(params, Mapping), "metric_params", "a dict or None", params)
    if name not in NAMES:
        return
    allowed = ("V", "VI") if name == MAHALANOBIS else ("p",)
    for key in params:
        if key not in allowed:
            has = "has V or VI" if name == MAHALANOBIS else "has none"
            raise BadParameter(f"{name} has no parameter {key!r}: it {has}.")
    if len(params) > 1:
        raise BadParameter("mahalanobis takes V or VI, not both.")


def inverse_covariance(X: Array, params: Mapping[str, Any] | None) -> Floats:
    """The matrix of the Mahalanobis distance: VI, or the inverse of V, or of the covariance of the rows.

    Examples
    --------
    >>> inverse_covariance(np.zeros((3, 2)), {"V": [[4.0, 0.0], [0.0, 1.0]]})
    array([[0.25, 0.  ],
           [0.  , 1.  ]])
    """
    width = X.shape[1]
    given = dict(params or {})
    if "VI" in given:
        return _matrix("VI", given["VI"], width)
    if "V" in given:
        V = _matrix("V", given["V"], width)
        what = "V"
    else:
        if len(X) < 2:
            raise BadData(
                "The covariance of X needs at least two rows. Give V or VI in metric_params."
            )
        V = np.cov(X.astype(np.float64, copy=False), rowvar=False).reshape(width, width)
        what = "the covariance of X"
    # Powers of two round nothing, and features of all sizes become alike.
    sizes = 2.0 ** -np.round(0.5 * np.log2(np.where(V.diagonal() > 0, V.diagonal(), 1.0)))
    try:
        inverse = np.linalg.inv(V * sizes * sizes[:, None]) * sizes * sizes[:, None]
    except np.linalg.LinAlgError:
        inverse = np.full_like(V, np.nan)
    if not np.isfinite(inverse).all():
        raise BadData(
            f"{what[0].upper()}{what[1:]} has no inverse, so it gives no Mahalanobis distance. Leave out features "
            "that depend on others, or give VI in metric_params."
        )
    return np.ascontiguousarray((inverse + inverse.T) / 2)


def _matrix(name: str, value: Any, width: int) -> Floats:
    where = f"metric_params[{name!r}]"
    must = f"a symmetric matrix of finite numbers, {width} by {width}"
    try:
        matrix = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    fits = matrix.shape == (width, width) and bool(np.isfinite(matrix).all())
    fits = fits and np.allclose(matrix, matrix.T, rtol=1e-8, atol=0)
    require(fits, where, must, value)
    return np.ascontiguousarray((matrix + matrix.T) / 2)
