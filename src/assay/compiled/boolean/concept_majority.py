# Problem   predict with the weighted majority of all concepts, where each has the weight beta^(its mistakes).
# Given     words (H,) of uint64, bit t of which is what a concept says of row t; errors (H,) of int64, the
#           mistakes of each, overwritten; powers (m,): powers[k] = beta^k, and beta^k counts as 0 from m on;
#           labels: bit t is the label of row t; rows <= 64.
# Writes    missed (rows,): the rows on which the majority was wrong, in order.
# Returns   the number of mistakes.
# Source    Littlestone & Warmuth, 1994. Weights are taken relative to the best concept's, so the largest is
#           always one and nothing that matters underflows; a tie is a positive vote.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT

_ONE = np.uint64(1)


@njit(**EXACT)
def majority_rounds(words, errors, powers, labels, rows, missed):
    mistakes = 0
    for t in range(rows):
        shift = np.uint64(t)
        positive = (labels >> shift) & _ONE != 0
        yes, no = majority_votes(words, errors, powers, shift)
        if (yes >= no) != positive:
            missed[mistakes] = t
            mistakes += 1
        for i in range(words.shape[0]):
            if ((words[i] >> shift) & _ONE != 0) != positive:
                errors[i] += 1
    return mistakes


@njit(**EXACT)
def majority_votes(words, errors, powers, shift):
    best = errors.min()
    yes = no = 0.0
    for i in range(words.shape[0]):
        behind = errors[i] - best
        if behind < powers.shape[0]:
            if (words[i] >> shift) & _ONE != 0:
                yes += powers[behind]
            else:
                no += powers[behind]
    return yes, no
