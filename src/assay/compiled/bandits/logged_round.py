# Problem   learn, from a round that somebody else played, what every action would have lost.
# Given     sums (float64), as contextual_game.py names them; models (d + 2, d, B), as there, which learn; oracle
#           (d + 2, d, B), which forecasts; context, actions, products as in action_features.py; action, its loss and
#           its probability; robust: whether the forecast stands in for what was not seen.
# Writes    models: one example for every action, its estimated loss q + 1[a = action] (loss - q) / probability, where q
#           is the oracle's forecast, or 0.  oracle: the action with its loss.  sums.
# Returns   nothing.
# Source    Dudik, Langford & Li, 2011. Forecasts are made before the round is learned, so the estimates have the
#           right mean whatever the forecasts are.
import numpy as np
from numba import njit

from assay.compiled.bandits.action_features import width, write_rows
from assay.compiled.bandits.contextual_game import LOG_DET, LOSS, SQUARES, TARGETS
from assay.compiled.bandits.ridge_model import learn, look
from assay.compiled.common.flags import EXACT


@njit(**EXACT)
def learn_logged_round(
    sums, models, oracle, context, actions, products, action, loss, probability, robust
):
    d, shared = models.shape[1], actions.shape[0] > 0
    n = actions.shape[0] if shared else models.shape[2]
    fits = d == width(context, actions, products) and models.shape[0] == d + 2
    fits = fits and (not shared or models.shape[2] == 1) and 0 <= action < n
    if not fits or models.shape != oracle.shape:
        raise ValueError("the memory of this policy does not fit the round")
    rows, x = np.empty((d, n if shared else 1)), np.empty(d)
    solved, scores, widths = np.empty((d, n)), np.empty(n), np.empty(n)
    write_rows(context, actions, products, rows)
    look(oracle[:d], oracle[d + 1], rows, solved, scores, widths)
    forecasts = np.empty(n)
    for i in range(n):
        forecasts[i] = min(1.0, max(0.0, 0.5 + scores[i] / (1.0 + widths[i])))
    for i in range(n):
        target = forecasts[i] if robust else 0.0
        if i == action:
            target += (loss - target) / probability
        column, model = (i, 0) if shared else (0, i)
        said = 0.5
        for j in range(d):
            x[j] = rows[j, column]
            said += models[d + 1, j, model] * x[j]
        sums[SQUARES] += (said - target) * (said - target)
        sums[TARGETS] += (target - 0.5) * (target - 0.5)
        factor, moments, weights = models[:d], models[d], models[d + 1]
        sums[LOG_DET] += learn(factor, moments, weights, x, target - 0.5, model)
    column, model = (action, 0) if shared else (0, action)
    for j in range(d):
        x[j] = rows[j, column]
    learn(oracle[:d], oracle[d], oracle[d + 1], x, loss - 0.5, model)
    sums[LOSS] += loss
