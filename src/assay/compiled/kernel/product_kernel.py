# Problem   the perceptron with the kernel of all products, 2^(ones that two examples share): predict the sign
#           of the sum over the mistakes made so far, each with its label; on a mistake remember the example.
# Given     X (n, w) of uint64: the bits of each row; y (n,) of -1 / +1; support (c, w) and signs (c,), the first
#           `held` of which are in use; share (64 w + 1,) for counting.
# Writes    support and signs: the mistaken rows, from place `held` on; missed (n,): their rows, in order.
# Returns   the number of mistakes, and the rows played: fewer than n when the support is full.
# Source    Aizerman, Braverman & Rozonoer, 1964. The sum is a whole number with a digit for each number of
#           shared ones; its sign is found by carrying, so it is exact for any number of features.
import numpy as np
from numba import njit

from assay.compiled.boolean.concept_words import ones
from assay.compiled.common.flags import EXACT
from assay.compiled.linear.winnow import SMALLEST


@njit(**EXACT)
def product_kernel_pass(X, y, support, signs, held, share, missed):
    mistakes = 0
    for t in range(X.shape[0]):
        positive = product_sign(X[t], support, signs, held + mistakes, share) >= 0
        if positive == (y[t] > 0):
            continue
        if held + mistakes == support.shape[0]:
            return mistakes, t
        support[held + mistakes] = X[t]
        signs[held + mistakes] = 1 if y[t] > 0 else -1
        missed[mistakes] = t
        mistakes += 1
    return mistakes, X.shape[0]


# Problem   the sign of the sum of label times 2^(shared ones) over the support.
# Given     x (w,) of uint64; support, signs and held as above; share (64 w + 1,) is overwritten.
# Writes    share: how many of the support, each with its label, share so many ones with x.
# Returns   -1, 0 or +1.
# Source    sum_c share[c] 2^c: all but the last bit of each digit are carried into the next one.
@njit(**EXACT)
def product_sign(x, support, signs, held, share):
    share[:] = 0
    for i in range(held):
        common = 0
        for k in range(x.shape[0]):
            common += ones(x[k] & support[i, k])
        share[common] += signs[i]
    carry = np.int64(0)
    rest = False
    for c in range(share.shape[0]):
        digit = share[c] + carry
        rest = rest or (digit & 1) != 0
        carry = digit >> 1
    if carry < 0:
        return -1
    return 1 if carry > 0 or rest else 0


# Problem   the score of every row: the sum of label times 2^(shared ones - bits) over the support.
# Given     X (n, w) of uint64; support, signs, held and share as above; bits, the largest number of ones.
# Writes    scores (n,): of the sign that product_sign gives, whatever rounding does to the size.
# Returns   nothing.
# Source    As above; scaled by a power of two so that nothing overflows.
@njit(**EXACT)
def product_scores(X, support, signs, held, bits, share, scores):
    for t in range(X.shape[0]):
        sign = product_sign(X[t], support, signs, held, share)
        total = 0.0
        for c in range(bits + 1):
            total += share[c] * 2.0 ** (c - bits)
        if sign == 0:
            total = 0.0
        elif not total * sign > 0:
            total = sign * SMALLEST
        scores[t] = total
