# Problem   play every arm once, then the one with the least mean loss minus sqrt(2 ln t / plays).
# Given     state as in bandit_book.py, without own numbers.
# Writes    state.
# Returns   the next arm and its probability, 1; a negative arm where the loss is refused.
# Source    Auer, Cesa-Bianchi & Fischer, 2002. t counts the round to be played; ties go to the first arm.
import numpy as np
from numba import njit

from assay.compiled.bandits.bandit_book import PLAYS, ROUNDS, SEEN, answer, note, opened, refused
from assay.compiled.common.elementary import log
from assay.compiled.common.flags import EXACT, LENT


@njit(**LENT)
def ucb1_draw(tally, book, arms):
    width = 2.0 * log(tally[ROUNDS] + 1.0)
    best, least = 0, np.inf
    for i in range(arms):
        plays = np.float64(tally[PLAYS + i])
        if plays == 0.0:
            return answer(tally, book, i, 1.0)
        index = book[SEEN + i] / plays - np.sqrt(width / plays)
        if index < least:
            best, least = i, index
    return answer(tally, book, best, 1.0)


@njit(**EXACT)
def ucb1_begin(state):
    arms, _, tally, book = opened(state, 0, 0)
    return ucb1_draw(tally, book, arms)


@njit(**EXACT)
def ucb1_step(state, arm, loss):
    arms, _, tally, book = opened(state, 0, 0)
    no = refused(tally, arm, loss)
    if no < 0:
        return no, 0.0
    note(tally, book, arm, loss)
    return ucb1_draw(tally, book, arms)
