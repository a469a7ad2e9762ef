# Problem   rounds of a policy that sees what is known of each round, and forecasts losses by least squares.
# Given     kind, one of the numbers below; settings, the policy's numbers (of optimism SCALE is the share of the
#           radius it goes by, 0 standing for all of it); generator (4,) uint64; tally (int64) and
#           sums (float64) as named below; models (d + 2, d, B): factor, moments and weights of ridge_model.py, one
#           below the other; context (c,), actions (n, a) and products as in action_features.py; allowed (n,), of
#           which one at least is True.
# Writes    generator, tally, sums, models; chances (n,) of the round; row (d,), the features of the action.
# Returns   choose_round: the action.  learn_row: nothing.
# Source    Losses are forecast as 1/2 and what least squares make of the losses less 1/2. Policies that draw by
#           forecasts use the forward form (Vovk, 2001; Azoury & Warmuth, 2001), which counts the row itself among
#           those that were seen.
import numpy as np
from numba import njit

from assay.compiled.bandits.action_draw import draw, lift
from assay.compiled.bandits.action_features import width, write_rows
from assay.compiled.bandits.contextual import (
    inverse_gaps,
    nearly_greedy,
    open_gap,
    optimistic,
    votes,
)
from assay.compiled.bandits.ridge_model import learn, look
from assay.compiled.common.flags import EXACT, LENT

LINUCB_KIND, THOMPSON_KIND, GREEDY_KIND, SQUARE_KIND = 0, 1, 2, 3
FLOOR, SURPRISE, SHRINKAGE, EXPLORATION, GAMMA, SCALE, DRAWS = 0, 1, 2, 3, 4, 5, 6
SETTINGS = 7
ASKED, TOLD, LATE, WEIGHED, MOST, KNOWN, EXPLORED = 0, 1, 2, 3, 4, 5, 6
TALLIES = 7
LOSS, GAPS, LOG_DET, SQUARES, TARGETS, REGRET, NORM = 0, 1, 2, 3, 4, 5, 6
SUMS = 7


# By Hoeffding's lemma a loss between 0 and 1 deviates from its mean as a normal number of deviation 1/2 does.
@njit(**EXACT)
def radius_of(settings, sums):
    return settings[SHRINKAGE] + 0.5 * np.sqrt(settings[SURPRISE] + sums[LOG_DET])


@njit(**LENT)
def by_forecasts(kind, settings, tally, forecasts, allowed, chances):
    if kind == GREEDY_KIND:
        nearly_greedy(forecasts, allowed, settings[EXPLORATION], chances)
    else:
        inverse_gaps(forecasts, allowed, settings[GAMMA] * np.sqrt(tally[ASKED]), chances)


@njit(**LENT)
def drawn(settings, generator, tally, allowed, chances):
    best = 0
    for i in range(chances.shape[0]):
        best = i if chances[i] > chances[best] else best
    lift(chances, allowed, settings[FLOOR])
    action = draw(generator, chances)
    tally[EXPLORED] += action != best
    return action


# Problem   the same where the forecasts are somebody else's.
# Given     forecasts (n,), finite; the rest as above.
# Writes    generator, tally, chances.
# Returns   the action.
# Source    Foster & Rakhlin, 2020.
@njit(**EXACT)
def choose_by_forecasts(kind, settings, generator, tally, forecasts, allowed, chances):
    n = forecasts.shape[0]
    if n < 1 or n != allowed.shape[0] or n != chances.shape[0]:
        raise ValueError("the forecasts do not fit the round")
    count = 0
    for i in range(n):
        count += allowed[i]
    tally[MOST] = max(tally[MOST], count)
    tally[ASKED] += 1
    by_forecasts(kind, settings, tally, forecasts, allowed, chances)
    return drawn(settings, generator, tally, allowed, chances)


@njit(**EXACT)
def choose_round(
    kind,
    settings,
    generator,
    tally,
    sums,
    models,
    context,
    actions,
    products,
    allowed,
    chances,
    row,
):
    d, n = models.shape[1], chances.shape[0]
    factor, weights = models[:d], models[d + 1]
    # Loops write without looking: what came from a file or from Python is believed as far as its sizes go.
    shared = actions.shape[0] > 0
    fits = n == (actions.shape[0] if shared else models.shape[2]) and n == allowed.shape[0]
    fits = fits and models.shape[0] == d + 2 and (not shared or models.shape[2] == 1)
    if not fits or d != width(context, actions, products) or d != row.shape[0] or n < 1:
        raise ValueError("the memory of this policy does not fit the round")
    rows = np.empty((d, n if shared else 1))
    solved, forecasts, widths = np.empty((d, n)), np.empty(n), np.empty(n)
    write_rows(context, actions, products, rows)
    look(factor, weights, rows, solved, forecasts, widths)
    for i in range(rows.shape[1]):
        norm = 0.0
        for j in range(d):
            norm += rows[j, i] * rows[j, i]
        sums[NORM] = max(sums[NORM], norm)
    forward = kind >= GREEDY_KIND
    count = 0
    for i in range(n):
        count += allowed[i]
        if forward:
            forecasts[i] = min(1.0, max(0.0, 0.5 + forecasts[i] / (1.0 + widths[i])))
        else:
            forecasts[i] += 0.5
    tally[MOST] = max(tally[MOST], count)
    tally[ASKED] += 1
    radius = 0.0 if forward else radius_of(settings, sums)
    if kind == LINUCB_KIND:
        share = settings[SCALE] if settings[SCALE] > 0.0 else 1.0
        optimistic(forecasts, widths, share * radius, allowed, chances)
    elif kind == THOMPSON_KIND:
        scale, draws = settings[SCALE], np.int64(settings[DRAWS])
        votes(generator, factor, weights, rows, forecasts, widths, scale, draws, allowed, chances)
    else:
        by_forecasts(kind, settings, tally, forecasts, allowed, chances)
    action = drawn(settings, generator, tally, allowed, chances)
    if not forward:
        sums[GAPS] += open_gap(forecasts, widths, radius, allowed, action)
    for j in range(d):
        row[j] = rows[j, action if shared else 0]
    return action


@njit(**EXACT)
def learn_row(tally, sums, models, row, model, loss, weight):
    d = models.shape[1]
    if d != row.shape[0] or models.shape[0] != d + 2 or not 0 <= model < models.shape[2]:
        raise ValueError("the memory of this policy does not fit the round")
    factor, moments, weights = models[:d], models[d], models[d + 1]
    # What the forward forecaster says of this example, before it learns it.
    z, score, reach, norm = np.empty(d), 0.0, 0.0, 0.0
    for j in range(d):
        total = row[j]
        for k in range(j):
            total -= factor[k, j, model] * z[k]
        z[j] = total / factor[j, j, model]
        reach += z[j] * z[j]
        score += weights[j, model] * row[j]
        norm += row[j] * row[j]
    target = loss - 0.5
    off = min(0.5, max(-0.5, score / (1.0 + reach))) - target
    sums[LOSS] += loss
    sums[SQUARES] += off * off
    sums[TARGETS] += target * target
    sums[NORM] = max(sums[NORM], norm)
    root = np.sqrt(weight)
    for j in range(d):
        z[j] = root * row[j]
    sums[LOG_DET] += learn(factor, moments, weights, z, root * target, model)
    tally[TOLD] += 1
    tally[WEIGHED] += weight != 1.0
