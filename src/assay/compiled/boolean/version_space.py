# Problem   predict with the weighted majority of the concepts that are left, or with the first of them; then
#           delete those that the label refutes.
# Given     words (m,) of uint64, bit t of which is what a concept says of row t; weights (m,) of int64 and
#           places (m,), both overwritten: what is left stands in front, in the same order; alike: whether all
#           weights are the same; labels: bit t is the label of row t; rows <= 64; first: whether the first
#           one predicts.
# Writes    changed (rows,): the rows on which something was deleted, in order.
# Returns   how many concepts are left, the mistakes, the deletions, and the rows whose label refutes all
#           that is left (nothing is then deleted).
# Source    Littlestone, 1988. The table of who says what is turned round, so that a word holds what 64
#           concepts say of one row; votes are then counted 64 at a time. Weights are whole numbers, so no
#           sum is rounded; a tie is a positive vote.
import numpy as np
from numba import njit

from assay.compiled.boolean.concept_words import ones
from assay.compiled.common.flags import EXACT

_ONE = np.uint64(1)


@njit(**EXACT)
def version_space_rounds(words, weights, places, alike, labels, rows, first, changed):
    count = words.shape[0]
    says = _turned(words, rows)
    live = np.full(says.shape[1], ~np.uint64(0))
    if count % 64:
        live[-1] = (_ONE << np.uint64(count % 64)) - _ONE
    total = np.int64(0)
    for i in range(count):
        total += weights[i]
    left = count
    mistakes = changes = refuted = 0
    for t in range(rows):
        votes = _votes(says[t], live)
        yes = votes * weights[0] if alike else _weight(says[t], live, weights)
        positive = (labels >> np.uint64(t)) & _ONE != 0
        guess = _first_says(says[t], live) if first else yes >= total - yes
        if guess != positive:
            mistakes += 1
        agreeing = votes if positive else left - votes
        if agreeing == 0:
            refuted += 1
        elif agreeing < left:
            turn = np.uint64(0) if positive else ~np.uint64(0)
            for b in range(live.shape[0]):
                live[b] &= says[t, b] ^ turn
            left = agreeing
            total = yes if positive else total - yes
            changed[changes] = t
            changes += 1
    kept = 0
    for i in range(count):
        if (live[i >> 6] >> np.uint64(i & 63)) & _ONE != 0:
            weights[kept] = weights[i]
            places[kept] = places[i]
            kept += 1
    return left, mistakes, changes, refuted


# Problem   the weight of the concepts that say yes, row by row.
# Given     words, weights, alike and rows as above; nothing is overwritten.
# Writes    yes (rows,) of int64.
# Returns   nothing.
# Source    As above.
@njit(**EXACT)
def vote_weights(words, weights, alike, rows, yes):
    says = _turned(words, rows)
    live = np.full(says.shape[1], ~np.uint64(0))
    for t in range(rows):
        # Words beyond the last concept are zero: they say yes to nothing.
        votes = _votes(says[t], live)
        yes[t] = votes * weights[0] if alike else _weight(says[t], live, weights)


@njit(**EXACT)
def _turned(words, rows):
    blocks = (words.shape[0] + 63) // 64
    says = np.zeros((rows, blocks), dtype=np.uint64)
    square = np.zeros(64, dtype=np.uint64)
    for b in range(blocks):
        held = min(64, words.shape[0] - 64 * b)
        square[:held] = words[64 * b : 64 * b + held]
        square[held:] = np.uint64(0)
        turn_square(square)
        for t in range(rows):
            says[t, b] = square[t]
    return says


# Problem   turn a square of 64 by 64 bits round its diagonal.
# Given     square (64,) of uint64, overwritten: bit j of word i goes to bit i of word j.
# Writes    square.
# Returns   nothing.
# Source    Warren, Hacker's Delight, section 7-3: halves are swapped, then quarters, and so on.
@njit(**EXACT)
def turn_square(square):
    half = 32
    mask = np.uint64(0x00000000FFFFFFFF)
    while half:
        shift = np.uint64(half)
        k = 0
        while k < 64:
            swap = ((square[k] >> shift) ^ square[k + half]) & mask
            square[k] ^= swap << shift
            square[k + half] ^= swap
            k = (k + half + 1) & ~half
        half >>= 1
        mask ^= mask << np.uint64(half)


@njit(**EXACT)
def _votes(row, live):
    votes = np.int64(0)
    for b in range(live.shape[0]):
        votes += ones(row[b] & live[b])
    return votes


@njit(**EXACT)
def _weight(row, live, weights):
    total = np.int64(0)
    for b in range(live.shape[0]):
        bits = row[b] & live[b]
        i = 64 * b
        while bits:
            total += weights[i] & -np.int64(bits & _ONE)
            bits >>= _ONE
            i += 1
    return total


@njit(**EXACT)
def _first_says(row, live):
    for b in range(live.shape[0]):
        if live[b]:
            lowest = live[b] & (~live[b] + _ONE)
            return row[b] & lowest != 0
    return False
