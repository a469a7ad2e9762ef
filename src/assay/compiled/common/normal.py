# Problem   standard normal random numbers from few random words.
# Given     generator (4,) uint64 as in generator.py, overwritten.
# Returns   normal: a double, nearly always by one word, one product and one comparison; placed and seldom are
#           its halves, for loops that cannot afford a call.
# Source    Marsaglia & Tsang, The ziggurat method for generating random variables (2000), 256 layers of one
#           area; layer, sign and place come from different bits of the word (Doornik, 2005).
import math
from decimal import Context, Decimal

import numpy as np
from numba import njit

from assay.compiled.common.elementary import exp, log
from assay.compiled.common.flags import EXACT
from assay.compiled.common.generator import next_word, uniform

# Where the tail begins, and the area of every layer: with these, 256 layers end at height 1.
_TAIL, _AREA = 3.6541528853610088, 0.004928673233974655
# Each trial succeeds nearly always; so many fail only if the generator was tampered with.
_TRIALS = 1000
LAYER, ONE = np.uint64(255), np.uint64(1)


def _layers():
    # Edges from the bottom layer, which has the tail in it, to the top; heights of the density at them. In decimals,
    # which are the same on every machine.
    digits = Context(prec=20)

    def height_at(edge):
        return float(digits.exp(Decimal(-edge * edge / 2)))

    edges = [_AREA / height_at(_TAIL), _TAIL]
    while len(edges) < 256:
        height = _AREA / edges[-1] + height_at(edges[-1])
        edges.append(math.sqrt(-2 * float(digits.ln(Decimal(height)))))
    edges.append(0.0)
    return np.array(edges), np.array([height_at(edge) for edge in edges])


EDGES, _HEIGHTS = _layers()
_SCALES = EDGES[:256] * 2.0**-52


@njit(**EXACT)
def placed(word, layer):
    return (np.float64(np.int64(word) >> 11) + 0.5) * _SCALES[layer]


@njit(**EXACT)
def normal(generator):
    word = next_word(generator)
    layer = word & LAYER
    x = placed(word, layer)
    return x if abs(x) < EDGES[layer + ONE] else seldom(generator, layer, x)


@njit(**EXACT)
def seldom(generator, layer, x):
    # What is left to do where x does not lie wholly inside its layer.
    for _ in range(_TRIALS):
        if layer == np.uint64(0):
            return _tail(generator) if x > 0.0 else -_tail(generator)
        low, high = _HEIGHTS[layer], _HEIGHTS[layer + ONE]
        if low + (high - low) * uniform(generator) < exp(-0.5 * x * x):
            return x
        word = next_word(generator)
        layer = word & LAYER
        x = placed(word, layer)
        if abs(x) < EDGES[layer + ONE]:
            return x
    return 0.0


@njit(**EXACT)
def _tail(generator):
    x = 0.0
    for _ in range(_TRIALS):
        x, y = -log(uniform(generator)) / _TAIL, -log(uniform(generator))
        if y + y > x * x:
            break
    return _TAIL + x
