"""Online gradient descent on the hinge loss, written from its definition."""

from __future__ import annotations

import math
from typing import NamedTuple

from tests.naive.losses import LOSSES


class Run(NamedTuple):
    scores: list  # w_t . x_t, before the update
    hinge: float
    mistakes: int  # of sgn(score), with sgn(0) = +1
    squared_norms: float  # over the rounds with an update
    weights: list  # before the first round and after each
    rates: list  # of the rounds with an update
    weighted_squares: float  # squared norms, each times its rate


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
    scores, losses, squares, rates, mistakes, weights = [], [], [], [], 0, [w]
    for t, (x, label) in enumerate(zip(X, y, strict=True), start=1):
        score = dot(w, x)
        scores.append(score)
        losses.append(max(0.0, 1.0 - label * score))
        mistakes += (1 if score >= 0 else -1) != label
        if label * score < 1:
            squares.append(dot(x, x))
            rates.append(at(t))
            w = [wi + rates[-1] * label * xi for wi, xi in zip(w, x, strict=True)]
            length = math.sqrt(dot(w, w))
            if ball is not None and length > ball:
                w = [wi * ball / length for wi in w]
        weights.append(w)
    weighted = math.fsum(n * square for n, square in zip(rates, squares, strict=True))
    sums = (math.fsum(losses), mistakes, math.fsum(squares))
    return Run(scores, *sums, weights, rates, weighted)


class Descent(NamedTuple):
    weights: list  # the constant feature's last
    paid: float
    mistakes: int
    steps: int
    squares: float  # of the gradients, over the rounds with a step
    drift: float  # the same, each times its rate
    rates: list


def descend(X, y, loss="hinge", rate=None, ball=None, longest=0.0, capped=False, constant=1.0):
    """Any loss, a constant feature, and without a rate U sqrt(2 / t) / (longest gradient so far)."""
    value, slope = LOSSES[loss]
    w = [0.0] * (len(X[0]) + 1)
    paid, squares, drift, rates, mistakes = [], [], [], [], 0
    for t, (row, label) in enumerate(zip(X, y, strict=True), start=1):
        x = [*row, constant]
        score = dot(w, x)
        mistakes += (1 if score >= 0 else -1) != label
        g = slope(score, label)
        if g == 0:
            continue
        square = dot(x, x)
        longest = max(longest, abs(g) * math.sqrt(square))
        rates.append(rate or ball * math.sqrt(2 / t) / longest)
        paid.append(value(score, label))
        squares.append(g * g * square)
        drift.append(rates[-1] * squares[-1])
        tau = min(rates[-1], paid[-1] / square) if capped else rates[-1]
        w = [wi - tau * g * xi for wi, xi in zip(w, x, strict=True)]
        length = math.sqrt(dot(w, w))
        if ball is not None and length > ball:
            w = [wi * ball / length for wi in w]
    sums = (math.fsum(squares), math.fsum(drift))
    return Descent(w, math.fsum(paid), mistakes, len(paid), *sums, rates)
