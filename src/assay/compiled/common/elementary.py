# Problem   exp, log and their like with the same bits on every machine: those of the C library and of NumPy differ by
#           processor and version.
# Given     doubles.
# Returns   the function's value, within one unit in the last place; `power` within three, where it is not beyond
#           e^100 or below e^-100, and `log_gamma` to 1e-14 of its terms. Infinities, zeros, NaN and numbers out of
#           range give what the C library gives, without a warning.
# Source    Cody & Waite, 1980: whole multiples of ln 2 are taken away in two parts, of which the first is exact; then
#           polynomials, fitted in 50 digits so that their largest error is least: (e^r - 1 - r) / r^2 for
#           |r| <= ln(2) / 2, and ln((1 + s) / (1 - s)) with s = f / (2 + f) for the logarithm of 1 + f. Tang, 1989 and
#           1990, for `exp` and `log` of most numbers: tables of 128 powers and logarithms, made by decimals, leave
#           polynomials of a few terms. Dekker, 1971, for exact products. Nothing but additions, products and
#           quotients, each rounded by itself, and products that are added before they are rounded.

from decimal import Context, Decimal

import numpy as np
from llvmlite import ir
from numba import njit
from numba.core import types
from numba.extending import intrinsic

from assay.compiled.common.flags import EXACT
from assay.compiled.common.lanes import one_by_one, power_of_two, where

# Adding 1.5 * 2^52 leaves the nearest whole number in the lowest bits.
_TO_WHOLE = 1.5 * 2.0**52
_LOG2_E = 1.4426950408889634
# ln 2, the first part with 32 bits, so that whole multiples of it are exact.
_LN2_HIGH, _LN2_LOW = 0.69314718036912382, 1.9082149292705877e-10
_SQRT2 = 1.4142135623730951
_LEAST_NORMAL, _TWO_54 = 2.0**-1022, 2.0**54
_SPLIT = 2.0**27 + 1.0
_MANTISSA, _ONE_BITS = (1 << 52) - 1, 1023 << 52
_HALF_LOG_2PI = 0.91893853320467274
# Of (e^r - 1 - r) / r^2, from the constant on.
_E = (
    0.5000000000000001,
    0.16666666666666674,
    0.04166666666662382,
    0.008333333333322125,
    0.0013888888917368762,
    0.00019841269886839016,
    2.4801521055642096e-05,
    2.755724205671364e-06,
    2.762020251400203e-07,
    2.511015523194337e-08,
)
# Of (ln((1 + s) / (1 - s)) / s - 2) / s^2, in s^2.
_L = (
    0.666666666666667,
    0.39999999999897884,
    0.28571428626652035,
    0.2222221103168958,
    0.18182896209929897,
    0.1533149773423788,
    0.14619096972087176,
)
# Of (e^r - 1 - r) / r^2 for |r| <= ln(2) / 256, and of (ln(1 + r) - r) / r^2 for |r| <= 0.0042.
_E_SHORT = (0.4999999999999906, 0.16666666666666133, 0.0416666768691691, 0.008333335519363745)
_L_SHORT = (
    -0.5,
    0.3333333333194416,
    -0.24999999996839598,
    0.20000315004526234,
    -0.16667052549471492,
)
_PARTS = 128
_PARTS_LOG2_E = 184.6649652337873
# ln(2) / 128, the first part with 35 bits.
_PART_HIGH, _PART_LOW = 0.005415212347998022, 1.2655086083325438e-13


def _tables():
    digits, one = Context(prec=40), Decimal(1)
    two = digits.ln(Decimal(2))
    powers, powers_left, inverses, logs, logs_left = np.empty((5, _PARTS))
    for i in range(_PARTS):
        # 2^(i/128), and what rounding took from it, as a share.
        power = digits.exp(digits.multiply(two, Decimal(i) / _PARTS))
        powers[i] = float(power)
        left = digits.subtract(power, Decimal(float(power)))
        powers_left[i] = float(digits.divide(left, power))
        # About one over the middle of the i-th part of [1, 2), with 12 bits behind the point; and its logarithm,
        # the first part of which has 32 bits behind the point.
        inverses[i] = round(4096.0 / (1.0 + (i + 0.5) / _PARTS)) / 4096.0
        log = digits.ln(digits.divide(one, Decimal(float(inverses[i]))))
        logs[i] = round(float(log) * 2.0**32) / 2.0**32
        logs_left[i] = float(digits.subtract(log, Decimal(float(logs[i]))))
    return powers, powers_left, inverses, logs, logs_left


_POWERS, _POWERS_LEFT, _INVERSES, _LOGS, _LOGS_LEFT = _tables()

# Below e to this power the numbers lose digits; `exponential` says zero there.
LEAST_EXPONENT = -708.0


@intrinsic
def _bits(context, number):
    def bitcast(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), bitcast


@intrinsic
def _float(context, bits):
    def bitcast(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), bitcast


