# Problem   play the weighted mean of the experts; multiply each weight by exp(-rate * loss).
# Given     losses (n, K) C-contiguous; totals (K,), books (3, K), weights (K,) and whole (1,), the sum of the
#           weights, are overwritten; rate, with rate * largest at most SMALL; first, the rounds played before; seed.
# Writes    mean (n,): the weighted mean loss; square (n,): that of the squared losses; chosen (n,) or (0,): an
#           expert drawn by the weights of the round. As in all of these loops, guess is behind them.
# Returns   the rounds played: all, or those before a loss outside [0, largest].
# Source    Freund & Schapire, 1997. A factor is a short polynomial about half of the largest loss, since a
#           factor common to all experts changes nothing. Every REFRESH rounds, counted from the very first, the
#           weights are made afresh from the totals, so that no error adds up and nothing underflows. The totals are
#           sums of sums over REFRESH rounds, the outer ones by Kahan: books holds their rounding errors, what was
#           added up until the last refresh, and what since. While one row is played the next one is looked
#           over, which brings it close.
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.common.lanes import over_lanes, where
from assay.compiled.experts.exponential_weights import (
    add_up,
    draw,
    least_of,
    outside,
    uniform,
    weigh,
)

SMALL = 1 / 16
REFRESH = 64


def _played(row, ahead, weights, since, rate, half, largest):
    # The sums of a round, how many of the losses ahead are odd, and the weights and losses after it.
    paid = weights * row
    y = rate * (half - row)
    y2 = y * y
    low = (1.0 + y) + y2 * (0.5 + y * (1 / 6))
    high = (1 / 24 + y * (1 / 120)) + y2 * (1 / 720 + y * (1 / 5040))
    after = weights * (low + (y2 * y2) * high)
    odd = where((ahead >= 0.0) & (ahead <= largest), ahead * 0.0, 1.0)
    return paid, paid * row, after, odd, after, since + row


_step = over_lanes(_played, sums=4, writes=(2, 3))


@njit(**EXACT)
def hedge_pass(losses, totals, books, weights, whole, rate, largest, first, seed, written):
    mean, square, chosen, _ = written
    rounds = losses.shape[0]
    if rounds == 0 or outside(losses[0], largest):
        return 0
    for t in range(rounds):
        if chosen.shape[0]:
            chosen[t] = draw(weights, uniform(seed, first + t))
        ahead = losses[min(t + 1, rounds - 1)]
        paid, squares, left, odd = _step(
            losses[t], ahead, weights, books[2], rate, 0.5 * largest, largest
        )
        mean[t] = paid / whole[0]
        square[t] = squares / whole[0]
        whole[0] = left
        if (first + t + 1) % REFRESH == 0:
            add_up(books[2], books[1], books[0])
            books[2] = 0.0
            whole[0] = weigh(books[1], least_of(books[1]), rate, weights)
        if odd:
            rounds = t + 1
            break
    for i in range(totals.shape[0]):
        totals[i] = books[1, i] + (books[2, i] - books[0, i])
    return rounds
