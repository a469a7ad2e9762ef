"""The exact bound for a million counts a few seconds: SciPy proposes, a margin makes it certain enough.

`assay.theory.tail.binomial` decides the last digit of one bound; this file gives many to twelve.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import TYPE_CHECKING

from assay.errors import require
from assay.theory.needs import inside_unit
from assay.theory.rounding import double_below
from assay.theory.tail.binomial import upper_rate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from assay.types import Array, Floats

# SciPy's inverse of the tail is off by 5e-10 or more in rare places all over its range; one Newton step on
# its tail, which is good to 1e-14, mends that (checked against enclosures). Half the promised 1e-12 is
# then ample.
_MANY_ROWS = 10**6
_MANY_MARGIN = 5e-13
_MANY_DELTA = 1e-290
_FEW = 32
_WORTH_A_THREAD = 5_000
_MENDED = 1e-10


def holdout_exact_many(errors: ArrayLike, rows: ArrayLike, delta: float) -> Floats:
    """`holdout_exact` for many counts at once: a few millionths of a second for each distinct one.

    The values are never below the exact ones and at most 1e-12 (relative) above; `holdout_exact`
    gives the last digit too. Rows beyond a million and delta below 1e-290 are not covered.

    Examples
    --------
    >>> holdout_exact_many([0, 50], 1000, 0.05).round(6)
    array([0.002991, 0.062863])
    """
    import numpy as np

    level = inside_unit("delta", delta).low
    require(level >= _MANY_DELTA, "delta", f"at least {_MANY_DELTA}", delta, "Use holdout_exact.")
    if isinstance(errors, int) and isinstance(rows, int) and 0 <= errors < rows <= _MANY_ROWS:
        return np.asarray(_one_rate(errors, rows, level))
    k, n = np.broadcast_arrays(np.asarray(errors), np.asarray(rows))
    for name, values in (("errors", k), ("rows", n)):
        require(_whole(values), name, "whole numbers", values.dtype.name)
    outside = np.argwhere(~((k >= 0) & (k <= n) & (n >= 1) & (n <= _MANY_ROWS)))
    if len(outside):
        first = int(k[tuple(outside[0])]), int(n[tuple(outside[0])])
        must = f"counts with 0 <= errors <= rows and 1 <= rows <= {_MANY_ROWS}"
        require(False, "(errors, rows)", must, first)
    if k.size < _FEW or np.ptp(n):
        parts = _in_threads(lambda k, n: _many_rates(k, n, level), k.reshape(-1), n.reshape(-1))
        return np.concatenate(parts).reshape(k.shape)
    # All counts are of one number of rows, so they repeat: each is worked out once.
    some, place = np.unique(k, return_inverse=True)
    parts = _in_threads(lambda k: _many_rates(k, np.full_like(k, n.flat[0]), level), some)
    return np.concatenate(parts)[place].reshape(k.shape)


def _one_rate(k: int, n: int, level: Fraction) -> float:
    """`_many_rates` for one count, without the cost of arrays."""
    from scipy import special

    delta = double_below(level)
    rate = float(special.betainccinv(k + 1.0, float(n - k), delta))
    if rate > 1 - _MANY_MARGIN:
        return 1.0
    log_beta = math.lgamma(k + 1) + math.lgamma(n - k) - math.lgamma(n + 1)
    log_slope = k * math.log(rate) + (n - k - 1) * math.log1p(-rate) - log_beta
    excess = float(special.betaincc(k + 1.0, float(n - k), rate)) / delta - 1
    step = excess * math.exp(min(math.log(delta) - log_slope, 700.0))
    if not abs(step) <= _MENDED * rate:
        return upper_rate(k, n, level)
    return min((rate + step) * (1 + _MANY_MARGIN), 1.0)


def _in_threads(work: Callable[..., Floats], *columns: Array) -> list[Floats]:
    """Work on parts of arrays side by side: SciPy's functions do not hold the interpreter's lock."""
    import numpy as np

    workers = min(os.cpu_count() or 1, max(len(columns[0]) // _WORTH_A_THREAD, 1))
    if workers == 1:
        return [work(*columns)]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, *(np.array_split(column, workers) for column in columns)))


def _many_rates(k: Array, n: Array, level: Fraction) -> Floats:
    """The rates from SciPy, mended, rounded up by more than they can be wrong."""
    import numpy as np
    from scipy import special

    delta = double_below(level)
    value = np.asarray(special.betainccinv(k + 1.0, np.maximum(n - k, 1.0), delta))
    value[(k == n) | (value > 1 - _MANY_MARGIN)] = 1.0
    places = np.flatnonzero(value != 1.0)
    value[places] = _mended(k[places], n[places], value[places], delta, level)
    return np.minimum(value * (1 + _MANY_MARGIN), 1.0)


def _mended(k: Array, n: Array, rate: Floats, delta: float, level: Fraction) -> Floats:
    """One Newton step on the tail, and the certain rate where even that would be far."""
    import numpy as np
    from scipy import special

    a, b = k + 1.0, (n - k).astype(np.float64)
    with np.errstate(all="ignore"):
        log_slope = (a - 1) * np.log(rate) + (b - 1) * np.log1p(-rate) - special.betaln(a, b)
        step = (special.betaincc(a, b, rate) / delta - 1) * np.exp(math.log(delta) - log_slope)
    value = np.asarray(rate + step)
    for i in np.flatnonzero(~(np.abs(step) <= _MENDED * rate)):  # not so in a SciPy that works
        value[i] = upper_rate(int(k[i]), int(n[i]), level)
    return value


def _whole(values: Array) -> bool:
    return values.dtype.kind in "iu"
