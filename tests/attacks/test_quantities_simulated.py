"""What is promised of predicted numbers, at its worst cases; beside each promise a broken one that must be caught."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.stats import beta

from assay import certify
from assay.errors import AssayError
from tests.soundness import assert_sound, assert_unsound

DELTA = 0.05


def promised(truth, guess, **asked):
    return certify(y_true=truth, y_pred=guess, **asked).claims[0].promised


# How far off nine rows of ten are: the error of a rank. Continuous errors are the worst case, ties help.


@cache
def rank(rows, coverage, delta=DELTA):
    """Which of the sorted errors a certificate promises."""
    errors = np.arange(1.0, rows + 1)
    return int(promised(errors, np.zeros(rows), coverage=coverage, delta=delta))


def too_near(rows, coverage, place, *, ties=False, trials=20_000):
    """How often more than the rest is farther off than the error of a rank; errors have a known distribution."""
    errors = np.random.default_rng(21).random((trials, rows))
    limit = np.partition(errors, place - 1, axis=1)[:, place - 1]
    # With ties, errors are rounded up to tenths, and the limit with them.
    limit = np.ceil(limit * 10) / 10 if ties else limit
    return int(np.count_nonzero(1 - limit > 1 - coverage + 1e-12))


@pytest.mark.parametrize(("rows", "coverage"), [(29, 0.9), (46, 0.9), (93, 0.95)])
def test_the_error_of_a_rank(rows, coverage):
    # So many rows that the promise fails as often as it may.
    place = rank(rows, coverage)
    assert_sound(too_near(rows, coverage, place), 20_000, DELTA)
    assert_sound(too_near(rows, coverage, place, ties=True), 20_000, DELTA)
    assert_unsound(too_near(rows, coverage, place - 1), 20_000, DELTA)


def test_a_rank_at_twice_the_delta_fails_too_often():
    rows = 78  # where twice the delta buys a smaller rank
    assert rank(rows, 0.9, 0.1) < rank(rows, 0.9)
    assert_unsound(too_near(rows, 0.9, rank(rows, 0.9, 0.1)), 20_000, DELTA)


def test_all_errors_equal():
    assert promised(np.full(60, 3.0), np.ones(60), coverage=0.9) == 2
    assert promised(np.full(60, 3.0), np.ones(60), within=2) == pytest.approx(1 - DELTA ** (1 / 60))


def test_one_row_promises_next_to_nothing():
    with pytest.raises(AssayError):
        promised([1.0], [0.0], coverage=0.9)
    assert promised([1.0], [0.0], within=2) == pytest.approx(1 - DELTA)
    assert promised([1.0], [1.0], range=(0, 2)) > 0.9


# How many rows are off by more than a limit


@cache
def beyond(count, rows=60, delta=DELTA):
    return promised((np.arange(rows) < count) * 5.0, np.zeros(rows), within=1, delta=delta)


def share_too_small(share, bound, trials=20_000, rows=60):
    counts = np.random.default_rng(22).binomial(rows, share, trials)
    bounds = {int(k): bound(int(k)) for k in np.unique(counts)}
    return sum(bounds[int(k)] < share for k in counts)


def test_the_share_beyond_a_limit_at_its_worst():
    for count in (0, 3):
        worst = beta.ppf(1 - DELTA, count + 1, 60 - count) + 1e-6
        assert_sound(share_too_small(worst, beyond), 20_000, DELTA)
    doubled = beyond(0, delta=0.1) + 1e-6
    assert_unsound(share_too_small(doubled, lambda k: beyond(k, delta=0.1)), 20_000, DELTA)
    one_less = beyond(0) * 1.5
    assert_unsound(share_too_small(one_less, lambda k: beyond(max(k - 1, 0))), 20_000, DELTA)


# The mean on a declared range, by betting: two-point errors are the worst case


def mean_too_small(share, promise, trials, rows=60):
    rng, broken = np.random.default_rng(23), 0
    for _ in range(trials):
        broken += bool(promise((rng.random(rows) < share) * 10.0) < share)
    return broken


def test_the_mean_on_a_range():
    def certified(off):
        return promised(off, np.zeros(len(off)), range=(0, 10))

    for share in (0.03, 0.049):
        assert_sound(mean_too_small(share, certified, 200), 200, DELTA)
    # Mean and two standard errors: nothing was seen of what is rare.
    usual = lambda off: (off.mean() + 2 * off.std() / len(off) ** 0.5) / 10  # noqa: E731
    assert_unsound(mean_too_small(0.03, usual, 200), 200, DELTA)


def test_predictions_beyond_the_range_are_clipped_and_the_promise_says_so():
    claim = certify(y_true=np.zeros(400), y_pred=np.full(400, 1e6), range=(0, 10)).claims[0]
    assert "clip(h(x))" in claim.statement
    assert claim.observed == 1
    # A promise about what is not clipped would be broken by every single row.
    assert float(claim.promised) * 10 < 1e6


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("asked", [{"coverage": 0.9}, {"within": 1}, {"range": (0, 10)}])
def test_what_is_no_number_is_refused(odd, asked):
    numbers = np.ones(50)
    for truth, guess in (
        (np.append(numbers, odd), np.ones(51)),
        (np.ones(51), np.append(numbers, odd)),
    ):
        with pytest.raises(AssayError):
            promised(truth, guess, **asked)


def test_a_range_from_these_rows_is_refused_where_it_does_not_hold():
    with pytest.raises(AssayError, match="must lie in the declared range"):
        promised(np.arange(12.0), np.zeros(12), range=(0, 10))
