"""The largest margin of any unit vector on some examples, as a least-distance problem."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls


def widest_margin(signed):
    """The distance of the origin from the convex hull of the rows y x; zero where it lies inside.

    The shortest w with y <w, x> >= 1 on every row is the answer of nonnegative least squares with the rows
    as columns, a row of ones under them, and the last unit vector as the goal (Lawson and Hanson, 1974,
    chapter 23): with s the sum of the answer, the squared margin is (1 - s) / s.
    """
    signed = np.unique(np.asarray(signed, dtype=float), axis=0)
    size = float(np.linalg.norm(signed, axis=1).max(initial=0.0))
    if size == 0.0:
        return 0.0 if len(signed) else np.inf
    columns = np.vstack([signed.T / size, np.ones(len(signed))])
    goal = np.append(np.zeros(signed.shape[1]), 1.0)
    answer, miss = nnls(columns, goal)
    return size * miss / np.sqrt(answer.sum())
