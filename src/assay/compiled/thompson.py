# Problem   draw for every arm a loss rate from Beta(1 + ones, 1 + zeros); play the arm of the least.
# Given     state as in bandit_book.py; the tally's own counts are the ones of each arm.
# Writes    state.
# Returns   the next arm and 1, its probability once the rates are drawn; a negative arm where the loss is
#           refused.
# Source    Thompson, 1933; a loss between 0 and 1 counts as one with that probability (Agrawal & Goyal,
#           2012). Beta variates by Cheng's algorithm BB (1978).
import numpy as np
from numba import njit

from assay.compiled.bandit_book import PLAYS, answer, note, opened, refused
from assay.compiled.flags import EXACT
from assay.compiled.generator import uniform

# Each succeeds with probability above two thirds; so many fail only if the generator was tampered with.
_TRIALS = 1000


@njit(**EXACT)
def beta_variate(generator, a, b):
    # For a, b >= 1.
    if a == 1.0:
        return -np.expm1(np.log(uniform(generator)) / b)
    if b == 1.0:
        return np.exp(np.log(uniform(generator)) / a)
    low, high, total = min(a, b), max(a, b), a + b
    beta = np.sqrt((total - 2.0) / (2.0 * low * high - total))
    gamma, w = low + 1.0 / beta, low
    for _ in range(_TRIALS):
        u = uniform(generator)
        z = u * u * uniform(generator)
        v = beta * np.log(u / (1.0 - u))
        w = low * np.exp(v)
        r = gamma * v - 1.3862943611198906  # ln 4
        s = low + r - w
        if s + 2.6094379124341003 >= 5.0 * z:  # 1 + ln 5
            break
        t = np.log(z)
        if s >= t or r + total * np.log(total / (high + w)) >= t:
            break
    return (w if a == low else high) / (high + w)


@njit(**EXACT)
def thompson_draw(generator, tally, book, arms):
    best, least = 0, np.inf
    for i in range(arms):
        plays, ones = tally[PLAYS + i], tally[PLAYS + arms + i]
        rate = beta_variate(generator, 1.0 + ones, 1.0 + (plays - ones))
        if rate < least:
            best, least = i, rate
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
