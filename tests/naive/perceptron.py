"""The perceptron, written from its definition: slow, obvious, exact over integers and fractions."""

from __future__ import annotations

from typing import NamedTuple


class Run(NamedTuple):
    w: list
    mistakes: int  # wrong predictions; equal to the updates unless zero="mistake"
    updates: int
    scores: list  # <w, x> before the round's update
    norms: list  # ||w||^2 after each update


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def wrong(score, label, zero):
    """Is this score an error on this label? `zero` is the sign of 0, or "mistake" for neither."""
    if score == 0:
        return zero == "mistake" or label != zero
    return (score > 0) != (label > 0)


def perceptron(X, y, zero=1, w=None):
    """One pass: predict the sign of <w, x>; on a mistake add y x."""
    w = [0] * len(X[0]) if w is None else list(w)
    updates, scores, norms = 0, [], []
    for x, label in zip(X, y, strict=True):
        scores.append(dot(w, x))
        if wrong(scores[-1], label, zero):
            w = [wi + label * xi for wi, xi in zip(w, x, strict=True)]
            updates += 1
            norms.append(dot(w, w))
    sign_of_zero = 1 if zero == "mistake" else zero
    mistakes = sum(wrong(s, label, sign_of_zero) for s, label in zip(scores, y, strict=True))
    return Run(w, mistakes, updates, scores, norms)


def perceptron_until_clean(X, y, zero=1, most_passes=10_000):
    """Sweep until one sweep has no mistake: the updates made, the weights, the sweeps needed."""
    w, updates = None, 0
    for sweep in range(1, most_passes + 1):
        run = perceptron(X, y, zero, w)
        w, updates = run.w, updates + run.updates
        if run.updates == 0:
            return updates, w, sweep
    raise RuntimeError("not separable within the allowed passes")
