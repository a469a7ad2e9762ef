# Problem   the loss of a score, and its slope in the score, for every loss a linear learner knows.
# Given     loss, one of the codes below; the score; the target (-1 or +1, or any number where the loss
#           compares numbers); epsilon, the difference that costs nothing (EPSILON_INSENSITIVE only).
# Returns   the loss, or the slope: at a corner the side on which the theorems step (hinge below 1,
#           perceptron at 0 or below). The exponential loss may be infinite.
# Source    Bottou, 2012; the squared loss carries the factor 1/2 it has in scikit-learn.
import math

from numba import njit

from assay.compiled.flags import EXACT

PERCEPTRON, HINGE, SQUARED, LOGISTIC, EXPONENTIAL, EPSILON_INSENSITIVE = range(6)


@njit(**EXACT)
def loss_of(loss, score, target, epsilon):
    if loss == HINGE:
        return max(0.0, 1.0 - target * score)
    if loss == PERCEPTRON:
        return max(0.0, -target * score)
    if loss == LOGISTIC:
        z = target * score
        # Neither form overflows on its side.
        return math.log1p(math.exp(-z)) if z > 0.0 else math.log1p(math.exp(z)) - z
    if loss == SQUARED:
        return 0.5 * (score - target) * (score - target)
    if loss == EXPONENTIAL:
        return math.exp(-target * score)
    return max(0.0, abs(score - target) - epsilon)


@njit(**EXACT)
def slope_of(loss, score, target, epsilon):
    if loss == HINGE:
        return -target if target * score < 1.0 else 0.0
    if loss == PERCEPTRON:
        return -target if target * score <= 0.0 else 0.0
    if loss == LOGISTIC:
        return -target / (math.exp(target * score) + 1.0)
    if loss == SQUARED:
        return score - target
    if loss == EXPONENTIAL:
        return -target * math.exp(-target * score)
    if score - target > epsilon:
        return 1.0
    return -1.0 if target - score > epsilon else 0.0
