"""The area under the ROC curve from disjoint pairs: golden value, whole numbers, the promise and a broken twin."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.registry import find_theorem
from assay.theory.tail.concordance import concordance_at_least
from assay.theory.tail.rates import rate_at_least
from assay.theory.tail.unit_mean import unit_mean_betting
from tests.refusals import COUNT, NOT_COUNTS, assert_refuses_all, refuses
from tests.soundness import assert_sound, assert_unsound

deltas = st.floats(1e-9, 0.9)


@st.composite
def cases(draw, most=60):
    pairs = draw(st.integers(1, most))
    above = draw(st.integers(0, pairs))
    return above, draw(st.integers(0, pairs - above)), pairs


def test_golden_value():
    assert concordance_at_least(180, 0, 200, 0.05) == pytest.approx(0.8580107484090549, rel=1e-15)


@settings(max_examples=60)
@given(cases(), deltas)
def test_is_a_rate_without_ties_and_a_mean_with_them(case, delta):
    above, tied, pairs = case
    low = concordance_at_least(*case, delta)
    assert concordance_at_least(above, 0, pairs, delta) == rate_at_least(above, pairs, delta)
    if tied:
        kinds = [(0, 2, above), (1, 2, tied), (2, 2, pairs - above - tied)]
        high = unit_mean_betting([kind for kind in kinds if kind[2]], delta)
        assert Fraction(low) <= 1 - Fraction(high) < Fraction(math.nextafter(low, 2))
    assert low <= (above + tied / 2) / pairs or delta > 0.3


@settings(max_examples=40)
@given(cases(), st.sampled_from(["0.05", "1e-12"]), st.booleans())
def test_confirmed_and_anything_larger_is_not(case, delta, at_length):
    inputs = dict(zip(("concordant", "tied", "pairs"), case, strict=True)) | {"delta": delta}
    confirm, low = (
        find_theorem("concordance-at-least").checker,
        Fraction(concordance_at_least(**inputs)),
    )
    assert confirm(inputs, low, at_length) == (True, True)
    assert not confirm(inputs, low + Fraction(1, 10**9), at_length)[0]
    if low > Fraction(1, 100):
        assert confirm(inputs, low * Fraction(9, 10), at_length) == (True, False)


def drawn(trials: int, pairs: int, seed: int, levels: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Concordant and tied pairs of scores that take few values, and the area."""
    rng = np.random.default_rng(seed)
    high = rng.binomial(levels, 0.6, (trials, pairs))
    low = rng.binomial(levels, 0.4, (trials, pairs))
    chances = [
        [math.comb(levels, i) * p**i * (1 - p) ** (levels - i) for i in range(levels + 1)]
        for p in (0.6, 0.4)
    ]
    area = sum(
        chances[0][i] * chances[1][j] * ((i > j) + (i == j) / 2)
        for i in range(levels + 1)
        for j in range(levels + 1)
    )
    return (high > low).sum(axis=1), (high == low).sum(axis=1), area


def broken(above, tied, pairs, area, bound) -> int:
    different, many = np.unique(np.stack([above, tied], axis=1), axis=0, return_counts=True)
    values = (bound(int(k), int(t), pairs) for k, t in different)
    return sum(int(m) for low, m in zip(values, many, strict=True) if low > area)


def check(trials: int, seed: int) -> None:
    above, tied, area = drawn(trials, 40, seed, 2)
    halves = broken(above, tied, 40, area, lambda k, t, n: concordance_at_least(k, t, n, 0.05))
    assert_sound(halves, trials, 0.05)
    coin = above + np.random.default_rng(seed + 1).binomial(tied, 0.5)
    tossed = broken(coin, 0 * tied, 40, area, lambda k, t, n: concordance_at_least(k, t, n, 0.05))
    assert_sound(tossed, trials, 0.05)
    # Ties that count as concordant.
    kind = broken(above, tied, 40, area, lambda k, t, n: concordance_at_least(k + t, 0, n, 0.05))
    assert_unsound(kind, trials, 0.05)


def test_simulated_pairs_keep_the_promise():
    check(4000, 1)


@pytest.mark.guarantees
def test_simulated_pairs_keep_the_promise_at_length():
    check(100_000, 3)


def overlapping(trials: int, seed: int) -> int:
    """All pairs of 8 positive and 8 negative rows, counted as if they were independent."""
    rng = np.random.default_rng(seed)
    wins = rng.normal(1.0, 1, (trials, 8, 1)) > rng.normal(0.0, 1, (trials, 1, 8))
    area = 0.5 * (1 + math.erf(1 / 2))
    above = wins.sum(axis=(1, 2))
    return broken(above, 0 * above, 64, area, lambda k, t, n: concordance_at_least(k, t, n, 0.05))


def test_pairs_that_overlap_break_it():
    assert_unsound(overlapping(4000, 5), 4000, 0.05)


def test_refuses_what_is_not_covered():
    good = {"concordant": 3, "tied": 1, "pairs": 5, "delta": 0.05}
    assert_refuses_all(concordance_at_least, good, "concordant", COUNT, NOT_COUNTS)
    assert_refuses_all(concordance_at_least, good, "tied", COUNT, NOT_COUNTS)
    with refuses("concordant must be at most 4 of 5 pairs, 1 tied, but is 5."):
        concordance_at_least(5, 1, 5, 0.05)
