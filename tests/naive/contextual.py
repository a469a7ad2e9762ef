"""Decisions with context from their definitions, with an inverse for every round, in plain NumPy."""

from __future__ import annotations

import math

import numpy as np


def features(context, action=None, products=True):
    """1, the context, the action, and the products of both."""
    context = np.asarray(context, dtype=float)
    if action is None:
        return np.concatenate([[1.0], context])
    action = np.asarray(action, dtype=float)
    crossed = np.outer(context, action).ravel() if products else []
    return np.concatenate([[1.0], context, action, crossed])


class Ridge:
    """Least squares of losses less 1/2."""

    def __init__(self, penalty):
        self.penalty, self.rows, self.targets = penalty, [], []

    def learn(self, x, loss):
        self.rows.append(x)
        self.targets.append(loss - 0.5)

    def matrix(self, d):
        V = self.penalty * np.eye(d)
        return V + sum((np.outer(x, x) for x in self.rows), np.zeros((d, d)))

    def look(self, x):
        """The forecast, and x' V^-1 x."""
        V = self.matrix(len(x))
        b = sum((x * y for x, y in zip(self.rows, self.targets, strict=True)), np.zeros(len(x)))
        return 0.5 + x @ np.linalg.solve(V, b), x @ np.linalg.solve(V, x)

    def grown(self, d):
        return np.linalg.slogdet(self.matrix(d))[1] - d * math.log(self.penalty)


def forward(forecast, width):
    return min(1.0, max(0.0, 0.5 + (forecast - 0.5) / (1.0 + width)))


def radius(grown, penalty, norm, delta):
    return math.sqrt(penalty) * norm + math.sqrt(2 * math.log(1 / delta) + grown) / 2


def optimistic(looks, beta):
    lower = [forecast - beta * math.sqrt(width) for forecast, width in looks]
    return [float(i == int(np.argmin(lower))) for i in range(len(looks))]


def nearly_greedy(forecasts, exploration):
    k, best = len(forecasts), int(np.argmin(forecasts))
    return [exploration / k + (1 - exploration) * (i == best) for i in range(k)]


def inverse_gaps(forecasts, rate):
    k, best = len(forecasts), int(np.argmin(forecasts))
    chances = [1 / (k + rate * (f - forecasts[best])) for f in forecasts]
    chances[best] = 1 - sum(c for i, c in enumerate(chances) if i != best)
    return chances


def exp4(advice, losses, rate):
    """The chances of the actions, by weights of the experts' estimated losses."""
    weights = [math.exp(-rate * (loss - min(losses))) for loss in losses]
    total = sum(weights)
    return [
        sum(w * row[a] for w, row in zip(weights, advice, strict=True)) / total
        for a in range(len(advice[0]))
    ]
