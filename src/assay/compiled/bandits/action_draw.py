# Problem   draw an action by probabilities, none of which is below a floor.
# Given     generator (4,) uint64; chances (n,) that add up to one and are 0 where allowed (n,) is False; floor, at
#           most one over the number of actions that are allowed.
# Writes    chances: the same mixed with the uniform distribution, so that every action that is allowed has the floor.
# Returns   the action.
# Source    none.
from numba import njit

from assay.compiled.common.flags import LENT
from assay.compiled.common.generator import uniform


@njit(**LENT)
def lift(chances, allowed, floor):
    if floor <= 0.0:
        return
    count = 0
    for i in range(allowed.shape[0]):
        count += allowed[i]
    rest = max(0.0, 1.0 - count * floor)
    for i in range(allowed.shape[0]):
        if allowed[i]:
            chances[i] = floor + rest * chances[i]


@njit(**LENT)
def draw(generator, chances):
    total = 0.0
    for i in range(chances.shape[0]):
        total += chances[i]
    left = uniform(generator) * total
    last = 0
    for i in range(chances.shape[0]):
        if chances[i] > 0.0:
            last = i
            if left < chances[i]:
                return i
            left -= chances[i]
    return last
