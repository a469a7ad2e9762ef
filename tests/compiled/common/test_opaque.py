import numpy as np
import pytest
from numba import float64, int64, njit, types

from assay.compiled.common.opaque import address_of, opaque

PAIR = types.Tuple((float64, int64))
SIGNATURE = PAIR(float64[::1], int64)
call_fixed, call_any = opaque(SIGNATURE), opaque(PAIR)


@njit
def total(numbers, times):
    if times < 0:
        raise ValueError("times is negative")
    return numbers.sum() * times, times + 1


@njit
def fixed(address, numbers, times):
    return call_fixed(address, numbers, times)


@njit
def any_types(address, numbers, times):
    return call_any(address, numbers, times)


@pytest.mark.parametrize("caller", [fixed, any_types])
def test_a_loop_is_called_by_its_address(caller):
    address = address_of(total, SIGNATURE)
    assert caller(address, np.array([1.5, 2.5]), 3) == (12.0, 4)
    assert address_of(total, SIGNATURE) == address  # compiled once
    with pytest.raises(ValueError, match="times is negative"):  # refusals come through
        caller(address, np.array([1.0]), -1)


def test_a_signature_the_loop_does_not_keep_to_is_noticed():
    with pytest.raises(AssertionError):
        address_of(total, types.Tuple((float64, float64))(float64[::1], int64))
