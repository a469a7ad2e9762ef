import math
import re

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory import tuning
from assay.theory.regret.exp3 import exp3_progress_potential, exp3_regret, exp3_second_order
from tests.naive.exp3 import all_runs, exp3, expected_loss
from tests.naive.weighted_average import divergence

ROUNDING = 1e-9


@st.composite
def losses(draw):
    """Small enough that every sequence of draws can be enumerated."""
    k = draw(st.integers(1, 3))
    t = draw(st.integers(1, 5 if k == 2 else 4))
    value = st.sampled_from([0.0, 1.0]) | st.floats(0, 1)
    return [[draw(value) for _ in range(k)] for _ in range(t)]


def best_total(table):
    return min(map(math.fsum, zip(*table, strict=True)))


def expected_regret(table, rate):
    """Exact: the sum over all draws, never one run."""
    return expected_loss(table, rate) - best_total(table)


def test_bound_for_thousand_rounds_and_ten_arms():
    assert exp3_regret(1000, 10) == pytest.approx(214.596603, rel=1e-6)
    assert exp3_regret(1000, 10, form="anytime") == pytest.approx(214.596603 * 2**0.5, rel=1e-6)


def test_one_step():
    run = exp3([[1, 0]], [0], 0.1)
    assert run.estimates == [2, 0]
    assert run.weights[1] == pytest.approx([0.450166, 0.549834], rel=1e-6)


def test_two_rounds_exactly():
    rate = tuning.exp3_rate(2, 2)
    assert rate == pytest.approx(0.588705, rel=1e-6)
    assert expected_loss([[1, 0], [1, 0]], rate) == pytest.approx(0.867759, rel=1e-6)
    assert exp3_regret(2, 2) == pytest.approx(2.354820, rel=1e-6)


@settings(max_examples=40, deadline=None)
@given(table=losses(), rate=st.floats(0.01, 5))
def test_expected_regret_stays_below(table, rate):
    t, k = len(table), len(table[0])
    assert math.fsum(run.probability for run in all_runs(table, rate)) == pytest.approx(1)
    assert expected_regret(table, rate) <= exp3_regret(t, k, rate) + ROUNDING
    assert expected_regret(table, tuning.exp3_rate(t, k)) <= exp3_regret(t, k) + ROUNDING
    anytime = expected_regret(table, lambda t: tuning.exp3_anytime_rate(t, k))
    assert anytime <= exp3_regret(t, k, form="anytime") + ROUNDING


def test_broken_bounds_are_rejected():
    """A slow rate on one good arm needs ln(K) / n; the misprint ln(K / n) is far too small."""
    table, rate = [[1.0, 0.0]] * 12, 0.01
    regret = expected_regret(table, rate)
    misprinted = math.log(2 / rate) + rate / 2 * 12 * 2
    without_start = rate / 2 * 12 * 2
    assert max(misprinted, without_start) < regret <= exp3_regret(12, 2, rate)
    eager = expected_regret([[1.0, 0.0], [0.0, 1.0]] * 3, 8.0)
    without_spread = math.log(2) / 8.0
    assert without_spread < eager <= exp3_regret(6, 2, 8.0)


@settings(max_examples=30, deadline=None)
@given(table=losses(), rate=st.floats(0.01, 5))
def test_second_order_holds_on_every_run(table, rate):
    k = len(table[0])
    for run in all_runs(table, rate):
        # v_t . estimate_t is the loss of the drawn arm, so the total is the run's own loss.
        bound = exp3_second_order(k, rate, run.squared_estimates)
        size = 1 + run.squared_estimates + max(run.estimates)
        assert run.loss - min(run.estimates) <= bound + ROUNDING * size


def test_second_order_without_its_second_term_is_rejected():
    runs = all_runs([[1.0, 0.5], [0.5, 1.0]] * 2, 4.0)
    assert any(run.loss - min(run.estimates) > exp3_second_order(2, 4.0, 0) for run in runs)


@settings(max_examples=40)
@given(data=st.data(), rate=st.floats(0.01, 0.2))
def test_progress_over_any_stretch(data, rate):
    table = data.draw(losses())
    k = len(table[0])
    draws = [data.draw(st.integers(0, k - 1)) for _ in table]
    start = data.draw(st.integers(0, len(table) - 1))
    stop = data.draw(st.integers(start + 1, len(table)))
    run = exp3(table, draws, rate)
    seen = [(run.weights[t][draws[t]], table[t][draws[t]]) for t in range(start, stop)]
    squares = sum(loss**2 / v for v, loss in seen)
    for arm in range(k):
        u = [float(i == arm) for i in range(k)]
        ends = [max(0.0, divergence(u, run.weights[s])) for s in (start, stop)]
        estimate = sum(
            loss / v
            for (v, loss), drawn in zip(seen, draws[start:stop], strict=True)
            if drawn == arm
        )
        excess = sum(loss for _, loss in seen) - estimate
        allowed = exp3_progress_potential(*ends, rate, squares)
        assert excess <= allowed + ROUNDING * (1 + estimate + squares)


