# Problem   the best question for a leaf: over cuts between bins, missing cells at either side, the largest
#           gl^2 / (hl + l) + gr^2 / (hr + l); over groups of categories the same; within bounds, where some feature is
#           constrained to be monotone, the largest -(gl vl + gr vr) with the values v = -g / (h + l) put into the
#           bounds.
# Given     hist, the leaf's packed sums (boosting_histograms); features f0 to f0 + width, of which allowed (d,) says
#           which count, used (d,) how many bins they have, gaps (d,) whether cells are missing; whole, the packed
#           sum of the leaf; best, what must be exceeded; least, the rows that either side must have, h_least its
#           hessian, and sure, the hessian with which it surely has the rows. Scratch: counts, sums (256,), doubts
#           (d,).
# Writes    out: the feature, -1 if there is none; side * 256 + bin, side = 1 where missing cells go left; the
#           packed sum at the left; of a group the kind 1 and the bins that go left, as four words of 64 bits.
# Returns   the best value. Of equal ones the first counts, by feature, side and bin, whatever was seen before, so that
#           the result does not depend on how features are dealt to threads.
# Source    Fisher, 1958: of categories in the order of g / h only neighbours need to be parted. No side has fewer
#           rows than its hessian divided by the largest of a row: rows are counted only where that leaves a doubt.
import numpy as np
from numba import njit

from assay.compiled.common.flags import LENT
from assay.compiled.ensembles.boosting_bins import BINS, MISSING
from assay.compiled.ensembles.boosting_histograms import count_below, count_bins

U = np.uint64
CLOSE = 1e-12
SUPPORT = 10.0  # rows, or hessian, below which a category says too little to be put anywhere but with the rest


@njit(**LENT)
def best_cut(
    hist, f0, width, allowed, used, gaps, whole, shift, smooth, h_least, sure, least, cols, rows, begin,
    end, leaf, best, counts, sums, doubts, out,
):  # fmt: skip
    mask = (np.int64(1) << shift) - 1
    G, H = np.float64(whole >> shift), np.float64(whole & mask)
    limit = best - CLOSE * abs(best)
    many = np.int64(0)
    for t in range(begin.shape[0]):
        many += end[t, leaf] - begin[t, leaf]
    doubtful = np.int64(0)
    for again in range(2):
        # First the cuts that surely have rows enough, then those few of the others that are still better.
        if again and doubtful == 0:
            break
        for j in range(width):
            f = f0 + j
            if (again and not doubts[j]) or allowed[f] != 1:
                continue
            doubts[j] = False
            counted = False
            at = U(f * BINS)
            for side in range(2 if gaps[f] else 1):
                # Where cells are missing, all that are not may go left.
                last = U(used[f] - 1 + (gaps[f] if side == 0 else 0))
                acc = hist[at + U(MISSING)] if side else np.int64(0)
                for k in range(last):
                    acc += hist[at + k]
                    sums[k] = acc
                # In vectors, whether any cut may be better at all.
                hit = np.int64(0)
                for k in range(last):
                    hl = np.float64(sums[k] & mask)
                    gl = np.float64(sums[k] >> shift)
                    gr, hr = G - gl, H - hl + smooth
                    hl += smooth
                    hit |= np.int64(gl * gl * hr + gr * gr * hl > limit * (hl * hr))
                if hit == 0:
                    continue
                for k in range(last):
                    acc = sums[k]
                    hl = np.float64(acc & mask)
                    gl = np.float64(acc >> shift)
                    gr, hr = G - gl, H - hl
                    if hl < h_least or hr < h_least:
                        continue
                    a, b = hl + smooth, hr + smooth
                    top, under = gl * gl * b + gr * gr * a, a * b
                    if not top > limit * under:
                        continue
                    value = top / under
                    place = np.int64(side * BINS) + np.int64(k)
                    if hl < sure or hr < sure:
                        if value < best:
                            continue
                        if not again:
                            doubts[j] = True
                            doubtful += 1
                            continue
                        if value == best and (
                            out[0] < 0 or f > out[0] or (f == out[0] and place >= out[1])
                        ):
                            continue
                        if not counted:
                            count_below(cols, f, rows, begin, end, leaf, counts)
                            counted = True
                        left = counts[k] + (counts[MISSING] if side else 0)
                        if left < least or many - left < least:
                            continue
                    elif again or value <= best:
                        continue
                    best, limit = value, value - CLOSE * value
                    out[0], out[1], out[2], out[3] = f, place, acc, 0
    return best


