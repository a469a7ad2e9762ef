# Problem   stochastic gradient descent: w <- (1 - eta_t c_t alpha) w - eta_t c_t loss'(<w, x_t> + b) x_t, and b
#           alike without the shrinking; on request the average of all w from round `average` on.
# Given     rows dense (n, d) or CSR with unsigned indices and pointers; y (n,) targets; c (n,) weights of the
#           rows; order, the rows in the order of play; v (d,) and b (1,) overwritten, with
#           w = numbers[SCALE] * v, so that shrinking costs one product; lag (d,), or empty without
#           averaging: the sum of the w is numbers[TOTAL] * v - lag;
#           rule = (loss, epsilon, eta0, power, alpha, average or 0, constant), eta_t = eta0 / t^power.
# Writes    numbers and counts, named below.
# Returns   mistakes (for labels of -1 / +1), steps, and how many rows were played: all of them, unless a
#           score is not a number.
# Source    Bottou, 2012, sections 5.1 and 5.3: one row costs its nonzeros, with averaging too.
import math

from numba import njit

from assay.compiled.flags import EXACT
from assay.compiled.losses import loss_of, slope_of
from assay.compiled.rows import add_to, sparse_add_to, sparse_dot
from assay.compiled.wide import wide_dot

# numbers: w / v; the sum of the scales that were averaged; the sum of b; the weighted loss paid.
SCALE, TOTAL, BIAS, PAID = range(4)
# counts: rounds; how many w were averaged; how many slopes were cut off.
ROUNDS, AVERAGED, CUT = range(3)

# Below this v and the sums are brought up to date, which keeps what cancels between them small.
_SMALLEST_SCALE = 1e-4
# Steeper slopes are cut off: weights that run away shall not overflow at once.
_STEEPEST = 1e12


@njit(**EXACT)
def sgd_pass(X, y, c, order, v, lag, b, numbers, counts, rule):
    loss, epsilon, _, _, alpha, average, constant = rule
    mistakes = steps = 0
    for i in range(order.shape[0]):
        t = order[i]
        x = X[t]
        score = numbers[SCALE] * wide_dot(x, v) + b[0]
        if not math.isfinite(score):
            return mistakes, steps, i
        counts[ROUNDS] += 1
        rate = _rate(counts[ROUNDS], rule) * c[t]
        slope = slope_of(loss, score, y[t], epsilon)
        if abs(slope) > _STEEPEST:
            slope = math.copysign(_STEEPEST, slope)
            counts[CUT] += 1
        length = -rate * slope
        mistakes += y[t] * score < 0.0 or (score == 0.0 and y[t] < 0.0)
        numbers[PAID] += c[t] * loss_of(loss, score, y[t], epsilon)
        if alpha > 0.0:
            _shrink(v, lag, numbers, 1.0 - rate * alpha)
        if length != 0.0:
            move = length / numbers[SCALE]
            if numbers[TOTAL] > 0.0:
                add_to(lag, x, numbers[TOTAL] * move)
            add_to(v, x, move)
            b[0] += length * constant
            steps += 1
        if 0 < average <= counts[ROUNDS]:
            _average(b, numbers, counts)
    return mistakes, steps, order.shape[0]


@njit(**EXACT)
def sgd_pass_csr(data, indices, pointers, y, c, order, v, lag, b, numbers, counts, rule):
    loss, epsilon, _, _, alpha, average, constant = rule
    mistakes = steps = 0
    for i in range(order.shape[0]):
        t = order[i]
        first, last = pointers[t], pointers[t + 1]
        score = numbers[SCALE] * sparse_dot(data, indices, first, last, v) + b[0]
        if not math.isfinite(score):
            return mistakes, steps, i
        counts[ROUNDS] += 1
        rate = _rate(counts[ROUNDS], rule) * c[t]
        slope = slope_of(loss, score, y[t], epsilon)
        if abs(slope) > _STEEPEST:
            slope = math.copysign(_STEEPEST, slope)
            counts[CUT] += 1
        length = -rate * slope
        mistakes += y[t] * score < 0.0 or (score == 0.0 and y[t] < 0.0)
        numbers[PAID] += c[t] * loss_of(loss, score, y[t], epsilon)
        if alpha > 0.0:
            _shrink(v, lag, numbers, 1.0 - rate * alpha)
        if length != 0.0:
            move = length / numbers[SCALE]
            if numbers[TOTAL] > 0.0:
                sparse_add_to(lag, data, indices, first, last, numbers[TOTAL] * move)
            sparse_add_to(v, data, indices, first, last, move)
            b[0] += length * constant
            steps += 1
        if 0 < average <= counts[ROUNDS]:
            _average(b, numbers, counts)
    return mistakes, steps, order.shape[0]


@njit(**EXACT)
def _rate(t, rule):
    _, _, eta0, power, _, _, _ = rule
    if power == 0.0:
        return eta0
    if power == 0.5:
        return eta0 / math.sqrt(t)
    return eta0 / math.pow(t, power)


@njit(**EXACT)
def _shrink(v, lag, numbers, factor):
    # A step so long that it would turn the weights around sets them to zero instead.
    numbers[SCALE] *= max(factor, 0.0)
    if numbers[SCALE] >= _SMALLEST_SCALE:
        return
    if numbers[TOTAL] > 0.0:
        for j in range(v.shape[0]):
            lag[j] -= numbers[TOTAL] * v[j]
        numbers[TOTAL] = 0.0
    for j in range(v.shape[0]):
        v[j] *= numbers[SCALE]
    numbers[SCALE] = 1.0


@njit(**EXACT)
def _average(b, numbers, counts):
    numbers[TOTAL] += numbers[SCALE]
    numbers[BIAS] += b[0]
    counts[AVERAGED] += 1
