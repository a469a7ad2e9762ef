"""xoshiro256++ in Python's integers, seeded by SplitMix64, written from the papers."""

from __future__ import annotations

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def _mixed(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


class Generator:
    def __init__(self, seed, run=0):
        word = _mixed((seed + _GOLDEN) & _MASK)
        word ^= _mixed((_mixed((run + _GOLDEN) & _MASK) + _GOLDEN) & _MASK)
        self.s = [_mixed((word + (i + 1) * _GOLDEN) & _MASK) for i in range(4)]

    def word(self):
        s = self.s
        x = (s[0] + s[3]) & _MASK
        result = (((x << 23 | x >> 41) & _MASK) + s[0]) & _MASK
        t = (s[1] << 17) & _MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = (s[3] << 45 | s[3] >> 19) & _MASK
        return result

    def uniform(self):
        return (2 * (self.word() >> 11) + 1) * 2.0**-54
