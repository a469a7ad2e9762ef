# Problem   the least squares of losses with a penalty, for one model of all actions or one model for each.
# Given     factor (d, d, B): R with R'R = V = penalty I + sum x x' in its upper triangle; B models, side by side so
#           that loops over actions are loops over neighbours.  moments (d, B): sum x y.  weights (d, B): the solution
#           of V weights = moments.  rows (d, n): the features of n actions, or (d, 1), the one row all models see,
#           where there are more models than one; then n = B.
# Writes    look: scores (n,), <weights, x>; widths (n,), x' V^-1 x; solved (d, n), R'^-1 x.
#           learn: factor, moments, weights, after one more example x, which is overwritten.
#           turn: drawn (d,), standard normal numbers times a scale, which become a draw around the weights, with
#           V^-1 times the square of the scale as its covariance.
# Returns   learn: ln(det V after / det V before), at least 0.
# Source    Cholesky factors and their update by rotations (Golub & Van Loan, 4.2 and 6.5.4): no inverse is kept,
#           whose errors would add up.
import numpy as np
from numba import njit

from assay.compiled.common.elementary import log
from assay.compiled.common.flags import LENT


@njit(**LENT)
def look(factor, weights, rows, solved, scores, widths):
    d, models, n = factor.shape[0], factor.shape[2], scores.shape[0]
    for i in range(n):
        scores[i] = 0.0
        widths[i] = 0.0
    if models == 1:
        for j in range(d):
            diagonal, weight = factor[j, j, 0], weights[j, 0]
            for i in range(n):
                solved[j, i] = rows[j, i]
            for k in range(j):
                part = factor[k, j, 0]
                for i in range(n):
                    solved[j, i] -= part * solved[k, i]
            for i in range(n):
                solved[j, i] /= diagonal
                widths[i] += solved[j, i] * solved[j, i]
                scores[i] += weight * rows[j, i]
        return
    for j in range(d):
        x = rows[j, 0]
        for i in range(n):
            solved[j, i] = x
        for k in range(j):
            for i in range(n):
                solved[j, i] -= factor[k, j, i] * solved[k, i]
        for i in range(n):
            solved[j, i] /= factor[j, j, i]
            widths[i] += solved[j, i] * solved[j, i]
            scores[i] += weights[j, i] * x


@njit(**LENT)
def learn(factor, moments, weights, x, y, model):
    d = factor.shape[0]
    for j in range(d):
        moments[j, model] += y * x[j]
    grown = 0.0
    for j in range(d):
        if x[j] == 0.0:
            continue
        old = factor[j, j, model]
        new = np.sqrt(old * old + x[j] * x[j])
        cosine, sine = old / new, x[j] / new
        grown -= 2.0 * log(cosine)
        factor[j, j, model] = new
        for i in range(j + 1, d):
            above = factor[j, i, model]
            factor[j, i, model] = cosine * above + sine * x[i]
            x[i] = cosine * x[i] - sine * above
    # R' z = moments, then R weights = z; z stands in weights.
    for j in range(d):
        total = moments[j, model]
        for k in range(j):
            total -= factor[k, j, model] * weights[k, model]
        weights[j, model] = total / factor[j, j, model]
    for step in range(d):
        j = d - 1 - step
        total = weights[j, model]
        for k in range(j + 1, d):
            total -= factor[j, k, model] * weights[k, model]
        weights[j, model] = total / factor[j, j, model]
    return grown


@njit(**LENT)
def turn(factor, weights, drawn):
    d = factor.shape[0]
    for step in range(d):
        j = d - 1 - step
        total = drawn[j]
        for k in range(j + 1, d):
            total -= factor[j, k, 0] * drawn[k]
        drawn[j] = total / factor[j, j, 0]
    for j in range(d):
        drawn[j] += weights[j, 0]
