# Problem   gradient and hessian of a loss for every row, rounded to whole numbers that share one word of 32 bits.
# Given     score (n,) or (classes, n) float64; the target y; weight (n,) float64; g_unit and h_unit, how many units
#           are one; tree, a number by which rounding differs from tree to tree; before, how many rows of the sample
#           come before these. Rows are dealt to threads in blocks of OWN, so that sorted data stay balanced.
# Writes    word = gradient << 16 | hessian: gradients within 15 bits and a sign, hessians within 16 bits; sums, the
#           loss of each block of rows before the tree, times the weights. slopes: gradient, hessian (n,) float64
#           and maxima (threads, 8), the largest of each; quantise rounds them.
# Source    Rounded up or down at random by a hash of row and tree, so that sums over rows have no bias, and the
#           result is the same for any number of threads. No calls or branches in the inner loop of two classes:
#           vectors.
import numpy as np
from numba import njit

from assay.compiled.common.elementary import exponential, log
from assay.compiled.common.flags import LENT
from assay.compiled.ensembles.boosting_sync import barrier

U = np.uint64
OWN = 1024
SQUARED, ABSOLUTE, QUANTILE, POISSON, GAMMA = 0, 1, 2, 3, 4
LARGEST = 700.0  # of an exponent
NOTHING = 1e-22  # what is left of squares, as a share, is then rounding alone


@njit(inline="always")
def _word(g, h, g_unit, h_unit, row, tree):
    z = row * U(0x9E3779B97F4A7C15) + U(tree) * U(0xD1B54A32D192ED03)
    z = (z ^ (z >> U(32))) * U(0xBF58476D1CE4E5B9)
    u = np.float64(np.int64(z >> U(48))) * (1.0 / 65536.0)
    v = np.float64(np.int64((z >> U(32)) & U(0xFFFF))) * (1.0 / 65536.0)
    return (np.int64(np.floor(g * g_unit + u)) << 16) | np.int64(np.floor(h * h_unit + v))


@njit(inline="always")
def _log_of_one_and(e):
    # ln(1 + e) for 0 <= e <= 1, as 2 atanh(e / (2 + e)).
    t = e / (2.0 + e)
    z = t * t
    s = 1.0 / 31.0
    s = s * z + 1.0 / 29.0
    s = s * z + 1.0 / 27.0
    s = s * z + 1.0 / 25.0
    s = s * z + 1.0 / 23.0
    s = s * z + 1.0 / 21.0
    s = s * z + 1.0 / 19.0
    s = s * z + 1.0 / 17.0
    s = s * z + 1.0 / 15.0
    s = s * z + 1.0 / 13.0
    s = s * z + 1.0 / 11.0
    s = s * z + 1.0 / 9.0
    s = s * z + 1.0 / 7.0
    s = s * z + 1.0 / 5.0
    s = s * z + 1.0 / 3.0
    s = s * z + 1.0
    return 2.0 * t * s


@njit(**LENT)
def _summed(numbers, many):
    # Four sums side by side, in one order.
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = many - many % 4
    for i in range(0, whole, 4):
        a += numbers[i]
        b += numbers[i + 1]
        c += numbers[i + 2]
        d += numbers[i + 3]
    for i in range(whole, many):
        a += numbers[i]
    return (a + c) + (b + d)


