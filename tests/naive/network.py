"""A network by loops over rows and gates, and the rules of its steps."""

from __future__ import annotations

import math

GATES = {
    "identity": lambda z: z,
    "logistic": lambda z: 1 / (1 + math.exp(-z)),
    "tanh": math.tanh,
    "relu": lambda z: max(0.0, z),
}


def answer(x, coefs, intercepts, gate):
    """What the last layer answers for one row."""
    layer = list(x)
    for place, (coef, intercept) in enumerate(zip(coefs, intercepts, strict=True), 1):
        layer = [
            sum(layer[i] * coef[i][j] for i in range(len(layer))) + intercept[j]
            for j in range(len(intercept))
        ]
        if place < len(coefs):
            layer = [GATES[gate](z) for z in layer]
    return layer


def cross_entropy(scores, label):
    """-ln of the probability of the label: one score for two classes, else one for each."""
    if len(scores) == 1:
        scores = [0.0, scores[0]]
    return math.log(sum(math.exp(s) for s in scores)) - scores[label]


def objective(X, labels, weights, coefs, intercepts, gate, alpha):
    """The mean loss and the penalty."""
    total = sum(weights)
    lost = sum(
        w * cross_entropy(answer(x, coefs, intercepts, gate), label)
        for x, label, w in zip(X, labels, weights, strict=True)
    )
    square = sum(float(v) ** 2 for coef in coefs for row in coef for v in row)
    return lost / total + alpha / (2 * total) * square


def momentum(weights, gradient, velocity, rate, keep, ahead):
    """The new weights and the new velocity."""
    velocity = keep * velocity - rate * gradient
    step = keep * velocity - rate * gradient if ahead else velocity
    return weights + step, velocity


def adam(weights, gradient, first, second, t, rate, one, two, epsilon):
    """The new weights and running means at step t, from one on."""
    first = one * first + (1 - one) * gradient
    second = two * second + (1 - two) * gradient**2
    scale = rate * math.sqrt(1 - two**t) / (1 - one**t)
    return weights - scale * first / (second**0.5 + epsilon), first, second
