# Problem   of all cuts "x_f <= threshold" find the one whose two sides are worth most, where a side with the weights
#           s_1, ..., s_K of the K classes is worth sum_c s_c^2 / sum_c s_c (Gini) or max_c s_c (errors); of cuts that
#           are equal but for rounding, the one of the first feature, and of these the lowest.
# Given     codes (d, n) uint8, values (d, n) float64, order (d, n) int32, starts (d, 257) int32 and bins (d,) int64 as
#           stump_bins writes them; ends (K + 1,) int64, rows being sorted by class and those of class c at
#           ends[c] ... ends[c + 1]; w (n,) float64 above zero; the features first ... last; by_errors.
# Writes    weigh_cuts: sums (d, K, 256), the weight of each class in each bin; between (d, 257) and within (d, 256),
#           what the cut before each bin is worth and the best inside it, -1 for none or one that cannot be the best.
#           first_cut: sides (2, K), the weights of the classes below the cut and above it.
# Returns   weigh_cuts: the best worth, -1 if there is no cut. first_cut: the feature of the first cut that is worth at
#           least `enough`, -1 for none, and the place of its last lower row in the order.
# Source    one pass in the order of the rows adds weights up by bin. Worth is convex, which bounds what any cut inside
#           a bin can be worth, and only bins whose bound reaches the best cut are looked into. What a cut is worth does
#           not depend on which bins are looked into, so what is found is the best of all cuts.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.ensembles.stump_bins import BINS

# Sums of the same weights in other orders differ by less, as a share of all weight.
_SLACK = 1e-9
# Sums that were taken away from are not trusted below this share of all weight.
_TRUSTED = 1e-4


@njit(**EXACT)
def weigh_cuts(
    codes, values, order, starts, bins, ends, w, first, last, by_errors, sums, between, within
):
    classes = len(ends) - 1
    _add_up(codes, ends, w, first, last, sums)
    before, after = np.zeros((classes, BINS + 1)), np.zeros((classes, BINS + 1))
    worth, reach = np.zeros((2, BINS + 1)), np.zeros((last - first, BINS))
    best, slack = -1.0, 0.0
    for f in range(first, last):
        slack = _SLACK * _accumulate(sums[f], bins[f], before, after)
        _cuts_between(before, after, bins[f], by_errors, worth)
        for b in range(1, bins[f]):
            between[f, b] = worth[0, b] + worth[1, b]
            best = max(best, between[f, b])
        if by_errors:
            _reach_by_errors(before, after, bins[f], reach[f - first])
        else:
            _reach_by_gini(sums[f], before, after, bins[f], worth, reach[f - first])
    for f in range(first, last):
        known = False
        for b in range(bins[f]):
            within[f, b] = -1.0
            rows = order[f, starts[f, b] : starts[f, b + 1]]
            if reach[f - first, b] + slack < best or values[f, rows[0]] == values[f, rows[-1]]:
                continue
            if not known:
                _accumulate(sums[f], bins[f], before, after)
                known = True
            lower, upper = before[:, b].copy(), after[:, b].copy()
            within[f, b], _ = _cuts_within(
                values[f], rows, ends, w, lower, upper, by_errors, best - slack, np.inf
            )
            best = max(best, within[f, b])
    return best


@njit(**EXACT)
def first_cut(
    values, order, starts, bins, ends, w, by_errors, sums, between, within, enough, sides
):
    before = np.zeros((len(ends) - 1, BINS + 1))
    after = before.copy()
    for f in range(len(bins)):
        for b in range(bins[f]):
            inside = within[f, b] >= enough
            if not inside and not (b + 1 < bins[f] and between[f, b + 1] >= enough):
                continue
            _accumulate(sums[f], bins[f], before, after)
            if not inside:
                sides[0], sides[1] = before[:, b + 1], after[:, b + 1]
                return f, starts[f, b + 1] - 1
            sides[0], sides[1] = before[:, b], after[:, b]
            rows = order[f, starts[f, b] : starts[f, b + 1]]
            least = enough - _SLACK * abs(enough)
            _, k = _cuts_within(
                values[f], rows, ends, w, sides[0], sides[1], by_errors, least, enough
            )
            return f, starts[f, b] + k
    return -1, -1


@njit(**EXACT)
def _add_up(codes, ends, w, first, last, sums):
    # Four features at a time: a weight is loaded once for all of them, and their sums do not wait for each other.
    sums[first:last] = 0.0
    f = first
    while f + 4 <= last:
        c0, c1, c2, c3 = codes[f], codes[f + 1], codes[f + 2], codes[f + 3]
        for c in range(len(ends) - 1):
            s0, s1 = sums[f, c], sums[f + 1, c]
            s2, s3 = sums[f + 2, c], sums[f + 3, c]
            for i in range(ends[c], ends[c + 1]):
                v = w[i]
                s0[np.uint64(c0[i])] += v
                s1[np.uint64(c1[i])] += v
                s2[np.uint64(c2[i])] += v
                s3[np.uint64(c3[i])] += v
        f += 4
    while f < last:
        c0 = codes[f]
        for c in range(len(ends) - 1):
            s0 = sums[f, c]
            for i in range(ends[c], ends[c + 1]):
                s0[np.uint64(c0[i])] += w[i]
        f += 1


