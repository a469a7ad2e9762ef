# Problem   the bag of one tree: rows drawn with replacement.
# Given     generator (4,) of the tree; draws, how many.
# Writes    counts (n,) int32: how often each row was drawn.
# Returns   nothing.
# Source    Breiman, Bagging predictors, 1996.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.ensembles.forest_counts import FIELD
from assay.compiled.ensembles.forest_node import below

_BOTH = np.uint64(2) * FIELD


@njit(**EXACT)
def draw_bag(generator, draws, counts):
    counts[:] = 0
    for _ in range(draws):
        counts[below(generator, counts.size)] += 1


# Problem   some of the features, each set of that size equally likely.
# Given     generator (4,); features (d,) int32, of which the first `many` are wanted.
# Writes    features, permuted.
# Returns   nothing.
# Source    Fisher & Yates, 1938.
@njit(**EXACT)
def draw_features(generator, many, features):
    for k in range(many):
        j = k + below(generator, features.size - k)
        features[k], features[j] = features[j], features[k]


# Problem   counts and classes of the rows of a bag in one word each, as `best_cut_of_counts` takes them.
# Given     counts (n,), less than 2^21 in all; label (n,) int32 of 0 and 1.
# Writes    packed (n,) uint64; rows, the distinct rows of the bag in ascending order.
# Returns   how many these are.
# Source    -
@njit(**EXACT)
def pack_bag(counts, label, packed, rows):
    many = 0
    for i in range(counts.size):
        if counts[i] > 0:
            count = np.uint64(counts[i])
            packed[i] = (np.uint64(1) << _BOTH) | (count << FIELD) | (count * np.uint64(label[i]))
            rows[many] = i
            many += 1
    return many
