# Problem   one memory for all bandit policies: what the policy waits for, what it saw, what it knows.
# Given     K arms. state (uint64), one array because a call costs most for its arrays: the four words of the
#           generator, K, the tally and the book.
#           tally (int64): the arm that was chosen (-1: none), rounds, rounds of which every arm's loss is
#           known, then the plays of each arm, then a policy's own counts.
#           book (float64): the probability of the chosen arm, the loss so far, its expectation over the
#           policy's coins in the rounds played against known losses, then per arm the losses
#           seen, per arm the losses of the known rounds, then a policy's own numbers.
# Writes    note: the round that was played.  know: what the round would have cost.
# Returns   opened: K and the three parts.
# Source    none; the layout is this library's.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT, LENT

ARMS, TALLY = 4, 5
CHOSEN, ROUNDS, KNOWN, PLAYS = 0, 1, 2, 3
PROBABILITY, LOSS, EXPECTED, SEEN = 0, 1, 2, 3


@njit(**EXACT, inline="always")
def opened(state, counts, numbers):
    # A memory from a file is believed only as far as its sizes go: loops write without looking.
    # Inlined, or counting who holds the parts would cost a single round half of its time.
    arms = np.int64(state[ARMS]) if state.shape[0] > TALLY + PLAYS else np.int64(0)
    book_at = TALLY + PLAYS + arms * (1 + counts)
    size = book_at + SEEN + 2 * arms + numbers
    if not 1 <= arms < state.shape[0] or size != state.shape[0]:
        raise ValueError("the memory of this policy does not fit its arms")
    tally, book = state[TALLY:book_at].view(np.int64), state[book_at:].view(np.float64)
    if not -1 <= tally[CHOSEN] < arms or tally[ROUNDS] < 0:
        raise ValueError("the memory of this policy does not fit its arms")
    return arms, state[:ARMS], tally, book


@njit(**LENT)
def note(tally, book, arm, loss):
    tally[ROUNDS] += 1
    tally[PLAYS + arm] += 1
    book[LOSS] += loss
    book[SEEN + arm] += loss


@njit(**LENT)
def know(tally, book, row, arms):
    tally[KNOWN] += 1
    totals = SEEN + arms
    for i in range(arms):
        book[totals + i] += row[i]


@njit(**LENT)
def answer(tally, book, arm, probability):
    tally[CHOSEN] = arm
    book[PROBABILITY] = probability
    return arm, probability


@njit(**LENT)
def refused(tally, arm, loss):
    # -1: another arm was chosen.  -2: no loss between 0 and 1.
    if arm != tally[CHOSEN] or arm < 0:
        return np.int64(-1)
    return np.int64(0) if 0.0 <= loss <= 1.0 else np.int64(-2)


# Problem   one pass over the losses of all arms before they are played.
# Given     losses (T, K) float64.
# Returns   the first round and arm whose loss is outside [0, 1] or not a number; (-1, -1) if none.
# Source    none.
@njit(**EXACT)
def first_outside(losses):
    for t in range(losses.shape[0]):
        # Counted without branching, which lets the compiler look at several cells at once.
        good = 0
        for i in range(losses.shape[1]):
            good += (losses[t, i] >= 0.0) & (losses[t, i] <= 1.0)
        if good < losses.shape[1]:
            for i in range(losses.shape[1]):
                if not 0.0 <= losses[t, i] <= 1.0:
                    return t, i
    return -1, -1
