# Problem   one loop for dense and for sparse rows: all that it asks of a row, answered for both.
# Given     rows, a dense block (n, d) C-contiguous, or the three arrays of CSR rows with unsigned indices and
#           pointers; t, which row; w (d,). Which kind of rows they are is known when a loop is compiled, so
#           that the loop for dense rows holds no trace of sparse ones.
# Returns   row_dot and row_square: the inner product with w, and the squared length; those that are wide in
#           double precision. add_row: adds step times the row to w. heights: how many rows there are.
#           fetch_turn: the row that is played at a turn, see prefetch.py; later ones are fetched ahead.
#           fetch and fetched_ahead: prefetch.py on dense rows; nothing is fetched ahead of sparse ones.
# Source    the sums of rows.py.
import numpy as np
from numba import njit, types
from numba.extending import overload

from assay.compiled.common.flags import EXACT, LENT
from assay.compiled.common.prefetch import prefetch_row, row_of_turn, rows_ahead, sparse_row_of_turn
from assay.compiled.common.rows import (
    add_to,
    dot,
    sparse_add_to,
    sparse_dot,
    sparse_square,
    wide_dot,
    wide_square,
)


# A loop for rows of both kinds, made of one for each.
def either(dense, sparse):
    def of_rows(*_):
        raise NotImplementedError("only for compiled loops")

    @overload(of_rows, strict=False, jit_options=LENT | {"cache": False, "forceinline": True})
    def chosen(rows, *_):
        return dense if isinstance(rows, types.Array) else sparse

    return of_rows


heights = either(lambda X: X.shape[0], lambda csr: csr[2].shape[0] - 1)
row_dot = either(
    lambda X, t, w: dot(X[t], w),
    lambda csr, t, w: sparse_dot(csr[0], csr[1], csr[2][t], csr[2][t + 1], w),
)
wide_row_dot = either(
    lambda X, t, w: wide_dot(X[t], w),
    lambda csr, t, w: sparse_dot(csr[0], csr[1], csr[2][t], csr[2][t + 1], w),
)
row_square = either(
    lambda X, t: wide_square(X[t]), lambda csr, t: sparse_square(csr[0], csr[2][t], csr[2][t + 1])
)
add_row = either(
    lambda X, t, step, w: add_to(w, X[t], step),
    lambda csr, t, step, w: sparse_add_to(w, csr[0], csr[1], csr[2][t], csr[2][t + 1], step),
)
fetch_turn = either(
    lambda X, order, turn: row_of_turn(X, order, turn),
    lambda csr, order, turn: sparse_row_of_turn(csr[0], csr[1], csr[2], order, turn),
)
fetch = either(lambda X, t: prefetch_row(X[t]), lambda csr, t: None)
fetched_ahead = either(lambda X: rows_ahead(X), lambda csr: 0)


# Problem   how long every row is.
# Returns   the squared lengths (n,).
# Source    row_square.
@njit(**EXACT)
def row_squares(rows):
    squares = np.empty(heights(rows))
    for t in range(squares.shape[0]):
        squares[t] = row_square(rows, t)
    return squares
