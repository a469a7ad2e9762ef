# Problem   cut a sorted column in two, so that the impurity of both sides together falls most. Impurities are weighted
#           by the rows: for classes w - sum_c w_c^2 / w (Gini), -sum_c w_c log2(w_c / w) (entropy) or w - max_c w_c
#           (misclassification), for a target the sum of squares about the mean.
# Given     cells, the column's, ascending, of which the first n have a value: the upper 32 bits are the value, the
#           lower the class above `shift` bits for the row. The others, without a value, go left if `before`, which is
#           then how many they are; if it is zero they stay on the right, so that all cells with a value may go left.
#           state, the weight of each class, or weight and mean of a target, of all cells. At least `least` rows and
#           `least_weight` go to each side. inverse[k] = 1 / k; xlog[k] = k log2 k in units of a fixed point, so that
#           sums are exact. counts (2, classes) and masses (4, classes) are room to work in.
# Returns   by how much the impurity falls, and how many cells go left, zero for no cut. What is larger by less than
#           `slack` counts as equal, and of equal cuts the first is taken.
# Source    Breiman, Friedman, Olshen & Stone, 1984; Quinlan, 1986.
import numpy as np
from numba import float64, int64, njit, types, uint64

from assay.compiled.common.flags import LENT
from assay.compiled.common.opaque import opaque
from assay.compiled.trees.tree_sample import FLOATS, KEYS, LENT_INNER, NUMBERS

GINI, ENTROPY, MISCLASSIFICATION, SQUARES = 0, 1, 2, 3
# Those of tree_aims alone.
ABSOLUTES, POISSON = 4, 5

_NEXT = np.uint64(2**32)
_LOW = np.uint64(2**32 - 1)
_ONE = np.uint64(1)


# Two classes and Gini, the common case. With a of k rows on the left in the second class, and A of n in all, the
# impurity falls by 2 (a - A k / n)^2 (1 / k + 1 / (n - k)); n a - A k is summed up in whole numbers.
@njit(**LENT)
def scan_two(cells, n, before, shift, ones, least, inverse, slack):
    rows = cells.size
    beyond = n + before < rows
    unit = 2.0 * inverse[rows] * inverse[rows]
    step = slack / unit
    best, bar, cut = -1.0, -1.0, 0
    excess = -ones * before
    if before > 0:
        for cell in cells[n:]:
            excess += rows & -np.int64((cell >> shift) & _ONE)
    first, held = before + 1, n
    if least > 1:
        skipped = least - first if least > first else 0
        skipped = skipped if skipped < n else n
        for cell in cells[:skipped]:
            excess += (rows & -np.int64((cell >> shift) & _ONE)) - ones
        cells = cells[skipped:]
        first += skipped
        held -= skipped
    # Unsigned numbers need no look whether they count from the end.
    left, right = np.uint64(first), np.uint64(rows - first)
    last = rows - least - first + 1
    for i in range(last if last < held - 1 else held - 1):
        cell = cells[i]
        # The whole number of rows, or nothing: no branch, which no processor could guess.
        excess += (rows & -np.int64((cell >> shift) & _ONE)) - ones
        if (cells[i + 1] ^ cell) >= _NEXT:
            x = np.float64(excess)
            score = x * x * (inverse[left] + inverse[right])
            if score > bar:
                best, bar, cut = score, score + step, first - before + i
        left += _ONE
        right -= _ONE
    if beyond and rows - n >= least and n >= least:
        cell = cells[held - 1]
        x = np.float64(excess + (rows & -np.int64((cell >> shift) & _ONE)) - ones)
        score = x * x * (inverse[n] + inverse[rows - n])
        if score > bar:
            best, cut = score, n
    return unit * best, cut


@njit(**LENT_INNER)
def _largest(array):
    largest = array[0]
    for c in range(1, array.size):
        largest = max(largest, array[c])
    return largest


# Classes by counts: sums change with one class at a time, so a row costs the same for any number of classes.
@njit(**LENT)
def scan_counts(
    cells, n, before, shift, criterion, state, counts, least, inverse, xlog, unit, slack
):
    rows, left, right = cells.size, counts[0], counts[1]
    for c in range(state.size):
        left[c], right[c] = 0, np.int64(state[c])
    if before > 0:
        for cell in cells[n:]:
            label = (cell & _LOW) >> shift
            left[label] += 1
            right[label] -= 1
    best, bar, cut = -1.0, -1.0, 0
    a, b = np.int64(0), np.int64(0)
    uncut = np.int64(0)
    if criterion == GINI:
        for c in range(left.size):
            a += left[c] * left[c]
            b += right[c] * right[c]
            uncut += (left[c] + right[c]) ** 2
    elif criterion == ENTROPY:
        uncut = -xlog[rows]
        for c in range(left.size):
            a += xlog[left[c]]
            b += xlog[right[c]]
            uncut += xlog[left[c] + right[c]]
    else:
        for c in range(left.size):
            a = max(a, left[c])
            b = max(b, right[c])
            uncut = max(uncut, left[c] + right[c])
    parent = uncut * inverse[rows] if criterion == GINI else 0.0
    for i in range(n if n + before < rows else n - 1):
        cell = cells[i]
        label = (cell & _LOW) >> shift
        on_left, on_right = left[label], right[label]
        left[label] = on_left + 1
        right[label] = on_right - 1
        if criterion == GINI:
            a += 2 * on_left + 1
            b -= 2 * on_right - 1
        elif criterion == ENTROPY:
            a += xlog[np.uint64(on_left + 1)] - xlog[np.uint64(on_left)]
            b += xlog[np.uint64(on_right - 1)] - xlog[np.uint64(on_right)]
        else:
            a = max(a, on_left + 1)
            if on_right == b:
                b = _largest(right)
        k = before + i + 1
        if k < least or (i + 1 < n and (cells[i + 1] ^ cell) < _NEXT):
            continue
        if rows - k < least:
            break
        if criterion == GINI:
            score = a * inverse[np.uint64(k)] + b * inverse[np.uint64(rows - k)] - parent
        elif criterion == ENTROPY:
            sides = xlog[np.uint64(k)] + xlog[np.uint64(rows - k)]
            score = unit * (a + b - sides - uncut)
        else:
            score = np.float64(a + b - uncut)
        if score > bar:
            best, bar, cut = score, score + slack, i + 1
    return best, cut


