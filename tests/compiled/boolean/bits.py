"""Truth values as the loops take them."""

import numpy as np


def row_words(rows):
    """Each row of truth values in words of 64 bits, the first in the lowest bit."""
    words = np.zeros((len(rows), max(1, -(-rows.shape[1] // 64))), dtype=np.uint64)
    for i, j in zip(*np.nonzero(rows), strict=True):
        words[i, j // 64] |= np.uint64(1) << np.uint64(j % 64)
    return words
