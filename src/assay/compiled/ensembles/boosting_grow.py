# Problem   one tree, the leaf with the best cut first, from packed gradients; and what its leaves add to the scores.
# Given     cols (d, n), records, place, stride: bins (boosting_bins); first (threads + 1,): the features of each
#           thread; words (n,) packed gradients (boosting_gradients); units (8,) their units, and those of the fine
#           sums; about features: used, gaps, kinds (1 for numbers, 2 for categories), rising (-1, 0, 1); together
#           (sets, d) uint8: features of one way down share a set, if there are any; the limits of the tree.
#           Shared by all threads: sync, rows (2, n), pool and partial for histograms, begin and end (threads, leaves),
#           gains, chosen, fine. mode PACKED: leaves take -g / (h + l) from packed sums; EXACT_SQUARES: from fine
#           sums of gradient and hessian; LATER: the caller finds the values.
# Writes    nodes (leaves - 1, 6): feature, bin, children (a leaf q is -1 - q), whether missing cells go left, the kind;
#           groups (leaves - 1, 4), of categories the bins that go left; gained, by each node; value (leaves,),
#           times the rate; held (leaves,), rows; turn (leaves,): which half of rows holds a leaf's; score (n,) is
#           added to; book: the leaves, the proven share of the squares that goes, and the largest score, carried
#           on.
# Source    Friedman, 2001. All threads run this same function; what they decide from is the same, so they decide
#           the same. By features while records are small: each thread reads all rows; by rows beyond, then they sum up.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT, LENT
from assay.compiled.common.prefetch import prefetch_at
from assay.compiled.ensembles.boosting_bins import BINS, MISSING
from assay.compiled.ensembles.boosting_cuts import best_bounded, best_cut, best_groups, worth
from assay.compiled.ensembles.boosting_gradients import OWN
from assay.compiled.ensembles.boosting_histograms import AHEAD, add_block, add_rows, clear
from assay.compiled.ensembles.boosting_sync import barrier

U = np.uint64
PACKED, EXACT_SQUARES, LATER = 0, 1, 2
HALF_ULP = 2.0**-53


@njit(**LENT)
def _part(code, left_bins, source, target, start, stop):
    # Left rows from the front, right rows from the back, in reverse: order does not matter to whole sums. No
    # branch: each row is written at both ends, and only one of them moves on.
    front, back = U(start), U(stop) - U(1)
    for i in range(U(start), U(stop)):
        row = source[i]
        left = U(left_bins[U(code[row])])
        target[front] = row
        target[back] = row
        front += left
        back -= U(1) - left
    return np.int64(front)


@njit(**LENT)
def allow_features(allowed, kinds, together, alive, share, seed):
    # The features that a leaf may ask for: those of the sets that hold all that was asked above it, and of these a
    # share, each kept with the chance that is left for it.
    many = np.int64(0)
    for f in range(kinds.shape[0]):
        kept = together.shape[0] == 0
        for s in range(together.shape[0]):
            kept |= alive[s] & together[s, f] != 0
        allowed[f] = kinds[f] if kept else 0
        many += np.int64(kept)
    if share >= 1.0:
        return
    left, z = max(np.int64(np.ceil(share * many)), np.int64(1)), U(seed)
    for f in range(kinds.shape[0]):
        if allowed[f] == 0:
            continue
        z += U(0x9E3779B97F4A7C15)
        w = (z ^ (z >> U(30))) * U(0xBF58476D1CE4E5B9)
        w = (w ^ (w >> U(27))) * U(0x94D049BB133111EB)
        kept = np.int64((w ^ (w >> U(31))) >> U(33)) % many < left
        if not kept:
            allowed[f] = 0
        left -= np.int64(kept)
        many -= 1


