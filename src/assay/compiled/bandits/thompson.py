# Problem   draw for every arm a loss rate from Beta(1 + ones, 1 + zeros); play the arm of the least.
# Given     state as in bandit_book.py; the tally's own counts are the ones of each arm.
# Writes    state.
# Returns   the next arm and 1, its probability once the rates are drawn; a negative arm where the loss is
#           refused.
# Source    Thompson, 1933; a loss between 0 and 1 counts as one with that probability (Agrawal & Goyal,
#           2012). Beta variates from two gamma variates by Marsaglia & Tsang (2000).
import numpy as np
from numba import njit

from assay.compiled.bandits.bandit_book import PLAYS, answer, note, opened, refused
from assay.compiled.common.elementary import log
from assay.compiled.common.flags import EXACT
from assay.compiled.common.generator import next_word, uniform
from assay.compiled.common.normal import EDGES, LAYER, ONE, placed, seldom

# Each succeeds with probability above nine tenths; so many fail only if the generator was tampered with.
_TRIALS = 1000


@njit(**EXACT)
def least_rate(generator, tally, arms):
    # All in one function: to hand the generator on, and count who holds it, costs more than a draw.
    best, least = 0, np.inf
    for i in range(arms):
        ones = tally[PLAYS + arms + i]
        first, drawn = 0.0, 0.0
        for side in range(2):
            # A gamma variate: a cube of something nearly normal, kept with a probability near 1.
            d = (ones if side == 0 else tally[PLAYS + i] - ones) + 2.0 / 3.0
            c = 1.0 / np.sqrt(9.0 * d)
            first, drawn = drawn, d
            for _ in range(_TRIALS):
                word = next_word(generator)
                layer = word & LAYER
                x = placed(word, layer)
                if not abs(x) < EDGES[layer + ONE]:
                    x = seldom(generator, layer, x)
                v = 1.0 + c * x
                if v <= 0.0:
                    continue
                v = v * v * v
                drawn = d * v
                u, square = uniform(generator), x * x
                if u < 1.0 - 0.0331 * square * square:
                    break
                if log(u) < 0.5 * square + d * (1.0 - v + log(v)):
                    break
        rate = first / (first + drawn)
        if rate < least:
            best, least = i, rate
    return best, least


@njit(**EXACT)
def thompson_draw(generator, tally, book, arms):
    best, _ = least_rate(generator, tally, arms)
    return answer(tally, book, best, 1.0)


@njit(**EXACT)
def thompson_learn(generator, tally, book, arms, arm, loss):
    note(tally, book, arm, loss)
    if loss == 1.0 or (loss > 0.0 and uniform(generator) < loss):
        tally[PLAYS + arms + arm] += 1


@njit(**EXACT)
def _opened(state):
    arms, generator, tally, book = opened(state, 1, 0)
    for i in range(arms):
        # From a Beta distribution of negative counts nothing would ever be drawn.
        if not 0 <= tally[PLAYS + arms + i] <= tally[PLAYS + i]:
            raise ValueError("the memory of this policy does not fit its arms")
    return arms, generator, tally, book


@njit(**EXACT)
def thompson_begin(state):
    arms, generator, tally, book = _opened(state)
    return thompson_draw(generator, tally, book, arms)


@njit(**EXACT)
def thompson_step(state, arm, loss):
    arms, generator, tally, book = _opened(state)
    no = refused(tally, arm, loss)
    if no < 0:
        return no, 0.0
    thompson_learn(generator, tally, book, arms, arm, loss)
    return thompson_draw(generator, tally, book, arms)
