# Problem   boosted trees whose rows lie in blocks: what is done with the rows of a block, and which question is best
#           for a leaf whose histogram is the sum of many.
# Given     codes (n, d) uint8, the bins of the rows; words (n,) packed gradients (boosting_gradients), shift the bits
#           of a sum of hessians; rows (n,) uint32 in the order of leaves, of which begin to end are a leaf's; scratch
#           (n,). For the question: features, kinds_of, allowed and the limits of boosting_grow, hist (d * 256,) and
#           counts (d * 256,), rows of the leaf in each bin.
# Writes    hist (d * 256, 2) is added to: the packed sum and the count, side by side; rows, the left ones first; score
#           (n,); out (8,), the question as boosting_cuts has it.
# Returns   split_rows: where the right rows begin. fine_sums: those of gradient and hessian in whole units.
#           question: what it gains.
# Source    boosting_grow, whose functions it calls: whole numbers may be added in any order.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.ensembles.boosting_bins import BINS
from assay.compiled.ensembles.boosting_grow import allow_features, best_question

U = np.uint64


@njit(**EXACT)
def node_histogram(codes, words, shift, rows, begin, end, hist):
    d = codes.shape[1]
    for i in range(U(begin), U(end)):
        row = U(rows[i])
        word = np.int64(words[row])
        wide = (np.int64(word >> 16) << shift) + np.int64(word & 0xFFFF)
        code = codes[row]
        for f in range(U(d)):
            at = f * U(BINS) + U(code[f])
            hist[at, 0] += wide
            hist[at, 1] += 1


@njit(**EXACT)
def split_rows(codes, feature, left_bins, rows, begin, end, scratch):
    front, back = begin, end - 1
    for i in range(begin, end):
        row = rows[i]
        left = np.int64(left_bins[codes[row, feature]])
        scratch[front] = row
        scratch[back] = row
        front += left
        back -= 1 - left
    for i in range(begin, end):
        rows[i] = scratch[i]
    return front


@njit(**EXACT)
def fine_sums(gradient, hessian, g_unit, h_unit, rows, begin, end):
    total, heavy = np.int64(0), np.int64(0)
    for i in range(begin, end):
        row = rows[i]
        total += np.int64(np.rint(gradient[row] * g_unit))
        heavy += np.int64(np.rint(hessian[row] * h_unit))
    return total, heavy


@njit(**EXACT)
def add_value(score, rows, begin, end, value):
    for i in range(begin, end):
        score[rows[i]] += value


@njit(**EXACT)
def question(
    hist, counts, size, features, kinds_of, together, alive, share, seed, whole, shift, smooth, h_unit,
    h_least, sure, least, low, high, out,
):  # fmt: skip
    d = features.shape[1]
    begin, end = np.zeros((1, 1), np.int64), np.full((1, 1), size, np.int64)
    scratch, sums, ratios = np.zeros(BINS, np.int64), np.zeros(BINS, np.int64), np.zeros(BINS)
    doubts, allowed, rows = np.zeros(d, np.bool_), features[2].copy(), np.zeros(1, np.uint32)
    zero = np.int64(0)
    if share < 1.0 or together.shape[0] > 0:
        allow_features(allowed, features[2], together, alive, share, seed)
    return best_question(
        hist, zero, d, features, kinds_of, allowed, whole, shift, smooth, h_unit, h_least, sure, least, counts,
        rows, begin, end, zero, low, high, scratch, sums, doubts, ratios, out,
    )  # fmt: skip
