# Problem   what the linear learners add up over a block of rows: products of every feature with every other, and
#           with targets; and the scores of rows.
# Given     X (n, d) C-contiguous; weights (n,); V (n, t); W (t, d) and free (t,).
# Writes    products (d, d) is added to, up to its diagonal; pulled (t, d) is added to; scores (n, t).
# Returns   nothing. Every sum over rows is in the order of the rows, four of which are added to one another first;
#           sums over features are in lanes. So the bits are the same on every processor, which BLAS does not promise.
# Source    The definition.
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.common.rows import dot


@njit(**EXACT)
def weighted_products(X, weights, products):
    n, d = X.shape
    fours = n - n % 4
    for i in range(0, fours, 4):
        x0, x1, x2, x3 = X[i], X[i + 1], X[i + 2], X[i + 3]
        w0, w1, w2, w3 = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
        for j in range(d):
            a, b, c, e = w0 * x0[j], w1 * x1[j], w2 * x2[j], w3 * x3[j]
            row = products[j]
            for k in range(j + 1):
                row[k] += (a * x0[k] + b * x1[k]) + (c * x2[k] + e * x3[k])
    for i in range(fours, n):
        x = X[i]
        for j in range(d):
            a, row = weights[i] * x[j], products[j]
            for k in range(j + 1):
                row[k] += a * x[k]


@njit(**EXACT)
def pulled_by(X, V, pulled):
    for i in range(X.shape[0]):
        x = X[i]
        for k in range(V.shape[1]):
            v, row = V[i, k], pulled[k]
            for j in range(x.shape[0]):
                row[j] += v * x[j]


@njit(**EXACT)
def block_scores(X, W, free, scores):
    for i in range(X.shape[0]):
        for k in range(W.shape[0]):
            scores[i, k] = free[k] + dot(X[i], W[k])
