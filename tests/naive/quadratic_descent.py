"""Coordinate descent on a quadratic with penalties, written from its definition."""

from __future__ import annotations

import numpy as np


def quadratic_descent(H, g, w, penalty, passes):
    """Every coordinate in turn is put where the objective is least, all others held."""
    s = np.zeros_like(w)
    for _ in range(passes):
        for j in range(len(w)):
            rest = g[j] + H[j] @ s - H[j, j] * s[j]
            aim = H[j, j] * w[j] - rest  # where w_j + s_j times H_jj would be without the penalty
            s[j] = np.sign(aim) * max(0.0, abs(aim) - penalty[j]) / H[j, j] - w[j]
    return s
