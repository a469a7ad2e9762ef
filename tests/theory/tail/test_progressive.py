"""Progressive validation and suffixes: golden values, 60 digits, learners that try to cheat."""

from __future__ import annotations

import decimal
import functools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from assay.theory.registry import find_theorem
from assay.theory.tail.binomial import holdout_exact, upper_rate
from assay.theory.tail.binomial_many import holdout_exact_many
from assay.theory.tail.exact_twins import large_gap_exact
from assay.theory.tail.integers import MOST_ROWS
from assay.theory.tail.kl import holdout_kl
from assay.theory.tail.progressive import (
    bets,
    progressive_validation,
    progressive_validation_azuma,
    progressive_validation_vote,
    suffix_holdout,
    suffix_holdout_hoeffding,
)
from assay.theory.tail.progressive_anytime import progressive_anytime
from tests.naive import progressive as naive
from tests.naive import tails
from tests.refusals import (
    COUNT,
    COUNT_FROM_ONE,
    INSIDE_UNIT,
    NONNEGATIVE,
    NOT_COUNTS,
    NOT_COUNTS_FROM_ONE,
    NOT_INSIDE_UNIT,
    NOT_NONNEGATIVE,
    assert_refuses_all,
    refuses,
)
from tests.soundness import assert_sound, assert_unsound

deltas = st.floats(1e-9, 0.9)
DELTA = 0.05


@st.composite
def holdouts(draw, most=300):
    rows = draw(st.integers(1, most))
    return draw(st.integers(0, rows)), rows


# Golden values.


@pytest.mark.parametrize(
    ("errors", "rows", "value"),
    [
        (0, 100, 0.03469289458574521),
        (50, 1000, 0.07359858422828116),
        (557, 10_000, 0.06312028167453124),
    ],
)
def test_golden_values(errors, rows, value):
    assert progressive_validation(errors, rows, 0.05) == pytest.approx(value, abs=1e-14)


def test_fifty_in_a_thousand_to_twelve_digits_and_far_below_azuma():
    found = progressive_validation(50, 1000, 0.05)
    assert found == pytest.approx(0.0735985842282812, abs=1e-12)
    azuma = progressive_validation_azuma(50, 1000, 0.05)
    assert azuma == pytest.approx(0.127404551204099, abs=1e-12)
    assert found <= 0.60 * azuma


def test_grid_for_a_thousand_rows():
    expected = [0.1548091, 0.29877579, 0.57662614, 1.11286694, 2.14779168, 4.14515783, 8]
    assert bets(Fraction(1, 20), 1000) == pytest.approx(expected, abs=1e-8)


def test_price_in_multiples_of_the_exact_bound():
    for errors, rows, multiple in [(50, 1000, 1.17), (500, 10**4, 1.06), (5000, 10**5, 1.02)]:
        ratio = progressive_validation(errors, rows, 0.05) / holdout_exact(errors, rows, 0.05)
        assert round(ratio, 2) == multiple


def test_a_run_of_two_hundred_after_three_mistakes():
    found = suffix_holdout(0, 200, 0.05, mistakes=3)
    assert found == pytest.approx(0.0295130496070399, abs=1e-12)
    assert suffix_holdout(0, 100, 0.05, checkpoints=11) == pytest.approx(0.0525075169026572)


def test_registered():
    inputs = {"errors": 50, "rows": 1000, "delta": 0.05}
    entry = find_theorem("progressive-validation")
    assert entry(**inputs) == progressive_validation(**inputs)
    assert entry.textbook_id == "progressive-validation-azuma"
    assert entry.textbook(**inputs, horizon=2000) == progressive_validation_azuma(
        **inputs, horizon=2000
    )
    entry = find_theorem("suffix-holdout")
    for how in ({"checkpoints": 5}, {"mistakes": 5}):
        assert entry(**inputs, **how) == suffix_holdout(**inputs, **how)
        assert entry.textbook(**inputs, **how) == suffix_holdout_hoeffding(**inputs, **how)
        assert entry(**inputs, **how) < entry.textbook(**inputs, **how)


# Never below, hardly above.


def assert_crosses(errors, rows, delta, horizon, found):
    """The mixture has reached 1 / delta at the bound, and had not a hair before it."""
    with mpmath.workdps(60):
        need, grid = -mpmath.log(tails.real(delta)), bets(Fraction(delta), horizon)
        if found < 1:
            assert naive.log_mixture(errors, rows, mpf(found), grid) >= need
        less = mpf(found) * (1 - mpf("1e-15")) - mpf("1e-18")
        assert less < 0 or naive.log_mixture(errors, rows, less, grid) < need