@intrinsic
def _fma(context, a, b, c):
    # a * b + c with one rounding, which is the same everywhere: a processor that cannot do so has it done by
    # the C library. Written where it is meant; the compiler makes none by itself.
    def fused(context, builder, signature, args):
        return builder.fma(*args)

    return types.float64(types.float64, types.float64, types.float64), fused


@intrinsic
def _stay_apart(context):
    # The function that says so is called, never copied into its callers, as those of the C library are: where a
    # loop would grow too long by it to be copied itself, handing its arrays on would cost more than the call.
    def mark(context, builder, signature, args):
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), mark


def rise(r):
    """e^r - 1 for |r| up to ln(2) / 2; of numbers, or of lanes of them."""
    r2 = r * r
    r4 = r2 * r2
    low = (_E[0] + _E[1] * r) + r2 * (_E[2] + _E[3] * r)
    high = (_E[4] + _E[5] * r) + r2 * (_E[6] + _E[7] * r)
    return r + r2 * ((low + r4 * high) + (r4 * r4) * (_E[8] + _E[9] * r))


def exponential_lanes(x):
    """e^x for x up to 700, and zero below LEAST_EXPONENT; of lanes of numbers."""
    inside = x >= LEAST_EXPONENT
    kept = where(inside, x, LEAST_EXPONENT)
    shifted = kept * _LOG2_E + _TO_WHOLE
    twos = shifted - _TO_WHOLE
    r = (kept - twos * _LN2_HIGH) - twos * _LN2_LOW
    return where(inside, (1.0 + rise(r)) * power_of_two(shifted, 1023), 0.0)


_exponential = one_by_one(exponential_lanes)
_rise = one_by_one(rise)


@njit(**EXACT)
def exponential(x):
    return _exponential(x)


@njit(**EXACT)
def exp(x):
    _stay_apart()
    if not -700.0 < x < 700.0:
        return _exp_of_sum(x, 0.0)
    shifted = _fma(x, _PARTS_LOG2_E, _TO_WHOLE)
    parts = shifted - _TO_WHOLE
    r = _fma(parts, -_PART_LOW, _fma(parts, -_PART_HIGH, x))
    whole = _bits(shifted)
    place = np.uint64(whole) & np.uint64(_PARTS - 1)
    scale = _float(_bits(_POWERS[place]) + ((whole >> 7) << 52))
    r2 = r * r
    bend = _fma(r2, _fma(_E_SHORT[3], r, _E_SHORT[2]), _fma(_E_SHORT[1], r, _E_SHORT[0]))
    return _fma(scale, _fma(r2, bend, _POWERS_LEFT[place] + r), scale)


@njit(**EXACT)
def _exp_of_sum(x, more):
    _stay_apart()
    # e^(x + more), where more is small beside one.
    if not -746.0 < x < 710.0:
        return x if x != x else (np.inf if x > 0.0 else 0.0)
    twos = (x * _LOG2_E + _TO_WHOLE) - _TO_WHOLE
    high, low = x - twos * _LN2_HIGH, twos * _LN2_LOW
    r = high - low
    grown, left = _rise(r), ((high - r) - low) + more
    value = 1.0 + (grown + (left + left * grown))
    # By two factors, since 2^1024 is no double, and neither is 2^-1075.
    half = np.int64(twos) // 2
    return value * _two_to(half) * _two_to(np.int64(twos) - half)


@njit(**EXACT)
def _two_to(whole):
    return _float((whole + 1023) << 52)


@njit(**EXACT)
def expm1(x):
    _stay_apart()
    if not -40.0 < x < 40.0:
        return -1.0 if x < 0.0 else exp(x)
    twos = (x * _LOG2_E + _TO_WHOLE) - _TO_WHOLE
    if twos == 0.0:
        return _rise(x) if x != 0.0 else x
    high, low = x - twos * _LN2_HIGH, twos * _LN2_LOW
    r = high - low
    scale = _two_to(np.int64(twos))
    return scale * (_rise(r) + ((high - r) - low)) + (scale - 1.0)


@njit(**EXACT)
def _twos_and_rest(x):
    # x = 2^k (1 + f) with 1 + f between the root of a half and the root of two.
    k = 0
    if x < _LEAST_NORMAL:
        x, k = x * _TWO_54, -54
    bits = _bits(x)
    k += (bits >> 52) - 1023
    part = _float((bits & _MANTISSA) | _ONE_BITS)
    if part > _SQRT2:
        part, k = 0.5 * part, k + 1
    return np.float64(k), part - 1.0


@njit(**EXACT)
def _bend(s):
    # (ln((1 + s) / (1 - s)) - 2 s) / s.
    z = s * s
    z2 = z * z
    low = (_L[0] + _L[1] * z) + z2 * (_L[2] + _L[3] * z)
    return z * (low + (z2 * z2) * ((_L[4] + _L[5] * z) + z2 * _L[6]))


