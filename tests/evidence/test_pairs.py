"""Pairs of a positive and a negative row: disjoint, drawn by the truth alone, each as likely as any other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chisquare

from assay.evidence.pairs import disjoint_pairs
from tests.naive.pairs import pairs as naive

flags = st.lists(st.booleans(), max_size=40)


@given(flags)
def test_as_described(positive):
    found = disjoint_pairs(np.array(positive, dtype=bool))
    triples = zip(*(part.tolist() for part in found), strict=True)
    assert list(triples) == (naive(positive) if positive else [])


@given(flags)
def test_no_row_stands_in_two_pairs(positive):
    kinds = np.array(positive, dtype=bool)
    found = disjoint_pairs(kinds)
    rows = [*found.positive, *found.negative]
    assert len(set(rows)) == len(rows) == 2 * min(kinds.sum(), (~kinds).sum())
    assert kinds[found.positive].all()
    assert not kinds[found.negative].any()


@given(flags)
def test_calling_positive_what_was_negative_keeps_the_pairs(positive):
    kinds = np.array(positive, dtype=bool)
    one, other = disjoint_pairs(kinds), disjoint_pairs(~kinds)
    assert one.positive.tolist() == other.negative.tolist()
    assert one.coin.tolist() == other.coin.tolist()


def test_every_negative_row_is_as_likely():
    # Over truths that differ in one bit far behind: which of twenty rows meets the positive one.
    counts = np.zeros(20, dtype=int)
    for tail in range(4000):
        bits = [int(b) for b in f"{tail:012b}"]
        kinds = np.array([1] + [0] * 20 + [1 - b for b in bits], dtype=bool)
        found = disjoint_pairs(kinds)
        place = found.positive.tolist().index(0)
        partner = int(found.negative[place])
        if 1 <= partner <= 20:
            counts[partner - 1] += 1
    assert chisquare(counts).pvalue > 1e-6


def test_coins_are_fair():
    coin = disjoint_pairs(np.arange(200_000) % 2 == 0).coin
    assert 1e-6 < binom.cdf(int(coin.sum()), coin.size, 0.5) < 1 - 1e-6
    # A coin does not depend on the one before it.
    assert 1e-6 < binom.cdf(int((coin[1:] ^ coin[:-1]).sum()), coin.size - 1, 0.5) < 1 - 1e-6