def test_average_over_many_runs_agrees_with_the_enumeration():
    """Guards the enumeration itself: drawing by the weights gives the same mean loss."""
    rng = np.random.default_rng(1)
    table, rate, total = [[1.0, 0.0], [0.5, 1.0], [1.0, 0.25]], 0.8, []
    for _ in range(4000):
        draws = []
        for t in range(3):
            weights = exp3(table[:t], draws, rate).weights[-1] if t else [0.5, 0.5]
            draws.append(int(rng.random() >= weights[0]))
        total.append(exp3(table, draws, rate).loss)
    error = 5 * np.std(total) / math.sqrt(len(total))
    assert np.mean(total) == pytest.approx(expected_loss(table, rate), abs=error)


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.floats(1e-6, 1e3))
def test_never_below_the_exact_value(t, k, rate):
    with mpmath.workdps(50):
        log, n = mpmath.log(k), mpmath.mpf(repr(rate))
        tuned, anytime = mpmath.sqrt(2 * t * k * log), 2 * mpmath.sqrt(t * k * log)
        at_rate = log / n + n * t * k / 2
    assert tuned <= exp3_regret(t, k) <= tuned * (1 + 1e-13)
    assert anytime <= exp3_regret(t, k, form="anytime") <= anytime * (1 + 1e-13)
    assert at_rate <= exp3_regret(t, k, rate) <= at_rate * (1 + 1e-13)
    assert at_rate <= exp3_second_order(k, rate, t * k) <= at_rate * (1 + 1e-13)


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(1e-3, 1e3))
def test_monotone(t, k, rate):
    for more in ((t + 1, k), (t, k + 1)):
        assert exp3_regret(t, k) <= exp3_regret(*more)
        assert exp3_regret(t, k, rate) <= exp3_regret(*more, rate)
        assert exp3_regret(t, k, form="anytime") <= exp3_regret(*more, form="anytime")
    assert exp3_regret(t, k) <= exp3_regret(t, k, rate) * (1 + 1e-12)
    assert exp3_second_order(k, rate, t) <= exp3_second_order(k, rate, t + 1)


WHOLE = "a whole number of at least 1"
ABOVE = "a finite number above zero"
FROM_ZERO = "a finite number, zero or more"
GOOD = {
    exp3_regret: {"rounds": 2, "arms": 2},
    exp3_second_order: {"arms": 2, "learning_rate": 1, "squared_estimates": 1},
    exp3_progress_potential: {
        "divergence_before": 1,
        "divergence_after": 1,
        "learning_rate": 1,
        "squared_estimates": 1,
    },
}


@pytest.mark.parametrize(
    ("function", "name", "must", "values"),
    [
        (exp3_regret, "rounds", WHOLE, [0, -1, 1.5, math.nan, math.inf, True]),
        (exp3_regret, "arms", WHOLE, [0, -1, 1.5, math.nan, math.inf, True]),
        (exp3_regret, "learning_rate", ABOVE, [0, -1, math.nan, math.inf, True]),
        (exp3_regret, "form", "'textbook' or 'anytime'", ["sharp"]),
        (exp3_second_order, "arms", WHOLE, [0, -1, 1.5, math.nan, math.inf, True]),
        (exp3_second_order, "learning_rate", ABOVE, [0, -1, math.nan, math.inf, True]),
        (exp3_second_order, "squared_estimates", FROM_ZERO, [-1, math.nan, math.inf, True]),
        (exp3_progress_potential, "divergence_before", FROM_ZERO, [-1, math.nan, True]),
        (exp3_progress_potential, "divergence_after", FROM_ZERO, [-1, math.inf, True]),
        (exp3_progress_potential, "learning_rate", ABOVE, [0, -1, math.nan, True]),
        (exp3_progress_potential, "squared_estimates", FROM_ZERO, [-1, math.inf, True]),
    ],
)
def test_refusals(function, name, must, values):
    for bad in values:
        sentence = f"{name} must be {must}, but is {bad!r}."
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            function(**GOOD[function] | {name: bad})


def test_a_rate_is_refused_with_the_anytime_form():
    sentence = (
        "learning_rate must be left out of the anytime form, whose rate changes with the round, "
        "but is 0.5."
    )
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        exp3_regret(2, 2, learning_rate=0.5, form="anytime")
