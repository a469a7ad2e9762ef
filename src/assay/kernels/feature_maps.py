"""Feature maps behind kernels, written out: vectors whose inner products are the values of the kernel."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from scipy import sparse

from assay.errors import BadData
from assay.types import Floats

# A map with more cells than these is what kernels are there to avoid.
MOST_CELLS = 1 << 26


def require_room(rows: int, columns: int) -> None:
    """Refuse a map that does not fit into memory; where there is one, the kernel costs nothing of the kind."""
    if rows * columns > MOST_CELLS:
        raise BadData(
            f"A map of {rows} rows to {columns:,} features has more than {MOST_CELLS:,} numbers. Use the kernel "
            "itself: it never writes them out."
        )


def dense(A: Any) -> Floats:
    """The rows as a dense matrix of doubles."""
    return np.asarray(A.toarray() if sparse.issparse(A) else A, dtype=np.float64)


def powers(images: Floats, degree: int) -> Floats:
    r"""The map of :math:`\langle u,v\rangle^r`: every product of r entries, times the root of how often it occurs.

    There are :math:`\binom{n+r-1}{r}` of them, in the order of `itertools.combinations_with_replacement`.

    Examples
    --------
    >>> (powers(np.array([[1.0, 2.0]]), 2) ** 2).round(9).tolist()
    [[1.0, 8.0, 16.0]]
    """
    rows, columns = images.shape
    require_room(rows, math.comb(columns + degree - 1, degree))
    chosen = list(combinations_with_replacement(range(columns), degree))
    products = np.empty((rows, len(chosen)))
    for place, members in enumerate(chosen):
        orders = math.factorial(degree)
        for times in Counter(members).values():
            orders //= math.factorial(times)
        products[:, place] = math.sqrt(orders) * images[:, list(members)].prod(axis=1)
    return products


def outer(left: Floats, right: Floats) -> Floats:
    """Every feature of one map times every feature of the other, row by row.

    Examples
    --------
    >>> outer(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])).tolist()
    [[3.0, 4.0, 6.0, 8.0]]
    """
    require_room(len(left), left.shape[1] * right.shape[1])
    return (left[:, :, None] * right[:, None, :]).reshape(len(left), -1)


def subsets(images: Floats) -> Floats:
    """The product over every set of columns: the sets without the last column first, then those with it.

    Examples
    --------
    >>> subsets(np.array([[2.0, 3.0, 5.0]])).tolist()
    [[1.0, 2.0, 3.0, 6.0, 5.0, 10.0, 15.0, 30.0]]
    """
    require_room(len(images), 2 ** min(images.shape[1], 64))
    products = np.ones((len(images), 1))
    for column in images.T:
        products = np.hstack([products, products * column[:, None]])
    return products