@njit(**EXACT)
def _accumulate(part, bins, before, after):
    # The weight of each class before a bin, and from it on; returns all weight.
    total = 0.0
    for c in range(len(part)):
        low, high = 0.0, 0.0
        for b in range(bins):
            before[c, b] = low
            low += part[c, b]
            after[c, bins - b] = high
            high += part[c, bins - b - 1]
        before[c, bins], after[c, 0] = low, high
        total += low
    return total


@njit(**EXACT)
def _cuts_between(before, after, bins, by_errors, worth):
    # What the rows before each bin are worth, and those from it on.
    for side in range(2):
        sums = before if side == 0 else after
        out = worth[side]
        if by_errors:
            for b in range(bins + 1):
                out[b] = sums[0, b]
            for c in range(1, len(sums)):
                for b in range(bins + 1):
                    out[b] = max(out[b], sums[c, b])
        else:
            squares, totals = np.zeros(bins + 1), np.zeros(bins + 1)
            for c in range(len(sums)):
                for b in range(bins + 1):
                    squares[b] += sums[c, b] * sums[c, b]
                    totals[b] += sums[c, b]
            for b in range(bins + 1):
                out[b] = squares[b] / totals[b] if totals[b] > 0.0 else 0.0


@njit(**EXACT)
def _reach_by_gini(part, before, after, bins, worth, reach):
    # With s, W, v the classes' weights, all weight and worth of one side, and b <= B those that a cut adds to it,
    # worth(s + b) <= v + sum_c b_c ((2 s_c + B_c) / W - v / (W + |B|)), by b_c <= B_c and the chord of 1 / (W + t);
    # and worth(s + b) <= v + |b|, which is the better one where W is small. Each class goes where it adds more.
    for b in range(bins):
        mass, low, high = 0.0, 0.0, 0.0
        for c in range(len(part)):
            mass += part[c, b]
            low += before[c, b]
            high += after[c, b + 1]
        low_less, high_less = worth[0, b] / (low + mass), worth[1, b + 1] / (high + mass)
        over_low = 1.0 / low if low > mass else 0.0
        over_high = 1.0 / high if high > mass else 0.0
        more = 0.0
        for c in range(len(part)):
            gain, other = 1.0, 1.0
            if over_low > 0.0:
                gain = (2.0 * before[c, b] + part[c, b]) * over_low - low_less
            if over_high > 0.0:
                other = (2.0 * after[c, b + 1] + part[c, b]) * over_high - high_less
            more += part[c, b] * max(gain, other)
        reach[b] = worth[0, b] + worth[1, b + 1] + more


@njit(**EXACT)
def _reach_by_errors(before, after, bins, reach):
    # The largest sum of one class below and another above, the whole bin counted for both, or of one class.
    classes = len(before)
    for b in range(bins):
        most = 0.0
        for c in range(classes):
            most = max(most, before[c, b] + after[c, b])
        low, low_second, first = -1.0, -1.0, 0
        high, high_second, last = -1.0, -1.0, 0
        for c in range(classes):
            if before[c, b + 1] > low:
                low, low_second, first = before[c, b + 1], low, c
            else:
                low_second = max(low_second, before[c, b + 1])
            if after[c, b] > high:
                high, high_second, last = after[c, b], high, c
            else:
                high_second = max(high_second, after[c, b])
        pair = low + high if first != last else max(low_second + high, low + high_second)
        reach[b] = max(most, pair)


@njit(**EXACT)
def _cuts_within(values, rows, ends, w, lower, upper, by_errors, least, enough):
    # The best cut inside a bin, or the first that is worth enough: its worth, and the place of its last lower row;
    # cuts worth less than `least` are passed over. The sides are overwritten with those of the last cut looked at.
    best, place = -1.0, -1
    low, high, low_squares, high_squares = 0.0, 0.0, 0.0, 0.0
    for c in range(len(lower)):
        low, low_squares = low + lower[c], low_squares + lower[c] * lower[c]
        high, high_squares = high + upper[c], high_squares + upper[c] * upper[c]
    trusted = _TRUSTED * (low + high)
    for k in range(len(rows) - 1):
        row = rows[k]
        v = w[row]
        c = 0
        for other in range(1, len(lower)):  # without a branch that could be guessed wrong
            c += row >= ends[other]
        low, low_squares = low + v, low_squares + v * (2.0 * lower[c] + v)
        high, high_squares = high - v, high_squares - v * (2.0 * upper[c] - v)
        lower[c] += v
        upper[c] = max(upper[c] - v, 0.0)
        # What it is worth, multiplied out: no division, and good enough to see that it is too little.
        little = low_squares * high + high_squares * low < least * low * high
        if little and high > trusted and not by_errors:
            continue
        if values[row] == values[rows[k + 1]]:
            continue
        value = _worth(lower, by_errors) + _worth(upper, by_errors)
        if value > best:
            best, place = value, k
        if value >= enough:
            break
    return best, place


@njit(**EXACT)
def _worth(side, by_errors):
    most, squares, total = 0.0, 0.0, 0.0
    for s in side:
        most = max(most, s)
        squares += s * s
        total += s
    if by_errors or total == 0.0:
        return most
    return squares / total
