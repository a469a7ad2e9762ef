import math
import re
from fractions import Fraction
from itertools import count, product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from assay.errors import BadParameter
from assay.theory.generalization.online_to_batch import (
    large_gap_run_potential,
    large_gap_sample_size,
    online_to_batch_blocks,
    online_to_batch_blocks_rows,
    online_to_batch_large_gap,
    online_to_batch_large_gap_rows,
    online_to_batch_random_stopping,
    online_to_batch_random_stopping_rows,
)
from assay.theory.registry import find_theorem
from tests.naive.online_to_batch import (
    Learner,
    blocks,
    elimination,
    gap,
    hypotheses_used,
    large_gap,
)

inside = st.floats(1e-4, 0.9999)
mistakes_allowed = st.integers(0, 10**6)


def test_known_sizes_for_ten_mistakes():
    assert online_to_batch_random_stopping_rows(10, 0.1) == 100
    assert large_gap_sample_size(10, 0.1, 0.05) == 733
    assert online_to_batch_blocks_rows(10, 0.1, 0.05) == 530
    assert online_to_batch_blocks_rows(10, 0.1, 0.05) // 10 == 53


def test_known_sizes_for_a_perceptron_of_margin_a_tenth():
    assert online_to_batch_random_stopping_rows(100, 0.05) == 2000
    assert online_to_batch_blocks_rows(100, 0.05, 0.05) == 15300
    assert large_gap_sample_size(100, 0.05, 0.05) == 21023


def test_the_closed_form_rounds_each_gap_up():
    """Without rounding, (M + 1) ln((M + 2)^2 / delta) / eps is 876.21 here; each gap is whole."""
    unrounded = 11 * math.log(12**2 / 0.05) / 0.1
    assert unrounded == pytest.approx(876.210013, rel=1e-6)
    assert large_gap_sample_size(10, 0.1, 0.05, form="textbook") == 880
    # For M = 0 the unrounded form is less than the one gap that must be waited for.
    assert math.log(4 / 0.05) / 0.1 < large_gap_sample_size(0, 0.1, 0.05)


def test_the_registry_knows_the_rows():
    for id, inputs, rows in (
        ("online-to-batch-random-stopping", {"mistakes": 10, "accuracy": 0.1}, 100),
        ("online-to-batch-large-gap", {"mistakes": 0, "accuracy": 0.1, "delta": 0.05}, 44),
        ("online-to-batch-blocks", {"mistakes": 10, "accuracy": 0.1, "delta": 0.05}, 530),
    ):
        assert find_theorem(id).rows(**inputs) == rows


# --- random stopping: exact expectations over every sample and every stopping time ---


def expected_error(learner, points, target, weights, rows):
    def error(h):
        missed = (
            w for x, w in zip(points, weights, strict=True) if learner.predict(h, x) != target(x)
        )
        return sum(missed, Fraction(0))

    total = Fraction(0)
    for sample in product(range(len(points)), repeat=rows):
        chance = math.prod(weights[i] for i in sample)
        stream = [(points[i], target(points[i])) for i in sample]
        total += chance * sum(map(error, hypotheses_used(learner, stream))) / rows
    return total


def disjunction(relevant):
    return lambda x: 1 if any(x[j] for j in relevant) else -1


@pytest.mark.parametrize("relevant", [(), (0,), (0, 1)])
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5])
def test_expected_error_of_random_stopping(relevant, rows):
    points = [(0, 0), (0, 1), (1, 0), (1, 1)]
    for weights in ([Fraction(1, 4)] * 4, [Fraction(k, 10) for k in (1, 4, 3, 2)]):
        found = expected_error(elimination(2), points, disjunction(relevant), weights, rows)
        assert found <= Fraction(online_to_batch_random_stopping(2, rows))


def test_one_mistake_fewer_is_rejected():
    found = expected_error(
        elimination(2), [(0, 1), (1, 0)], disjunction(()), [Fraction(1, 2)] * 2, 2
    )
    assert found == Fraction(3, 4)
    assert online_to_batch_random_stopping(1, 2) < found <= online_to_batch_random_stopping(2, 2)


# --- large gap: exact failure probabilities ---


def large_gap_failure(errors, accuracy, gaps):
    """P[the output errs more than the accuracy] for a conservative learner.

    `errors[i]` is the error of its hypothesis after i mistakes; the last one is zero.
    """
    reached, failure = Fraction(1), Fraction(0)
    for i, error in enumerate(errors):
        stop = (1 - error) ** gaps(i)
        failure += reached * stop * (error > accuracy)
        reached *= 1 - stop
    return failure


