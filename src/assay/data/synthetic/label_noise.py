"""Labels of which some are turned round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.data.synthetic.draws import generator
from assay.errors import BadData, require
from assay.types import Bools, Floats


@dataclass(frozen=True)
class NoisyLabels:
    """Labels after the noise, and what the noise did.

    Parameters
    ----------
    y : numpy.ndarray
        The labels as seen, -1.0 and +1.0.
    flipped : numpy.ndarray of bool
        Which of them were turned round.
    rate : float
        The probability with which each was; for clean labels that follow from the features, it is
        the error of the best possible rule.
    """

    y: Floats
    flipped: Bools
    rate: float


def noisy_labels(
    y: ArrayLike, *, rate: float = 0.1, exact: bool = False, random_state: int = 0
) -> NoisyLabels:
    """Turn labels round at random.

    Parameters
    ----------
    y : sequence of -1 and +1
        The clean labels; not changed.
    rate : float
        Zero or more, less than one half.
    exact : bool
        Whether the nearest whole number of labels to `rate` times their number is turned round, and
        not each by itself with that probability.
    random_state : int
        The seed.

    Examples
    --------
    >>> noisy = noisy_labels(np.ones(1000), rate=0.25, exact=True, random_state=1)
    >>> int((noisy.y < 0).sum())
    250
    """
    clean = np.asarray(y, dtype=np.float64)
    good = not isinstance(rate, bool | str) and 0 <= rate < 0.5
    require(good, "rate", "a number of at least 0 and less than 0.5", rate)
    if clean.ndim != 1 or not np.isin(clean, (-1.0, 1.0)).all():
        raise BadData("Labels to be made noisy must be one column of -1 and +1.")
    rng = generator(random_state)
    if exact:
        flipped = np.zeros(len(clean), dtype=bool)
        flipped[rng.choice(len(clean), size=round(rate * len(clean)), replace=False)] = True
    else:
        flipped = rng.random(len(clean)) < rate
    return NoisyLabels(np.where(flipped, -clean, clean), flipped, float(rate))
