# Problem   a policy against a whole sequence of losses, or against arms whose losses are drawn; many runs of it.
# Given     kind, one of the numbers below, with its counts per arm and its own numbers; state of a policy that
#           has chosen its first arm; losses (T, K): row t is round t's; or, if drawn, its only row holds the
#           mean of each arm, whose losses are 0 or 1.  kept: whether the losses of all arms are added up.
#           traced: arms_played, chances and paid, (T,) to be written, or (0,); and curves (T, 2), or (0, 2): what
#           the draws have cost on average so far, and what the best arm has.
# Writes    state; per run the plays (K,), and sums: the loss and the expected loss.
# Returns   nothing.
# Source    The game of partial feedback; the same steps as one round at a time, in the same order. Run r's
#           stream depends on the seed and r alone, so that threads change nothing.
import numpy as np
from numba import njit

from assay.compiled.bandits.bandit_book import (
    ARMS,
    CHOSEN,
    EXPECTED,
    LOSS,
    PLAYS,
    PROBABILITY,
    SEEN,
    know,
    note,
    opened,
)
from assay.compiled.bandits.exp3 import exp3_begin, exp3_draw, exp3_expected, exp3_learn, weigh
from assay.compiled.bandits.kl_ucb import kl_ucb_begin, kl_ucb_draw
from assay.compiled.bandits.thompson import thompson_begin, thompson_draw, thompson_learn
from assay.compiled.bandits.ucb1 import ucb1_begin, ucb1_draw
from assay.compiled.common.flags import EXACT, LENT
from assay.compiled.common.generator import start_stream, uniform

EXP3_KIND, UCB1_KIND, KL_UCB_KIND, THOMPSON_KIND = 0, 1, 2, 3


@njit(**EXACT)
def begin(kind, state):
    if kind == EXP3_KIND:
        return exp3_begin(state)
    if kind == UCB1_KIND:
        return ucb1_begin(state)
    if kind == KL_UCB_KIND:
        return kl_ucb_begin(state)
    return thompson_begin(state)


@njit(**LENT)
def play_rounds(kind, counts, numbers, state, losses, rounds, drawn, kept, traced):
    arms_played, chances, paid, curves = traced
    arms, generator, tally, book = opened(state, counts, numbers)
    if arms != losses.shape[1] or tally[CHOSEN] < 0:
        raise ValueError("the memory of this policy does not fit its arms")
    for t in range(rounds):
        arm = tally[CHOSEN]
        row = losses[0] if drawn else losses[t]
        loss = row[arm]
        book[EXPECTED] += exp3_expected(book, arms, row) if kind == EXP3_KIND else loss
        if drawn:
            loss = 1.0 if uniform(generator) < loss else 0.0
        if kept:
            know(tally, book, row, arms)
        if arms_played.shape[0]:
            arms_played[t], chances[t], paid[t] = arm, book[PROBABILITY], loss
            best = np.inf
            for i in range(arms):
                best = min(best, book[SEEN + arms + i])
            curves[t, 0], curves[t, 1] = book[EXPECTED], best
        if kind == EXP3_KIND:
            if exp3_learn(tally, book, arms, arm, loss):
                weigh(tally, book, arms)
            exp3_draw(generator, tally, book, arms)
        elif kind == UCB1_KIND:
            note(tally, book, arm, loss)
            ucb1_draw(tally, book, arms)
        elif kind == KL_UCB_KIND:
            note(tally, book, arm, loss)
            kl_ucb_draw(tally, book, arms)
        else:
            thompson_learn(generator, tally, book, arms, arm, loss)
            thompson_draw(generator, tally, book, arms)


@njit(**EXACT)
def simulate_runs(
    kind, counts, numbers, seed, first, fresh, losses, rounds, drawn, plays, sums, untraced
):
    for r in range(plays.shape[0]):
        state = fresh.copy()
        start_stream(state[:ARMS], seed, first + r)
        begin(kind, state)
        play_rounds(kind, counts, numbers, state, losses, rounds, drawn, False, untraced)
        arms, _, tally, book = opened(state, counts, numbers)
        for i in range(arms):
            plays[r, i] = tally[PLAYS + i]
        sums[r, 0], sums[r, 1] = book[LOSS], book[EXPECTED]
