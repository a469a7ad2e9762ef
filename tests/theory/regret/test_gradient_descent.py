import math
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory import tuning
from assay.theory.regret.gradient_descent import (
    ogd_anytime_mistakes,
    ogd_anytime_regret,
    ogd_distance_potential,
    ogd_hinge_regret,
    ogd_mistakes,
)
from tests.naive.gradient_descent import gradient_descent, hinge_loss

ROUNDING = 1e-9
positive = st.floats(1e-3, 1e3)


def norm(x):
    return math.sqrt(math.fsum(xi * xi for xi in x))


@st.composite
def games(draw):
    """Examples, labels and a comparator, without any relation between them."""
    d, t = draw(st.integers(1, 4)), draw(st.integers(1, 15))
    number = st.floats(-3, 3)
    X = [[draw(number) for _ in range(d)] for _ in range(t)]
    y = [draw(st.sampled_from([-1, 1])) for _ in range(t)]
    return X, y, [draw(number) for _ in range(d)]


def scales(X, u):
    """The radius and the norm, stepped up so that rounding cannot put anything outside."""
    return [math.nextafter(max(norm(u), 1e-3), math.inf), max([1e-3, *map(norm, X)]) * (1 + 1e-15)]


def orthonormal(t):
    """Every prediction is 0 and costs 1, while the vector of ones predicts each label: tight."""
    return [[float(i == j) for i in range(t)] for j in range(t)], [-1] * t, [-1.0] * t


def test_bound_for_hundred_rounds():
    assert tuning.gradient_step(100, 2, 1) == 0.2
    assert ogd_hinge_regret(norm=2, radius=1, rounds=100) == 20.0
    assert ogd_hinge_regret(norm=2, radius=1, rounds=100, learning_rate=0.2) == 20.0


@settings(max_examples=60)
@given(game=games(), rate=st.floats(1e-3, 10))
def test_promise_holds_at_any_rate(game, rate):
    X, y, u = game
    size, radius = scales(X, u)
    run, own = gradient_descent(X, y, rate), hinge_loss(u, X, y)
    for squares in (None, run.squared_norms):
        bound = ogd_hinge_regret(size, radius, len(X), rate, squares)
        assert run.hinge - own <= bound + ROUNDING
        assert run.mistakes <= ogd_mistakes(size, radius, len(X), own + ROUNDING, rate, squares)


@settings(max_examples=60)
@given(game=games())
def test_promise_holds_at_the_tuned_rates(game):
    X, y, u = game
    size, radius = scales(X, u)
    own = hinge_loss(u, X, y)
    run = gradient_descent(X, y, tuning.gradient_step(len(X), size, radius))
    bound = ogd_hinge_regret(size, radius, len(X))
    assert run.hinge - own <= bound + ROUNDING
    sharper = ogd_hinge_regret(size, radius, len(X), squared_norms=run.squared_norms)
    assert run.hinge - own - ROUNDING <= sharper <= bound + ROUNDING
    assert run.mistakes <= ogd_mistakes(size, radius, len(X), own + ROUNDING)


@pytest.mark.parametrize("t", [1, 4, 9, 100])
def test_orthonormal_examples_meet_both_bounds(t):
    X, y, u = orthonormal(t)
    assert hinge_loss(u, X, y) == 0
    size = math.isqrt(t)
    run = gradient_descent(X, y, tuning.gradient_step(t, size, 1))
    assert run.hinge == run.mistakes == t
    assert ogd_hinge_regret(size, 1, t) == t
    assert ogd_mistakes(size, 1, t, hinge_loss=0) == t


def test_broken_bounds_are_rejected():
    X, y, _ = orthonormal(9)
    run = gradient_descent(X, y, tuning.gradient_step(9, 3, 1))
    half_radius = ogd_hinge_regret(3, 0.5, 9)
    assert run.hinge > half_radius
    without_gradients = 9 / (2 * tuning.gradient_step(9, 3, 1))
    assert run.hinge > without_gradients


def test_the_inequality_printed_the_wrong_way_round_is_rejected():
    """On easy data there are fewer mistakes than L(u) + U R sqrt(T), not more."""
    X, y, u = [[1.0]] * 4, [1] * 4, [1.0]
    run = gradient_descent(X, y, tuning.gradient_step(4, 1, 1))
    assert hinge_loss(u, X, y) == 0
    assert run.mistakes < ogd_mistakes(1, 1, 4, hinge_loss=0)


