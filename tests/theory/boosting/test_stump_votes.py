import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import DecisionStump
from assay.errors import BadParameter
from assay.theory.boosting.stump_votes import stump_vote_compression
from assay.theory.generalization.compression import compression_classic
from assay.theory.tail.binomial import upper_rate
from tests.soundness import assert_sound, assert_unsound

FEATURES = 8
SETTINGS = {"errors": 30, "size": 8, "rows": 2000, "delta": 0.05, "stumps": 5, "features": 20}


def test_it_is_compression_with_the_messages_counted():
    one = 20 * 8**2 * 2**2 + 2
    for weighted, each in ((False, one), (True, one * 2**64)):
        counted = compression_classic(30, 8, 2000, 0.05, messages=7 * each**5)
        assert stump_vote_compression(**SETTINGS, most_stumps=7, weighted=weighted) == counted


def test_a_stump_that_says_one_label_everywhere():
    bound = stump_vote_compression(
        errors=3, size=0, rows=100, delta=0.05, stumps=1, features=4, weighted=False
    )
    assert bound == compression_classic(3, 0, 100, 0.05, messages=2)


@settings(max_examples=30)
@given(
    st.integers(0, 50),
    st.integers(0, 30),
    st.integers(100, 3000),
    st.integers(1, 30),
    st.integers(1, 100),
)
def test_monotone(errors, size, rows, stumps, features):
    given_ = {
        "errors": errors,
        "size": size,
        "rows": rows,
        "delta": 0.05,
        "stumps": stumps,
        "features": features,
    }
    here = stump_vote_compression(**given_)
    assert 0 < here <= 1
    for name, more in (("errors", 1), ("stumps", 1), ("features", 5)):
        assert here <= stump_vote_compression(**given_ | {name: given_[name] + more})
    assert here <= stump_vote_compression(**given_, most_stumps=100)
    assert here <= stump_vote_compression(**given_, classes=3)
    assert stump_vote_compression(**given_, weighted=False) <= here


def test_long_messages_say_nothing_and_cost_nothing():
    big = SETTINGS | {"stumps": 50_000, "features": 10**400}
    assert stump_vote_compression(**big) == 1.0
    # Just below the length at which it gives up the number is above 15/16 already.
    edge = SETTINGS | {"errors": 0, "weighted": False}
    bits = (20 * 64 * 4 + 2).bit_length() - 1
    last = 4 * 1992 // bits
    assert 15 / 16 < stump_vote_compression(**edge | {"stumps": last}) < 1
    assert stump_vote_compression(**edge | {"stumps": last + 1}) == 1.0


def run(bound, trials=120, delta=0.2):
    """The best of the stumps on rows of noise, where every one is wrong half of the time."""
    rng = np.random.default_rng(5)
    violations = 0
    for _ in range(trials):
        X = rng.random((30, FEATURES)).round(2)
        y = (rng.random(30) < 0.5).astype(int)
        stump = DecisionStump("error").fit(X, y)
        column = X[:, stump.feature_]
        low = column[column <= stump.threshold_].max()
        high = column[column > stump.threshold_].min()
        kept = [int(np.flatnonzero(column == value)[0]) for value in (low, high)]
        others = np.setdiff1d(np.arange(30), kept)
        wrong = int((stump.predict(X) != y)[others].sum())
        violations += bound(wrong, delta) < 0.5
    return violations, trials, delta


def test_promise_on_noise():
    def bound(errors, delta):
        return stump_vote_compression(
            errors=errors, size=2, rows=30, delta=delta, stumps=1, features=FEATURES, weighted=False
        )

    assert_sound(*run(bound))


def test_a_bound_that_forgets_the_choice_is_caught():
    def bound(errors, delta):
        return upper_rate(errors, 28, Fraction(delta))

    assert_unsound(*run(bound))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"stumps": 0}, "stumps must be a whole number of at least 1, but is 0."),
        ({"stumps": True}, "stumps must be a whole number of at least 1, but is True."),
        ({"size": -1}, "size must be a whole number of at least 0, but is -1."),
        ({"features": 0}, "features must be a whole number of at least 1, but is 0."),
        ({"classes": 1}, "classes must be a whole number of at least 2, but is 1."),
        ({"most_stumps": 4}, "stumps must be at most most_stumps, 4, but is 5."),
        ({"most_stumps": 200_000}, "most_stumps must be at most 100000, but is 200000."),
        ({"weighted": 0.5}, "weighted must be True or False, but is 0.5."),
        ({"delta": math.nan}, "delta must be a number strictly between 0 and 1, but is nan."),
        ({"size": 3000}, "size must be at most the number of rows 2000, but is 3000."),
        ({"errors": 1993}, "errors must be at most the number of other rows 1992, but is 1993."),
    ],
)
def test_refusals(change, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        stump_vote_compression(**SETTINGS | change)