@njit(**LENT)
def best_question(
    hist, f0, width, features, kinds_of, allowed, whole, shift, smooth, h_unit, h_least, sure, least, cols,
    rows, begin, end, leaf, low, high, counts, sums, doubts, ratios, out,
):  # fmt: skip
    # The best question of one leaf among the features of one thread; how much it gains.
    used, gaps, rising = features[0], features[1], features[3]
    bounded, grouped = kinds_of
    out[0] = -1
    parent = worth(whole, shift, smooth, low, high)
    best = parent + 1e-12 * abs(parent)
    if bounded:
        best = best_bounded(
            hist, f0, width, allowed, used, gaps, rising, whole, shift, smooth, h_least, least, cols, rows,
            begin, end, leaf, low, high, best, counts, out,
        )  # fmt: skip
    else:
        best = best_cut(
            hist, f0, width, allowed, used, gaps, whole, shift, smooth, h_least, sure, least, cols, rows,
            begin, end, leaf, best, counts, sums, doubts, out,
        )  # fmt: skip
    if grouped:
        best = best_groups(
            hist, f0, width, allowed, whole, shift, smooth, h_unit, h_least, least, cols, rows, begin, end,
            leaf, low, high, best, counts, sums, ratios, out,
        )  # fmt: skip
    return best - parent


@njit(**LENT)
def bins_at_left(chosen, left_bins):
    # The bins that go left, each with a one.
    for k in range(BINS):
        left_bins[k] = 0
    if chosen[3] == 1:
        for k in range(BINS):
            left_bins[k] = (chosen[4 + (k >> 6)] >> (k & 63)) & 1
        return
    for k in range((chosen[1] & MISSING) + 1):
        left_bins[k] = 1
    left_bins[MISSING] = chosen[1] >> 8


@njit(**LENT)
def leaf_values(
    many, whole, shift, smooth, h_unit, g_unit, h_least, mode, fine, held, low, high, units, rate, value, book
):  # fmt: skip
    # What the leaves say, times the rate. For squares: -(sum of g) / (sum of h + l), zero where rounding might have
    # its sign or half its size; and how much of the squares surely goes.
    mask = (np.int64(1) << shift) - 1
    scale = h_unit / g_unit if g_unit > 0.0 else 0.0
    along, across, doubt, largest = 0.0, 0.0, 0.0, 0.0
    for q in range(many):
        g, h = np.float64(whole[q] >> shift), np.float64(whole[q] & mask)
        if mode == PACKED:
            v = scale * min(max(-g / max(h + smooth, h_least), low[q]), high[q])
        elif mode == EXACT_SQUARES:
            total, heavy = np.int64(0), np.int64(0)
            for t in range(fine.shape[0]):
                total += fine[t, q, 0]
                heavy += fine[t, q, 1]
            v = 0.0
            known = units[4] == 1.0 or heavy > 64 * held[q]
            if units[3] > 0.0 and abs(total) > 2 * held[q] and heavy >= 1 and known:
                sum_g, sum_h = np.float64(total) / units[3], np.float64(heavy) / units[4]
                v = -sum_g / (sum_h + smooth / h_unit)
                v = min(max(v, scale * low[q]), scale * high[q])
                # Each row was rounded by less than .7 of a unit.
                off = 0.7 * np.float64(held[q])
                along -= sum_g * v
                across += (sum_h + (0.0 if units[4] == 1.0 else off / units[4])) * v * v
                doubt += off / units[3] * abs(v)
        else:
            v = 0.0
        value[q] = rate * v
        largest = max(largest, abs(rate * v))
    if mode != EXACT_SQUARES:
        return
    # The squares fall by 2 rate along - rate^2 across; additions of doubles take some of it back.
    squares = units[2]
    share = 0.0
    if squares > 0.0 and largest > 0.0:
        book[2] += largest
        after = squares - (2.0 * rate * (along - doubt) - rate * rate * across)
        root = np.sqrt(max(after, 0.0)) + 2.0 * HALF_ULP * book[2] * np.sqrt(book[3])
        share = 1.0 - root * root / squares
    book[1] = share
    if share <= 0.0:
        book[1] = 0.0
        for q in range(many):
            value[q] = 0.0


