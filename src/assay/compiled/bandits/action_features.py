# Problem   the features of every action in a round: those of the round, of the action, and their products.
# Given     context (c,), what is known of the round; actions (n, a), what is known of each action, or (0, a) where
#           actions are told apart by their number alone; products: whether each feature of the round is multiplied
#           with each of an action.
# Writes    rows (d, n): 1, the context, the action, then the products; or (d, 1): 1, the context.
# Returns   width: d.
# Source    none; the order is this library's.
from numba import njit

from assay.compiled.common.flags import LENT


@njit(**LENT)
def width(context, actions, products):
    c, a = context.shape[0], actions.shape[1]
    return 1 + c + a + (c * a if products else 0)


@njit(**LENT)
def write_rows(context, actions, products, rows):
    c, a, n = context.shape[0], actions.shape[1], rows.shape[1]
    for i in range(n):
        rows[0, i] = 1.0
    for j in range(c):
        for i in range(n):
            rows[1 + j, i] = context[j]
    for k in range(a):
        for i in range(n):
            rows[1 + c + k, i] = actions[i, k]
    if products:
        for j in range(c):
            for k in range(a):
                at = 1 + c + a + j * a + k
                for i in range(n):
                    rows[at, i] = context[j] * actions[i, k]
