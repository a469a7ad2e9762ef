"""Rows in the order of their codes, and scratch left as it was found."""

from __future__ import annotations

import numpy as np
import pytest

from assay.compiled.ensembles.forest_node import CLASSES, new_scratch
from assay.compiled.ensembles.forest_order import order_rows


@pytest.mark.parametrize("codes", [1, 2, 64, 65, 4096, 4097, 60_000])
def test_ascending_and_stable(codes):
    rng = np.random.default_rng(codes)
    _, words, tops, head, chain, order, place, _ = new_scratch(CLASSES, codes, 500, 1)
    for many in (1, 2, 30, 500):
        code = rng.integers(0, codes, 700).astype(np.uint16)
        code[:3] = codes - 1
        rows = rng.permutation(700)[:many].astype(np.int32)
        found = order_rows(code, rows, 0, many, head, chain, words, tops, order, place)
        wanted = rows[np.argsort(code[rows], kind="stable")]
        assert found == len(set(code[rows].tolist()))
        np.testing.assert_array_equal(order[:many], wanted)
        np.testing.assert_array_equal(place[:many], code[wanted])
        assert not words.any()
        assert not tops.any()
        assert (head == -1).all()


def test_a_part_of_the_rows():
    _, words, tops, head, chain, order, place, _ = new_scratch(CLASSES, 9, 10, 1)
    code = np.arange(9, -1, -1).astype(np.uint16)
    code[0] = 8
    rows = np.arange(10, dtype=np.int32)
    assert order_rows(code, rows, 2, 5, head, chain, words, tops, order, place) == 3
    assert order[:3].tolist() == [4, 3, 2]
