r"""Probabilities from the scores of machines: a logistic curve for each machine, and pairs coupled to classes.

The curve :math:`1/(1+e^{af+b})` is fitted to scores of rows that their machine has not seen, with labels that are
softened by one row of each kind, so that separable scores have a finite slope. Pairs are coupled by the probabilities p
that minimise :math:`\sum_i\sum_{j\ne i}(r_{ji}p_i-r_{ij}p_j)^2`, :math:`r_{ij}` being what the machine of the pair
says of i.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import expit

from assay.types import Floats

# A pair is never certain, so that the system of the coupling has one solution.
_LEAST = 1e-7
_MOST_STEPS = 100


def platt_curve(scores: Floats, signs: Floats) -> tuple[float, float]:
    """The a and b of the logistic curve, by Newton's method.

    Parameters
    ----------
    scores : array of shape (n,)
        Of rows that the machine has not seen.
    signs : array of shape (n,)
        Their labels, -1 and +1.

    References
    ----------
    .. [1] Platt (2000). Probabilities for SV machines.
    .. [2] Lin, Lin and Weng (2007). A note on Platt's probabilistic outputs for support vector machines.

    Examples
    --------
    >>> a, b = platt_curve(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([-1.0, -1.0, 1.0, 1.0]))
    >>> a < 0, round(b, 9) == 0
    (True, True)
    """
    ups = float(np.count_nonzero(signs > 0))
    downs = float(len(signs)) - ups
    goals = np.where(signs > 0, (ups + 1) / (ups + 2), 1 / (downs + 2))
    a, b = 0.0, float(np.log((downs + 1) / (ups + 1)))
    value = _lost(a, b, scores, goals)
    for _ in range(_MOST_STEPS):
        chances = expit(-(a * scores + b))
        pull, bend = goals - chances, chances * (1 - chances)
        slope = np.array([float(scores @ pull), float(pull.sum())])
        if np.abs(slope).max() < 1e-9 * len(scores):
            break
        off = float(scores @ bend)
        curve = np.array([[float(scores**2 @ bend), off], [off, float(bend.sum())]])
        move = -np.linalg.solve(curve + 1e-12 * np.eye(2), slope)
        size = 1.0
        while size > 1e-10:
            there = a + size * move[0], b + size * move[1]
            now = _lost(*there, scores, goals)
            if now < value + 1e-4 * size * float(slope @ move):
                break
            size /= 2
        else:
            break
        (a, b), value = there, now
    return float(a), float(b)


def _lost(a: float, b: float, scores: Floats, goals: Floats) -> float:
    steep = a * scores + b
    return float(np.sum(goals * steep + np.logaddexp(0.0, -steep)))


def coupled(pairs: Floats, classes: int) -> Floats:
    """The probability of every class, from what the machines of the pairs say of the first of the two.

    Parameters
    ----------
    pairs : array of shape (n_rows, n_pairs)
        For the pairs (0, 1), (0, 2), ..., (1, 2), ...
    classes : int

    References
    ----------
    .. [1] Wu, Lin and Weng (2004). Probability estimates for multi-class classification by pairwise coupling.

    Examples
    --------
    >>> coupled(np.array([[0.75, 0.9, 0.75]]), 3).round(3).tolist()
    [[0.692, 0.231, 0.077]]
    """
    shares = np.zeros((len(pairs), classes, classes))
    for column, (one, other) in enumerate(combinations(range(classes), 2)):
        shares[:, one, other] = np.clip(pairs[:, column], _LEAST, 1 - _LEAST)
        shares[:, other, one] = 1 - shares[:, one, other]
    # Where the objective is least, Q p is the same for all classes; p sums up to one.
    system = np.zeros((len(pairs), classes + 1, classes + 1))
    turned = shares.transpose(0, 2, 1)
    system[:, :classes, :classes] = -turned * shares
    places = np.arange(classes)
    system[:, places, places] = (turned**2).sum(axis=2)
    system[:, :classes, classes] = system[:, classes, :classes] = 1.0
    right = np.zeros((len(pairs), classes + 1, 1))
    right[:, classes] = 1.0
    chances = np.linalg.solve(system, right)[:, :classes, 0].clip(min=0.0)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))
