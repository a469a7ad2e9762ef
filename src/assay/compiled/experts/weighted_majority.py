# Problem   predict what more than half of the weight says; multiply the weight of every wrong expert by beta.
# Given     advice (n, K) C-contiguous and outcomes (n,) of -1 / +1; weights (K,) and mistakes (K,) of the
#           experts are overwritten; beta in [0, 1); first, the rounds played before; seed.
# Writes    guess (n,): the vote; share (n,): how much of the weight was wrong; chosen (n,) or (0,): an expert
#           drawn by weight.
# Returns   the rounds played: all, or those before advice that is neither -1 nor +1, or before the last expert
#           errs whose weight is not zero, which at beta = 0 can happen.
# Source    Littlestone & Warmuth, 1994. Votes nearer than rounding can tell are a tie, which goes to +1. Weights
#           are products of beta until the largest is small; then they are made afresh from the mistakes, so that
#           none is lost and the best never underflows.
from numba import njit

from assay.compiled.common.elementary import power
from assay.compiled.common.flags import EXACT
from assay.compiled.common.lanes import over_lanes
from assay.compiled.experts.exponential_weights import draw, least_of, uniform

_vote = over_lanes(lambda row, weights: (weights, weights * row), sums=2)

TIE = 2.0**-46
SMALLEST = 2.0**-300


@njit(**EXACT)
def weighted_majority_pass(
    advice, outcomes, weights, mistakes, beta, first, seed, guess, share, chosen
):
    for t in range(advice.shape[0]):
        row = advice[t]
        if _odd(row) or (beta == 0.0 and not _survives(row, outcomes[t], weights)):
            return t
        total, lean = _vote(row, weights)
        guess[t] = 1.0 if lean >= -TIE * total else -1.0
        if chosen.shape[0]:
            chosen[t] = draw(weights, uniform(seed, first + t))
        share[t] = 0.5 * (1.0 - outcomes[t] * lean / total)
        top = _punish(row, outcomes[t], weights, mistakes, beta)
        if top < SMALLEST and beta > 0.0:
            renew(weights, mistakes, beta)
    return advice.shape[0]


@njit(**EXACT)
def renew(weights, mistakes, beta):
    fewest = least_of(mistakes)
    for i in range(weights.shape[0]):
        weights[i] = power(beta, mistakes[i] - fewest)


@njit(**EXACT)
def _odd(row):
    odd = 0
    for i in range(row.shape[0]):
        odd += 0 if abs(row[i]) == 1.0 else 1
    return odd


@njit(**EXACT)
def _survives(row, outcome, weights):
    left = 0
    for i in range(row.shape[0]):
        left += 1 if weights[i] > 0.0 and row[i] == outcome else 0
    return left > 0


@njit(**EXACT)
def _punish(row, outcome, weights, mistakes, beta):
    top = 0.0
    for i in range(row.shape[0]):
        wrong = row[i] != outcome
        weight = weights[i] * (beta if wrong else 1.0)
        mistakes[i] += 1.0 if wrong else 0.0
        weights[i] = weight
        top = weight if weight > top else top
    return top
