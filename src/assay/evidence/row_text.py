"""Text cells as keys of `assay.evidence.row_mix`: a number is known by its value, however it is written.

Spaces around a text do not matter. Text that is a plain decimal number is that number: an optional
sign, digits without leading zeros, perhaps a point, perhaps an exponent (``1``, ``1.0``, ``1e0``;
``01`` and ``0x1`` are not). ``true`` and ``false`` are 1 and 0, also as ``True`` or ``TRUE``, as files
of text write truth values; and what such files write for a missing value is missing. Any other text
is itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from assay.evidence.row_mix import MISSING, WIDE, number_keys, text_keys
from assay.types import Bools, Floats, Words

try:
    import pyarrow as pa
    import pyarrow.compute as pc
except ModuleNotFoundError:
    pa = pc = None

_NUMERAL = r"^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
# Whole numbers that may be beyond what a double holds exactly.
_LONG = r"^[+-]?[1-9][0-9]{15,}$"
_PADDED = r"^[+-]?0[0-9]"
_ABSENT = ("", "NA", "N/A", "n/a", "#N/A", "NULL", "null", "NaN", "nan", "None", "?")
_TRUE = ("true", "True", "TRUE")
_FALSE = ("false", "False", "FALSE")


def cell_keys(texts: pa.Array) -> Words:
    """The two keys of each text, one for each lane; a null is missing, and 0 is no key.

    Examples
    --------
    >>> keys = cell_keys(pa.array(["1", "1.0", "01", "0"]))
    >>> (keys[0] == keys[1]).all(), (keys[0] == keys[2]).any(), keys[3].tolist()
    (np.True_, np.False_, [0, 0])
    """
    words = pc.utf8_trim_whitespace(texts.cast(pa.large_string()))
    keys = np.zeros((len(words), 2), np.uint64)
    absent = _flags(pc.or_kleene(words.is_null(), pc.is_in(words, value_set=_large(_ABSENT))))
    keys[absent] = MISSING
    true, false = (_flags(pc.is_in(words, value_set=_large(v))) for v in (_TRUE, _FALSE))
    keys[true] = number_keys(np.ones(1))[0]
    numeral = _flags(pc.match_substring_regex(words, _NUMERAL))
    if numeral.any():
        keys[numeral] = _numeral_keys(words.filter(pa.array(numeral)))[:, None]
    other = ~(absent | true | false | numeral)
    if other.any():
        rest = words.filter(pa.array(other)).cast(pa.large_binary()).to_pylist()
        keys[other] = text_keys(rest)
    return keys


def plain_numbers(texts: pa.Array) -> Floats | None:
    """A column of nothing but plain decimal numbers and nulls as doubles; None for any other.

    It says what `cell_keys` says of such a column, and takes a third of the time.
    """
    try:
        values: Floats = texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        return None
    with np.errstate(invalid="ignore"):
        exact = np.count_nonzero(np.abs(values) < 2**53) == len(texts) - texts.null_count
    padded = exact and pc.any(pc.match_substring_regex(texts, _PADDED)).as_py()
    return values if exact and not padded else None


def _numeral_keys(numerals: pa.Array) -> Words:
    """The keys of texts that are numbers."""
    try:
        values = pc.utf8_ltrim(numerals, "+").cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:  # such as one too large for a double
        values = np.array([float(numeral) for numeral in numerals.to_pylist()])
    keys = number_keys(values)
    long = np.flatnonzero(_flags(pc.match_substring_regex(numerals, _LONG)))
    for i, numeral in zip(long.tolist(), numerals.take(pa.array(long)).to_pylist(), strict=True):
        keys[i] = _long_key(numeral, values[i], keys[i])
    return keys


def _long_key(numeral: str, value: float, key: np.uint64) -> np.uint64:
    """The key of a whole number that may be beyond doubles, `key` being that of the nearest double."""
    exact = int(numeral)
    if -(2**63) <= exact < 2**64 and exact != int(value):
        return np.uint64((exact % 2**64) ^ WIDE)
    return key


def plain_cell_keys(texts: Sequence[str | None]) -> Words:
    """What `cell_keys` gives, where pyarrow is not installed.

    Examples
    --------
    >>> bool((plain_cell_keys(["1", " ham", None]) == cell_keys(pa.array(["1", " ham", None]))).all())
    True
    """
    keys = np.zeros((len(texts), 2), np.uint64)
    for i, text in enumerate(texts):
        word = "" if text is None else text.strip()
        if word in _ABSENT:
            keys[i] = MISSING
        elif word in _TRUE:
            keys[i] = number_keys(np.ones(1))[0]
        elif re.fullmatch(_NUMERAL, word):
            value = float(word)
            key = number_keys(np.array([value]))[0]
            keys[i] = _long_key(word, value, key) if re.fullmatch(_LONG, word) else key
        elif word not in _FALSE:
            keys[i] = text_keys([word.encode()])[0]
    return keys


def _large(words: Sequence[str]) -> pa.Array:
    return pa.array(words, pa.large_string())


def _flags(truths: pa.Array) -> Bools:
    flags: Bools = truths.fill_null(False).to_numpy(zero_copy_only=False)
    return flags
