# Problem   minimise g.s + s'Hs / 2 + sum_j penalty_j |w_j + s_j| over s, one coordinate after the other.
# Given     H (d, d) symmetric, its diagonal above zero; g (d,); w (d,); penalty (d,) zero or more; the coordinate moves
#           of a pass by which it ends, in units of the slope; the most passes.
# Writes    s (d,): where it ends. A coordinate that the penalty holds ends at -w_j exactly.
# Returns   the passes made.
# Source    Friedman, Hastie and Tibshirani, 2010, for the penalised quadratic within a Newton step.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT


@njit(**EXACT)
def quadratic_descent(H, g, w, penalty, least, most, s):
    d = w.shape[0]
    slope = g.copy()
    s[:] = 0.0
    for done in range(1, most + 1):
        furthest = 0.0
        for j in range(d):
            bend = H[j, j]
            aim = bend * (w[j] + s[j]) - slope[j]
            size = max(0.0, abs(aim) - penalty[j]) / bend
            move = np.copysign(size, aim) - (w[j] + s[j])
            if size == 0.0:
                move = -(w[j] + s[j])
            if move != 0.0:
                s[j] = -w[j] if size == 0.0 else s[j] + move
                for k in range(d):
                    slope[k] += move * H[j, k]
                furthest = max(furthest, abs(move) * bend)
        if furthest <= least:
            return done
    return most
