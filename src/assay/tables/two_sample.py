"""Two samples compared exactly: how likely so many new rows are beyond a mark, if they are draws like the old ones.

If old and new rows are exchangeable, every way of telling which of them are old is equally likely. So how many old ones
are among the first of all is hypergeometric, whatever the distribution. Ties can only make the probabilities
below larger than they need be: what is counted is strictly above, or strictly below.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import hypergeom

from assay.types import Floats, Ints


def many_above(ranks: Ints, old: int, above: Ints, new: int) -> Floats:
    """How likely at least so many of the new values are above the old value of a rank, counted from 1.

    That is so if and only if among the first rank + new - above of all values at least rank are old.

    Examples
    --------
    >>> many_above(np.array([3]), 3, np.array([1]), 1).tolist()  # a new one is the largest of four
    [0.25]
    """
    return np.asarray(hypergeom.sf(ranks - 1, old + new, old, ranks + new - above))


def many_below(ranks: Ints, old: int, below: Ints, new: int) -> Floats:
    """How likely at least so many of the new values are below the old value of a rank, counted from 1.

    Examples
    --------
    >>> many_below(np.array([1]), 3, np.array([1]), 1).tolist()
    [0.25]
    """
    return np.asarray(hypergeom.cdf(ranks - 1, old + new, old, ranks - 1 + below))


def another_share(held_old: Ints, old: int, held_new: Ints, new: int) -> Floats:
    """How likely a property that so many old and new rows have is shared out at least as unevenly: Fisher's test.

    Twice the smaller tail.

    Examples
    --------
    >>> another_share(np.array([0]), 2, np.array([2]), 2).round(4).tolist()
    [0.3333]
    """
    both = held_old + held_new
    more = hypergeom.sf(held_new - 1, old + new, both, new)
    fewer = hypergeom.cdf(held_new, old + new, both, new)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(more, fewer)))
