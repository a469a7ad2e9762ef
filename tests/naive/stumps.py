"""Decision stumps by trying every feature and every threshold, written from the definition."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple


class Stump(NamedTuple):
    feature: int
    threshold: float
    low: int  # the class where x <= threshold
    high: int


def gini(sums):
    """What a side is worth: its weight times one minus its Gini impurity."""
    whole = math.fsum(sums)
    return math.fsum(s * s for s in sums) / whole if whole else 0.0


def best_stump(X, labels, weights, classes, worth=gini, near=1e-12):
    """The first of the best stumps, features and thresholds in order; None where no feature has two values."""
    found = []
    for feature in range(len(X[0])):
        values = sorted({row[feature] for row in X})
        for below, above in itertools.pairwise(values):
            threshold = below / 2 + above / 2
            if not below <= threshold < above:
                threshold = below
            sides = [[0.0] * classes for _ in range(2)]
            for row, label, weight in zip(X, labels, weights, strict=True):
                sides[row[feature] > threshold][label] += weight
            found.append((worth(sides[0]) + worth(sides[1]), feature, threshold, sides))
    if not found:
        return None
    best = max(value for value, *_ in found)
    total = math.fsum(weights)
    _value, feature, threshold, sides = next(one for one in found if one[0] >= best - near * total)
    low, high = (
        next(c for c in range(classes) if side[c] >= max(side) - near * total) for side in sides
    )
    return Stump(feature, threshold, low, high)


def says(stump, row):
    return stump.high if row[stump.feature] > stump.threshold else stump.low
