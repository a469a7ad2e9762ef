# Problem   what boosted trees add to the scores of rows given as bins.
# Given     flat, bins by rows, d for each (boosting_bins); trees from first to last: tree t has its nodes, and then its
#           leaves, from starts[t] on, in values and in steps: left | right << 16 | bin << 32 | missing << 40 |
#           feature << 41, a leaf leading to itself. missing is 1 where missing cells go left: bins are then counted
#           from those on. bits: of walks by groups, four words for each node, whose ones are the bins that go left.
# Writes    score (outputs, n) of rows begin to end: is added to, tree t at output t % outputs.
# Source    All rows of a block take one step before any takes the next, so that nothing waits and nothing is
#           mispredicted; after the first steps rows that are at a leaf are left out: few ways down are long.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT

U = np.uint64
BLOCK = 256
TOGETHER = 5  # steps that all rows take; then those alone go on that are at no leaf yet


@njit(**EXACT)
def walk(flat, d, steps, starts, depths, values, first, last, score, begin, end):
    at, live = np.zeros(BLOCK, np.uint16), np.zeros(BLOCK, np.uint16)
    outputs = score.shape[0]
    for b in range(begin, end, BLOCK):
        many = U(min(BLOCK, end - b))
        for t in range(first, last):
            step, value = steps[starts[t] :], values[starts[t] :]
            out = score[t % outputs]
            for i in range(U(BLOCK)):
                at[i] = 0
            for _ in range(min(depths[t], TOGETHER)):
                base = U(b * d)
                for i in range(many):
                    w = step[U(at[i])]
                    code = (U(flat[base + (w >> U(41))]) + ((w >> U(40)) & U(1))) & U(255)
                    gone = U(code > ((w >> U(32)) & U(255)))
                    at[i] = (w >> (gone << U(4))) & U(0xFFFF)
                    base += U(d)
            if depths[t] > TOGETHER:
                stop = starts[t + 1] if t + 1 < starts.shape[0] else steps.shape[0]
                inner, left = U((stop - starts[t]) // 2), U(0)  # one node less than leaves
                for i in range(many):
                    live[left] = i
                    left += U(U(at[i]) < inner)
                while left > U(0):
                    kept = U(0)
                    for k in range(left):
                        i = U(live[k])
                        w = step[U(at[i])]
                        code = U(flat[(U(b) + i) * U(d) + (w >> U(41))])
                        code = (code + ((w >> U(40)) & U(1))) & U(255)
                        gone = U(code > ((w >> U(32)) & U(255)))
                        there = (w >> (gone << U(4))) & U(0xFFFF)
                        at[i] = there
                        live[kept] = i
                        kept += U(there < inner)
                    left = kept
            for i in range(many):
                out[U(b) + i] += value[U(at[i])]


@njit(**EXACT)
def walk_groups(flat, d, steps, bits, starts, depths, values, first, last, score, begin, end):
    at = np.zeros(BLOCK, np.uint16)
    outputs = score.shape[0]
    for b in range(begin, end, BLOCK):
        many = U(min(BLOCK, end - b))
        for t in range(first, last):
            step, value, bit = steps[starts[t] :], values[starts[t] :], bits[4 * starts[t] :]
            out = score[t % outputs]
            for i in range(U(BLOCK)):
                at[i] = 0
            for _ in range(depths[t]):
                base = U(b * d)
                for i in range(many):
                    w = step[U(at[i])]
                    code = U(flat[base + (w >> U(41))])
                    left = (bit[U(4) * U(at[i]) + (code >> U(6))] >> (code & U(63))) & U(1)
                    at[i] = (w >> ((U(1) - left) << U(4))) & U(0xFFFF)
                    base += U(d)
            for i in range(many):
                out[U(b) + i] += value[U(at[i])]
