"""Nearest neighbours from their definition: all distances, sorted; of equal ones the smaller row first."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np


def by_fours(terms):
    """A sum as the compiled loops define it: a head of one to four terms, then fours, each (a + b) + (c + d)."""
    terms = [float(t) for t in terms]
    head = (len(terms) - 1) % 4 + 1

    def four(part):
        a, b, c, d = part + [0.0] * (4 - len(part))
        return (a + b) + (c + d)

    total = four(terms[:head])
    for j in range(head, len(terms), 4):
        total += four(terms[j : j + 4])
    return total


def value(q, x, kind="squares", VI=None):
    """The number that rows are compared by."""
    gap = [float(a) - float(b) for a, b in zip(q, x, strict=True)]
    if kind == "form":
        return form(gap, VI)
    return by_fours([abs(g) if kind == "absolutes" else g * g for g in gap])


def form(gap, VI):
    """(q - x)' VI (q - x), each pair of features once, the sums below the diagonal in four parts."""
    total = 0.0
    for j, g in enumerate(gap):
        parts = [0.0] * 4
        whole = j - j % 4
        for p in range(j):
            parts[p % 4 if p < whole else 0] += float(VI[j][p]) * gap[p]
        below = (parts[0] + parts[1]) + (parts[2] + parts[3])
        total += g * (float(VI[j][j]) * g + 2.0 * below)
    return max(total, 0.0)


def ranked(q, X, kind="squares", VI=None):
    """All rows, nearest first, as pairs of value and row."""
    return sorted((value(q, x, kind, VI), r) for r, x in enumerate(X))


def nearest(Q, X, k, kind="squares", VI=None):
    """The values and rows of the k nearest of each example."""
    found = [ranked(q, X, kind, VI)[:k] for q in Q]
    return np.array([[v for v, _ in f] for f in found]), np.array(
        [[r for _, r in f] for f in found]
    )


def within(Q, X, limit, kind="squares", VI=None):
    """The rows up to a limit, in their order."""
    return [[r for r, x in enumerate(X) if value(q, x, kind, VI) <= limit] for q in Q]


def exact_squares(q, x):
    """The squared distance as a fraction."""
    return sum((Fraction(float(a)) - Fraction(float(b))) ** 2 for a, b in zip(q, x, strict=True))


def exact_ranked(q, X):
    """All rows in the order of their true distances, ties by row."""
    return [r for _, r in sorted((exact_squares(q, x), r) for r, x in enumerate(X))]


def vote(labels, weights=None):
    """The label with most votes, the smallest of tied ones."""
    weights = [1.0] * len(labels) if weights is None else weights
    totals = {}
    for label, weight in zip(labels, weights, strict=True):
        totals[label] = totals.get(label, 0.0) + weight
    return min(totals, key=lambda label: (-totals[label], label))


def cosine(q, x):
    """One less the cosine; one where either has no direction."""
    a, b = math.hypot(*q), math.hypot(*x)
    return 1.0 if a == 0 or b == 0 else 1.0 - sum(s * t for s, t in zip(q, x, strict=True)) / a / b
