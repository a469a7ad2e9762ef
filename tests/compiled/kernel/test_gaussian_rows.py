"""Powers of e in single precision."""

from __future__ import annotations

import numpy as np

from assay.compiled.kernel.gaussian_rows import gaussian_rows


def powers(x):
    out = np.zeros(x.shape, np.float32)
    gaussian_rows(x, out, 0, 0)
    return out.astype(np.float64)


def test_values_are_those_of_e_to_two_units():
    rng = np.random.default_rng(0)
    x = np.concatenate(
        [
            np.linspace(-87, 0, 200_001),
            -(10.0 ** rng.uniform(-30, 1.9, 200_001)),
            -np.log(2) * rng.integers(0, 250, 200_001) / 2,
        ]
    )
    x = np.maximum(x, -87).astype(np.float32).reshape(3, -1)
    exact = np.exp(x.astype(np.float64))
    assert np.abs(powers(x) / exact - 1).max() < 2.0**-23
    # The same check tells a polynomial that lacks its last term.
    r = np.linspace(-0.34, 0.34, 1001)
    short = sum(r**k / np.prod(np.arange(1.0, k + 1)) for k in range(6))
    assert np.abs(short / np.exp(r) - 1).max() > 2.0**-23


def test_what_is_out_of_range_counts_as_its_end():
    x = np.array([[3.0, 0.0, -0.0, np.inf, -np.inf, -1e30, np.nan, -87.0]], np.float32)
    found = powers(x)[0]
    np.testing.assert_array_equal(found[:4], 1.0)
    np.testing.assert_array_equal(found[4:7], found[7])
    assert 0 < found[7] < 2e-38


def test_only_the_part_meant_is_written():
    rng = np.random.default_rng(1)
    for width in (1, 7, 8, 33):
        x = -rng.random((3, width)).astype(np.float32)
        out = np.full((6, 50), 7.0, np.float32)
        gaussian_rows(x, out, 2, 5)
        np.testing.assert_allclose(out[2:5, 5 : 5 + width], np.exp(x), rtol=2e-7)
        out[2:5, 5 : 5 + width] = 7.0
        np.testing.assert_array_equal(out, 7.0)