def test_random_noisy_labels_stay_below():
    rng = np.random.default_rng(3)
    for _ in range(20):
        X = rng.normal(size=(200, 3))
        u = rng.normal(size=3)
        y = np.where(rng.random(200) < 0.1, -1, 1) * np.where(X @ u >= 0, 1, -1)
        size, radius = scales(X.tolist(), u.tolist())
        run = gradient_descent(X.tolist(), y.tolist(), tuning.gradient_step(200, size, radius))
        own = hinge_loss(u.tolist(), X.tolist(), y.tolist())
        assert run.hinge - own <= ogd_hinge_regret(size, radius, 200)
        assert run.mistakes <= ogd_mistakes(size, radius, 200, own)


# The rate that needs no number of rounds


def anytime(X, y, size, radius):
    return gradient_descent(
        X, y, lambda t: tuning.gradient_anytime_step(t, size, radius), ball=size
    )


def tug_of_war(t):
    """Labels that pull to and fro at one end of the ball, and then right across it: all but tight.

    On the line, within a ball of radius 1/2, every hinge is active. To and fro costs the squares of
    the steps, the way across costs the diameter.
    """
    w, y = 0.0, []
    for round_number in range(1, t + 1):
        step = tuning.gradient_anytime_step(round_number, 0.5, 1)
        there = w < 0.5 - step / 2 and t - round_number >= math.isqrt(2 * t)
        y.append(1 if there else -1)
        w = max(-0.5, min(0.5, w + y[-1] * step))
    return [[1.0]] * t, y, [-0.5]


def test_anytime_bound_for_hundred_rounds():
    assert ogd_anytime_regret(norm=2, radius=1, rounds=100) == pytest.approx(40 * math.sqrt(2))
    # The same two terms by hand: 16 / (2 * 0.2 sqrt 2) and half of 40 sqrt 2.
    last = tuning.gradient_anytime_step(100, 2, 1)
    assert last == pytest.approx(0.2 * math.sqrt(2))
    assert ogd_anytime_regret(2, 1, 100, last) == pytest.approx(40 * math.sqrt(2))
    assert ogd_anytime_regret(2, 1, 100, 0.2, 8) == 44.0
    assert ogd_anytime_mistakes(2, 1, 100, hinge_loss=3.5) == 60
    assert ogd_anytime_mistakes(2, 1, 100, 3.5, last_rate=0.2, weighted_squares=8) == 47


@settings(max_examples=60)
@given(game=games())
def test_anytime_promise_holds_after_every_round(game):
    X, y, u = game
    size, radius = scales(X, u)
    for t in range(1, len(X) + 1):
        run, own = anytime(X[:t], y[:t], size, radius), hinge_loss(u, X[:t], y[:t])
        bound = ogd_anytime_regret(size, radius, t)
        assert run.hinge - own <= bound + ROUNDING
        assert run.mistakes <= ogd_anytime_mistakes(size, radius, t, own + ROUNDING)
        if run.rates:
            seen = run.rates[-1], run.weighted_squares
            sharper = ogd_anytime_regret(size, radius, t, *seen)
            assert run.hinge - own - ROUNDING <= sharper <= bound + ROUNDING
            assert run.mistakes <= ogd_anytime_mistakes(size, radius, t, own + ROUNDING, *seen)


@settings(max_examples=60)
@given(game=games(), drops=st.lists(st.floats(0.3, 1), min_size=15, max_size=15))
def test_receipt_holds_for_any_rates_that_never_rise(game, drops):
    X, y, u = game
    size, radius = scales(X, u)
    run = gradient_descent(X, y, lambda t: math.prod(drops[:t]), ball=size)
    if run.rates:
        bound = ogd_anytime_regret(size, radius, len(X), run.rates[-1], run.weighted_squares)
        assert run.hinge - hinge_loss(u, X, y) <= bound + ROUNDING


@pytest.mark.parametrize("t", [1, 2, 10, 100, 1000, 20_000])
def test_anytime_constant_is_all_but_met(t):
    X, y, u = tug_of_war(t)
    run = anytime(X, y, 0.5, 1)
    regret, bound = run.hinge - hinge_loss(u, X, y), ogd_anytime_regret(0.5, 1, t)
    assert regret <= ogd_anytime_regret(0.5, 1, t, run.rates[-1], run.weighted_squares) <= bound
    assert t < 20_000 or regret > 0.95 * bound


