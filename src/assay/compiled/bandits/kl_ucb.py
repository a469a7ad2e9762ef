# Problem   play every arm once, then the one with the least q <= mean such that plays * kl(mean || q) <= ln f(t).
# Given     state as in bandit_book.py; the book's own number is 0 for f(t) = t, 1 for f(t) = 1 + t ln(t)^2.
# Writes    state.
# Returns   the next arm and its probability, 1; a negative arm where the loss is refused.
# Source    Garivier & Cappé, 2011; Cappé et al., 2013. An arm's q is solved for only where it is the least
#           so far, which one look at kl(mean || least) tells. Ties go to the first arm.
import numpy as np
from numba import njit

from assay.compiled.bandits.bandit_book import PLAYS, ROUNDS, SEEN, answer, note, opened, refused
from assay.compiled.common.elementary import exp, log
from assay.compiled.common.flags import EXACT, LENT


@njit(**EXACT)
def entropy_to(mean, q):
    # kl(mean || q) for 0 < q <= mean <= 1; zero times ln zero is zero.
    if q <= 0.0:
        return np.inf if mean > 0.0 else 0.0
    left = mean * log(mean / q)
    return left if mean >= 1.0 else left + (1.0 - mean) * log((1.0 - mean) / (1.0 - q))


@njit(**EXACT)
def lower_end(mean, level):
    # The least q with kl(mean || q) <= level, by Newton's method in ln q, where kl is convex.
    if mean <= 0.0:
        return 0.0
    # With x = ln(mean / q), kl >= mean (x - 1 + exp(-x)) >= mean x^2 / (2 + x): a start on the left.
    share = level / mean
    at = log(mean) - 0.5 * (share + np.sqrt(share * (share + 8.0)))
    if at < -700.0:
        return 0.0
    for _ in range(100):
        q = exp(at)
        # From the left of the root a convex function's Newton steps stay on its left.
        step = (entropy_to(mean, q) - level) * (1.0 - q) / (mean - q) if q < mean else 0.0
        if not step > 1e-14 * (1.0 + abs(at)):
            return min(q, mean)
        at += step
    return min(exp(at), mean)


@njit(**LENT)
def kl_ucb_draw(tally, book, arms):
    t = tally[ROUNDS] + 1.0
    level = log(t)
    if book[SEEN + 2 * arms] > 0.0:
        level = log(1.0 + t * level * level)
    best, least = 0, np.inf
    for i in range(arms):
        plays = np.float64(tally[PLAYS + i])
        if plays == 0.0:
            return answer(tally, book, i, 1.0)
        mean = min(book[SEEN + i] / plays, 1.0)
        if least > mean or plays * entropy_to(mean, least) < level:
            index = lower_end(mean, level / plays)
            if index < least:
                best, least = i, index
    return answer(tally, book, best, 1.0)


@njit(**EXACT)
def kl_ucb_begin(state):
    arms, _, tally, book = opened(state, 0, 1)
    return kl_ucb_draw(tally, book, arms)


@njit(**EXACT)
def kl_ucb_step(state, arm, loss):
    arms, _, tally, book = opened(state, 0, 1)
    no = refused(tally, arm, loss)
    if no < 0:
        return no, 0.0
    note(tally, book, arm, loss)
    return kl_ucb_draw(tally, book, arms)