def without_union(accuracy, delta):
    return lambda i: math.ceil(math.log(1 / delta) / accuracy)


rates = st.fractions(0, 1, max_denominator=50)


@settings(max_examples=40, deadline=None)
@given(st.lists(rates, max_size=8), st.sampled_from([Fraction(1, 10), Fraction(1, 4)]))
def test_large_gap_fails_as_rarely_as_promised(errors, accuracy):
    delta = Fraction(1, 5)
    gaps = [large_gap_run_potential(i, accuracy, delta) for i in range(len(errors) + 1)]
    failure = large_gap_failure([*errors, Fraction(0)], accuracy, gaps.__getitem__)
    assert failure <= 0.644935 * delta


def test_large_gap_without_the_union_is_rejected():
    accuracy, delta = Fraction(1, 10), Fraction(1, 5)
    errors = [Fraction(101, 1000)] * 30 + [Fraction(0)]
    assert large_gap_failure(errors, accuracy, without_union(accuracy, delta)) > delta
    kept = [large_gap_run_potential(i, accuracy, delta) for i in range(31)]
    assert large_gap_failure(errors, accuracy, kept.__getitem__) <= delta


@settings(max_examples=40, deadline=None)
@given(st.lists(rates, min_size=1, max_size=5), st.sampled_from([Fraction(1, 5), Fraction(1, 2)]))
def test_the_error_holds_at_every_moment_at_once(errors, delta):
    """The run at which the promise first fails is fixed by the error, so its chance is one power."""
    failure, broken = Fraction(0), Fraction(0)
    for i, error in enumerate(errors):
        if error == 0:
            continue
        first = next(n for n in count(1) if online_to_batch_large_gap(i, n, delta) < error)
        failure += (1 - error) ** first
        dropped = next(n for n in count(1) if math.log(1 / delta) / n < error)
        broken += (1 - error) ** dropped
    assert failure <= delta
    assert broken >= failure


def test_without_the_union_the_error_fails_too_often():
    delta, error = Fraction(1, 2), Fraction(1, 20)
    first = next(n for n in count(1) if math.log(1 / delta) / n < error)
    five_hypotheses = 1 - (1 - (1 - error) ** first) ** 5
    assert five_hypotheses > delta


def test_failures_add_up_to_less_than_delta():
    total = math.fsum(1 / (i + 2) ** 2 for i in range(10**5))
    assert total == pytest.approx(math.pi**2 / 6 - 1, abs=2e-5)
    assert math.pi**2 / 6 - 1 == pytest.approx(0.644934, rel=1e-6)


class Stubborn:
    """A learner that errs exactly at the given examples, M of them, and never again."""

    def __init__(self, at):
        self.stream = [(t, 1 if t in at else 0) for t in range(max(at, default=0) + 10**4)]
        self.learner = Learner(None, lambda h, x: 0, lambda h, x, y: None)


@pytest.mark.parametrize("most", [0, 1, 3, 8])
def test_the_slowest_learner_uses_exactly_the_sum(most):
    """It errs each time just before the gap is complete."""
    accuracy, delta = 0.2, 0.1
    lengths = [large_gap_run_potential(i, accuracy, delta) for i in range(most + 1)]
    at = {sum(lengths[: i + 1]) - 1 for i in range(most)}
    case = Stubborn(at)
    run = large_gap(case.learner, case.stream, accuracy, delta)
    assert run.mistakes == most
    assert run.used == large_gap_sample_size(most, accuracy, delta)
    one_gap_too_few = sum(lengths[:-1])
    assert run.used > one_gap_too_few
    assert run.used <= large_gap_sample_size(most, accuracy, delta, form="textbook")


@settings(max_examples=50)
@given(st.sets(st.integers(0, 200), max_size=6))
def test_no_learner_uses_more_than_the_sum(at):
    case = Stubborn(at)
    run = large_gap(case.learner, case.stream, 0.3, 0.2)
    assert run.stopped
    assert run.used <= large_gap_sample_size(len(at), 0.3, 0.2)


@pytest.mark.parametrize(("accuracy", "delta"), [(0.3, 0.2), (0.01, 0.05), (0.9, 0.9)])
def test_the_sum_is_the_sum_of_the_gaps(accuracy, delta):
    for most in (0, 1, 2, 17, 400):
        gaps = [large_gap_run_potential(i, accuracy, delta) for i in range(most + 1)]
        assert large_gap_sample_size(most, accuracy, delta) == sum(gaps)
    assert large_gap_sample_size(10**4, accuracy, delta) > 10**4


def test_the_naive_gap_agrees():
    for i, accuracy, delta in product((0, 1, 7, 100), (0.05, 0.3), (0.01, 0.5)):
        assert gap(i, accuracy, delta) == large_gap_run_potential(i, accuracy, delta)