def test_broken_anytime_bounds_are_rejected():
    t = 2000
    X, y, u = tug_of_war(t)
    run = anytime(X, y, 0.5, 1)
    regret = run.hinge - hinge_loss(u, X, y)
    last, squares = run.rates[-1], run.weighted_squares
    assert regret <= ogd_anytime_regret(0.5, 1, t, last, squares)
    the_radius_for_the_diameter = 0.5**2 / (2 * last) + squares / 2
    without_the_distance, without_the_squares = squares / 2, 4 * 0.5**2 / (2 * last)
    for broken in (
        ogd_hinge_regret(0.5, 1, t),  # as if the number of rounds had been known
        ogd_anytime_regret(0.5, 0.5, t),
        the_radius_for_the_diameter,
        without_the_distance,
        without_the_squares,
    ):
        assert regret > broken


def test_without_the_ball_the_anytime_bound_is_false():
    """The way out is short at the first rates, and the way back long at the last."""
    X, y = [[0.1]] * 200 + [[0.0]] * 2800 + [[0.1]] * 1000, [1] * 3000 + [-1] * 1000
    own = hinge_loss([-1.0], X, y)
    free = gradient_descent(X, y, lambda t: tuning.gradient_anytime_step(t, 1, 1))
    bound = ogd_anytime_regret(1, 1, 4000)
    assert anytime(X, y, 1.0, 1.0).hinge - own <= bound
    assert free.hinge - own > bound


@settings(max_examples=50)
@given(game=games(), rate=st.floats(1e-2, 3), data=st.data())
def test_distance_to_the_comparator_over_any_stretch(game, rate, data):
    X, y, u = game
    run = gradient_descent(X, y, rate)
    start = data.draw(st.integers(0, len(X) - 1))
    stop = data.draw(st.integers(start + 1, len(X)))
    ends = [norm([a - b for a, b in zip(run.weights[s], u, strict=True)]) for s in (start, stop)]
    squares, excess = 0.0, -hinge_loss(u, X[start:stop], y[start:stop])
    for t in range(start, stop):
        excess += max(0.0, 1 - y[t] * run.scores[t])
        squares += norm(X[t]) ** 2 if y[t] * run.scores[t] < 1 else 0.0
    slack = 1e-9 * (1 + ends[0] ** 2 + ends[1] ** 2) / rate
    assert excess <= ogd_distance_potential(*ends, rate, squares) + slack


def test_distance_is_exact_while_both_pay():
    """With hinges active on both sides, nothing is lost in the expansion of the square."""
    X, y, u = [[1.0, 0.0], [0.0, 1.0]], [1, -1], [0.5, -0.25]
    run = gradient_descent(X, y, 0.5)
    ends = [norm([a - b for a, b in zip(run.weights[s], u, strict=True)]) for s in (0, 2)]
    allowed = ogd_distance_potential(*ends, 0.5, run.squared_norms)
    assert run.hinge - hinge_loss(u, X, y) == pytest.approx(allowed, abs=1e-12)


@given(positive, positive, st.integers(1, 10**9), positive, st.floats(0, 1))
def test_never_below_the_exact_value(u, r, t, rate, share):
    squares = share * min(t * r * r, 1e300) * (1 - 1e-12)
    mu, mr, n, s = (Fraction(repr(x)) for x in (u, r, rate, squares))
    at_rate = mu**2 / (2 * n) + n / 2 * t * mr**2
    receipt = mu**2 / (2 * n) + n / 2 * s
    moved = (mu**2 - mr**2) / (2 * n) + n / 2 * s
    weighed = 2 * mu**2 / n + s / 2
    with mpmath.workdps(50):
        tiny = mpmath.mpf("1e-35")
        tuned = mpmath.mpf(repr(u)) * mpmath.mpf(repr(r)) * mpmath.sqrt(t)
        anytime = 2 * mpmath.sqrt(2) * tuned
        assert anytime * (1 - tiny) <= ogd_anytime_regret(u, r, t) <= anytime * (1 + 1e-13)
        assert ogd_anytime_mistakes(u, r, t, 1.5) == math.floor(anytime + 1.5 + tiny)
        assert tuned * (1 - tiny) <= ogd_hinge_regret(u, r, t) <= tuned * (1 + 1e-13)
        assert ogd_mistakes(u, r, t, 1.5) == math.floor(tuned + 1.5 + tiny)
    assert weighed <= ogd_anytime_regret(u, r, t, rate, squares) <= weighed * (1 + 1e-13)
    assert at_rate <= ogd_hinge_regret(u, r, t, rate) <= at_rate * (1 + 1e-13)
    assert receipt <= ogd_hinge_regret(u, r, t, rate, squares) <= receipt * (1 + 1e-13)
    assert ogd_distance_potential(u, r, rate, squares) >= moved


