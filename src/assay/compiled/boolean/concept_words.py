# Problem   what concepts that are an OR of some of N columns say of up to 64 rows at once, and how often
#           that differs from the labels.
# Given     masks (H, w) of uint64: bit j % 64 of word j // 64 says whether column j is in the OR; places (m,)
#           of concepts; columns (N,) of uint64, N <= 64 w: bit t is the column's value in row t.
# Writes    words (m,) of uint64: bit t is what the concept says of row t.
# Returns   nothing.
# Source    The ORs of every eight columns are tabulated, so a concept costs a lookup for each eight.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT

_BYTE = np.uint64(255)


@njit(**EXACT)
def or_words(masks, places, columns, words):
    pieces = (columns.shape[0] + 7) // 8
    table = np.zeros((pieces, 256), dtype=np.uint64)
    for piece in range(pieces):
        for value in range(1, 256):
            low = 0
            while (value >> low) & 1 == 0:
                low += 1
            j = 8 * piece + low
            column = columns[j] if j < columns.shape[0] else np.uint64(0)
            table[piece, value] = table[piece, value & (value - 1)] | column
    for i in range(places.shape[0]):
        mask = masks[places[i]]
        word = np.uint64(0)
        for piece in range(pieces):
            word |= table[piece, (mask[piece >> 3] >> np.uint64(8 * (piece & 7))) & _BYTE]
        words[i] = word


# Problem   add to each concept's errors the rows of a block on which it differs from the labels.
# Given     words (H,) as above; labels: bit t is the label of row t; used: bit t says whether row t counts.
# Writes    errors (H,) of int64.
# Returns   nothing.
# Source    The bits of a word are counted in pairs, fours and eights at once.
@njit(**EXACT)
def add_errors(words, labels, used, errors):
    for i in range(words.shape[0]):
        errors[i] += ones((words[i] ^ labels) & used)


@njit(**EXACT)
def ones(word):
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
