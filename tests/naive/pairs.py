"""Disjoint pairs and their coins, written from the description in whole numbers."""

from __future__ import annotations

import hashlib

_MASK = 2**64 - 1


def mix(x):
    z = x * 0x9E3779B97F4A7C15 & _MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
    return z ^ z >> 31


def pairs(positive):
    """Triples of the positive row, the negative row and the coin."""
    bits = "".join("1" if flag == positive[0] else "0" for flag in positive)
    bits += "0" * (-len(bits) % 8)
    packed = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))
    seed = int.from_bytes(hashlib.sha256(b"assay-pairs-1\n" + packed).digest()[:8], "little")

    def key(row):
        return mix(seed + row & _MASK)

    above = sorted((i for i, flag in enumerate(positive) if flag), key=key)
    below = sorted((i for i, flag in enumerate(positive) if not flag), key=key)
    return [
        (one, other, bool(mix((~seed & _MASK) + k & _MASK) & 1))
        for k, (one, other) in enumerate(zip(above, below, strict=False))
    ]
