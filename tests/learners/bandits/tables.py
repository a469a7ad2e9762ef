"""Losses to try a bound with: random ones of many kinds, and ones made to hurt."""

from __future__ import annotations

import numpy as np


def table(rng, rounds, arms):
    """One of seven kinds of losses fixed in advance."""
    kind = rng.integers(7)
    if kind == 0:
        return rng.random((rounds, arms))
    if kind == 1:
        return (rng.random((rounds, arms)) < rng.random(arms)).astype(float)
    if kind == 2:  # one good arm
        losses = np.ones((rounds, arms))
        losses[:, rng.integers(arms)] = 0.0
        return losses
    if kind == 3:  # the arms take turns
        losses = np.zeros((rounds, arms))
        losses[np.arange(rounds), np.arange(rounds) % arms] = 1.0
        return losses
    if kind == 4:  # the best arm changes in the middle
        losses = np.ones((rounds, arms))
        losses[: rounds // 2, 0] = 0.0
        losses[rounds // 2 :, -1] = 0.0
        return losses
    if kind == 5:  # everything costs
        return np.ones((rounds, arms))
    # losses that come in bursts, all arms but one at once
    bursts = np.repeat(rng.random(-(-rounds // 8)) < 0.5, 8)[:rounds].astype(float)
    losses = np.tile(bursts[:, None], arms)
    losses[:, rng.integers(arms)] *= 0.75
    return losses
