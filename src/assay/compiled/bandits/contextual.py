# Problem   with which probability each action of a round is chosen.
# Given     forecasts (n,), what each action is expected to lose; widths (n,), x' V^-1 x of its features; allowed (n,).
#           radius: how far, in units of the root of the width, a mean loss may be from its forecast.
# Writes    chances (n,).
# Returns   least_of: the least that is allowed.  open_gap: see there.  The others return nothing.
# Source    optimistic: Abbasi-Yadkori, Pal & Szepesvari, 2011.  inverse_gaps: Abe & Long, 1999; Foster & Rakhlin,
#           2020.  nearly_greedy: Sutton & Barto.  votes: Thompson, 1933; Agrawal & Goyal, 2013.
import numpy as np
from numba import njit

from assay.compiled.bandits.ridge_model import turn
from assay.compiled.common.flags import EXACT, LENT
from assay.compiled.common.normal import normal


@njit(**LENT)
def least_of(values, allowed):
    best = -1
    for i in range(values.shape[0]):
        if allowed[i] and (best < 0 or values[i] < values[best]):
            best = i
    return best


@njit(**LENT)
def point(chances, best):
    for i in range(chances.shape[0]):
        chances[i] = 0.0
    chances[best] = 1.0


# Problem   how much more than the best action one may lose, whatever the means are within their intervals.
# Returns   the upper end of the action's interval less the least lower end of any, both kept within [0, 1].
@njit(**LENT)
def open_gap(forecasts, widths, radius, allowed, action):
    least = 1.0
    for i in range(forecasts.shape[0]):
        if allowed[i]:
            least = min(least, max(0.0, forecasts[i] - radius * np.sqrt(widths[i])))
    most = min(1.0, forecasts[action] + radius * np.sqrt(widths[action]))
    return min(1.0, max(0.0, most - least))


@njit(**LENT)
def optimistic(forecasts, widths, radius, allowed, chances):
    best, least = -1, np.inf
    for i in range(forecasts.shape[0]):
        lower = forecasts[i] - radius * np.sqrt(widths[i])
        if allowed[i] and (best < 0 or lower < least):
            best, least = i, lower
    point(chances, best)


@njit(**LENT)
def nearly_greedy(forecasts, allowed, exploration, chances):
    count = 0
    for i in range(allowed.shape[0]):
        count += allowed[i]
    best = least_of(forecasts, allowed)
    for i in range(allowed.shape[0]):
        chances[i] = exploration / count if allowed[i] else 0.0
    chances[best] = 1.0 - (count - 1) * (exploration / count)


@njit(**LENT)
def inverse_gaps(forecasts, allowed, rate, chances):
    count = 0
    for i in range(allowed.shape[0]):
        count += allowed[i]
    best, others = least_of(forecasts, allowed), 0.0
    for i in range(allowed.shape[0]):
        chances[i] = 0.0
        if allowed[i] and i != best:
            chances[i] = 1.0 / (count + rate * (forecasts[i] - forecasts[best]))
            others += chances[i]
    chances[best] = 1.0 - others


@njit(**EXACT)
def votes(generator, factor, weights, rows, forecasts, widths, scale, draws, allowed, chances):
    models, n = factor.shape[2], forecasts.shape[0]
    # Models of their own are independent, and only what they say of this one row matters: one normal number each.
    drawn, values = np.empty(factor.shape[0] if models == 1 else n), np.empty(n)
    for i in range(n):
        chances[i] = 0.0
    for _ in range(draws):
        for j in range(drawn.shape[0]):
            drawn[j] = scale * normal(generator)
        if models == 1:
            turn(factor, weights, drawn)
            for i in range(n):
                values[i] = 0.0
            for j in range(drawn.shape[0]):
                for i in range(n):
                    values[i] += drawn[j] * rows[j, i]
        else:
            for i in range(n):
                values[i] = forecasts[i] + np.sqrt(widths[i]) * drawn[i]
        chances[least_of(values, allowed)] += 1.0
    for i in range(n):
        chances[i] /= draws
