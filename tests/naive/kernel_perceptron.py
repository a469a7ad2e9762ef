"""The kernel perceptron, written from its definition: it stores its mistakes and nothing else."""

from __future__ import annotations

from typing import NamedTuple

from tests.naive.perceptron import wrong


class Run(NamedTuple):
    support: list  # the mistaken examples and their labels, in order
    mistakes: int
    scores: list


def kernel_perceptron(kernel, X, y, zero=1):
    """One pass: predict the sign of sum_q y_q K(x_q, x) over the mistakes made so far."""
    support, scores = [], []
    for x, label in zip(X, y, strict=True):
        scores.append(sum(yq * kernel(xq, x) for xq, yq in support))
        if wrong(scores[-1], label, zero):
            support.append((x, label))
    return Run(support, len(support), scores)


def all_products(x, z):
    """How many products of features (the empty one too) are one in both boolean examples."""
    return 2 ** sum(a * b for a, b in zip(x, z, strict=True))
