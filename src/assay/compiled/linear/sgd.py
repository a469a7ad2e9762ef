# Problem   stochastic gradient descent: w <- (1 - eta_t shrink) w - eta_t c_t loss'(<w, x_t> + b) x_t, and b alike
#           without the shrinking; then every weight of a feature of x_t is pulled towards zero, and not beyond, by
#           pull times the etas since it was pulled last; on request the average of all w from round `average` on.
#           Passive-aggressive: the step is the loss over |x_t|^2, at most eta0 (1), or over |x_t|^2 + 1 / (2 eta0) (2).
# Given     rows dense (n, d) or CSR with unsigned indices and pointers; y (n,) targets; c (n,) weights of the
#           rows; order, the rows in the order of play; v (d,) and b (1,) overwritten, with
#           w = numbers[SCALE] * v, so that shrinking costs one product; lag (d,), or empty without
#           averaging: the sum of the w is numbers[TOTAL] * v - lag; pulled (d,), or empty without pull: what
#           every weight was pulled by, with its sign; owed (1,): what every weight should have been pulled by;
#           rule = (loss, epsilon, eta0, first, power, shrink, pull, passive: 0, 1 or 2, average or 0, how far b
#           moves in a step of length 1, whether the objective is watched), eta_t = eta0 / (first + t - 1)^power.
# Writes    owed; numbers and counts, named below.
# Returns   mistakes (for labels of -1 / +1), steps, and how many rows were played: all of them, unless a
#           score is not a number.
# Source    Bottou, 2012, sections 5.1 and 5.3: one row costs its nonzeros, with averaging too. Tsuruoka, Tsujii and
#           Ananiadou, 2009, for the pull. Crammer et al., 2006, PA-I and PA-II.
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
from assay.compiled.common.truncate import norms_at_row, truncate_row
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
def sgd_pass(rows, y, c, order, v, lag, pulled, owed, b, numbers, counts, rule):
    loss, epsilon, eta0, _, _, shrink, pull, passive, average, share, watched = rule
    followed = watched and shrink + pull > 0.0 and not passive
    square, size = _norms(v, numbers[SCALE]) if followed else (0.0, 0.0)
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
            penalty = 0.5 * shrink * square + pull * size
            numbers[PAID] += loss_of(loss, score, y[t], epsilon) + penalty
        counts[ROUNDS] += 1
        rate = _rate(counts[ROUNDS], rule)
        if passive:
            length = _aggressive(rows, t, loss, score, y[t], epsilon, eta0, passive) * c[t]
        else:
            length = -rate * _slope(loss, score, y[t], epsilon, counts) * c[t]
        # A step so long that it would turn the weights around sets them to zero instead.
        factor = max(0.0, 1.0 - rate * shrink)
        if followed:
            size *= factor
            square *= factor * factor
            if length != 0.0 and pull == 0.0:
                inner = score - b[0]
                square += length * (2.0 * factor * inner + length * row_square(rows, t))
        if shrink > 0.0:
            _shrink(v, lag, numbers, factor)
        if followed and pull > 0.0:
            square, size = _less(rows, t, v, numbers[SCALE], square, size, -1.0)
        if length != 0.0:
            move = length / numbers[SCALE]
            if numbers[TOTAL] > 0.0:
                add_row(rows, t, numbers[TOTAL] * move, lag)
            add_row(rows, t, move, v)
            b[0] += length * share
            steps += 1
        if pull > 0.0:
            owed[0] += rate * pull
            scale, total = numbers[SCALE], numbers[TOTAL]
            truncate_row(rows, t, v, lag, pulled, owed[0], scale, total)
            if followed:
                square, size = _less(rows, t, v, scale, square, size, 1.0)
        if 0 < average <= counts[ROUNDS]:
            _average(b, numbers, counts)
    return mistakes, steps, played


@njit(**LENT)
def _slope(loss, score, target, epsilon, counts):
    slope = slope_of(loss, score, target, epsilon)
    if loss == HINGE and target * score == 1.0:
        slope = -target  # at the corner itself scikit-learn steps
    if abs(slope) > _STEEPEST:
        slope = math.copysign(_STEEPEST, slope)
        counts[CUT] += 1
    return slope


@njit(**LENT)
def _aggressive(rows, t, loss, score, target, epsilon, eta0, passive):
    # The least step that leaves no loss, made shorter by eta0; the loss is the hinge or epsilon-insensitive.
    square = row_square(rows, t)
    if passive == 1 and square == 0.0:
        return 0.0
    paid = loss_of(loss, score, target, epsilon)
    length = min(eta0, paid / square) if passive == 1 else paid / (square + 0.5 / eta0)
    if loss == HINGE:
        return length * target
    return length if target >= score else -length


@njit(**LENT)
def _norms(v, scale):
    size = 0.0
    for j in range(v.shape[0]):
        size += abs(v[j])
    return scale * scale * wide_square(v), scale * size


@njit(**LENT)
def _less(rows, t, v, scale, square, size, sign):
    # The norms without the weights that a step is about to change, and with them once it has.
    squares, sizes = norms_at_row(rows, t, v)
    return square + sign * scale * scale * squares, size + sign * scale * sizes


@njit(**LENT)
def _rate(t, rule):
    _, _, eta0, first, power, _, _, _, _, _, _ = rule
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