@njit(inline="always")
def _value(g, h, low, high):
    return min(max(-g / h, low), high)


@njit(**LENT)
def worth(whole, shift, smooth, low, high):
    # What a leaf that is not cut gains by its value.
    g = np.float64(whole >> shift)
    h = np.float64(whole & ((np.int64(1) << shift) - 1)) + smooth
    return -g * _value(g, h, low, high) if h > 0.0 else 0.0


@njit(**LENT)
def best_bounded(
    hist, f0, width, allowed, used, gaps, rising, whole, shift, smooth, h_least, least, cols, rows, begin,
    end, leaf, low, high, best, counts, out,
):  # fmt: skip
    # Cuts of numbers where some feature is constrained; rows are always counted.
    mask = (np.int64(1) << shift) - 1
    G, H = np.float64(whole >> shift), np.float64(whole & mask)
    many = np.int64(0)
    for t in range(begin.shape[0]):
        many += end[t, leaf] - begin[t, leaf]
    for f in range(f0, f0 + width):
        if allowed[f] != 1:
            continue
        count_below(cols, f, rows, begin, end, leaf, counts)
        at = f * BINS
        for side in range(2 if gaps[f] else 1):
            acc = hist[at + MISSING] if side else np.int64(0)
            for k in range(used[f] - 1 + (gaps[f] if side == 0 else 0)):
                acc += hist[at + k]
                left = counts[k] + (counts[MISSING] if side else 0)
                hl, gl = np.float64(acc & mask), np.float64(acc >> shift)
                if left < least or many - left < least or hl < h_least or H - hl < h_least:
                    continue
                vl = _value(gl, hl + smooth, low, high)
                vr = _value(G - gl, H - hl + smooth, low, high)
                if (vr - vl) * rising[f] < 0.0:
                    continue
                value = -(gl * vl + (G - gl) * vr)
                if value > best:
                    best = value
                    out[0], out[1], out[2], out[3] = f, side * BINS + k, acc, 0
    return best


@njit(**LENT)
def best_groups(
    hist, f0, width, allowed, whole, shift, smooth, h_unit, h_least, least, cols, rows, begin, end, leaf,
    low, high, best, counts, order, ratios, out,
):  # fmt: skip
    # Groups of categories: allowed is 2 for such features. Those of too little support stay with the right side.
    mask = (np.int64(1) << shift) - 1
    G, H = np.float64(whole >> shift), np.float64(whole & mask)
    many = np.int64(0)
    for t in range(begin.shape[0]):
        many += end[t, leaf] - begin[t, leaf]
    for f in range(f0, f0 + width):
        if allowed[f] != 2:
            continue
        count_bins(cols, f, rows, begin, end, leaf, counts)
        at, known = f * BINS, 0
        for k in range(BINS):
            h = np.float64(hist[at + k] & mask)
            if counts[k] > 0 and h * many >= SUPPORT * H:
                ratio = np.float64(hist[at + k] >> shift) / (h + SUPPORT * h_unit)
                place = known
                while place > 0 and ratios[place - 1] > ratio:
                    ratios[place], order[place] = ratios[place - 1], order[place - 1]
                    place -= 1
                ratios[place], order[place] = ratio, k
                known += 1
        # From either end, since the categories of little support stay at the right.
        for side in range(2):
            acc, left = np.int64(0), np.int64(0)
            for i in range(known):
                k = order[i] if side == 0 else order[known - 1 - i]
                acc += hist[at + k]
                left += counts[k]
                hl, gl = np.float64(acc & mask), np.float64(acc >> shift)
                if left < least or many - left < least or hl < h_least or H - hl < h_least:
                    continue
                vl = _value(gl, hl + smooth, low, high)
                vr = _value(G - gl, H - hl + smooth, low, high)
                value = -(gl * vl + (G - gl) * vr)
                if value > best or (value == best and out[0] > f):
                    best = value
                    out[0], out[1], out[2], out[3] = f, side * BINS + i, acc, 1
                    for word in range(4):
                        out[4 + word] = 0
                    for before in range(i + 1):
                        k = order[before] if side == 0 else order[known - 1 - before]
                        out[4 + (k >> 6)] |= np.int64(1) << (k & 63)
    return best
