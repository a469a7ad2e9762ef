"""Small online learners in the shapes of three libraries, written from their definitions."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Elimination(ClassifierMixin, BaseEstimator):
    """Drops every feature that is set in a false positive; at most d mistakes on a disjunction."""

    def fit(self, X, y):
        vars(self).pop("kept_", None)
        return self.partial_fit(X, y, classes=np.unique(y))

    def partial_fit(self, X, y, classes=None):
        if not hasattr(self, "kept_"):
            self.classes_, self.kept_ = np.unique(classes), np.ones(X.shape[1], dtype=bool)
        for x, label in zip(np.asarray(X), y, strict=True):
            if label == self.classes_[0]:
                self.kept_ = self.kept_ & (x == 0)
        return self

    def predict(self, X):
        said = (np.asarray(X)[:, self.kept_] > 0).any(axis=1)
        return self.classes_[said.astype(int)]


class Thresholds(ClassifierMixin, BaseEstimator):
    """Halving over the rules x >= j / size: its version space shrinks on correct rounds too."""

    def __init__(self, size=32):
        self.size = size

    def fit(self, X, y):
        return self.partial_fit(X, y, classes=[0, 1])

    def partial_fit(self, X, y, classes=None):
        if not hasattr(self, "alive_"):
            self.classes_, self.alive_ = np.array([0, 1]), np.arange(self.size) / self.size
        for x, label in zip(np.asarray(X)[:, 0], y, strict=True):
            self.alive_ = self.alive_[(x >= self.alive_) == label]
        return self

    def predict(self, X):
        votes = (np.asarray(X)[:, :1] >= self.alive_).mean(axis=1)
        return (votes >= 0.5).astype(int)


class Majority:
    """The commonest label so far, for dicts; nothing before the first."""

    def __init__(self):
        self.counts, self.seen = {}, []

    def predict_one(self, x):
        return max(self.counts, key=lambda label: (self.counts[label], label), default=None)

    def learn_one(self, x, y):
        self.seen.append(dict(x))
        self.counts[y] = self.counts.get(y, 0) + 1


def by_turns(predict, learn, X, y):
    """The online game in five lines: what was predicted, round by round."""
    said = []
    for x, label in zip(X, y, strict=True):
        said.append(predict(x))
        learn(x, label)
    return said


class SingleElimination:
    """Elimination for dicts of numbered features; it can be asked before the first lesson."""

    def __init__(self, features):
        self.features = features
        self.kept = frozenset(range(features))

    def predict_one(self, x):
        return 1 if any(x[j] for j in self.kept) else -1

    def learn_one(self, x, y):
        if y == -1:
            self.kept = frozenset(j for j in self.kept if not x[j])


class Wavering:
    """Errs on the part of [0, 1] below a number that changes after every row, also after a right answer."""

    def __init__(self, errors):
        self.errors, self.seen = errors, 0

    @property
    def error(self):
        return self.errors[self.seen % len(self.errors)]

    def predict_one(self, x):
        return int(x[0] < self.error)

    def learn_one(self, x, y):
        self.seen += 1
