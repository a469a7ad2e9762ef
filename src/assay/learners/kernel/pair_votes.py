"""Classes from the scores of machines for pairs of them, counted as scikit-learn counts them."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from assay.types import Floats


def pair_votes(scores: Floats, classes: int) -> Floats:
    """How many pairs every class wins in every row.

    Parameters
    ----------
    scores : array of shape (n_rows, n_pairs)
        The scores of the pairs (0, 1), (0, 2), ..., (1, 2), ...: above zero for the first of the two.
    classes : int
        How many classes there are.

    Examples
    --------
    >>> pair_votes(np.array([[1.0, 2.0, -0.5]]), 3).tolist()
    [[2.0, 0.0, 1.0]]
    """
    votes = np.zeros((len(scores), classes))
    for column, (side, against) in enumerate(combinations(range(classes), 2)):
        won = scores[:, column] > 0
        votes[:, side] += won
        votes[:, against] += ~won
    return votes


def pair_sums(scores: Floats, classes: int) -> Floats:
    """The pairs that every class wins, and less than a half more for how clearly."""
    votes = pair_votes(scores, classes)
    confidence = np.zeros_like(votes)
    for column, (side, against) in enumerate(combinations(range(classes), 2)):
        confidence[:, side] += scores[:, column]
        confidence[:, against] -= scores[:, column]
    return np.asarray(votes + confidence / (3 * (np.abs(confidence) + 1)))