# --- blocks: exact failure probability ---


def blocks_failure(errors, accuracy, size):
    """P[the output errs more than the accuracy]; `errors` as above, len(errors) - 1 blocks."""
    most = len(errors) - 1
    at_start, failure = {0: Fraction(1)}, Fraction(0)
    for _ in range(most):
        after = {}
        for i, p in at_start.items():
            failure += p * (1 - errors[i]) ** size * (errors[i] > accuracy)
            inside_block = {i: p}
            for _ in range(size):
                moved = {}
                for j, q in inside_block.items():
                    moved[j] = moved.get(j, 0) + q * (1 - errors[j])
                    if errors[j] > 0:
                        moved[j + 1] = moved.get(j + 1, 0) + q * errors[j]
                inside_block = moved
            inside_block.pop(i)  # no mistake: stopped
            for j, q in inside_block.items():
                after[j] = after.get(j, 0) + q
        at_start = after
    return failure


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=5), st.sampled_from([0.1, 0.4]))
def test_blocks_fail_as_rarely_as_promised(errors, delta):
    most, accuracy = len(errors), 0.2
    size = online_to_batch_blocks_rows(most, accuracy, delta) // most
    assert blocks_failure([*errors, 0.0], accuracy, size) <= delta


def test_blocks_without_the_union_are_rejected():
    most, accuracy, delta = 6, 0.2, 0.3
    errors = [0.2001] * most + [0.0]
    too_short = math.ceil(math.log(1 / delta) / accuracy)
    assert blocks_failure(errors, accuracy, too_short) > delta
    size = online_to_batch_blocks_rows(most, accuracy, delta) // most
    assert blocks_failure(errors, accuracy, size) <= delta


# --- the naive conversions on a real learner ---


def assert_sound(violations, trials, delta, alarm=1e-6):
    tail = binom.sf(violations - 1, trials, delta)
    assert tail > alarm, f"broke {violations} times in {trials}, chance {tail:.1e}"


