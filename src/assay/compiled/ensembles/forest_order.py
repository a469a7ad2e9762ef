# Problem   visit the rows of a node in the order of their cells, in time that grows with their number alone.
# Given     code (n,) unsigned: the place of each row's cell among the cells of its feature, equal cells sharing one;
#           rows[start:stop], the node. Scratch: head (m,) int32 of -1 and the two levels of a bitmap over the m
#           codes, words and tops, uint64 and zero, all left as they were found; chain, one int32 for each row.
# Writes    order (rows) and place (codes) of the node, ascending by code, equal codes in the order given.
# Returns   how many distinct codes there are.
# Source    bucket sort whose buckets are found through a bitmap of two levels: 64 codes to a word, 64 words to a top.
#           Only buckets that hold something are looked at, so a node of ten rows costs ten steps and not as many as
#           there are codes.
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from assay.compiled.common.flags import LENT

ONE = np.uint64(1)
SIX = np.uint64(6)
LOW = np.uint64(63)
NONE = np.uint64(0)


@intrinsic
def lowest_bit(typing, word):
    """The place of the lowest bit that is set; the word must not be zero."""

    def build(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), build


@njit(inline="always")
def mark(words, tops, k):
    w = k >> SIX
    words[w] |= ONE << (k & LOW)
    tops[w >> SIX] |= ONE << (w & LOW)


@njit(**LENT)
def order_rows(code, rows, start, stop, head, chain, words, tops, order, place):
    for i in range(stop - 1, start - 1, -1):
        k = np.uint64(code[rows[i]])
        chain[i - start] = head[k]
        head[k] = i - start
        mark(words, tops, k)
    distinct, out = 0, 0
    for z in range(tops.size):
        top = tops[z]
        tops[z] = NONE
        while top != NONE:
            w = (np.uint64(z) << SIX) | lowest_bit(top)
            top &= top - ONE
            word = words[w]
            words[w] = NONE
            while word != NONE:
                k = (w << SIX) | lowest_bit(word)
                word &= word - ONE
                distinct += 1
                at = head[k]
                head[k] = -1
                while at >= 0:
                    order[out] = rows[start + at]
                    place[out] = k
                    out += 1
                    at = chain[at]
    return distinct
