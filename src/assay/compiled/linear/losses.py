# Problem   the loss of a score, and its slope in the score, for every loss a linear learner knows.
# Given     loss, one of the codes below; the score; the target (-1 or +1, or any number where the loss
#           compares numbers); epsilon, the difference that costs nothing (EPSILON_INSENSITIVE and its square),
#           or from which on the loss is a straight line (HUBER).
# Returns   the loss, or the slope: at a corner the side on which the theorems step (hinge below 1,
#           perceptron at 0 or below). The exponential loss may be infinite.
# Source    Bottou, 2012; Zhang, 2004 (MODIFIED_HUBER); SQUARED and HUBER carry the factor 1/2 they have in
#           scikit-learn, the other squares none.
import math

from numba import njit

from assay.compiled.common.elementary import exp, log1p
from assay.compiled.common.flags import EXACT

PERCEPTRON, HINGE, SQUARED, LOGISTIC, EXPONENTIAL, EPSILON_INSENSITIVE = range(6)
SQUARED_HINGE, MODIFIED_HUBER, HUBER, SQUARED_EPSILON_INSENSITIVE = range(6, 10)


@njit(**EXACT)
def loss_of(loss, score, target, epsilon):
    if loss == HINGE:
        return max(0.0, 1.0 - target * score)
    if loss == PERCEPTRON:
        return max(0.0, -target * score)
    if loss == LOGISTIC:
        z = target * score
        # Neither form overflows on its side.
        return log1p(exp(-z)) if z > 0.0 else log1p(exp(z)) - z
    if loss == SQUARED:
        return 0.5 * (score - target) * (score - target)
    if loss == EXPONENTIAL:
        return exp(-target * score)
    if loss == SQUARED_HINGE:
        return max(0.0, 1.0 - target * score) ** 2
    if loss == MODIFIED_HUBER:
        z = target * score
        return max(0.0, 1.0 - z) ** 2 if z >= -1.0 else -4.0 * z
    gap = abs(score - target)
    if loss == HUBER:
        return 0.5 * gap * gap if gap <= epsilon else epsilon * (gap - 0.5 * epsilon)
    if loss == SQUARED_EPSILON_INSENSITIVE:
        return max(0.0, gap - epsilon) ** 2
    return max(0.0, gap - epsilon)


@njit(**EXACT)
def slope_of(loss, score, target, epsilon):
    if loss == HINGE:
        return -target if target * score < 1.0 else 0.0
    if loss == PERCEPTRON:
        return -target if target * score <= 0.0 else 0.0
    if loss == LOGISTIC:
        return -target / (exp(target * score) + 1.0)
    if loss == SQUARED:
        return score - target
    if loss == EXPONENTIAL:
        return -target * exp(-target * score)
    if loss == SQUARED_HINGE:
        return -2.0 * target * max(0.0, 1.0 - target * score)
    if loss == MODIFIED_HUBER:
        # Beyond a margin of -1 the slope grows no further.
        return -2.0 * target * min(2.0, max(0.0, 1.0 - target * score))
    gap = score - target
    if loss == HUBER:
        return min(max(gap, -epsilon), epsilon)
    beyond = max(0.0, abs(gap) - epsilon)
    if loss == SQUARED_EPSILON_INSENSITIVE:
        return math.copysign(2.0 * beyond, gap)
    return math.copysign(1.0, gap) if beyond > 0.0 else 0.0
