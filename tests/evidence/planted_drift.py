"""Tables that drift, each just far enough that the next rows break what a random holdout promises by five points.

The sizes were found beforehand by bisection on 40 seeds of their own, for 5,000 rows of which a fifth is held out.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import beta
from sklearn.neighbors import KNeighborsClassifier

ROWS = 5_000
NEXT = ROWS // 5


def _noisy(y, rng, share=0.1):
    return (y ^ (rng.random(len(y)) < share)).astype(int)


def _turned(angle, X, rng):
    return _noisy(np.cos(angle) * X[:, 0] + np.sin(angle) * X[:, 1] > 0, rng)


def _along():
    return np.arange(ROWS + NEXT) / ROWS


def turning_boundary(rng, size=0.809):
    """The boundary turns by so much from the first row to the last."""
    X = rng.normal(size=(ROWS + NEXT, 5))
    return X, _turned(size * _along(), X, rng)


def late_turn(rng, size=0.41):
    """It turns all at once, a tenth of the rows before the end."""
    X = rng.normal(size=(ROWS + NEXT, 5))
    return X, _turned(np.where(_along() >= 0.9, size, 0), X, rng)


def drifting_column(rng, size=0.938):
    """A column rises, and where it is large labels are noisy."""
    X = rng.normal(size=(ROWS + NEXT, 5))
    X[:, 0] += size * _along()
    noise = 0.05 + 0.4 / (1 + np.exp(-3 * (X[:, 0] - 1)))
    return X, ((X[:, 1] > 0) ^ (rng.random(len(X)) < noise)).astype(int)


def rarer_class(rng, size=0.121):
    """A rare class that is hard to tell becomes more frequent."""
    y = (rng.random(ROWS + NEXT) < 0.08 + size * _along()).astype(int)
    X = rng.normal(size=(len(y), 5))
    X[:, 0] += y
    return X, y


def neighbours_in_time(rng, size=0.9756):
    """Each row is like the row before it, and so is what moves its label."""
    shocks = rng.normal(size=(ROWS + NEXT, 4)) * np.sqrt(1 - size**2)
    states = np.empty_like(shocks)
    states[0] = rng.normal(size=4)
    for row in range(1, len(states)):
        states[row] = size * states[row - 1] + shocks[row]
    X = states[:, :3]
    return X, _noisy(0.7 * X[:, 0] + states[:, 3] > 0, rng, 0.05)


def sorted_by_class(rng, size=1.0):
    """All rows of one class come first; the next rows are of the last."""
    y = (np.arange(ROWS + NEXT) >= ROWS // 2).astype(int)
    X = rng.normal(size=(len(y), 5))
    X[:, 0] += size * y
    X[ROWS:, 0] -= 0.35
    return X, y


KINDS = (
    turning_boundary,
    late_turn,
    drifting_column,
    rarer_class,
    neighbours_in_time,
    sorted_by_class,
)


def linear(X, y, other):
    weights = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), 2.0 * y - 1, rcond=None)[0]
    return (np.column_stack([np.ones(len(other)), other]) @ weights > 0).astype(int)


def nearest(X, y, other):
    return KNeighborsClassifier(3).fit(X, y).predict(other)


def broken_by(kind, X, y, rng):
    """By how much the next rows break what a random holdout promises at 95 %; and the training rows."""
    learn = nearest if kind is neighbours_in_time else linear
    drawn = rng.permutation(ROWS)
    train, held = np.sort(drawn[NEXT:]), drawn[:NEXT]
    guess = learn(X[train], y[train], np.vstack([X[held], X[ROWS:]]))
    wrong = int((guess[:NEXT] != y[held]).sum())
    promised = beta.ppf(0.95, wrong + 1, NEXT - wrong)
    return (guess[NEXT:] != y[ROWS:]).mean() - promised, train