@njit(**LENT)
def log_loss_words(
    thread, threads, score, y, words, g_unit, h_unit, tree, sums, loss, before
):  # fmt: skip
    n = score.shape[0]
    for block in range(thread * OWN, n, threads * OWN):
        stop = min(block + OWN, n)
        for i in range(U(block), U(stop)):
            s = score[i]
            e = exponential(-abs(s))
            q = 1.0 / (1.0 + e)
            p = q if s >= 0.0 else e * q
            words[i] = _word(p - y[i], e * q * q, g_unit, h_unit, i + U(before), tree)
            loss[i - U(block)] = (max(s, 0.0) - y[i] * s) + _log_of_one_and(e)  # nothing cancels
        sums[block // OWN] = _summed(loss, stop - block)


@njit(**LENT)
def weighted_log_loss_words(
    thread, threads, score, y, weight, words, g_unit, h_unit, tree, sums, loss, before
):
    n = score.shape[0]
    for block in range(thread * OWN, n, threads * OWN):
        stop = min(block + OWN, n)
        for i in range(U(block), U(stop)):
            s, w = score[i], weight[i]
            e = exponential(-abs(s))
            q = 1.0 / (1.0 + e)
            p = q if s >= 0.0 else e * q
            words[i] = _word(w * (p - y[i]), w * (e * q * q), g_unit, h_unit, i + U(before), tree)
            loss[i - U(block)] = w * ((max(s, 0.0) - y[i] * s) + _log_of_one_and(e))
        sums[block // OWN] = _summed(loss, stop - block)


@njit(**LENT)
def multinomial_words(
    thread,
    threads,
    score,
    y,
    weight,
    weighted,
    words,
    g_unit,
    h_unit,
    tree,
    sums,
    loss,
    room,
    before,
):
    # y (n,) int64 classes; room (classes + 2, OWN) float64.
    many, n = score.shape
    top, total = room[many], room[many + 1]
    for block in range(thread * OWN, n, threads * OWN):
        stop = min(block + OWN, n)
        size = stop - block
        for i in range(size):
            top[i] = score[0, block + i]
            total[i] = 0.0
        for k in range(1, many):
            for i in range(size):
                top[i] = max(top[i], score[k, block + i])
        for k in range(many):
            for i in range(size):
                e = exponential(score[k, block + i] - top[i])
                room[k, i] = e
                total[i] += e
        for i in range(size):
            row = block + i
            w = weight[row] if weighted else 1.0
            loss[i] = w * ((top[i] - score[y[row], row]) + log(total[i]))
        for k in range(many):
            for i in range(size):
                row = block + i
                p = room[k, i] / total[i]
                w = weight[row] if weighted else 1.0
                g = w * (p - np.float64(y[row] == k))
                h = w * (p * (1.0 - p))
                words[k, row] = _word(g, h, g_unit, h_unit, U(row) + U(before), tree * many + k)
        sums[block // OWN] = _summed(loss, size)


@njit(**LENT)
def slopes(
    thread, threads, code, quantile, score, y, weight, weighted, gradient, hessian, maxima, sums, loss
):  # fmt: skip
    n = score.shape[0]
    largest, steepest = 0.0, 0.0
    for block in range(thread * OWN, n, threads * OWN):
        stop = min(block + OWN, n)
        for i in range(block, stop):
            f, t = score[i], y[i]
            w = weight[i] if weighted else 1.0
            if code == SQUARED:
                g, h, v = f - t, 1.0, (f - t) * (f - t)
            elif code == ABSOLUTE:
                g, h, v = np.float64(f > t) - np.float64(f < t), 1.0, abs(f - t)
            elif code == QUANTILE:
                g, h = (1.0 - quantile) if f >= t else -quantile, 1.0
                v = g * (f - t)
            else:
                e = exponential(min(max(f if code == POISSON else -f, -LARGEST), LARGEST))
                if code == POISSON:
                    g, h, v = e - t, e, e - t * f
                else:
                    g, h, v = 1.0 - t * e, t * e, f + t * e
            gradient[i], hessian[i] = w * g, w * h
            loss[i - block] = w * v
            largest, steepest = max(largest, abs(w * g)), max(steepest, w * h)
        sums[block // OWN] = _summed(loss, stop - block)
    maxima[thread, 0], maxima[thread, 1] = largest, steepest


@njit(**LENT)
def units_of(
    largest, steepest, sums, many, code, constant, first, g_bits, h_bits, fine_bits, units
):  # fmt: skip
    # units (8,): how many units are one, of gradients and of hessians, from the largest of each; the loss of all
    # blocks of rows; the same two units for the fine sums of leaves.
    total, lost = 0.0, 0.0
    for block in range(many):
        # What an addition loses is added in the end.
        more = total + sums[block]
        lost += (
            (total - more) + sums[block] if total >= sums[block] else (sums[block] - more) + total
        )
        total = more
    total += lost
    units[2] = total
    if not largest > 1e-290 or (code == SQUARED and total <= NOTHING * first):
        largest = np.inf  # all gradients are zero then
    units[0] = np.float64(np.int64(1) << g_bits) / largest
    units[1] = 1.0 if constant else np.float64(np.int64(1) << h_bits) / max(steepest, 1e-290)
    units[3] = np.float64(np.int64(1) << fine_bits) / largest
    units[4] = 1.0 if constant else np.float64(np.int64(1) << fine_bits) / max(steepest, 1e-290)


@njit(**LENT)
def quantise(
    thread, threads, sync, code, constant, gradient, hessian, words, maxima, units, sums, first, g_bits,
    h_bits, fine_bits, tree,
):  # fmt: skip
    # units are this thread's own.
    n = gradient.shape[0]
    if not barrier(sync, thread, threads):
        return
    largest, steepest = 0.0, 0.0
    for t in range(threads):
        largest, steepest = max(largest, maxima[t, 0]), max(steepest, maxima[t, 1])
    many = (n + OWN - 1) // OWN
    units_of(largest, steepest, sums, many, code, constant, first, g_bits, h_bits, fine_bits, units)
    g_unit, h_unit = units[0], units[1]
    for block in range(thread * OWN, n, threads * OWN):
        for i in range(U(block), U(min(block + OWN, n))):
            words[i] = _word(gradient[i], hessian[i], g_unit, h_unit, i, tree)


@njit(**LENT)
def words_of(gradient, hessian, words, g_unit, h_unit, tree, before):
    # The words of some rows whose units are known.
    for i in range(U(gradient.shape[0])):
        words[i] = _word(gradient[i], hessian[i], g_unit, h_unit, i + U(before), tree)


@njit(**LENT)
def block_sums(numbers, sums):
    # The sums of an array in blocks, as the loops above have them.
    n = numbers.shape[0]
    for block in range(0, n, OWN):
        sums[block // OWN] = _summed(numbers[block:], min(OWN, n - block))
