# Problem   one step of gradient descent on all weights of a network, with momentum or by Adam's rule.
# Given     weights, gradient (q,); momentum: velocity (q,), rate, momentum, whether the step looks ahead
#           (Nesterov).  Adam: first and second (q,), the running means of the gradient and of its square; rate,
#           already corrected for their start; decays of both; epsilon.
# Writes    weights, and velocity or first and second.
# Returns   nothing. One pass over memory, each number by the operations of the formula in their order.
# Source    Polyak, 1964; Nesterov, 1983; Kingma & Ba, 2015.
import math

from numba import njit

from assay.compiled.common.flags import EXACT


@njit(**EXACT)
def momentum_step(weights, gradient, velocity, rate, momentum, ahead):
    for j in range(weights.shape[0]):
        pull = rate * gradient[j]
        v = momentum * velocity[j] - pull
        velocity[j] = v
        weights[j] += momentum * v - pull if ahead else v


@njit(**EXACT)
def adam_step(weights, gradient, first, second, rate, decay1, decay2, epsilon):
    for j in range(weights.shape[0]):
        g = gradient[j]
        m = decay1 * first[j] + (1.0 - decay1) * g
        v = decay2 * second[j] + (1.0 - decay2) * (g * g)
        first[j], second[j] = m, v
        weights[j] += -rate * m / (math.sqrt(v) + epsilon)
