"""Sums over rows, one number at a time."""

from __future__ import annotations


def weighted_products(X, weights):
    width = range(len(X[0]))
    return [
        [sum(s * x[j] * x[k] for x, s in zip(X, weights, strict=True)) for k in width]
        for j in width
    ]


def pulled_by(X, V):
    return [
        [sum(x[j] * v[k] for x, v in zip(X, V, strict=True)) for j in range(len(X[0]))]
        for k in range(len(V[0]))
    ]


def block_scores(X, W, free):
    return [
        [b + sum(a * c for a, c in zip(x, w, strict=True)) for w, b in zip(W, free, strict=True)]
        for x in X
    ]
