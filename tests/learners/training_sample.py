"""A sample to train on, and how the promises about it are read."""

from __future__ import annotations

import numpy as np


def sample(n=120, seed=0, classes=2, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    teacher = np.random.default_rng(99).normal(size=(3, classes))
    return X, (X @ teacher + noise * rng.normal(size=(n, classes))).argmax(axis=1)


def by_theorem(found):
    return {guarantee.theorem: guarantee for guarantee in found.guarantees}


def statuses(guarantee):
    return {a.name: a.status for a in guarantee.assumptions}
