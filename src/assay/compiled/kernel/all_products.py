# Problem   prod_i (1 + x_i t_i) for every row x of X and every row t of T.
# Given     X (n, d), T (m, d) of one float type, C-contiguous.
# Writes    out (n, m).
# Returns   nothing.
# Source    the generating function of the elementary symmetric polynomials at one; factors in order of i, so
#           that the value does not depend on which side is x.
from numba import njit

from assay.compiled.common.flags import EXACT


@njit(**EXACT)
def all_products(X, T, out):
    for a in range(X.shape[0]):
        for b in range(T.shape[0]):
            value = out.dtype.type(1.0)
            for i in range(X.shape[1]):
                value *= out.dtype.type(1.0) + X[a, i] * T[b, i]
            out[a, b] = value


# Problem   the same of sparse rows: a factor where both have an entry.
# Given     both matrices in CSR, canonical: columns sorted, none twice.
# Writes    out (n, m).
# Returns   nothing.
# Source    as above; the two rows are merged.
@njit(**EXACT)
def all_products_csr(x, x_column, x_start, t, t_column, t_start, out):
    for a in range(out.shape[0]):
        for b in range(out.shape[1]):
            value = out.dtype.type(1.0)
            i, j = x_start[a], t_start[b]
            while i < x_start[a + 1] and j < t_start[b + 1]:
                if x_column[i] == t_column[j]:
                    value *= out.dtype.type(1.0) + x[i] * t[j]
                    i += 1
                    j += 1
                elif x_column[i] < t_column[j]:
                    i += 1
                else:
                    j += 1
            out[a, b] = value
