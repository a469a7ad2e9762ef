"""The losses of a score, and their slopes, written from their definitions."""

from __future__ import annotations

import math

EPSILON = 0.1


def sigmoid(z):
    return 1 / (1 + math.exp(-z)) if z > -700 else 0.0


# Name -> loss and slope of a score f on a target y.
LOSSES = {
    "perceptron": (lambda f, y: max(0.0, -y * f), lambda f, y: -y if y * f <= 0 else 0.0),
    "hinge": (lambda f, y: max(0.0, 1 - y * f), lambda f, y: -y if y * f < 1 else 0.0),
    "squared_error": (lambda f, y: (f - y) ** 2 / 2, lambda f, y: f - y),
    "log_loss": (
        lambda f, y: max(0.0, -y * f) + math.log1p(math.exp(-abs(f))),
        lambda f, y: -y * sigmoid(-y * f),
    ),
    "exponential": (lambda f, y: math.exp(-y * f), lambda f, y: -y * math.exp(-y * f)),
    "epsilon_insensitive": (
        lambda f, y: max(0.0, abs(f - y) - EPSILON),
        lambda f, y: (f - y) / abs(f - y) if abs(f - y) > EPSILON else 0.0,
    ),
}


def _outside(f, y):
    """By how much a score misses its target by more than epsilon, with the sign of the miss."""
    return math.copysign(max(0.0, abs(f - y) - EPSILON), f - y)


# Those of stochastic gradient descent: more of them, and the hinge steps at its corner too.
SGD_LOSSES = LOSSES | {
    "hinge": (LOSSES["hinge"][0], lambda f, y: -y if y * f <= 1 else 0.0),
    "squared_hinge": (
        lambda f, y: max(0.0, 1 - y * f) ** 2,
        lambda f, y: -2 * y * max(0.0, 1 - y * f),
    ),
    "modified_huber": (
        lambda f, y: max(0.0, 1 - y * f) ** 2 if y * f > -1 else -4 * y * f,
        lambda f, y: -2 * y * max(0.0, 1 - y * f) if y * f > -1 else -4.0 * y,
    ),
    "huber": (
        lambda f, y: (f - y) ** 2 / 2 - _outside(f, y) ** 2 / 2,
        lambda f, y: f - y - _outside(f, y),
    ),
    "squared_epsilon_insensitive": (
        lambda f, y: _outside(f, y) ** 2,
        lambda f, y: 2 * _outside(f, y),
    ),
}
