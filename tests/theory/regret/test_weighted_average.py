import math
import re

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.regret.weighted_average import (
    wa_entropic_regret,
    wa_progress_potential,
    wa_square_regret,
)
from tests.naive.weighted_average import divergence, entropic_loss, square_loss, weighted_average

LOSSES = {"entropic": (entropic_loss, 1.0), "square": (square_loss, 0.5)}
ROUNDING = 1e-9
inside = st.floats(0.01, 0.99)


@st.composite
def games(draw):
    """Advice and outcomes in [0, 1]; advice stays off 0 and 1 so that entropic losses are finite."""
    k, t = draw(st.integers(1, 4)), draw(st.integers(1, 12))
    advice = [[draw(inside) for _ in range(k)] for _ in range(t)]
    outcomes = [draw(st.sampled_from([0.0, 1.0]) | st.floats(0, 1)) for _ in range(t)]
    return advice, outcomes


def test_bounds_for_ten_experts():
    assert wa_square_regret(10) == pytest.approx(4.605170, rel=1e-6)
    assert wa_entropic_regret(10) == pytest.approx(2.302585, rel=1e-6)
    assert wa_entropic_regret(1) == wa_square_regret(1) == 0.0


def test_one_entropic_step():
    run = weighted_average([[0.9, 0.5]], [1], 1.0, entropic_loss)
    assert run.predictions == pytest.approx([0.7])
    assert run.losses == pytest.approx([0.356675], rel=1e-6)
    assert run.weights[1] == pytest.approx([0.642857, 0.357143], rel=1e-6)
    assert square_loss(1, 0.7) == pytest.approx(0.09)


@given(st.integers(1, 10**30), st.floats(1e-6, 0.5))
def test_never_below_the_exact_value(k, rate):
    with mpmath.workdps(50):
        exact = mpmath.log(k) / mpmath.mpf(repr(rate))
    assert wa_square_regret(k, rate) >= exact
    assert wa_entropic_regret(k, rate) >= exact
    assert wa_entropic_regret(k, rate) <= exact * (1 + mpmath.mpf(10) ** -13)


@given(st.integers(1, 10**6), st.floats(1e-6, 0.25))
def test_monotone(k, rate):
    for bound in (wa_entropic_regret, wa_square_regret):
        assert bound(k, rate) <= bound(k + 1, rate)
        assert bound(k, rate) >= bound(k, 2 * rate)


@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=50)
@given(game=games(), shrink=st.sampled_from([1.0, 0.5, 0.1]))
def test_promise_holds(name, game, shrink):
    loss, rate = LOSSES[name]
    bound = wa_entropic_regret if name == "entropic" else wa_square_regret
    advice, outcomes = game
    run = weighted_average(advice, outcomes, shrink * rate, loss)
    assert run.regret <= bound(len(advice[0]), shrink * rate) + ROUNDING


@pytest.mark.parametrize("k", [2, 3, 10])
def test_entropic_bound_is_met_by_one_sure_expert_and_half_of_it_is_broken(k):
    advice = [[1.0] + [0.0] * (k - 1)] * 3
    run = weighted_average(advice, [1, 1, 1], 1.0, entropic_loss)
    assert run.regret == pytest.approx(wa_entropic_regret(k), rel=1e-12)
    assert run.regret > wa_entropic_regret(k) / 2 + ROUNDING


@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=50)
@given(game=games())
def test_progress_round_by_round(name, game):
    loss, rate = LOSSES[name]
    advice, outcomes = game
    run = weighted_average(advice, outcomes, rate, loss)
    for best in range(len(advice[0])):
        u = [float(i == best) for i in range(len(advice[0]))]
        for t, (row, y) in enumerate(zip(advice, outcomes, strict=True)):
            before, after = (divergence(u, run.weights[s]) for s in (t, t + 1))
            excess = run.losses[t] - loss(y, row[best])
            allowed = wa_progress_potential(max(before, 0), max(after, 0), rate)
            assert excess <= allowed + ROUNDING
            if name == "entropic" and y in (0.0, 1.0):
                assert excess == pytest.approx(allowed, abs=ROUNDING)


def test_progress_breaks_for_square_loss_at_rate_one():
    """exp(-(y - p)^2) is not concave where |y - p| > sqrt(1/2), so the rate 1 promises too much."""
    run = weighted_average([[0.8, 1.0]], [0.0], 1.0, square_loss)
    worst = max(
        run.losses[0]
        - square_loss(0.0, x)
        - wa_progress_potential(math.log(2), divergence(u, run.weights[1]), 1)
        for x, u in ((0.8, [1.0, 0.0]), (1.0, [0.0, 1.0]))
    )
    assert worst > 0.005


@pytest.mark.parametrize("bad", [0, -1, 2.5, math.nan, math.inf, True, "many", None])
def test_experts_refused(bad):
    sentence = f"experts must be a whole number of at least 1, but is {bad!r}."
    for bound in (wa_entropic_regret, wa_square_regret):
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            bound(bad)


@pytest.mark.parametrize("bad", [0, -0.5, math.nan, math.inf, True])
def test_rate_refused(bad):
    sentence = f"learning_rate must be a finite number above zero, but is {bad!r}."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        wa_square_regret(2, bad)


@pytest.mark.parametrize(
    ("bound", "largest", "bad"), [(wa_square_regret, "1/2", 0.51), (wa_entropic_regret, "1", 1.5)]
)
def test_rate_beyond_exp_concavity_refused(bound, largest, bad):
    sentence = f"learning_rate must be at most {largest}, where the loss is still exp-concave, but is {bad}."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        bound(2, bad)


@pytest.mark.parametrize("name", ["divergence_before", "divergence_after"])
@pytest.mark.parametrize("bad", [-1, math.nan, math.inf, True])
def test_divergences_refused(name, bad):
    inputs = {"divergence_before": 1, "divergence_after": 1, "learning_rate": 1} | {name: bad}
    sentence = f"{name} must be a finite number, zero or more, but is {bad!r}."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        wa_progress_potential(**inputs)
