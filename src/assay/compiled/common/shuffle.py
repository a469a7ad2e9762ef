# Problem   put places into a random order, the same one as scikit-learn's gradient descent for the same seed.
# Given     order (n,), overwritten; seed, a whole number below 2^31.
# Returns   nothing.
# Source    Fisher and Yates, by draws of Marsaglia's xorshift with 32 bits (2003): 13, 17, 5; a seed of zero is one.
import numpy as np
from numba import njit

from assay.compiled.common.flags import LENT

_WORD, _HALF = np.uint64(0xFFFFFFFF), np.uint64(0x7FFFFFFF)


@njit(**LENT)
def shuffle(order, seed):
    drawn = np.uint64(seed) if seed != 0 else np.uint64(1)
    n = order.shape[0]
    for i in range(n - 1):
        drawn = drawn ^ ((drawn << np.uint64(13)) & _WORD)
        drawn = drawn ^ (drawn >> np.uint64(17))
        drawn = drawn ^ ((drawn << np.uint64(5)) & _WORD)
        j = i + np.int64((drawn & _HALF) % np.uint64(n - i))
        order[i], order[j] = order[j], order[i]
