# Problem   stochastic gradient descent: w <- (1 - eta_t alpha) w - eta_t c_t loss'(<w, x_t> + b) x_t, and b alike
#           without the shrinking; on request the average of all w from round `average` on.
# Given     rows dense (n, d) or CSR with unsigned indices and pointers; y (n,) targets; c (n,) weights of the
#           rows; order, the rows in the order of play; v (d,) and b (1,) overwritten, with
#           w = numbers[SCALE] * v, so that shrinking costs one product; lag (d,), or empty without
#           averaging: the sum of the w is numbers[TOTAL] * v - lag;
#           rule = (loss, epsilon, eta0, first, power, alpha, average or 0, how far b moves in a step of length 1,
#           whether the objective is watched), eta_t = eta0 / (first + t - 1)^power.
# Writes    numbers and counts, named below.
# Returns   mistakes (for labels of -1 / +1), steps, and how many rows were played: all of them, unless a
#           score is not a number.
# Source    Bottou, 2012, sections 5.1 and 5.3: one row costs its nonzeros, with averaging too.
import math

from numba import njit

from assay.compiled.common.either_rows import (
    add_row,
    fetch,
    fetched_ahead,
    row_square,
    wide_row_dot,
)
from assay.compiled.common.elementary import power as power_of
from assay.compiled.common.flags import LENT
from assay.compiled.common.rows import wide_square
from assay.compiled.linear.losses import HINGE, loss_of, slope_of

# numbers: w / v; the sum of the scales that were averaged; the sum of b; the objective, summed over the
# rounds that were watched.
SCALE, TOTAL, BIAS, PAID = range(4)
# counts: rounds of the schedule; how many w were averaged; how many slopes were cut off.
ROUNDS, AVERAGED, CUT = range(3)

# Below this v and the sums are brought up to date, which keeps what cancels between them small.
_SMALLEST_SCALE = 1e-4
# Steeper slopes are cut off: weights that run away shall not overflow at once.
_STEEPEST = 1e12


@njit(**LENT)
def sgd_pass(rows, y, c, order, v, lag, b, numbers, counts, rule):
    loss, epsilon, _, _, _, alpha, average, share, watched = rule
    followed = watched and alpha > 0.0
    square = numbers[SCALE] * numbers[SCALE] * wide_square(v) if followed else 0.0
    mistakes = steps = 0
    played, ahead = order.shape[0], fetched_ahead(rows)
    for i in range(played):
        if i + ahead < played:
            fetch(rows, order[i + ahead])
        t = order[i]
        score = numbers[SCALE] * wide_row_dot(rows, t, v) + b[0]
        if not math.isfinite(score):
            return mistakes, steps, i
        mistakes += y[t] * score < 0.0 or (score == 0.0 and y[t] < 0.0)
        if watched:
            numbers[PAID] += loss_of(loss, score, y[t], epsilon) + 0.5 * alpha * square
        slope = slope_of(loss, score, y[t], epsilon)
        if loss == HINGE and y[t] * score == 1.0:
            slope = -y[t]  # at the corner itself scikit-learn steps
        if abs(slope) > _STEEPEST:
            slope = math.copysign(_STEEPEST, slope)
            counts[CUT] += 1
        counts[ROUNDS] += 1
        rate = _rate(counts[ROUNDS], rule)
        length = -rate * slope * c[t]
        # A step so long that it would turn the weights around sets them to zero instead.
        factor = max(0.0, 1.0 - rate * alpha)
        if followed:
            inner = score - b[0]
            square *= factor * factor
            if length != 0.0:
                square += length * (2.0 * factor * inner + length * row_square(rows, t))
        if alpha > 0.0:
            _shrink(v, lag, numbers, factor)
        if length != 0.0:
            move = length / numbers[SCALE]
            if numbers[TOTAL] > 0.0:
                add_row(rows, t, numbers[TOTAL] * move, lag)
            add_row(rows, t, move, v)
            b[0] += length * share
            steps += 1
        if 0 < average <= counts[ROUNDS]:
            _average(b, numbers, counts)
    return mistakes, steps, played


@njit(**LENT)
def _rate(t, rule):
    _, _, eta0, first, power, _, _, _, _ = rule
    late = first + t - 1.0
    if power == 0.0:
        return eta0
    if power == 0.5:
        return eta0 / math.sqrt(late)
    if power == 1.0:
        return eta0 / late
    return eta0 / power_of(late, power)


@njit(**LENT)
def _shrink(v, lag, numbers, factor):
    numbers[SCALE] *= factor
    if numbers[SCALE] >= _SMALLEST_SCALE:
        return
    if numbers[TOTAL] > 0.0:
        for j in range(v.shape[0]):
            lag[j] -= numbers[TOTAL] * v[j]
        numbers[TOTAL] = 0.0
    for j in range(v.shape[0]):
        v[j] *= numbers[SCALE]
    numbers[SCALE] = 1.0


@njit(**LENT)
def _average(b, numbers, counts):
    numbers[TOTAL] += numbers[SCALE]
    numbers[BIAS] += b[0]
    counts[AVERAGED] += 1