@settings(max_examples=60)
@given(holdouts(), deltas, st.integers(1, 10**4))
def test_never_below_sixty_digits(case, delta, horizon):
    errors, rows = case
    found = progressive_validation(errors, rows, delta, horizon)
    if errors == rows:
        assert found == 1.0
    else:
        assert_crosses(errors, rows, repr(delta), horizon, found)
    if horizon == rows:
        assert found == progressive_validation(errors, rows, delta)


@pytest.mark.parametrize(
    ("errors", "rows"), [(0, 1), (1, 2), (50, 1000), (1900, 2000), (3, 10**6), (10**6, 10**8)]
)
@pytest.mark.parametrize("delta", ["0.05", "1e-100", "0.999"])
def test_never_below_on_larger_runs(errors, rows, delta):
    found = progressive_validation(errors, rows, delta)
    assert_crosses(errors, rows, delta, rows, found)


@pytest.mark.parametrize(("errors", "rows"), [(0, 100), (50, 1000), (7, 60)])
def test_the_naive_formula_with_its_own_grid(errors, rows):
    truth = naive.upper_mean(errors, rows, "0.05", naive.grid("0.05", rows))
    assert progressive_validation(errors, rows, "0.05") == pytest.approx(float(truth), rel=1e-13)


@settings(max_examples=40)
@given(st.integers(1, 500), st.integers(0, 100), deltas, st.integers(1, 10**6))
def test_azuma_never_below_sixty_digits(rows, share, delta, horizon):
    errors = rows * share // 100
    found = progressive_validation_azuma(errors, rows, delta, horizon)
    with mpmath.workdps(60):
        bet = mpmath.sqrt(2 * -mpmath.log(mpf(repr(delta))) / horizon)
        truth = (errors - mpmath.log(mpf(repr(delta))) / bet + rows * bet / 2) / mpf(rows)
        assert truth <= found <= truth * (1 + mpf("1e-14"))


@pytest.mark.parametrize("delta", ["1e-400", "1e-1500", Fraction(1, 3**3000)])
def test_delta_beyond_doubles(delta):
    for errors, rows in [(7, 50_000), (4000, 50_000), (0, 4000)]:
        found = progressive_validation(errors, rows, delta)
        assert holdout_exact(errors, rows, delta) < found < 1
    assert progressive_validation(0, 1, delta) == 1.0


@pytest.mark.parametrize("delta", ["0." + "9" * 40, 0.999999, 1 - 2**-53])
def test_delta_near_one(delta):
    for errors, rows in [(0, 1), (5, 100), (99, 100)]:
        assert errors / rows < progressive_validation(errors, rows, delta) < 1


def test_the_callers_decimal_context_changes_nothing():
    expected = progressive_validation(50, 1000, 0.05)
    with decimal.localcontext() as context:
        context.prec, context.rounding = 5, decimal.ROUND_DOWN
        assert progressive_validation(50, 1000, 0.05) == expected


# Monotone, and where it stands among the others.


@settings(max_examples=40)
@given(holdouts(), deltas, st.integers(1, 10**5))
def test_more_errors_cost_more_and_right_answers_cost_less(case, delta, horizon):
    errors, rows = case
    found = progressive_validation(errors, rows, delta, horizon)
    assert progressive_validation(errors, rows + 1, delta, horizon) <= found
    assert found <= progressive_validation(errors + 1, rows + 1, delta, horizon)
    if errors < rows:
        half = progressive_validation(Fraction(2 * errors + 1, 2), rows, delta, horizon)
        assert found <= half <= progressive_validation(errors + 1, rows, delta, horizon)


@settings(max_examples=40)
@given(holdouts(), deltas)
def test_never_below_the_entropy_bound_of_a_fixed_rule(case, delta):
    # Each term of the mixture is at most exp(n kl), whose inverse is the entropy bound.
    assert progressive_validation(*case, delta) >= holdout_kl(*case, delta)


@pytest.mark.parametrize(("errors", "rows"), [(0, 100), (50, 1000), (557, 10_000)])
def test_a_declared_horizon_beats_a_bound_for_every_length(errors, rows):
    found = progressive_validation(errors, rows, 0.05)
    assert found <= progressive_anytime(errors, rows, 0.05) <= 1.1 * found


