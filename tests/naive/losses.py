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
