"""Classes from the scores of machines for pairs of them, counted as scikit-learn counts them."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from assay.types import Bools, Floats


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
    return _counted(scores > 0, classes)


def _counted(won: Bools, classes: int) -> Floats:
    votes = np.zeros((len(won), classes))
    for column, (side, against) in enumerate(combinations(range(classes), 2)):
        votes[:, side] += won[:, column]
        votes[:, against] += ~won[:, column]
    return votes


def pair_sums(scores: Floats, classes: int) -> Floats:
    """The pairs that every class wins, and less than a half more for how clearly.

    A pair whose score is exactly zero is won by the first of the two here, and by the second in `pair_votes`.
    """
    votes = _counted(scores >= 0, classes)
    confidence = np.zeros_like(votes)
    for column, (side, against) in enumerate(combinations(range(classes), 2)):
        confidence[:, side] += scores[:, column]
        confidence[:, against] -= scores[:, column]
    return np.asarray(votes + confidence / (3 * (np.abs(confidence) + 1)))
