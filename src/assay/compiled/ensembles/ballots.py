# Problem   the votes of many stumps "x_f <= threshold ? low : high" for each class, row by row.
# Given     columns (u, n) float64, the features that are asked about, row by row contiguous; places (T,) int64, which
#           of them a stump asks about, -1 for a stump that always says `low`; thresholds (T,) float64; sides (T, 2)
#           int64, the classes low and high; votes (T,) float64.
# Writes    ballots (K, n) float64: each vote added to its class, in the order of the stumps. say: said (n,) int64,
#           what one stump says of a column (n,) of values.
# Returns   nothing.
# Source    the definition of a vote. A class that gets no vote gets zero, which changes nothing, so that there is
#           no branch to guess and rows go through side by side.
from numba import njit

from assay.compiled.common.flags import EXACT

# So many rows at a time stay near the processor while all stumps see them.
_BLOCK = 4096


@njit(**EXACT)
def count_ballots(columns, places, thresholds, sides, votes, ballots):
    n = ballots.shape[1]
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        for t in range(len(votes)):
            for c in range(len(ballots)):
                below = votes[t] if sides[t, 0] == c else 0.0
                above = votes[t] if sides[t, 1] == c else 0.0
                out = ballots[c, start:stop]
                if places[t] < 0:
                    out += below
                elif below != 0.0 or above != 0.0:
                    _add_side(columns[places[t], start:stop], thresholds[t], below, above, out)


@njit(**EXACT)
def _add_side(column, threshold, below, above, out):
    for i in range(len(out)):
        out[i] += above if column[i] > threshold else below


@njit(**EXACT)
def say(column, threshold, low, high, said):
    for i in range(len(column)):
        said[i] = high if column[i] > threshold else low
