"""Running standardisation from its definition: every row by the exact mean and variance of all rows up to it."""

from __future__ import annotations

import math
from fractions import Fraction


def running_scale(rows):
    """Every feature less its mean so far, over its deviation so far; 0 while it has not varied."""
    scaled = []
    for t in range(1, len(rows) + 1):
        columns = list(zip(*rows[:t], strict=True))
        scaled.append([standard(column) for column in columns])
    return scaled


def standard(column):
    """The last number of a column, centred and scaled by all of them."""
    exact = [Fraction(x) for x in column]
    mean = sum(exact) / len(exact)
    variance = sum((x - mean) ** 2 for x in exact) / len(exact)
    if not variance:
        return 0.0
    return math.copysign(math.sqrt((exact[-1] - mean) ** 2 / variance), exact[-1] - mean)


def welford(rows):
    """The same by Welford's rule in floating point: the rows, the means and the sums of squares."""
    mean, squares, scaled = [0.0] * len(rows[0]), [0.0] * len(rows[0]), []
    for t, row in enumerate(rows, start=1):
        out = []
        for j, x in enumerate(row):
            before = x - mean[j]
            mean[j] = mean[j] + before / t
            after = x - mean[j]
            squares[j] = squares[j] + before * after
            variance = squares[j] / t
            out.append(after / math.sqrt(variance) if variance > 0 else 0.0)
        scaled.append(out)
    return scaled, mean, squares
