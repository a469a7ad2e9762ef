import math

import numpy as np
import pytest

from assay.compiled.common.double_sums import sparse_square, wide_dot, wide_square


@pytest.mark.parametrize("d", [0, 1, 3, 7, 8, 9, 50, 257])
def test_sums_are_exact_to_the_last_digits(d):
    rng = np.random.default_rng(d)
    x, w = rng.normal(size=d), rng.normal(size=d)
    bound = 1e-15 * (1 + np.abs(x) @ np.abs(w))
    assert abs(wide_dot(x, w) - math.fsum(x * w)) <= bound
    assert wide_square(x) == pytest.approx(math.fsum(x * x), rel=1e-14)
    assert sparse_square(np.append(9.0, x), 1, d + 1) == wide_square(x)


def test_single_precision_rows_are_summed_as_their_double_copies():
    rng = np.random.default_rng(0)
    for d in range(200):
        x, w = rng.normal(size=d).astype(np.float32), rng.normal(size=d)
        assert wide_dot(x, w) == wide_dot(x.astype(np.float64), w)
        assert wide_square(x) == wide_square(x.astype(np.float64))


def test_what_is_no_number_comes_through():
    assert math.isnan(wide_dot(np.array([1.0, np.nan]), np.zeros(2)))
    assert math.isnan(wide_dot(np.array([1.0, np.inf]), np.zeros(2)))
