"""In which order numbers are added up and what is counted, as a number that stores keep.

A replay gives the same bits as long as this is the same. How to raise it: whenever a change lets a learner end in
other bits, or counts otherwise, raise it by one. Stores of before are then compared within rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

#: The present arithmetic; stores that name none were written before it was kept.
ARITHMETIC = 2
#: How learners of the service choose while feedback is out; each keeps the rules it was made with, so that a replay
#: chooses as was chosen then. 0: trials between two feedbacks share the expert that was drawn, and policies that do not
#: draw their arm. 1: an expert is drawn for each trial, and arms that were chosen and not told count as played.
RULES = 1
#: How far, against the largest of them, numbers may lie apart that were added up in another order.
_ROUNDING = 1e-9


def in_one_thread() -> None:
    """Have linear algebra work in one thread, for as long as this process lives.

    In which order numbers are added up then does not depend on how many cores there are; and what a request needs is so
    little that threads would only wait for each other, and keep the event loop from its core.
    """
    threadpool_limits(1, user_api="blas")


def alike(one: Any, other: Any, seen: frozenset[int] = frozenset()) -> bool:
    """Whether two values are the same but for rounding; of objects, what both of them have.

    Examples
    --------
    >>> alike({"p": [0.1 + 0.2, "a"]}, {"p": [0.3, "a"]}), alike(0.3, 0.3001), alike([1], [1, 2])
    (True, False, False)
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[k], other[k], seen) for k in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(
            alike(a, b, seen) for a, b in zip(one, other, strict=True)
        )
    if _inexact(one) and _inexact(other):
        a, b = np.asarray(one), np.asarray(other)
        finite = np.abs(a[np.isfinite(a)])
        apart = _ROUNDING * float(finite.max()) if finite.size else 0.0
        return a.shape == b.shape and np.allclose(a, b, rtol=0, atol=apart, equal_nan=True)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if one is None or callable(one) or isinstance(one, str | bytes | int | np.generic):
        return bool(one == other)
    if type(one) is not type(other) or id(one) in seen:
        return type(one) is type(other)
    mine, its = one.__getstate__(), other.__getstate__()
    if isinstance(mine, dict):
        mine, its = ({k: state[k] for k in mine.keys() & its.keys()} for state in (mine, its))
    return alike(mine, its, seen | {id(one)})


def _inexact(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")