@njit(**EXACT)
def grow_tree(
    thread, threads, sync, cols, records, place, stride, first, features, kinds_of, words, units, shift,
    gradient, hessian, score, rows, pool, partial, begin, end, gains, chosen, fine, turn, nodes, groups,
    gained, value, held, book, least, most_depth, share, together, seed, smoothing, heavy_least, full, rate, mode, few,
):  # fmt: skip
    d, n = cols.shape
    leaves = value.shape[0]
    f0, width = first[thread], first[thread + 1] - first[thread]
    width_all, span = U(d), U(width)
    base, step = U(place[f0]), U(stride[f0])
    low_bin, high_bin = U(f0 * BINS), U((f0 + width) * BINS)
    g_unit, h_unit = units[0], units[1]
    smooth = smoothing * h_unit
    h_least = max(heavy_least * h_unit, 1.0)
    sure = np.float64(least) * full
    gaps, kinds, rising = features[1], features[2], features[3]
    slot, whole = np.zeros(leaves, np.int64), np.zeros(leaves, np.int64)
    parent, depth = np.zeros(leaves, np.int64), np.zeros(leaves, np.int64)
    low, high = np.full(leaves, -np.inf), np.full(leaves, np.inf)
    counts, sums = np.zeros(BINS, np.int64), np.zeros(BINS, np.int64)
    ratios, doubts = np.zeros(BINS), np.zeros(d, np.bool_)
    left_bins, allowed, out = np.zeros(BINS, np.uint8), kinds.copy(), np.zeros(8, np.int64)
    root, zero = (
        np.int64(0),
        np.int64(0),
    )  # a bare 0 would be a type of its own: a second compilation
    asked, sizes = np.zeros(8, np.int64), np.zeros(leaves, np.int64)
    sizes[0] = n
    limited = share < 1.0 or together.shape[0] > 0
    alive = np.ones((leaves, together.shape[0]), np.uint8)
    if not barrier(sync, thread, threads):  # nobody looks at the leaves of the tree before
        return
    at = begin[thread, 0]
    for block in range(thread * OWN, n, threads * OWN):
        for i in range(block, min(block + OWN, n)):
            rows[0, at] = i
            at += 1
    end[thread, 0] = at
    turn[thread, 0] = 0
    if not barrier(sync, thread, threads):
        return
    hist = pool[0]
    clear(hist, low_bin, high_bin)
    add_block(hist[low_bin:], records, base, step, span, zero, n, words, shift)
    for k in range(BINS):
        whole[0] += hist[low_bin + U(k)]
    if limited:
        allow_features(allowed, kinds, together, alive[0], share, seed)
    gains[thread, 0] = best_question(
        hist, f0, width, features, kinds_of, allowed, whole[0], shift, smooth, h_unit, h_least, sure, least,
        cols, rows[0], begin, end, root, low[0], high[0], counts, sums, doubts, ratios, out,
    )  # fmt: skip
    for k in range(8):
        chosen[thread, 0, k] = out[k]
    if not barrier(sync, thread, threads):
        return
    many = np.int64(1)
    while many < leaves:
        best, leaf, who = 0.0, np.int64(-1), zero
        for q in range(many):
            for t in range(threads):
                if chosen[t, q, 0] >= 0 and gains[t, q] > best:
                    best, leaf, who = gains[t, q], np.int64(q), np.int64(t)
        if leaf < 0:
            break
        node, new = many - 1, many
        for k in range(8):
            asked[k] = chosen[who, leaf, k]
        f, left_word = asked[0], asked[2]
        bins_at_left(asked, left_bins)
        start, stop, side = begin[thread, leaf], end[thread, leaf], turn[thread, leaf]
        middle = _part(cols[f], left_bins, rows[side], rows[1 - side], start, stop)
        turn[thread, leaf] = turn[thread, new] = 1 - side
        begin[thread, new], end[thread, new] = middle, stop
        end[thread, leaf] = middle
        whole[new] = whole[leaf] - left_word
        whole[leaf] = left_word
        low[new], high[new] = low[leaf], high[leaf]
        if rising[f] != 0:
            middle_value = 0.0
            for q in (leaf, new):
                g = np.float64(whole[q] >> shift)
                h = np.float64(whole[q] & ((np.int64(1) << shift) - 1)) + smooth
                middle_value += 0.5 * min(max(-g / h, low[q]), high[q])
            if rising[f] > 0:
                high[leaf], low[new] = middle_value, middle_value
            else:
                low[leaf], high[new] = middle_value, middle_value
        for s in range(together.shape[0]):
            alive[leaf, s] &= together[s, f]
            alive[new, s] = alive[leaf, s]
        depth[leaf] += 1
        depth[new] = depth[leaf]
        many += 1
        if not barrier(sync, thread, threads):
            return
        left, right = zero, zero
        for t in range(threads):
            left += end[t, leaf] - begin[t, leaf]
            right += end[t, new] - begin[t, new]
        sizes[leaf], sizes[new] = left, right
        if thread == 0:
            nodes[node, 0], nodes[node, 1] = f, asked[1] & MISSING
            nodes[node, 2], nodes[node, 3] = -1 - leaf, -1 - new
            missing_left = left_bins[MISSING] if gaps[f] else left >= right
            nodes[node, 4], nodes[node, 5] = missing_left, asked[3]
            for word in range(4):
                groups[node, word] = asked[4 + word] if asked[3] == 1 else 0
            gained[node] = best * (h_unit / g_unit) / g_unit
            if node > 0:
                nodes[parent[leaf] >> 1, 2 + (parent[leaf] & 1)] = node
        parent[leaf], parent[new] = node * 2, node * 2 + 1
        if many == leaves:
            break
        small, large = (leaf, new) if left <= right else (new, leaf)
        fewer, more = min(left, right), max(left, right)
        old = slot[leaf]
        slot[small], slot[large] = new, old
        gains[thread, leaf] = gains[thread, new] = -1.0
        chosen[thread, leaf, 0] = chosen[thread, new, 0] = -1
        if more >= 2 * least and (most_depth < 0 or depth[leaf] < most_depth):
            a, b = pool[new], pool[old]
            side = turn[thread, leaf]
            if threads > 1 and fewer > few:
                clear(partial[thread], 0, d * BINS)
                add_rows(
                    partial[thread], records, U(0), step, width_all, rows[side],
                    begin[thread, small], end[thread, small], words, shift,
                )  # fmt: skip
                if not barrier(sync, thread, threads):
                    return
                for i in range(low_bin, high_bin):
                    total = np.int64(0)
                    for t in range(threads):
                        total += partial[t, i]
                    a[i] = total
                    b[i] -= total
            else:
                clear(a, low_bin, high_bin)
                for t in range(threads):
                    add_rows(
                        a[low_bin:], records, base, step, span, rows[side],
                        begin[t, small], end[t, small], words, shift,
                    )  # fmt: skip
                for i in range(low_bin, high_bin):
                    b[i] -= a[i]
            for which in range(2):
                q = small if which == 0 else large
                if (fewer if which == 0 else more) >= 2 * least:
                    if limited:
                        at = seed + 2 * node + 1 + np.int64(q == new)
                        allow_features(allowed, kinds, together, alive[q], share, at)
                    gains[thread, q] = best_question(
                        a if which == 0 else b, f0, width, features, kinds_of, allowed, whole[q], shift,
                        smooth, h_unit, h_least, sure, least, cols, rows[side], begin, end, q, low[q], high[q],
                        counts, sums, doubts, ratios, out,
                    )  # fmt: skip
                    for k in range(8):
                        chosen[thread, q, k] = out[k]
        if not barrier(sync, thread, threads):
            return
    if mode == EXACT_SQUARES:
        for q in range(many):
            side, total, heavy = turn[thread, q], zero, zero
            for i in range(begin[thread, q], end[thread, q]):
                row = U(rows[side, i])
                total += np.int64(np.rint(gradient[row] * units[3]))
                heavy += np.int64(np.rint(hessian[row] * units[4]))
            fine[thread, q, 0], fine[thread, q, 1] = total, heavy
        if not barrier(sync, thread, threads):
            return
    own = np.empty(many)
    leaf_values(
        many, whole, shift, smooth, h_unit, g_unit, heavy_least * h_unit, mode, fine, sizes, low, high,
        units, rate, own, book,
    )  # fmt: skip
    book[0] = many
    if thread == 0:
        for q in range(many):
            value[q], held[q] = own[q], sizes[q]
    if mode == LATER:
        return
    for q in range(many):
        mine, v, last = rows[turn[thread, q]], own[q], U(end[thread, q])
        for i in range(U(begin[thread, q]), last):
            prefetch_at(score, U(mine[min(i + U(2 * AHEAD), last - U(1))]))
            score[mine[i]] += v
