# Problem   minimise b'Kb / 2 - t'b over sum(b) fixed and lower <= b <= upper, for one working set: the
#           dual of every support vector machine here, with b_i = y_i alpha_i.
# Given     K (q, q) float32 or float64; v (q,) the violations t - Kb - (what lies outside the set), lower,
#           upper and b (q,), of which b and v are overwritten; size (q,) the diagonal of the whole K.
# Returns   the steps made.
# Source    Fan, Chen & Lin, 2005: the pair is chosen by second-order information. Maxima are taken in
#           lanes, which the compiler turns into vector instructions without any fast-math flag.
import numpy as np
from numba import njit

from assay.compiled.flags import EXACT

_LANES = 32
# What stands for a curvature of zero or less, as in LIBSVM.
_FLAT = 1e-12


@njit(**EXACT)
def solve_working_set(K, size, lower, upper, b, v, tolerance, most_steps):
    q = v.shape[0]
    padded = (q + _LANES - 1) // _LANES * _LANES
    up = np.full(padded, -np.inf)  # v where b may grow
    low = np.full(padded, np.inf)  # v where b may fall
    gain = np.zeros(padded)
    lanes = np.empty(_LANES)
    no_growth = np.zeros(q)
    no_fall = np.zeros(q)
    for t in range(q):
        no_growth[t] = 0.0 if b[t] < upper[t] else -np.inf
        no_fall[t] = 0.0 if b[t] > lower[t] else np.inf
        up[t] = v[t] + no_growth[t]
    for step in range(most_steps):
        most = _largest(up, lanes)
        if most == -np.inf:
            return step
        i = _place(up, most)
        row = K[i]
        for t in range(q):
            low[t] = v[t] + no_fall[t]
        least = -_largest_negated(low, lanes)
        if not most - least > tolerance:
            return step
        own = size[i]
        for t in range(q):
            bent = own + size[t] - 2.0 * row[t]
            bent = bent if bent > _FLAT else _FLAT
            apart = most - low[t]
            apart = apart if apart > 0.0 else 0.0
            gain[t] = apart * apart / bent
        j = _place(gain, _largest(gain, lanes))
        bent = max(own + size[j] - 2.0 * row[j], _FLAT)
        # Rounding must not leave a variable a hair short of its bound, so the bound itself is stored.
        move = (most - v[j]) / bent
        room_up, room_down = upper[i] - b[i], b[j] - lower[j]
        if move >= room_up or move >= room_down:
            move = min(room_up, room_down)
        b[i] = upper[i] if move == room_up else b[i] + move
        b[j] = lower[j] if move == room_down else b[j] - move
        no_growth[i] = 0.0 if b[i] < upper[i] else -np.inf
        no_fall[i] = 0.0 if b[i] > lower[i] else np.inf
        no_growth[j] = 0.0 if b[j] < upper[j] else -np.inf
        no_fall[j] = 0.0 if b[j] > lower[j] else np.inf
        other = K[j]
        for t in range(q):
            v[t] -= move * (row[t] - other[t])
            up[t] = v[t] + no_growth[t]
    return most_steps


@njit(**EXACT)
def _largest(values, lanes):
    lanes[:] = values[:_LANES]
    for s in range(_LANES, values.shape[0], _LANES):
        for k in range(_LANES):
            x = values[s + k]
            lanes[k] = x if x > lanes[k] else lanes[k]
    best = lanes[0]
    for k in range(1, _LANES):
        best = lanes[k] if lanes[k] > best else best
    return best


@njit(**EXACT)
def _largest_negated(values, lanes):
    for k in range(_LANES):
        lanes[k] = -values[k]
    for s in range(_LANES, values.shape[0], _LANES):
        for k in range(_LANES):
            x = -values[s + k]
            lanes[k] = x if x > lanes[k] else lanes[k]
    best = lanes[0]
    for k in range(1, _LANES):
        best = lanes[k] if lanes[k] > best else best
    return best


@njit(**EXACT)
def _place(values, wanted):
    for t in range(values.shape[0]):
        if values[t] == wanted:
            return t
    return 0


# Problem   the square of a Gram matrix that belongs to a working set, out of rows that are kept.
# Given     kept (c, n); slots (q,) where the rows are; columns (q,) which entries are meant; block (q, q).
# Writes    block.
# Source    Half is read and mirrored: a Gram matrix is symmetric but for its last bits.
@njit(**EXACT)
def gather_square(kept, slots, columns, block):
    for i in range(slots.shape[0]):
        row = kept[slots[i]]
        for j in range(i + 1):
            x = row[columns[j]]
            block[i, j] = x
            block[j, i] = x


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