@settings(max_examples=40)
@given(holdouts(), deltas, st.integers(1, 1000))
def test_a_suffix_is_a_holdout_at_a_share_of_delta(case, delta, which):
    level = Fraction(repr(delta))
    assert suffix_holdout(*case, delta, checkpoints=which) == upper_rate(*case, level / which)
    share = level / ((which + 1) * (which + 2))
    assert suffix_holdout(*case, delta, mistakes=which) == upper_rate(*case, share)
    rows = case[1]
    run = large_gap_exact(rows, delta, mistakes=which)
    assert suffix_holdout(0, rows, delta, mistakes=which) == run
    assert suffix_holdout(*case, delta, checkpoints=1) == holdout_exact(*case, delta)


# The promise: learners that know the formula and try to break it.


@functools.cache
def table(bound, rows):
    """The bound for every number of errors; beyond half of the rows it is not needed."""
    return np.array([bound(k, rows, DELTA) if 2 * k <= rows else 1.0 for k in range(rows + 1)])


def failures(bounds, against, rate, trials, seed=3):
    """How often the mean error of a freezing learner that fights `against` exceeds `bounds`."""
    errors, truth = naive.freezing(against, rate, np.random.default_rng(seed), trials)
    return int(np.count_nonzero(bounds[errors] < truth))


def test_a_freezing_learner_breaks_the_exact_formula_and_not_the_mixture():
    rows, trials = 500, 4000
    exact = holdout_exact_many(np.arange(rows + 1), rows, DELTA)
    mixture = table(progressive_validation, rows)
    for rate in (0.05, 0.2):
        assert failures(exact, exact, rate, trials) >= 0.15 * trials
        assert_unsound(failures(exact, exact, rate, trials), trials, DELTA)
        # Neither the attack on the exact formula nor one made for the mixture breaks the mixture.
        assert failures(mixture, exact, rate, trials) <= 0.002 * trials
        assert_sound(failures(mixture, mixture, rate, trials), trials, DELTA)
        assert failures(mixture, mixture, rate, trials) > 0.005 * trials


def test_a_tenth_of_the_logarithm_breaks():
    rows, trials = 300, 3000
    twin = np.array([progressive_validation(k, rows, DELTA**0.1) for k in range(rows + 1)])
    assert_unsound(failures(twin, twin, 0.1, trials), trials, DELTA)


@pytest.mark.guarantees
@pytest.mark.parametrize("rate", [0.02, 0.05, 0.1, 0.3])
def test_freezing_learners_in_many_trials(rate):
    rows, trials = 1000, 40_000
    exact = holdout_exact_many(np.arange(rows + 1), rows, DELTA)
    mixture = table(progressive_validation, rows)
    assert failures(exact, exact, rate, trials) >= 0.15 * trials
    assert_sound(failures(mixture, mixture, rate, trials), trials, DELTA)


def test_every_moment_of_a_declared_horizon_at_once():
    """Peeking at every tenth row of a stream in which the error rate wanders."""
    rows, trials, rng = 300, 2000, np.random.default_rng(7)
    rates = 0.05 + 0.25 * rng.random((trials, rows))
    errors = np.cumsum(rng.random((trials, rows)) < rates, axis=1)
    truth = np.cumsum(rates, axis=1) / np.arange(1, rows + 1)
    bound = functools.cache(lambda k, n: progressive_validation(k, n, DELTA, horizon=rows))
    exact = functools.cache(lambda k, n: holdout_exact(k, n, DELTA))
    broken = {bound: np.zeros(trials, bool), exact: np.zeros(trials, bool)}
    for n in range(10, rows + 1, 10):
        for how, failed in broken.items():
            promised = np.array([how(int(k), n) for k in errors[:, n - 1]])
            failed |= promised < truth[:, n - 1]
    assert_sound(int(broken[bound].sum()), trials, DELTA)
    assert_unsound(int(broken[exact].sum()), trials, DELTA)


def test_losses_between_zero_and_one():
    trials, rows, rng = 2000, 200, np.random.default_rng(8)
    losses = rng.beta(0.3, 2.7, (trials, rows))  # mean 0.1, mostly near zero
    totals = np.ceil(losses.sum(axis=1) * 10) / 10
    bound = functools.cache(lambda total: progressive_validation(repr(total), rows, DELTA))
    promised = np.array([bound(float(total)) for total in totals])
    assert_sound(int(np.count_nonzero(promised < 0.1)), trials, DELTA)
    twin = functools.cache(lambda total: progressive_validation(repr(total), rows, 0.9))
    small = rng.binomial(1, 0.1, (trials, rows)).sum(axis=1)
    halved = np.array([twin(float(total)) for total in small / 2])
    assert_unsound(int(np.count_nonzero(halved < 0.1)), trials, DELTA)


