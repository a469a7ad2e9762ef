# Problem   a decimal number in text as the float64 nearest to it: what float() makes of it, to the bit.
# Given     text uint8, in which some byte that belongs to no number follows; p where the number starts.
# Returns   whether the number was read, its value, and the place behind it. Not read, and left to
#           float(): what is no decimal number, the words nan and inf, numbers beyond the largest
#           float64, and the few whose many digits lie too close to the middle of two floats.
# Source    Clinger, 1990, for up to 2^53 and powers up to 10^22; Lemire, 2021, "Number parsing at a
#           gigabyte per second" (after Eisel), for all others.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT

# Calling these for every number would take half as long again.
INLINED = EXACT | {"forceinline": True}

_LEAST, _MOST = -342, 308  # a 19-digit whole number times any other power is 0 or too large


def _powers_of_five():
    """The leading 128 bits of 5^q, q from -342 to 308, as pairs of words; for q < 0 rounded up."""
    words = []
    for q in range(_LEAST, _MOST + 1):
        if q < 0:
            power = 5**-q
            bits = (power - 1).bit_length()
            shift = bits + 127 if q >= -27 else 2 * bits + 128
            lead = 2**shift // power + 1
        else:
            lead = 5**q << 128
        lead >>= lead.bit_length() - 128
        words.append((lead >> 64, lead & (2**64 - 1)))
    return np.array(words, dtype=np.uint64)


_FIVES = _powers_of_five()
_TENS = np.array([10.0**k for k in range(23)])

_0, _1, _2, _3 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
_8, _9, _10, _19 = np.uint64(8), np.uint64(9), np.uint64(10), np.uint64(19)
_32, _52, _63, _64 = np.uint64(32), np.uint64(52), np.uint64(63), np.uint64(64)
_LOW = np.uint64(2**32 - 1)
_ALL = np.uint64(2**64 - 1)
_EXACT_WHOLE = np.uint64(2**53)
_HIDDEN = np.uint64(2**52)
_DIGIT = np.uint64(ord("0"))
_PLUS, _MINUS, _POINT = ord("+"), ord("-"), ord(".")
_E, _SMALL_E = ord("E"), ord("e")


@njit(**EXACT)
def _product(a, b):
    """The 128-bit product of two words: its high word and its low one."""
    a1, a0, b1, b0 = a >> _32, a & _LOW, b >> _32, b & _LOW
    low = a0 * b0
    middle = a1 * b0 + (low >> _32)
    other = a0 * b1 + (middle & _LOW)
    return a1 * b1 + (middle >> _32) + (other >> _32), (other << _32) | (low & _LOW)


@njit(**EXACT)
def _leading_zeros(word):
    """Of a word other than zero: the exponent of a float that holds its leading bits exactly."""
    if word < _EXACT_WHOLE:
        return np.uint64(1086) - (np.float64(np.int64(word)).view(np.uint64) >> _52)
    lead = np.float64(np.int64(word >> np.uint64(11)))
    return np.uint64(1075) - (lead.view(np.uint64) >> _52)


