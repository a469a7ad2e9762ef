"""Halving over all 2^16 disjunctions of 16 features, against the same rule in NumPy, at equal results."""

import time

import numpy as np
from measure import line, race

from assay import Halving
from assay.data.synthetic.disjunction import disjunction

ROUNDS, FEATURES, GOAL = 10_000, 16, 1.0


def in_numpy(X, y):
    """The rule as one would write it: every concept left is asked about every example."""
    left = np.arange(2**FEATURES)
    rows = X.astype(np.int64) @ (1 << np.arange(FEATURES))
    mistakes = 0
    for row, label in zip(rows.tolist(), (y > 0).tolist(), strict=True):
        says = (left & row) != 0
        mistakes += (2 * says.sum() >= len(left)) != label
        left = left[says == label]
    return mistakes, left


def typical() -> None:
    data = disjunction(ROUNDS, FEATURES, relevant=3, random_state=0)
    model = Halving("disjunctions").fit(data.X, data.y)
    mistakes, left = in_numpy(data.X, data.y)
    same = model.record_.mistakes == mistakes and model.left_ == len(left)
    print(f"a target of three: {model.formula_}; same as NumPy: {same}; {model.guarantees()[0]}")
    best = race(
        {
            "assay": lambda: Halving("disjunctions").fit(data.X, data.y),
            "peer": lambda: in_numpy(data.X, data.y),
        }
    )
    line(f"  {ROUNDS:,} rounds", best["assay"], best["peer"], "NumPy", 1)


def worst() -> None:
    # The target is the OR of all features; examples with many ones refute few concepts at a time.
    points = np.arange(2**FEATURES)
    ones = np.bitwise_count(points)
    points = points[np.argsort(-ones, kind="stable")][:ROUNDS]
    X = (points[:, None] >> np.arange(FEATURES) & 1).astype(float)
    y = np.ones(ROUNDS, dtype=int)
    seconds = []
    for _ in range(5):
        model = Halving("disjunctions")
        start = time.perf_counter()
        model.partial_fit(X, y, classes=[0, 1])
        seconds.append(time.perf_counter() - start)
    took = min(seconds)
    verdict = "met" if took < GOAL else "MISSED"
    print(
        f"few refuted, {model.left_:,} left: {ROUNDS:,} rounds in {took:.3f} s (goal {GOAL} s) {verdict}"
    )


if __name__ == "__main__":
    typical()
    worst()
