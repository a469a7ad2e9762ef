"""The other ends: beside SciPy, confirmed in whole numbers, mirrored, and kept as often as they say."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from assay.theory.registry import find_theorem
from assay.theory.tail.concordance import concordance_at_least
from assay.theory.tail.other_ends import (
    concordance_at_most,
    error_at_least,
    f1_at_most,
    macro_f1_at_most,
    mean_rate_at_most,
    rate_at_most,
)
from assay.theory.tail.rates import f1_at_least, rate_at_least
from tests.refusals import INSIDE_UNIT, NOT_INSIDE_UNIT, assert_refuses_all
from tests.soundness import assert_sound, assert_unsound

deltas = st.floats(1e-9, 0.4)
pairs = st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
cells = st.tuples(*[st.integers(0, 20)] * 3).filter(any)


def above(k, n, delta):
    return 1.0 if k == n else float(beta.ppf(1 - delta, k + 1, n - k))


def below(k, n, delta):
    return 0.0 if k == 0 else float(beta.ppf(delta, k, n - k + 1))


def f1(jaccard):
    return 2 * jaccard / (1 + jaccard)


def test_golden_values():
    near = {"rel": 1e-12}
    assert error_at_least(50, 1000, 0.05) == pytest.approx(below(50, 1000, 0.05), **near)
    assert rate_at_most(180, 200, 0.05) == pytest.approx(above(180, 200, 0.05), **near)
    assert f1_at_most(180, 20, 30, 0.05) == pytest.approx(f1(above(180, 230, 0.05)), **near)
    mean = (above(180, 200, 0.025) + above(90, 120, 0.025)) / 2
    assert mean_rate_at_most([180, 90], [200, 120], 0.05) == pytest.approx(mean, **near)
    macro = (f1(above(180, 230, 0.025)) + f1(above(90, 140, 0.025))) / 2
    assert macro_f1_at_most([180, 90], [20, 30], [30, 20], 0.05) == pytest.approx(macro, **near)
    assert concordance_at_most(180, 0, 200, 0.05) == rate_at_most(180, 200, 0.05)


@settings(max_examples=60)
@given(pairs, deltas)
def test_mirrored(pair, delta):
    k, n = pair
    high = Fraction(rate_at_most(k, n, delta))
    assert 1 - high <= Fraction(rate_at_least(n - k, n, delta)) + Fraction(1, 2**52)
    assert error_at_least(k, n, delta) == rate_at_least(k, n, delta)
    assert error_at_least(k, n, delta) <= k / n <= high


@settings(max_examples=40)
@given(cells, st.lists(cells, min_size=1, max_size=4), deltas)
def test_the_ends_stand_on_their_sides_of_what_was_seen(cell, classes, delta):
    hits, alarms, misses = cell
    seen = 2 * hits / (2 * hits + alarms + misses)
    assert f1_at_least(*cell, delta) <= seen <= f1_at_most(*cell, delta)
    # A class that does not occur may have any score.
    columns = [list(column) for column in zip(*classes, (0, 0, 0), strict=True)]
    scores = [2 * h / (2 * h + a + m) for h, a, m in classes]
    high = macro_f1_at_most(*columns, delta)
    assert high >= (sum(scores) + 1) / (len(scores) + 1) - 1e-12


@settings(max_examples=40)
@given(pairs, st.sampled_from(["0.05", "1e-12"]), st.booleans())
def test_confirmed_and_anything_closer_is_not(pair, delta, at_length):
    k, n = pair
    cases = {
        "rate-at-most": {"successes": k, "rows": n},
        "f1-at-most": {"true_positives": k, "false_positives": 0, "false_negatives": n - k},
        "mean-rate-at-most": {"successes": [k, n], "rows": [n, n]},
        "macro-f1-at-most": {
            "true_positives": [k, 0],
            "false_positives": [n - k, 0],
            "false_negatives": [0, 0],
        },
        "concordance-at-most": {"concordant": k, "tied": 0, "pairs": n},
    }
    for name, counts in cases.items():
        entry, inputs = find_theorem(name), counts | {"delta": delta}
        high = Fraction(entry(**inputs))
        assert entry.checker(inputs, high, at_length) == (True, True), name
        if high < 1:
            assert not entry.checker(inputs, high - Fraction(1, 10**9), at_length)[0], name
    entry, inputs = find_theorem("error-at-least"), {"errors": k, "rows": n, "delta": delta}
    low = Fraction(entry(**inputs))
    assert entry.checker(inputs, low, at_length) == (True, True)
    assert not entry.checker(inputs, low + Fraction(1, 10**9), at_length)[0]


@settings(max_examples=30)
@given(pairs, deltas)
def test_pairs_that_are_ranked_wrongly_leave_the_area(pair, delta):
    k, n = pair
    tied = (n - k) // 2
    if not tied:
        return
    high = Fraction(concordance_at_most(k, tied, n, delta))
    low = Fraction(concordance_at_least(n - k - tied, tied, n, delta))
    assert 0 <= high - (1 - low) <= Fraction(1, 2**50)


def both_broken(trials: int, share: float, seed: int) -> int:
    """How often one of the two ends of an error is on the wrong side, where each has a share of delta."""
    rate, seen = 0.1, np.random.default_rng(seed).binomial(60, 0.1, trials)
    ends = {
        k: (error_at_least(k, 60, share), 1 - rate_at_least(60 - k, 60, share))
        for k in set(seen.tolist())
    }
    return sum(not ends[k][0] <= rate <= ends[k][1] for k in seen.tolist())


def test_both_ends_hold_at_once_with_half_of_delta_each():
    assert_sound(both_broken(20_000, 0.1, 1), 20_000, 0.2)
    assert_unsound(both_broken(20_000, 0.2, 1), 20_000, 0.2)


def test_refusals():
    good = {"successes": 3, "rows": 5, "delta": 0.05}
    assert_refuses_all(rate_at_most, good, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    good = {"errors": 3, "rows": 5, "delta": 0.05}
    assert_refuses_all(error_at_least, good, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
