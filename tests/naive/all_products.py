"""The kernel of all products, factor by factor."""

from __future__ import annotations


def all_products(X, T):
    """prod_i (1 + x_i t_i) for every pair of rows, in the precision of the rows."""
    one = X.dtype.type(1)
    values = []
    for x in X:
        row = []
        for t in T:
            value = one
            for a, b in zip(x, t, strict=True):
                value = value * (one + a * b)
            row.append(float(value))
        values.append(row)
    return values
