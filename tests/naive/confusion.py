"""Errors and confusion by comparing one row at a time."""

from __future__ import annotations


def confusion(truth, prediction):
    labels = sorted({*truth, *prediction})
    matrix = [[0] * len(labels) for _ in labels]
    errors = 0
    for t, p in zip(truth, prediction, strict=True):
        matrix[labels.index(t)][labels.index(p)] += 1
        errors += t != p
    return tuple(labels), tuple(map(tuple, matrix)), errors
