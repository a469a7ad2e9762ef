# Problem   minimise b'Kb / 2 - t'b over sum(b) fixed and lower <= b <= upper, for one working set: the
#           dual of every support vector machine here, with b_i = y_i alpha_i.
# Given     K (m, m) float32 or float64, rows (q,) which of its rows and columns are meant, square (q, q) of K's
#           precision, to be overwritten; v (q,) the violations t - Kb - (what lies outside the set), lower,
#           upper and b (q,), of which b and v are overwritten; size (q,) the diagonal of K in full precision.
# Returns   the steps made.
# Source    Fan, Chen & Lin, 2005: the pair is chosen by second-order information, in the precision of K. Rows are
#           gathered into the square when they are first needed. Maxima are taken by halves, which the compiler
#           turns into vector instructions without any fast-math flag.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT

# The width below which halving stops.
_NARROW = 16
# What stands for a curvature of zero or less, as in LIBSVM.
_FLAT = 1e-12


@njit(**EXACT)
def solve_working_set(K, rows, square, size, lower, upper, b, v, tolerance, most_steps):
    q = v.shape[0]
    padded = 2 * _NARROW
    while padded < q:
        padded *= 2
    half = padded // 2
    kind = K.dtype.type
    zero, two, flat = kind(0.0), kind(2.0), kind(_FLAT)
    at = np.zeros(padded)  # the violations
    grow = np.full(padded, -np.inf)  # zero where b may grow
    fall = np.full(padded, -np.inf)  # zero where b may fall
    gain = np.zeros(padded, K.dtype)
    sizes = np.empty(q, K.dtype)
    larger = np.empty(padded)
    larger_gain = np.empty(padded, K.dtype)
    ready = np.zeros(q, np.bool_)
    for t in range(q):
        at[t], sizes[t] = v[t], size[t]
        grow[t] = 0.0 if b[t] < upper[t] else -np.inf
        fall[t] = 0.0 if b[t] > lower[t] else -np.inf
    step = 0
    while step < most_steps:
        for t in range(half):
            x, y = at[t] + grow[t], at[t + half] + grow[t + half]
            larger[t] = x if x > y else y
        i = _largest(larger, half)
        most = larger[i]
        i = i if at[i] + grow[i] == most else i + half
        for t in range(half):
            x, y = fall[t] - at[t], fall[t + half] - at[t + half]
            larger[t] = x if x > y else y
        gap = most + larger[_largest(larger, half)]
        if not gap > tolerance:
            break
        row = square[i]
        if not ready[i]:
            ready[i] = True
            _gather_row(K[rows[i]], rows, row)
        # Gains in units of the gap, so that none is lost to the smaller range of single precision.
        own, unit = sizes[i], 1.0 / gap
        for t in range(q):
            apart = kind((most - at[t] + fall[t]) * unit)
            apart = apart if apart > zero else zero
            bent = own + sizes[t] - two * row[t]
            bent = bent if bent > flat else flat
            gain[t] = apart * apart / bent
        for t in range(half):
            x, y = gain[t], gain[t + half]
            larger_gain[t] = x if x > y else y
        j = _largest(larger_gain, half)
        j = j if gain[j] == larger_gain[j] else j + half
        # Rounding must not leave a variable a hair short of its bound, so the bound itself is stored.
        move = (most - at[j]) / max(size[i] + size[j] - 2.0 * row[j], _FLAT)
        room_up, room_down = upper[i] - b[i], b[j] - lower[j]
        if move >= room_up or move >= room_down:
            move = min(room_up, room_down)
        b[i] = upper[i] if move == room_up else b[i] + move
        b[j] = lower[j] if move == room_down else b[j] - move
        for k in (i, j):
            grow[k] = 0.0 if b[k] < upper[k] else -np.inf
            fall[k] = 0.0 if b[k] > lower[k] else -np.inf
        other = square[j]
        if not ready[j]:
            ready[j] = True
            _gather_row(K[rows[j]], rows, other)
        for t in range(q):
            at[t] -= move * (row[t] - other[t])
        step += 1
    v[:] = at[:q]
    return step


@njit(**EXACT)
def _largest(larger, half):
    # Halves the first `half` numbers again and again, each time behind the last, then finds its way back.
    start = 0
    while half > _NARROW:
        quarter = half // 2
        low = larger[start : start + quarter]
        high = larger[start + quarter : start + half]
        out = larger[start + half : start + half + quarter]
        for t in range(quarter):
            x, y = low[t], high[t]
            out[t] = x if x > y else y
        start += half
        half = quarter
    place, best = 0, larger[start]
    for t in range(1, half):
        if larger[start + t] > best:
            place, best = t, larger[start + t]
    while start > 0:
        start -= 2 * half
        place = place if larger[start + place] == best else place + half
        half *= 2
    return place


@njit(**EXACT)
def _gather_row(row, columns, out):
    for t in range(columns.shape[0]):
        out[t] = row[columns[t]]


# Problem   some entries of some rows.
# Given     K (c, n); rows (p,) and columns (q,), which are meant; block (p, q).
# Writes    block.
# Source    Row by row: the entries of one row lie close together.
@njit(**EXACT)
def gather(K, rows, columns, block):
    for i in range(rows.shape[0]):
        _gather_row(K[rows[i]], columns, block[i])


# Problem   add sum_k steps_k K_k to the scores, K_k being rows that are kept.
# Given     kept (c, n) float32 or float64; slots and steps (m,); scores (n,) float64; start and stop, the
#           columns meant, so that several threads may share the work.
# Writes    scores[start:stop].
# Source    Sums in float64, four rows at a time, in pieces that stay in the nearest cache.
@njit(**EXACT)
def add_rows(kept, slots, steps, scores, start, stop):
    m = slots.shape[0]
    whole = m // 4 * 4
    piece = 1024
    for s in range(start, stop, piece):
        e = min(stop, s + piece)
        for k in range(0, whole, 4):
            r0, r1 = kept[slots[k], s:e], kept[slots[k + 1], s:e]
            r2, r3 = kept[slots[k + 2], s:e], kept[slots[k + 3], s:e]
            c0, c1, c2, c3 = steps[k], steps[k + 1], steps[k + 2], steps[k + 3]
            out = scores[s:e]
            for t in range(e - s):
                out[t] += (c0 * r0[t] + c1 * r1[t]) + (c2 * r2[t] + c3 * r3[t])
        for k in range(whole, m):
            r0, c0 = kept[slots[k], s:e], steps[k]
            out = scores[s:e]
            for t in range(e - s):
                out[t] += c0 * r0[t]


# Problem   give rows that lie one after another another width, keeping the entries both widths have.
# Given     store, a flat array; slots (m,), ascending, where the rows to keep are; the widths; old and new
#           (c,), which entry becomes which.
# Writes    store: row slots[k] of the old width becomes row k of the new one.
# Source    Narrower rows never reach one that is still to be read. For wider ones, where slots[k] = k, the
#           last row goes first.
@njit(**EXACT)
def repack(store, slots, width, into, old, new):
    row = np.empty(old.shape[0], store.dtype)
    m = slots.shape[0]
    for step in range(m):
        k = step if into <= width else m - 1 - step
        start = slots[k] * width
        for t in range(old.shape[0]):
            row[t] = store[start + old[t]]
        start = k * into
        for t in range(old.shape[0]):
            store[start + new[t]] = row[t]
