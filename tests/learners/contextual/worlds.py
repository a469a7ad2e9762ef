"""Rounds whose mean losses are linear, and known."""

import numpy as np


def linear_world(rng, rounds, actions, features, *, norm=0.45, apart=True):
    """Contexts or features of actions, mean losses 1/2 + <theta, x>, losses of 0 and 1, and theta."""
    if apart:
        theta = rng.normal(size=(actions, features))
        theta *= norm / np.linalg.norm(theta)
        contexts = rng.normal(size=(rounds, features))
        contexts /= np.maximum(1.0, np.linalg.norm(contexts, axis=1, keepdims=True))
        given, means = {"contexts": contexts}, 0.5 + contexts @ theta.T
    else:
        theta = rng.normal(size=features)
        theta *= norm / np.linalg.norm(theta)
        table = rng.normal(size=(rounds, actions, features))
        table /= np.maximum(1.0, np.linalg.norm(table, axis=2, keepdims=True))
        given, means = {"actions": table}, 0.5 + table @ theta
    losses = (rng.random(means.shape) < means).astype(float)
    return given, means, losses, theta