@njit(**EXACT)
def _log(k, f):
    # k ln 2 + ln(1 + f); f itself is added last, so its digits are all there.
    s = f / (2.0 + f)
    half = 0.5 * f * f
    rest = half - (s * (half + _bend(s)) + k * _LN2_LOW)
    return k * _LN2_HIGH - (rest - f)


@njit(**EXACT)
def log(x):
    _stay_apart()
    if not _LEAST_NORMAL <= x < np.inf or 0.94 < x < 1.07:
        return _seldom_log(x)
    bits = _bits(x)
    k = np.float64((bits >> 52) - 1023)
    place = np.uint64(bits >> 45) & np.uint64(_PARTS - 1)
    r = _fma(_float((bits & _MANTISSA) | _ONE_BITS), _INVERSES[place], -1.0)
    r2 = r * r
    low, high = _fma(_L_SHORT[1], r, _L_SHORT[0]), _fma(_L_SHORT[3], r, _L_SHORT[2])
    bend = _fma(r2, _fma(r2, _L_SHORT[4], high), low)
    left = _fma(k, _LN2_LOW, _LOGS_LEFT[place]) + r
    return _fma(k, _LN2_HIGH, _LOGS[place]) + _fma(r2, bend, left)


@njit(**EXACT)
def _seldom_log(x):
    _stay_apart()
    # Near one, where the digits of x - 1 count, and what is no ordinary number.
    if not 0.0 < x < np.inf:
        return -np.inf if x == 0.0 else (x if x > 0.0 else np.nan)
    k, f = _twos_and_rest(x)
    return _log(k, f)


@njit(**EXACT)
def log1p(x):
    _stay_apart()
    if -0.29 < x < 0.41:
        return _log(0.0, x) if x != 0.0 else x
    if not -1.0 < x < np.inf:
        return -np.inf if x == -1.0 else (x if x > 0.0 else np.nan)
    whole = 1.0 + x
    k, f = _twos_and_rest(whole)
    # What rounding took from 1 + x.
    lost = x - (whole - 1.0) if x < 1.0 else 1.0 - (whole - x)
    return _log(k, f) + lost / whole


@njit(**EXACT)
def _exact_product(a, b):
    # The product and what rounding took from it, of numbers far from overflow.
    product = a * b
    c, d = _SPLIT * a, _SPLIT * b
    a_high, b_high = c - (c - a), d - (d - b)
    a_low, b_low = a - a_high, b - b_high
    left = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, left


@njit(**EXACT)
def _log_in_two(x):
    # ln x as a double and what is left, together good to 2^-59 of it; x positive and finite.
    k, f = _twos_and_rest(x)
    below = 2.0 + f
    s = f / below
    product, left = _exact_product(s, below)
    s_left = (((f - product) - left) - s * (f - (below - 2.0))) / below
    high = k * _LN2_HIGH
    total = high + 2.0 * s
    lost = (high - total) + 2.0 * s if k != 0.0 else 0.0
    low = lost + (k * _LN2_LOW + (2.0 * s_left + s * _bend(s)))
    whole = total + low
    return whole, (total - whole) + low


@njit(**EXACT)
def power(base, exponent):
    _stay_apart()
    # For a base of zero or more.
    if exponent == 0.0 or base == 1.0:
        return 1.0
    if base != base or exponent != exponent or base < 0.0:
        return np.nan
    if base == 0.0 or base == np.inf:
        return 0.0 if (base == 0.0) == (exponent > 0.0) else np.inf
    high, low = _log_in_two(base)
    rough = high * exponent
    if not -760.0 < rough < 760.0:
        return np.inf if rough > 0.0 else 0.0
    product, left = _exact_product(high, exponent)
    return _exp_of_sum(product, left + low * exponent)


@njit(**EXACT)
def log_gamma(x):
    # For x >= 1: Stirling's series, from 16 on; below it x is raised step by step.
    product = 1.0
    while x < 16.0:
        product *= x
        x += 1.0
    z = 1.0 / (x * x)
    series = 1 / 12 - z * (
        1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z * (1 / 1188 - z * (691 / 360360))))
    )
    return ((x - 0.5) * log(x) - x + _HALF_LOG_2PI + series / x) - log(product)


@njit(**EXACT)
def logs(numbers):
    # Of each number of an array.
    out = np.empty(numbers.shape[0])
    for i in range(numbers.shape[0]):
        out[i] = log(numbers[i])
    return out


@njit(**EXACT)
def exps(numbers):
    out = np.empty(numbers.shape[0])
    for i in range(numbers.shape[0]):
        out[i] = exp(numbers[i])
    return out


@njit(**EXACT)
def powers(base, exponents):
    out = np.empty(exponents.shape[0])
    for i in range(exponents.shape[0]):
        out[i] = power(base, exponents[i])
    return out