@njit(**INLINED)
def nearest(whole, power):
    """The float64 nearest to whole * 10^power; the flag is False where this cannot be decided."""
    if whole <= _EXACT_WHOLE and -22 <= power <= 22:
        if power < 0:
            return True, np.float64(whole) / _TENS[np.uint64(-power)]
        return True, np.float64(whole) * _TENS[np.uint64(power)]
    if whole == _0 or power < _LEAST:
        return True, 0.0
    if power > _MOST:
        return False, np.inf
    zeros = _leading_zeros(whole)
    whole <<= zeros
    place = np.uint64(power - _LEAST)
    high, low = _product(whole, _FIVES[place, _0])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):
        more, _ = _product(whole, _FIVES[place, _1])
        low += more
        if low < more:
            high += _1
    if low == _ALL and (power < -27 or power > 55):
        return False, 0.0
    top = high >> _63
    cut = top + _9
    mantissa = high >> cut
    exponent = ((217706 * power) >> 16) + 63 + 1023 + np.int64(top) - np.int64(zeros)
    if exponent <= 0:
        if exponent <= -63:
            return True, 0.0
        mantissa >>= np.uint64(1 - exponent)
        mantissa = (mantissa + (mantissa & _1)) >> _1
        # A mantissa that grew to 2^52 carries into the exponent by itself.
        return True, np.uint64(mantissa).view(np.float64)
    if low <= _1 and -4 <= power <= 23 and mantissa & _3 == _1 and mantissa << cut == high:
        mantissa &= ~_1  # exactly in the middle: to even
    mantissa = (mantissa + (mantissa & _1)) >> _1
    if mantissa >= _HIDDEN << _1:
        mantissa = _HIDDEN
        exponent += 1
    if exponent >= 2047:
        return False, np.inf
    bits = np.uint64((mantissa - _HIDDEN) | (np.uint64(exponent) << _52))
    return True, bits.view(np.float64)


@njit(**EXACT)
def _leading_digits(text, p, stop):
    """Digits between p and stop (a point among them) beyond the 19 that fit into a word.

    Returns the first 19 that count, the power of ten by which all were cut, and whether anything
    but zeros was cut off.
    """
    whole, kept, power, cut, behind = _0, _0, 0, False, False
    while p < stop:
        if text[p] == _POINT:
            behind = True
        else:
            digit = np.uint64(text[p]) - _DIGIT
            if kept < _19:
                whole = whole * _10 + digit
                kept += _1 if whole > _0 else _0
                power -= 1 if behind else 0
            else:
                cut = cut or digit > _0
                power += 0 if behind else 1
        p += _1
    return whole, power, cut


@njit(**EXACT)
def read_digits(text, p, whole):
    """A run of digits behind what was read so far (modulo 2^64), and the place behind it."""
    digit = np.uint64(text[p]) - _DIGIT
    while digit <= _9:
        whole = whole * _10 + digit
        p += _1
        digit = np.uint64(text[p]) - _DIGIT
    return whole, p


@njit(**INLINED)
def _read_on(text, start, p, negative, whole, digits, power, raised):
    """The same number, as far as it was read: with an exponent, or with many digits."""
    if digits == _0:
        return False, 0.0, p
    cut = False
    if digits > _19:
        whole, power, cut = _leading_digits(text, start, p)
    if raised:
        p += _1
        down = text[p] == _MINUS
        p += np.uint64(down | (text[p] == _PLUS))
        first = p
        exponent, p = read_digits(text, p, _0)
        if p == first:
            return False, 0.0, p
        if p - first > _8:
            # No whole number of fewer than 10^8 digits makes up for such a power.
            exponent = np.uint64(10**9)
        power += -np.int64(exponent) if down else np.int64(exponent)
    sure, value = nearest(whole, power)
    if cut and sure:
        sure, above = nearest(whole + _1, power)
        sure = sure and above == value
    return sure, -value if negative else value, p


@njit(**INLINED)
def read_float(text, p):
    negative = text[p] == _MINUS
    p += np.uint64(negative | (text[p] == _PLUS))
    start = p
    whole, p = read_digits(text, p, _0)
    digits, power = p - start, 0
    if text[p] == _POINT:
        point = p
        whole, p = read_digits(text, p + _1, whole)
        digits = p - start - _1
        power = -np.int64(p - point - _1)
    raised = text[p] == _SMALL_E or text[p] == _E
    # By far the most numbers are done here; the rest is kept apart so that this stays small.
    if digits - _1 < _19 and whole <= _EXACT_WHOLE and power >= -22 and not raised:
        value = np.float64(np.int64(whole)) / _TENS[np.uint64(-power)]
        return True, -value if negative else value, p
    return _read_on(text, start, p, negative, whole, digits, power, raised)