@njit(inline="always")
def _wlog(weight):
    return weight * np.log2(weight) if weight > 0.0 else 0.0


# Classes by weights, which are those of the rows; of both sides w_c log2 w_c is kept.
@njit(**LENT)
def scan_weights(
    cells, n, before, shift, criterion, state, masses, weights, least, least_weight, slack
):
    rows, left, right, logs = cells.size, masses[0], masses[1], masses[2:]
    mask = (_ONE << shift) - _ONE
    for c in range(state.size):
        left[c], right[c] = 0.0, state[c]
    if before > 0:
        for cell in cells[n:]:
            label = (cell & _LOW) >> shift
            left[label] += weights[cell & mask]
            right[label] -= weights[cell & mask]
    best, bar, cut = -1.0, -1.0, 0
    on_left, total = 0.0, 0.0
    a, b, uncut = 0.0, 0.0, 0.0
    for c in range(left.size):
        both = left[c] + right[c]
        on_left += left[c]
        total += both
        if criterion == GINI:
            a, b, uncut = a + left[c] ** 2, b + right[c] ** 2, uncut + both**2
        elif criterion == ENTROPY:
            logs[0, c], logs[1, c] = _wlog(left[c]), _wlog(right[c])
            a, b, uncut = a + logs[0, c], b + logs[1, c], uncut + _wlog(both)
        else:
            a, b, uncut = max(a, left[c]), max(b, right[c]), max(uncut, both)
    if criterion == GINI:
        uncut /= total
    elif criterion == ENTROPY:
        uncut -= _wlog(total)
    for i in range(n if n + before < rows else n - 1):
        cell = cells[i]
        label = (cell & _LOW) >> shift
        w = weights[cell & mask]
        here, there = left[label], right[label]
        left[label], right[label] = here + w, there - w
        on_left += w
        if criterion == GINI:
            a += w * (here + (here + w))
            b -= w * (there + (there - w))
        elif criterion == ENTROPY:
            on, off = _wlog(here + w), _wlog(there - w)
            a += on - logs[0, label]
            b += off - logs[1, label]
            logs[0, label], logs[1, label] = on, off
        else:
            a = max(a, here + w)
            if there == b:
                b = _largest(right)
        k = before + i + 1
        if k < least or (i + 1 < n and (cells[i + 1] ^ cell) < _NEXT):
            continue
        if rows - k < least:
            break
        on_right = total - on_left
        if on_left < least_weight or on_right < least_weight or on_right <= 0.0:
            continue
        if criterion == GINI:
            score = a / on_left + b / on_right - uncut
        elif criterion == ENTROPY:
            score = a + b - _wlog(on_left) - _wlog(on_right) - uncut
        else:
            score = a + b - uncut
        if score > bar:
            best, bar, cut = score, score + slack, i + 1
    return best, cut


# A target: with s the sum of w (y - mean) on the left, the sum of squares falls by s^2 (1 / w_left + 1 / w_right).
@njit(**LENT)
def scan_target(cells, n, before, shift, state, target, weights, least, least_weight, slack):
    rows, weight, mean = cells.size, state[0], state[1]
    best, bar, cut = -1.0, -1.0, 0
    mask = (_ONE << shift) - _ONE
    weighted = weights.size > 0
    a, s = 0.0, 0.0
    if before > 0:
        for cell in cells[n:]:
            w = weights[cell & mask] if weighted else 1.0
            a += w
            s += w * (target[cell & mask] - mean)
    for i in range(n if n + before < rows else n - 1):
        cell = cells[i]
        row = cell & mask
        if weighted:
            a += weights[row]
            s += weights[row] * (target[row] - mean)
        else:
            a += 1.0
            s += target[row] - mean
        k = before + i + 1
        if k < least or (i + 1 < n and (cells[i + 1] ^ cell) < _NEXT):
            continue
        if rows - k < least:
            break
        b = weight - a
        if a < least_weight or b < least_weight or b <= 0.0:
            continue
        score = s * s * weight / (a * b)
        if score > bar:
            best, bar, cut = score, score + slack, i + 1
    return best, cut


# How the loops above are called by their addresses.
_FOUND = types.Tuple((float64, int64))
_PART = (KEYS, int64, int64, uint64)
TWO = _FOUND(*_PART, int64, int64, FLOATS, float64)
COUNTS = _FOUND(*_PART, int64, FLOATS, int64[:, ::1], int64, FLOATS, NUMBERS, float64, float64)
WEIGHTS = _FOUND(*_PART, int64, FLOATS, float64[:, ::1], FLOATS, int64, float64, float64)
TARGET = _FOUND(*_PART, FLOATS, FLOATS, FLOATS, int64, float64, float64)
call_two, call_counts, call_weights, call_target = map(opaque, (TWO, COUNTS, WEIGHTS, TARGET))
