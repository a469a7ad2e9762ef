"""Statistics of categories, written from their definition, row by row; and a broken twin."""

from __future__ import annotations

import math


def strength(categories, outcomes):
    """The variance within categories over that between them, by a one-way analysis of variance; 1 at least."""
    groups = {}
    for category, outcome in zip(categories, outcomes, strict=True):
        groups.setdefault(category, []).append(outcome)
    n, k = len(outcomes), len(groups)
    if k < 2 or n <= k:
        return math.inf
    mean = sum(outcomes) / n
    between = sum(len(g) * (sum(g) / len(g) - mean) ** 2 for g in groups.values()) / (k - 1)
    within = sum((v - sum(g) / len(g)) ** 2 for g in groups.values() for v in g) / (n - k)
    size = (n - sum(len(g) ** 2 for g in groups.values()) / n) / (k - 1)
    variance = (between - within) / size
    return math.inf if variance <= 0 else max(1.0, within / variance)


def smoothed(rows, prior, m):
    if m == math.inf:
        return prior
    return (sum(rows) + m * prior) / (len(rows) + m)


def of_others(categories, outcomes, fold, past=False):
    """Each row's category by the rows of other folds, or of earlier ones."""
    prior, m = sum(outcomes) / len(outcomes), strength(categories, outcomes)
    shown = []
    for i, category in enumerate(categories):
        rows = [
            outcomes[j]
            for j in range(len(outcomes))
            if categories[j] == category and (fold[j] < fold[i] if past else fold[j] != fold[i])
        ]
        shown.append(smoothed(rows, prior, m))
    return shown


def in_fold(categories, outcomes):
    """Broken: each row's category by all rows, the row itself among them, and next to no smoothing."""
    prior = sum(outcomes) / len(outcomes)
    return [
        smoothed([o for c, o in zip(categories, outcomes, strict=True) if c == category], prior, 1)
        for category in categories
    ]
