# Problem   pay the loss of <w, x_t> + b row by row; step against its gradient; pull (w, b) back into a ball.
# Given     rows dense (n, d) or CSR with unsigned indices and pointers, played from turn `start` on; y (n,) of
#           -1 / +1; order as in perceptron_pass;
#           v (d,) and b (1,) overwritten, with w = numbers[SCALE] * v, so that pulling back costs one product;
#           rule = (loss, epsilon, the ball's radius or 0 for none, the step or 0 for U sqrt(2 / t) / G with G the
#           longest gradient so far, whether the hinge step is capped, the constant feature);
#           u (d + 1,) a fixed rival whose hinge loss is counted on rounds with a step, or empty;
#           room, after how many steps to pause.
# Writes    numbers and counts, named below; and, as far as they have room, the rows of the steps, the
#           step lengths (the factor of x_t) and the losses paid there.
# Returns   mistakes, steps, and the turn it stopped at: n, or where a score or a step is not a number, or the pause.
# Source    Zinkevich, 2003. The capped step is the exact minimiser of loss + |w - w_t|^2 / (2 eta).
import math

from numba import njit

from assay.compiled.common.either_rows import add_row, fetch_turn, row_square, wide_row_dot
from assay.compiled.common.flags import EXACT
from assay.compiled.common.rows import wide_square
from assay.compiled.linear.losses import loss_of, slope_of

# numbers: w / v; ||(w, b)||^2; the longest gradient; the last step's rate; the loss paid; the sum of
# squared gradients; the same times the rate; the rival's loss; the largest ||(x, constant)||^2 with a step.
SCALE, NORM, LONGEST, RATE, PAID, SQUARES, DRIFT, RIVAL, LARGEST = range(9)
# counts: rounds; steps since the norm was computed afresh.
ROUNDS, SINCE = range(2)

_SMALLEST_SCALE = 1e-6


@njit(**EXACT)
def gradient_descent_pass(
    rows, y, order, start, v, b, numbers, counts, rule, u, room, stepped, lengths, losses
):
    loss, epsilon, ball, _, _, constant = rule
    mistakes = steps = 0
    for turn in range(start, y.shape[0]):
        if steps == room:
            return mistakes, steps, turn
        t = fetch_turn(rows, order, turn)
        score = numbers[SCALE] * wide_row_dot(rows, t, v) + b[0]
        slope = slope_of(loss, score, y[t], epsilon)
        square = row_square(rows, t) + constant if slope != 0.0 else 0.0
        if not (math.isfinite(score) and math.isfinite(slope * slope * square)):
            return mistakes, steps, turn
        counts[ROUNDS] += 1
        mistakes += _wrong(score, y[t])
        if slope == 0.0:
            continue
        if u.shape[0]:
            rival = wide_row_dot(rows, t, u[:-1]) + u[-1] * constant
            numbers[RIVAL] += max(0.0, 1.0 - y[t] * rival)
        paid = loss_of(loss, score, y[t], epsilon)
        length = _length(score, slope, paid, square, numbers, counts, rule)
        add_row(rows, t, length / numbers[SCALE], v)
        b[0] += length * constant
        if ball > 0.0:
            _pull_back(v, b, numbers, counts, ball)
        if steps < stepped.shape[0]:
            stepped[steps], lengths[steps], losses[steps] = t, length, paid
        steps += 1
    return mistakes, steps, y.shape[0]


@njit(**EXACT)
def _wrong(score, label):
    return label * score < 0.0 or (score == 0.0 and label < 0.0)


@njit(**EXACT)
def _length(score, slope, paid, square, numbers, counts, rule):
    """The factor of x in this step; enters the round into the numbers."""
    _, _, ball, rate, capped, _ = rule
    numbers[LONGEST] = max(numbers[LONGEST], abs(slope) * math.sqrt(square))
    if rate == 0.0:
        # Rows of zeros move nothing, whatever the rate.
        longest = numbers[LONGEST] if numbers[LONGEST] > 0.0 else 1.0
        rate = ball / longest * math.sqrt(2.0 / counts[ROUNDS])
    length = -rate * slope
    if capped and square > 0.0 and paid / square < rate:
        length = -paid / square * slope
    numbers[RATE] = rate
    numbers[PAID] += paid
    numbers[SQUARES] += slope * slope * square
    numbers[DRIFT] += rate * slope * slope * square
    numbers[LARGEST] = max(numbers[LARGEST], square)
    numbers[NORM] += length * (2.0 * score + length * square)
    return length


@njit(**EXACT)
def _pull_back(v, b, numbers, counts, ball):
    # Afresh once per d steps: the cost stays that of a row, and rounding cannot add up.
    counts[SINCE] += 1
    if counts[SINCE] > v.shape[0]:
        counts[SINCE] = 0
        numbers[NORM] = numbers[SCALE] * numbers[SCALE] * wide_square(v) + b[0] * b[0]
    if numbers[NORM] <= ball * ball:
        return
    factor = ball / math.sqrt(numbers[NORM])
    numbers[NORM] = ball * ball
    numbers[SCALE] *= factor
    b[0] *= factor
    if numbers[SCALE] < _SMALLEST_SCALE:
        for j in range(v.shape[0]):
            v[j] *= numbers[SCALE]
        numbers[SCALE] = 1.0
