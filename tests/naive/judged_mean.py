"""What a gambler owns who bets on a scored batch, one draw after the other, with the bets of the paper."""

import math
from fractions import Fraction

GRID = 65_535


def naive_wealth(residuals, items, mean, delta):
    """The most, as a logarithm, that the gambler ever owns if that is the mean of the batch."""
    need = math.log(1 / delta)
    n, before = len(residuals), Fraction(0)
    total, squares, variance = 0.5, 0.25, 0.25
    own, most = 0.0, -math.inf
    for t, x in enumerate(residuals, start=1):
        left = float((items * mean - before) / (items - t + 1))
        bet = min(math.sqrt(2 * need / (n * variance)), 0.75 / (1 - left))
        own += math.log1p(-bet * (x - left))
        most = max(most, own)
        total += x
        squares += (x - total / (t + 1)) ** 2
        variance = squares / (t + 1)
        before += Fraction(round(x * GRID), GRID)
    return most
