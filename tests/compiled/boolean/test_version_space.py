from __future__ import annotations

import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.compiled.boolean.version_space import turn_square, version_space_rounds, vote_weights
from tests.compiled.boolean.bits import row_words
from tests.naive.halving import consistent, halving


def played(says, labels, weights, first):
    """One block of the loop: says (rows, concepts) and labels are truth values."""
    rows, concepts = says.shape
    words = np.array(
        [sum(int(bit) << t for t, bit in enumerate(column)) for column in says.T], dtype=np.uint64
    )
    label = np.uint64(sum(int(bit) << t for t, bit in enumerate(labels)))
    places = np.arange(concepts)
    changed = np.empty(rows, dtype=np.int64)
    left, mistakes, changes, refuted = version_space_rounds(
        words,
        np.asarray(weights, dtype=np.int64),
        places,
        len(set(map(int, weights))) == 1,
        label,
        rows,
        first,
        changed,
    )
    return places[:left].tolist(), mistakes, changed[:changes].tolist(), refuted


@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_random_tables_give_the_twin(seed, weighted, first):
    rng = np.random.default_rng(seed)
    rows, concepts = int(rng.integers(1, 65)), int(rng.integers(1, 200))
    says = rng.random((rows, concepts)) < 0.5
    target = int(rng.integers(concepts))
    weights = 2 ** rng.integers(0, 50, size=concepts) if weighted else np.ones(concepts, np.int64)
    hypotheses = [lambda t, i=i: 1 if says[t, i] else -1 for i in range(concepts)]
    y = [1 if says[t, target] else -1 for t in range(rows)]
    if first:
        twin = consistent(hypotheses, range(rows), y)
    else:
        twin = halving(hypotheses, range(rows), y, prior=[int(w) for w in weights])
    left, mistakes, changed, refuted = played(says, says[:, target], weights, first)
    assert [hypotheses[i] for i in left] == twin.left
    assert mistakes == twin.mistakes
    assert refuted == 0
    assert target in left
    sizes = [(says[:t] == says[:t, [target]]).all(axis=0).sum() for t in range(rows + 1)]
    assert changed == [t for t in range(rows) if sizes[t] != sizes[t + 1]]


def test_a_label_that_nobody_has_deletes_nothing():
    says = np.array([[True, True], [True, False]])
    left, mistakes, changed, refuted = played(says, [False, False], [1, 1], False)
    assert (left, mistakes, changed, refuted) == ([1], 2, [1], 1)


def test_a_tie_is_positive_and_weights_are_exact():
    says = np.array([[True, False, False]])
    big = 2**61
    assert played(says, [False], [big, big - 1, 1], False)[1] == 1
    assert played(says, [False], [big - 1, big - 1, 1], False)[1] == 0


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_votes_of_all(seed, alike):
    rng = np.random.default_rng(seed)
    rows, concepts = int(rng.integers(1, 65)), int(rng.integers(1, 200))
    says = rng.random((rows, concepts)) < 0.5
    weights = np.full(concepts, 7) if alike else 2 ** rng.integers(0, 50, size=concepts)
    yes = np.empty(rows, dtype=np.int64)
    vote_weights(row_words(says.T)[:, 0], weights, alike, rows, yes)
    assert yes.tolist() == [int(weights[row].sum()) for row in says]


@given(st.integers(0, 2**32 - 1))
def test_a_square_of_bits_turned_round(seed):
    bits = np.random.default_rng(seed).random((64, 64)) < 0.5
    square = row_words(bits)[:, 0].copy()
    turn_square(square)
    assert np.array_equal(square, row_words(bits.T)[:, 0])


def test_ten_thousand_rounds_of_65536_concepts_take_less_than_a_second():
    rng = np.random.default_rng(0)
    words = rng.integers(0, 2**63, size=2**16, dtype=np.uint64)
    words[0] = labels = np.uint64(0)
    words &= np.uint64(1) << rng.integers(0, 64, size=2**16, dtype=np.uint64)  # few are refuted
    changed = np.empty(64, dtype=np.int64)

    def block():
        weights, places = np.ones(2**16, np.int64), np.arange(2**16)
        return version_space_rounds(words, weights, places, True, labels, 64, False, changed)

    assert block()[0] > 2**14
    start = time.perf_counter()
    for _ in range(16):
        block()
    assert (time.perf_counter() - start) * 10_000 / (16 * 64) < 1.0