def test_both_conversions_of_the_disjunction_learner():
    rng = np.random.default_rng(5)
    d, accuracy, delta, trials = 6, 0.1, 0.2, 150
    chances = np.array(
        [0.02, 0.05, 0.1, 0.2, 0.3, 0.33]
    )  # one variable set at a time, none relevant
    bad = {"gap": 0, "blocks": 0}
    for _ in range(trials):
        draws = rng.choice(d, size=1500, p=chances)
        stream = [(tuple(int(j == k) for j in range(d)), -1) for k in draws]
        runs = {
            "gap": large_gap(elimination(d), stream, accuracy, delta),
            "blocks": blocks(elimination(d), stream, d, accuracy, delta),
        }
        for name, run in runs.items():
            bad[name] += sum(chances[j] for j in run.hypothesis) > accuracy
        assert runs["gap"].stopped
        assert runs["gap"].used <= large_gap_sample_size(d, accuracy, delta)
        assert runs["blocks"].used <= online_to_batch_blocks_rows(d, accuracy, delta)
    for violations in bad.values():
        assert_sound(violations, trials, delta)
    with pytest.raises(AssertionError):
        assert_sound(trials // 2, trials, delta)


# --- the numbers ---


@given(mistakes_allowed, st.integers(1, 10**6), inside, inside)
def test_never_below_the_exact_value(most, rows, eps, delta):
    with mpmath.workdps(50):
        e, d = mpmath.mpf(repr(eps)), mpmath.mpf(repr(delta))
        price = mpmath.log(mpmath.mpf(most + 2) ** 2 / d)
        union = mpmath.log((most + 1) / d)
    assert Fraction(online_to_batch_random_stopping(most, rows)) >= Fraction(most, rows)
    assert (
        price / rows <= online_to_batch_large_gap(most, rows, delta) <= price / rows * (1 + 1e-13)
    )
    needed = online_to_batch_large_gap_rows(most, eps, delta)
    assert price / e <= needed <= price / e * (1 + 1e-12) + 1
    total = online_to_batch_blocks_rows(most + 1, eps, delta)
    assert (most + 1) * union / e <= total <= (most + 1) * (union / e * (1 + 1e-12) + 1)
    size = rows + most + 1
    error = union / (size // (most + 1))
    assert error <= online_to_batch_blocks(most + 1, size, delta) <= error * (1 + 1e-13) + 1e-15


@given(mistakes_allowed, inside, inside)
def test_rows_and_errors_fit_together(most, eps, delta):
    rows = online_to_batch_random_stopping_rows(most, eps)
    assert Fraction(most, rows) <= Fraction(repr(eps))
    slack = 1 + 1e-12
    run = online_to_batch_large_gap_rows(most, eps, delta)
    assert online_to_batch_large_gap(most, run, delta) <= eps * slack
    assert run == 1 or online_to_batch_large_gap(most, run - 1, delta) > eps / slack
    rows = online_to_batch_blocks_rows(most + 1, eps, delta)
    assert online_to_batch_blocks(most + 1, rows, delta) <= eps * slack


@settings(max_examples=50)
@given(st.integers(0, 50), st.integers(1, 10**4), st.floats(1e-3, 0.49), st.floats(1e-3, 0.49))
def test_monotone(most, rows, eps, delta):
    stopping = online_to_batch_random_stopping
    assert stopping(most, rows) <= stopping(most + 1, rows)
    assert stopping(most, rows) >= stopping(most, rows + 1)
    here = online_to_batch_large_gap(most, rows, delta)
    assert here <= online_to_batch_large_gap(most + 1, rows, delta)
    assert here >= online_to_batch_large_gap(most, rows + 1, delta)
    assert here >= online_to_batch_large_gap(most, rows, 2 * delta)
    for size in (large_gap_sample_size, online_to_batch_blocks_rows, large_gap_run_potential):
        used = size(most + 1, eps, delta)
        assert used <= size(most + 2, eps, delta)
        assert used >= size(most + 1, 2 * eps, delta)
        assert used >= size(most + 1, eps, 2 * delta)
    sharp = large_gap_sample_size(most, eps, delta)
    assert sharp <= large_gap_sample_size(most, eps, delta, form="textbook")
    m = rows + most + 1
    error = online_to_batch_blocks(most + 1, m, delta)
    assert error >= online_to_batch_blocks(most + 1, m + 1, delta)
    assert error >= online_to_batch_blocks(most + 1, m, 2 * delta)


# --- refusals ---

WHOLE0, WHOLE1 = (f"a whole number of at least {k}" for k in (0, 1))
UNIT = "a number strictly between 0 and 1"
BELOW0, BELOW1 = [-1, 0.5, math.nan, math.inf, True], [0, -1, 0.5, math.nan, math.inf, True]
OUTSIDE = [0, 1, -0.1, 1.5, math.nan, math.inf, True]
GAP = {"mistakes": 1, "accuracy": 0.1, "delta": 0.1}
GOOD = {
    online_to_batch_random_stopping: {"mistakes": 1, "rows": 5},
    online_to_batch_random_stopping_rows: {"mistakes": 1, "accuracy": 0.1},
    online_to_batch_large_gap: {"mistakes": 1, "run": 5, "delta": 0.1},
    online_to_batch_large_gap_rows: GAP,
    large_gap_sample_size: GAP,
    large_gap_run_potential: GAP,
    online_to_batch_blocks: {"mistakes": 2, "rows": 10, "delta": 0.1},
    online_to_batch_blocks_rows: GAP,
}


@pytest.mark.parametrize(
    ("function", "name", "must", "values"),
    [
        (online_to_batch_random_stopping, "mistakes", WHOLE0, BELOW0),
        (online_to_batch_random_stopping, "rows", WHOLE1, BELOW1),
        (online_to_batch_random_stopping_rows, "mistakes", WHOLE0, BELOW0),
        (online_to_batch_random_stopping_rows, "accuracy", UNIT, OUTSIDE),
        (online_to_batch_large_gap, "mistakes", WHOLE0, BELOW0),
        (online_to_batch_large_gap, "run", WHOLE1, BELOW1),
        (online_to_batch_large_gap, "delta", UNIT, OUTSIDE),
        *((f, "accuracy", UNIT, OUTSIDE) for f in GOOD if GOOD[f] is GAP),
        *((f, "delta", UNIT, OUTSIDE) for f in GOOD if GOOD[f] is GAP),
        (large_gap_sample_size, "mistakes", WHOLE0, BELOW0),
        (large_gap_sample_size, "form", "'sharp' or 'textbook'", ["closed", None]),
        (online_to_batch_blocks, "mistakes", WHOLE1, BELOW1),
        (online_to_batch_blocks, "rows", WHOLE1, BELOW1),
        (online_to_batch_blocks, "rows", "at least the number of mistakes 2", [1]),
        (online_to_batch_blocks, "delta", UNIT, OUTSIDE),
        (online_to_batch_blocks_rows, "mistakes", WHOLE1, BELOW1),
    ],
)
def test_refusals(function, name, must, values):
    for bad in values:
        sentence = f"{name} must be {must}, but is {bad!r}."
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            function(**GOOD[function] | {name: bad})
