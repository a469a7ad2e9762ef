# Problem   weigh experts that each say with which probability they would choose every action.
# Given     generator (4,) uint64; losses (N,): the estimated losses of the experts; advice (N, K) with rows of
#           probabilities; allowed (K,), of which one is True; rate; floor.
# Writes    choose_advised: chances (K,); shares (N, K), the advice kept to what is allowed; generator.
#           learn_advised: losses, by loss / chance of the action, for the share that each expert gave it.
# Returns   choose_advised: the action.
# Source    Auer, Cesa-Bianchi, Freund & Schapire, 2002. An expert all of whose actions are excluded
#           advises the rest alike. A round in which all give the drawn action the same share teaches nothing.
import numpy as np
from numba import njit

from assay.compiled.bandits.action_draw import draw, lift
from assay.compiled.common.elementary import exp
from assay.compiled.common.flags import EXACT


@njit(**EXACT)
def choose_advised(generator, losses, advice, allowed, rate, floor, chances, shares):
    experts, actions = advice.shape
    fits = losses.shape[0] == experts and allowed.shape[0] == actions == chances.shape[0]
    if not fits or shares.shape[0] != experts or shares.shape[1] != actions:
        raise ValueError("the memory of this policy does not fit the round")
    least, count, total = np.inf, 0, 0.0
    for i in range(experts):
        least = min(least, losses[i])
    for k in range(actions):
        chances[k] = 0.0
        count += allowed[k]
    for i in range(experts):
        kept = 0.0
        for k in range(actions):
            kept += advice[i, k] if allowed[k] else 0.0
        weight = exp(-rate * (losses[i] - least))
        total += weight
        for k in range(actions):
            share = advice[i, k] / kept if kept > 0.0 else 1.0 / count
            shares[i, k] = share if allowed[k] else 0.0
            chances[k] += weight * shares[i, k]
    for k in range(actions):
        chances[k] /= total
    lift(chances, allowed, floor)
    return draw(generator, chances)


@njit(**EXACT)
def learn_advised(losses, share, loss, chance):
    if losses.shape[0] != share.shape[0]:
        raise ValueError("the memory of this policy does not fit the round")
    for i in range(losses.shape[0]):
        losses[i] += share[i] * loss / chance
