"""The margin perceptron, written from its definition."""

from __future__ import annotations

import math
from typing import NamedTuple

from tests.naive.perceptron import dot


class Run(NamedTuple):
    w: list
    updates: int  # after the first example, which only sets the weights
    norms: list  # ||w|| at the start and after each update


def margin_perceptron(X, y, margin, slack=0.5, w=None):
    """Start at y_1 x_1; add y x whenever y <w, x> / ||w|| is below (1 - slack) margin."""
    rounds = list(zip(X, y, strict=True))
    if w is None:
        (x, label), *rounds = rounds
        w = [label * xi for xi in x]
    norms, updates = [math.sqrt(dot(w, w))], 0
    for x, label in rounds:
        if label * dot(w, x) / norms[-1] < (1 - slack) * margin:
            w = [wi + label * xi for wi, xi in zip(w, x, strict=True)]
            norms.append(math.sqrt(dot(w, w)))
            updates += 1
    return Run(w, updates, norms)
