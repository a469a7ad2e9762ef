# Problem   draw an arm by v_i ~ exp(-n_t L_i), see its loss l, add l / (v + g_t) to its estimate L_i.
# Given     state as in bandit_book.py; the book's own numbers are
#           rate n (0: n_t = sqrt(spread / t)), spread, share g_t / n_t, the sum of l^2 / v, the base,
#           then per arm the estimates L, per arm the estimated variance of L, then a tree of weights.
# Writes    state.
# Returns   the next arm and its probability; a negative arm where the loss is refused.
# Source    Auer, Cesa-Bianchi, Freund & Schapire, 2002; Neu, 2015 (g = n / 2). Weights are kept relative
#           to a base, so that none underflows for good; sums of pairs make a draw cost log K.
import numpy as np
from numba import njit

from assay.compiled.bandits.bandit_book import (
    ARMS,
    PROBABILITY,
    ROUNDS,
    SEEN,
    answer,
    note,
    opened,
    refused,
)
from assay.compiled.common.elementary import exp
from assay.compiled.common.flags import EXACT, LENT
from assay.compiled.common.generator import uniform

RATE, SPREAD, SHARE, SQUARES, BASE, ESTIMATES = 0, 1, 2, 3, 4, 5

# When the weights together are this small, they are taken relative to the best arm again.
_TINY = 1e-150
# Places are unsigned, which spares a look at the sign and makes a draw three times as fast.
_ONE, _TWO, _THREE, _FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
_OWN, _ESTIMATES = np.uint64(SEEN), np.uint64(ESTIMATES)
_RATE, _SPREAD, _SHARE = np.uint64(RATE), np.uint64(SPREAD), np.uint64(SHARE)
_SQUARES, _BASE = np.uint64(SQUARES), np.uint64(BASE)


@njit(**EXACT)
def exp3_numbers(arms):
    leaves = 1
    while leaves < arms:
        leaves *= 2
    return ESTIMATES + 2 * arms + 2 * leaves


@njit(**LENT)
def _places(book, arms):
    # Where the own numbers begin, the estimates, the tree, and how many leaves it has: it ends the book.
    k = np.uint64(arms)
    own = _OWN + _TWO * k
    tree = own + _ESTIMATES + _TWO * k
    return k, own, own + _ESTIMATES, tree, (np.uint64(book.shape[0]) - tree) // _TWO


@njit(**LENT)
def rate_of(tally, book, own):
    if book[own + _RATE] > 0.0:
        return book[own + _RATE]
    return np.sqrt(book[own + _SPREAD] / (tally[ROUNDS] + 1))


@njit(**LENT)
def weigh(tally, book, arms):
    # All weights afresh, relative to the best arm.
    k, own, estimates, tree, leaves = _places(book, arms)
    base = book[estimates]
    for i in range(_ONE, k):
        base = min(base, book[estimates + i])
    book[own + _BASE] = base
    rate = rate_of(tally, book, own)
    for i in range(k):
        book[tree + leaves + i] = exp(-rate * (book[estimates + i] - base))
    place = leaves
    while place > _ONE:
        place -= _ONE
        book[tree + place] = book[tree + _TWO * place] + book[tree + _TWO * place + _ONE]


@njit(**LENT)
def exp3_draw(generator, tally, book, arms):
    _, _, _, tree, leaves = _places(book, arms)
    left_over = uniform(generator) * book[tree + _ONE]
    place = _ONE
    while place < leaves:
        place *= _TWO
        left = book[tree + place]
        # By selecting, not by branching: which way it goes cannot be foreseen.
        right = (left_over >= left) & (book[tree + place + _ONE] > 0.0)
        left_over = left_over - left if right else left_over
        place += np.uint64(right)
    chance = book[tree + place] / book[tree + _ONE]
    return answer(tally, book, np.int64(place - leaves), chance)


@njit(**LENT)
def exp3_learn(tally, book, arms, arm, loss):
    # Returns whether the weights must be taken afresh: here, the call would cost as much as the draw.
    k, own, estimates, tree, leaves = _places(book, arms)
    rate, v = rate_of(tally, book, own), book[PROBABILITY]
    falling = book[own + _RATE] <= 0.0
    note(tally, book, arm, loss)
    if loss == 0.0:
        return falling
    at = estimates + np.uint64(arm)
    estimate = loss / (v + book[own + _SHARE] * rate)
    book[own + _SQUARES] += loss * loss / v
    book[at] += estimate
    # Its expectation given the past is the variance of the estimate.
    book[at + k] += estimate * estimate * (1.0 - v)
    if falling:
        return True
    place = leaves + np.uint64(arm)
    book[tree + place] = exp(-rate * (book[at] - book[own + _BASE]))
    while place > _ONE:
        place //= _TWO
        book[tree + place] = book[tree + _TWO * place] + book[tree + _TWO * place + _ONE]
    return not book[tree + _ONE] > _TINY


@njit(**LENT)
def exp3_expected(book, arms, row):
    # What the draw costs on average, given the weights it is made by.
    k, _, _, tree, leaves = _places(book, arms)
    # In four parts, each in its order: a slice of the book would cost more than the sum.
    at, i = tree + leaves, np.uint64(0)
    a = b = c = d = 0.0
    while i + _FOUR <= k:
        a += book[at + i] * row[i]
        b += book[at + i + _ONE] * row[i + _ONE]
        c += book[at + i + _TWO] * row[i + _TWO]
        d += book[at + i + _THREE] * row[i + _THREE]
        i += _FOUR
    while i < k:
        a += book[at + i] * row[i]
        i += _ONE
    return ((a + b) + (c + d)) / book[tree + _ONE]


@njit(**EXACT, inline="always")
def _opened(state):
    arms = np.int64(state[ARMS]) if state.shape[0] > ARMS else np.int64(0)
    return opened(state, 0, exp3_numbers(min(max(arms, 0), state.shape[0])))


@njit(**EXACT)
def exp3_begin(state):
    arms, generator, tally, book = _opened(state)
    weigh(tally, book, arms)
    return exp3_draw(generator, tally, book, arms)


@njit(**EXACT)
def exp3_step(state, arm, loss):
    arms, generator, tally, book = _opened(state)
    no = refused(tally, arm, loss)
    if no < 0:
        return no, 0.0
    if exp3_learn(tally, book, arms, arm, loss):
        weigh(tally, book, arms)
    return exp3_draw(generator, tally, book, arms)
