from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.compiled.boolean.concept_words import add_errors, ones, or_words
from tests.compiled.boolean.bits import row_words


@given(st.integers(0, 2**32 - 1), st.integers(0, 150))
def test_an_or_of_columns(seed, columns):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2**63, size=columns, dtype=np.uint64)
    inside = rng.random((30, columns)) < 0.3
    masks = row_words(inside)
    places = rng.permutation(30)[:20]
    words = np.empty(20, dtype=np.uint64)
    or_words(masks, places, values, words)
    for word, place in zip(words, places, strict=True):
        wanted = 0
        for j in range(columns):
            if inside[place, j]:
                wanted |= int(values[j])
        assert int(word) == wanted


@given(st.integers(0, 2**64 - 1))
def test_ones_are_counted(number):
    assert ones(np.uint64(number)) == number.bit_count()


@given(st.integers(0, 2**32 - 1), st.integers(1, 64))
def test_errors_are_counted_on_the_rows_in_use(seed, rows):
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 2**63, size=9, dtype=np.uint64)
    labels, used = np.uint64(rng.integers(0, 2**63)), np.uint64(2**rows - 1)
    errors = rng.integers(0, 100, size=9)
    before = errors.copy()
    add_errors(words, labels, used, errors)
    wanted = [sum((int(w) ^ int(labels)) >> t & 1 for t in range(rows)) for w in words]
    assert (errors - before).tolist() == wanted
