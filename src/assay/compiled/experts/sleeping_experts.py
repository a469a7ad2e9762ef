# Problem   follow an awake expert, drawn by weight, or the weighted mean of those awake; multiply the weight of
#           each by (1 + eps)^(P / (1 + eps) - loss), where P is the weighted mean loss; sleepers keep theirs.
# Given     losses (n, K) in [0, 1], NaN for an expert that sleeps, and advice (n, K) or (0, K); the logarithms of
#           the weights log_weights (K,), the experts' losses totals (K,), the learner's while they were awake
#           paid (K,), the rounding errors of both, carries (2, K), and the rounds awake (K,) are overwritten;
#           epsilon > 0; first; seed.
# Writes    mean (n,): P; guess (n,) when there is advice; chosen (n,): an awake expert drawn by weight.
# Returns   the rounds played: all, or those before one in which nobody is awake or a loss is out of range.
# Source    Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.8; Freund, Schapire, Singer & Warmuth,
#           1997. Weights are used relative to the largest of those awake. Their logarithms come from the
#           sums, which are right to the last place, so no error adds up.
import numpy as np
from numba import njit

from assay.compiled.common.elementary import exponential, log1p
from assay.compiled.common.flags import EXACT
from assay.compiled.experts.exponential_weights import draw, uniform


@njit(**EXACT)
def sleeping_experts_pass(
    losses, advice, log_weights, totals, paid, carries, awake, epsilon, first, seed, written
):
    mean, guess, chosen = written
    relative = np.empty(losses.shape[1])
    for t in range(losses.shape[0]):
        row = losses[t]
        top = _top(row, log_weights)
        if top == -np.inf:
            return t
        total = follow(row, log_weights, top, relative)
        expected = 0.0
        for i in range(row.shape[0]):
            if relative[i] > 0.0:
                expected += relative[i] * row[i]
        mean[t] = expected / total
        if advice.shape[0]:
            average = 0.0
            for i in range(row.shape[0]):
                if relative[i] > 0.0:
                    average += relative[i] * advice[t, i]
            guess[t] = average / total
        chosen[t] = draw(relative, uniform(seed, first + t))
        growth = log1p(epsilon)
        for i in range(row.shape[0]):
            if row[i] == row[i]:
                totals[i], carries[0, i] = _added(totals[i], carries[0, i], row[i])
                paid[i], carries[1, i] = _added(paid[i], carries[1, i], mean[t])
                log_weights[i] = growth * (paid[i] / (1.0 + epsilon) - totals[i])
                awake[i] += 1
    return losses.shape[0]


@njit(**EXACT)
def _added(total, carry, loss):
    # As `add_up` does.
    given = loss - carry
    after = total + given
    return after, (after - total) - given


@njit(**EXACT)
def _top(row, log_weights):
    # The largest logarithm of those awake; minus infinity when nobody is, or a loss is out of range.
    top = -np.inf
    for i in range(row.shape[0]):
        if row[i] == row[i]:
            if not 0.0 <= row[i] <= 1.0:
                return -np.inf
            top = max(top, log_weights[i])
    return top


@njit(**EXACT)
def follow(row, log_weights, top, relative):
    # The weights of those awake relative to the largest, zero for sleepers; their sum.
    total = 0.0
    for i in range(row.shape[0]):
        relative[i] = exponential(log_weights[i] - top) if row[i] == row[i] else 0.0
        total += relative[i]
    return total
