# Problem   uniform random numbers whose whole state is four words, so that a run can be saved and goes on.
# Given     generator (4,) uint64, overwritten; seed and run, whole numbers that name one stream.
# Returns   uniform: a double strictly between 0 and 1, an odd multiple of 2^-54.  next_word: 64 random bits.
# Source    Blackman & Vigna, Scrambled linear pseudorandom number generators (2021), xoshiro256++; the
#           words start as Steele, Lea & Flood's SplitMix64 (2014) gives them.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT, LENT

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_ONE = np.uint64(0xBF58476D1CE4E5B9)
_MIX_TWO = np.uint64(0x94D049BB133111EB)
_HALF_STEP = 2.0**-54


@njit(**EXACT)
def _mixed(word):
    word = (word ^ (word >> np.uint64(30))) * _MIX_ONE
    word = (word ^ (word >> np.uint64(27))) * _MIX_TWO
    return word ^ (word >> np.uint64(31))


@njit(**EXACT)
def start_stream(generator, seed, run):
    # The run is mixed before it meets the seed: neighbouring seeds and runs share no stream.
    word = _mixed(np.uint64(seed) + _GOLDEN) ^ _mixed(_mixed(np.uint64(run) + _GOLDEN) + _GOLDEN)
    for place in range(4):
        word += _GOLDEN
        generator[place] = _mixed(word)


@njit(**LENT)
def next_word(generator):
    s0, s1, s2, s3 = generator[0], generator[1], generator[2], generator[3]
    total = s0 + s3
    word = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
    t = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    generator[1] = s1 ^ s2
    generator[0] = s0 ^ s3
    generator[2] = s2 ^ t
    generator[3] = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    return word


@njit(**LENT)
def uniform(generator):
    return (np.float64(next_word(generator) >> np.uint64(11)) * 2.0 + 1.0) * _HALF_STEP
