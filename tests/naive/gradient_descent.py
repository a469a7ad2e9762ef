"""Online gradient descent on the hinge loss, written from its definition."""

from __future__ import annotations

import math
from typing import NamedTuple


class Run(NamedTuple):
    scores: list  # w_t . x_t, before the update
    hinge: float
    mistakes: int  # of sgn(score), with sgn(0) = +1
    squared_norms: float  # over the rounds with an update
    weights: list  # before the first round and after each


def dot(a, b):
    return math.fsum(p * q for p, q in zip(a, b, strict=True))


def hinge_loss(w, X, y):
    return math.fsum(max(0.0, 1.0 - label * dot(w, x)) for x, label in zip(X, y, strict=True))


def gradient_descent(X, y, rate, ball=None):
    """Step by rate * y * x when y * score < 1; with `ball`, pull w back into that radius.

    `rate` is a number, or gives the rate of round 1, 2, ...
    """
    at = rate if callable(rate) else lambda t: rate
    w = [0.0] * len(X[0])
    scores, losses, squares, mistakes, weights = [], [], [], 0, [w]
    for t, (x, label) in enumerate(zip(X, y, strict=True), start=1):
        score = dot(w, x)
        scores.append(score)
        losses.append(max(0.0, 1.0 - label * score))
        mistakes += (1 if score >= 0 else -1) != label
        if label * score < 1:
            squares.append(dot(x, x))
            w = [wi + at(t) * label * xi for wi, xi in zip(w, x, strict=True)]
            length = math.sqrt(dot(w, w))
            if ball is not None and length > ball:
                w = [wi * ball / length for wi in w]
        weights.append(w)
    return Run(scores, math.fsum(losses), mistakes, math.fsum(squares), weights)
