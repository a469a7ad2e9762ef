r"""A dual value of logistic regression: no weights have an objective below it.

The probabilities that a fit gives are a dual point where the penalty reaches all weights. An intercept that is not
penalised asks for more: the probabilities of each class must sum up to its examples. They nearly do at the end of a
fit, and are mixed with as little of a constant as makes them do so.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import entr, expit, log_softmax, softmax

from assay.learners.common.rows import Rows
from assay.types import Array, Floats

UNIT = 2.0**-53


def dual_proof(
    X: Any, places: Array, costs: Floats, coef: Floats, intercept: Floats, *, free: bool
) -> Floats:
    """The objective, the squared norm of the dual weights and the sum of the conjugates, each rounded up.

    Parameters
    ----------
    X : array or CSR matrix
        The rows.
    places : array of int
        The number of each row's class.
    costs : array
        The weight of each row's loss, where half the squared norm of the weights has none.
    coef, intercept : array
        The weights, one row for each class; of two classes only those of the second.
    free : bool
        Whether there are intercepts, which are not penalised.
    """
    scores = np.asarray(X @ coef.T + intercept)
    rows, n = np.arange(len(places)), len(places)
    two = scores.shape[1] == 1
    if two:
        losses = np.logaddexp(0.0, np.where(places == 1, -1.0, 1.0) * scores[:, 0])
        chances = np.column_stack([expit(-scores[:, 0]), expit(scores[:, 0])])
    else:
        losses, chances = -log_softmax(scores, axis=1)[rows, places], softmax(scores, axis=1)
    count = chances.shape[1]
    lengths = np.sqrt(Rows.of(X).squares())
    weight = float(costs.sum())
    # Scores err by a unit for each feature, and a loss by no more than twice that.
    norms, ends = np.linalg.norm(coef, axis=1), np.abs(intercept)
    off = 2 * (X.shape[1] + 16) * UNIT * (lengths * norms.max() + ends.max())
    objective = float(costs @ (losses + 2 * off)) + 0.5 * float(np.sum(coef * coef))
    objective *= 1 + 2 * (n + 32) * UNIT
    # How far the probabilities are from those whose sums are exact.
    apart = 8 * count * UNIT
    if free:
        owned: Floats = np.bincount(places, costs, minlength=count).astype(np.float64)
        chances = balanced(chances, *mixture_of(costs @ chances, owned, n))
        apart += 8 * n * UNIT
    pull = -chances
    pull[rows, places] += 1.0
    pull *= costs[:, None]
    dual = np.asarray(X.T @ (pull[:, 1:] if two else pull))
    moved = (apart + 2 * (n + 16) * UNIT) * float(costs @ lengths) * math.sqrt(count)
    square = (float(np.linalg.norm(dual)) + moved) ** 2 * (1 + 1e-12)
    # Entropy moves by no more than that of the distance.
    noise = count * weight * (2 * float(entr(apart)) + apart)
    entropy = float(costs @ entr(chances).sum(axis=1)) * (1 - 2 * (n + 32) * UNIT)
    return np.array([objective, square, noise - entropy])


def balanced(chances: Floats, share: float, constant: Floats) -> Floats:
    """The probabilities with a share of a constant."""
    if share == 1.0:
        return np.tile(constant, (len(chances), 1))
    return np.clip((1 - share) * chances + share * constant, 0.0, 1.0)


def mixture_of(sums: Floats, owned: Floats, terms: int) -> tuple[float, Floats]:
    """The least share of a constant, and the constant, with which each class has as much as its examples weigh.

    Parameters
    ----------
    sums, owned : array
        Of each class the sum of its probabilities, times the costs; and of the costs of its examples.
    terms : int
        How many numbers at most stand in a row in such a sum.
    """
    weight = float(owned.sum())
    if not owned.all():
        return 1.0, owned / weight
    excess = sums - owned
    # More than rounding can have hidden, so that what is left for every class stays above zero.
    doubt = 8 * terms * UNIT * weight
    most = float(((np.maximum(excess, 0.0) + doubt) / owned).max()) * (1 + 1e-6)
    share = most / (1 + most)
    return share, owned / weight - (1 - share) * excess / (share * weight)
