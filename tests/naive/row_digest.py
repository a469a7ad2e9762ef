"""A row's digest cell by cell, in Python's whole numbers, from the definition of `assay.evidence.row_mix`."""

from __future__ import annotations

import hashlib
import math
import re
import struct

WORD = 2**64
START = (0x243F6A8885A308D3, 0x13198A2E03707344)
STEP = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
NUMERAL = re.compile(r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
WORDS = {"true": 1, "True": 1, "TRUE": 1, "false": 0, "False": 0, "FALSE": 0}
ABSENT = {"", "NA", "N/A", "n/a", "#N/A", "NULL", "null", "NaN", "nan", "None", "?"}


def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


def bits(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def keys(cell):
    """The key in each lane, or nothing for a zero."""
    if isinstance(cell, str):
        text = cell.strip()
        if text in ABSENT:
            return keys(None)
        if text in WORDS:
            return keys(WORDS[text])
        if not NUMERAL.fullmatch(text):
            return struct.unpack("<QQ", hashlib.blake2b(text.encode(), digest_size=16).digest())
        cell = int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else float(text)
    if cell is None or cell != cell:
        return (0x7FF8000000000000,) * 2
    if isinstance(cell, int) and int(float(cell)) != cell:
        return (cell % WORD ^ 0xA4093822299F31D0,) * 2
    value = float(cell)
    if abs(value) < 2**24:
        value = struct.unpack("<f", struct.pack("<f", value))[0]
    assert not math.isnan(value)
    return None if value == 0 else (bits(value),) * 2


def row_digest(row, label=()):
    """The 16 bytes of a row; a label comes as a tuple of one."""
    cells = [*enumerate(row), *((WORD - 1, cell) for cell in label)]
    sums = [0, 0]
    for column, cell in cells:
        found = keys(cell)
        for lane in (0, 1) if found else ():
            seed = mix((START[lane] + (column + 1) * STEP[lane]) % WORD)
            sums[lane] = (sums[lane] + mix(found[lane] ^ seed)) % WORD
    return list(struct.pack("<QQ", *sums))