@given(positive, positive, st.integers(1, 10**6), positive)
def test_monotone(u, r, t, rate):
    for n in (None, rate):
        here = ogd_hinge_regret(u, r, t, n)
        assert here <= ogd_hinge_regret(2 * u, r, t, n)
        assert here <= ogd_hinge_regret(u, 2 * r, t, n)
        assert here <= ogd_hinge_regret(u, r, t + 1, n)
        assert ogd_mistakes(u, r, t, 1, n) + 1 == ogd_mistakes(u, r, t, 2, n)
    assert ogd_hinge_regret(u, r, t) <= ogd_hinge_regret(u, r, t, rate) * (1 + 1e-12)
    for seen in ((), (rate,), (None, rate), (rate, rate)):
        here = ogd_anytime_regret(u, r, t, *seen)
        assert here <= ogd_anytime_regret(2 * u, r, t, *seen)
        assert here <= ogd_anytime_regret(u, 2 * r, t, *seen)
        assert here <= ogd_anytime_regret(u, r, t + 1, *seen)
        allowed = ogd_anytime_mistakes(u, r, t, 1, *seen)
        assert allowed + 1 == ogd_anytime_mistakes(u, r, t, 2, *seen)
    assert ogd_anytime_regret(u, r, t, rate) >= ogd_anytime_regret(u, r, t, 2 * rate)
    assert ogd_anytime_regret(u, r, t, rate, 1) <= ogd_anytime_regret(u, r, t, rate, 2)
    assert ogd_anytime_regret(0, r, t) == 0
    assert ogd_distance_potential(2 * u, r, rate, 1) >= ogd_distance_potential(u, r, rate, 1)
    assert ogd_distance_potential(u, 2 * r, rate, 1) <= ogd_distance_potential(u, r, rate, 1)


ABOVE = "a finite number above zero"
FROM_ZERO = "a finite number, zero or more"
GOOD = {
    ogd_hinge_regret: {"norm": 1, "radius": 1, "rounds": 4},
    ogd_mistakes: {"norm": 1, "radius": 1, "rounds": 4, "hinge_loss": 0},
    ogd_anytime_regret: {"norm": 1, "radius": 1, "rounds": 4},
    ogd_anytime_mistakes: {"norm": 1, "radius": 1, "rounds": 4, "hinge_loss": 0},
    ogd_distance_potential: {
        "distance_before": 1,
        "distance_after": 1,
        "learning_rate": 1,
        "squared_norms": 1,
    },
}


@pytest.mark.parametrize(
    ("function", "name", "must", "values"),
    [
        (ogd_hinge_regret, "norm", FROM_ZERO, [-1, math.nan, math.inf, True]),
        (ogd_hinge_regret, "radius", ABOVE, [0, -1, math.nan, math.inf, True]),
        (ogd_hinge_regret, "rounds", "a whole number of at least 1", [0, -1, 0.5, math.nan, True]),
        (ogd_hinge_regret, "learning_rate", ABOVE, [0, -1, math.nan, math.inf, True]),
        (ogd_hinge_regret, "squared_norms", FROM_ZERO, [-1, math.nan, math.inf, True]),
        (ogd_mistakes, "hinge_loss", FROM_ZERO, [-1, math.nan, math.inf, True]),
        (ogd_mistakes, "radius", ABOVE, [0, -1, math.nan, math.inf, True]),
        (ogd_anytime_regret, "norm", FROM_ZERO, [-1, math.nan, math.inf, True]),
        (ogd_anytime_regret, "radius", ABOVE, [0, -1, math.nan, math.inf, True]),
        (ogd_anytime_regret, "rounds", "a whole number of at least 1", [0, -1, 0.5, math.nan]),
        (ogd_anytime_regret, "last_rate", ABOVE, [0, -1, math.nan, math.inf, True]),
        (ogd_anytime_regret, "weighted_squares", FROM_ZERO, [-1, math.nan, math.inf, True]),
        (ogd_anytime_mistakes, "hinge_loss", FROM_ZERO, [-1, math.nan, math.inf, True]),
        (ogd_anytime_mistakes, "radius", ABOVE, [0, -1, math.nan, math.inf, True]),
        (ogd_distance_potential, "distance_before", FROM_ZERO, [-1, math.nan, True]),
        (ogd_distance_potential, "distance_after", FROM_ZERO, [-1, math.inf, True]),
        (ogd_distance_potential, "learning_rate", ABOVE, [0, -1, math.nan, True]),
        (ogd_distance_potential, "squared_norms", FROM_ZERO, [-1, math.inf, True]),
    ],
)
def test_refusals(function, name, must, values):
    for bad in values:
        sentence = f"{name} must be {must}, but is {bad!r}."
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            function(**GOOD[function] | {name: bad})
