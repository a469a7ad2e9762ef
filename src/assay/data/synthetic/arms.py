"""Arms of a bandit whose mean losses, and so whose gaps, are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.data.synthetic.draws import generator, require_counts
from assay.errors import require
from assay.types import Floats


@dataclass(frozen=True)
class Arms:
    """Losses of every arm in every round, of which a player sees one a round.

    Parameters
    ----------
    losses : numpy.ndarray
        0.0 or 1.0, rounds by arms, drawn independently.
    means : numpy.ndarray
        The probability of a loss, arm by arm.
    gaps : numpy.ndarray
        How much more than the best arm each loses on average; 0 for the best.
    best : int
        The arm with the least mean, from 0.
    """

    losses: Floats
    means: Floats
    gaps: Floats
    best: int


def arms(
    rounds: int, gaps: Sequence[float], *, best_mean: float = 0.3, random_state: int = 0
) -> Arms:
    """Draw the losses of arms with chosen gaps.

    Parameters
    ----------
    rounds : int
        At least one.
    gaps : sequence of float
        One per arm, in this order: exactly one of them 0, the others above.
    best_mean : float
        The mean loss of the best arm; with the largest gap added it is at most 1.
    random_state : int
        The seed.

    Examples
    --------
    >>> bandit = arms(1000, [0.2, 0.0, 0.5], best_mean=0.25, random_state=1)
    >>> bandit.best, bandit.means.tolist()
    (1, [0.45, 0.25, 0.75])
    """
    require_counts(rounds=rounds)
    wide = np.asarray(gaps, dtype=np.float64)
    good = wide.ndim == 1 and len(wide) >= 2 and (wide == 0).sum() == 1 and (wide >= 0).all()
    must = "a number of at least 0 for each of two or more arms, and 0 for one of them"
    require(bool(good), "gaps", must, gaps)
    fits = not isinstance(best_mean, bool | str) and 0 <= best_mean <= 1 - wide.max()
    require(fits, "best_mean", "at least 0, and at most 1 with the largest gap added", best_mean)
    means = best_mean + wide
    losses = (generator(random_state).random((rounds, len(wide))) < means).astype(np.float64)
    return Arms(losses, means, wide, int(wide.argmin()))