def chosen_suffixes(trials, rng, bound):
    """Ten checkpoints of one error rate; the one with the smallest bound is certified."""
    rows, rate, checkpoints = 200, 0.1, 10
    wrong = rng.random((trials, checkpoints, rows)) < rate
    lengths = rows - np.arange(checkpoints) * 15  # a later checkpoint has fewer rows after it
    found = np.full(trials, np.inf)
    for j, n in enumerate(lengths.tolist()):
        errors = wrong[:, j, :n].sum(axis=1)
        found = np.minimum(found, [bound(int(k), n) for k in errors])
    return int(np.count_nonzero(found < rate))


def test_the_best_looking_checkpoint_keeps_its_promise():
    trials, rng = 2000, np.random.default_rng(9)
    shared = functools.cache(lambda k, n: suffix_holdout(k, n, DELTA, checkpoints=10))
    alone = functools.cache(lambda k, n: suffix_holdout(k, n, DELTA, checkpoints=1))
    assert_sound(chosen_suffixes(trials, rng, shared), trials, DELTA)
    assert_unsound(chosen_suffixes(trials, rng, alone), trials, DELTA)


def voters_who_tie(trials, rng, bound):
    """Half of the hypotheses err on one region, which the tied vote then gets wrong too."""
    rows, region = 400, 0.1
    erring = np.arange(rows) % 2 == 0
    errors = (rng.random((trials, rows)) < region * erring).sum(axis=1)
    promised = np.array([bound(int(k), rows) for k in errors])
    return int(np.count_nonzero(promised < region))


def test_a_vote_needs_its_factor_of_two():
    trials, rng = 2000, np.random.default_rng(10)
    vote = functools.cache(lambda k, n: progressive_validation_vote(k, n, DELTA))
    once = functools.cache(lambda k, n: progressive_validation(k, n, DELTA))
    assert_sound(voters_who_tie(trials, rng, vote), trials, DELTA)
    assert_unsound(voters_who_tie(trials, rng, once), trials, DELTA)
    assert vote(50, 1000) == 2 * once(50, 1000)


# Refusals.


@pytest.mark.parametrize(
    "bound", [progressive_validation, progressive_validation_azuma, progressive_validation_vote]
)
def test_refuses_what_is_not_covered(bound):
    inputs = {"errors": 5, "rows": 100, "delta": 0.05, "horizon": 100}
    assert_refuses_all(bound, inputs, "errors", NONNEGATIVE, NOT_NONNEGATIVE)
    assert_refuses_all(bound, inputs, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(bound, inputs, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    bad = [value for value in NOT_COUNTS_FROM_ONE if value is not None]
    assert_refuses_all(bound, inputs, "horizon", COUNT_FROM_ONE, bad)
    with refuses("errors must be at most the number of rows 100, but is 100.5."):
        bound(100.5, 100, 0.05)
    with refuses(f"rows must be at most {MOST_ROWS}, but is {MOST_ROWS + 1}."):
        bound(1, MOST_ROWS + 1, 0.05)
    with refuses(f"horizon must be at most {MOST_ROWS}, but is {MOST_ROWS + 1}."):
        bound(1, 100, 0.05, MOST_ROWS + 1)


def test_a_suffix_refuses_what_is_not_covered():
    inputs = {"errors": 5, "rows": 100, "delta": 0.05, "checkpoints": 3}
    assert_refuses_all(suffix_holdout, inputs, "errors", COUNT, NOT_COUNTS)
    assert_refuses_all(suffix_holdout, inputs, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(suffix_holdout, inputs, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    bad = [value for value in NOT_COUNTS_FROM_ONE if value is not None]
    assert_refuses_all(suffix_holdout, inputs, "checkpoints", COUNT_FROM_ONE, bad)
    inputs = {"errors": 5, "rows": 100, "delta": 0.05, "mistakes": 3}
    bad = [value for value in NOT_COUNTS if value is not None]
    assert_refuses_all(suffix_holdout, inputs, "mistakes", COUNT, bad)
    for pair in ((None, None), (3, 3)):
        with refuses(f"checkpoints or mistakes must be given, one of the two, but is {pair!r}."):
            suffix_holdout(1, 10, 0.05, *pair)
    with refuses("errors must be at most the number of rows 100, but is 101."):
        suffix_holdout(101, 100, 0.05, checkpoints=1)


def test_all_wrong_promises_nothing():
    assert progressive_validation(7, 7, 0.05) == 1.0
    assert suffix_holdout(7, 7, 0.05, checkpoints=2) == 1.0
    assert progressive_validation_azuma(7, 7, 0.05) > 1
    assert math.isfinite(progressive_validation_azuma(7, 7, 0.05))
