import math
import re
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory import tuning
from assay.theory.regret.hedge import (
    hedge_progress_potential,
    hedge_regret,
    hedge_regret_average,
    hedge_second_order,
)
from tests.naive.hedge import hedge
from tests.naive.weighted_average import divergence

ROUNDING = 1e-9
rates = st.floats(1e-3, 20)


@st.composite
def losses(draw, largest=1.0):
    k, t = draw(st.integers(1, 4)), draw(st.integers(1, 15))
    value = st.sampled_from([0.0, largest]) | st.floats(0, largest)
    return [[draw(value) for _ in range(k)] for _ in range(t)]


def alternating(rounds):
    """Ruins whoever follows the leader: half a unit, then each expert in turn loses one."""
    return [[0.5, 0.0]] + [[0.0, 1.0] if t % 2 else [1.0, 0.0] for t in range(1, rounds)]


def test_bound_for_hundred_rounds_and_ten_experts():
    assert hedge_regret(100, 10, form="textbook") == pytest.approx(21.459660, rel=1e-6)
    assert hedge_regret(100, 10) == pytest.approx(21.459660 / 2, rel=1e-6)
    assert hedge_regret(100, 10, form="anytime") == pytest.approx(21.459660 / 2**0.5, rel=1e-6)
    assert hedge_regret_average(100, 10, form="textbook") == pytest.approx(0.21459660, rel=1e-6)


def test_one_step():
    assert hedge([[1, 0]], 0.5).weights[1] == pytest.approx([0.377541, 0.622459], rel=1e-6)


def test_two_rounds():
    rate = tuning.hedge_rate(2, 2, form="textbook")
    assert rate == pytest.approx(0.832555, rel=1e-6)
    assert hedge([[1, 0], [1, 0]], rate).loss == pytest.approx(0.803105, rel=1e-6)
    assert hedge_regret(2, 2, form="textbook") == pytest.approx(1.665109, rel=1e-6)


def test_alternating_losses_reject_the_misprinted_rate():
    right = hedge(alternating(100), tuning.hedge_rate(100, 2, form="textbook"))
    misprinted = hedge(alternating(100), math.sqrt(2 * 100 * math.log(2)))
    promised = hedge_regret(100, 2, form="textbook")
    assert right.regret == pytest.approx(1.706624, rel=1e-6)
    assert misprinted.regret == pytest.approx(49.476020, rel=1e-6)
    assert promised == pytest.approx(11.774100, rel=1e-6)
    assert right.regret <= promised < misprinted.regret
    # Evaluated at the rate that was really used, the bound stands.
    assert misprinted.regret <= hedge_regret(100, 2, math.sqrt(2 * 100 * math.log(2)))


@settings(max_examples=80)
@given(table=losses(), rate=rates)
def test_promise_holds_at_any_rate(table, rate):
    run, (t, k) = hedge(table, rate), (len(table), len(table[0]))
    sharp, textbook = hedge_regret(t, k, rate), hedge_regret(t, k, rate, form="textbook")
    assert run.regret <= sharp + ROUNDING
    assert sharp <= textbook
    assert run.regret <= hedge_second_order(k, rate, run.squared_losses) + ROUNDING


@settings(max_examples=50)
@given(table=losses(largest=7.0))
def test_promise_holds_at_the_tuned_rates(table):
    t, k = len(table), len(table[0])
    for form in ("sharp", "textbook"):
        run = hedge(table, tuning.hedge_rate(t, k, 7, form))
        assert run.regret <= hedge_regret(t, k, largest_loss=7, form=form) + ROUNDING
    run = hedge(table, lambda t: tuning.hedge_anytime_rate(t, k, 7))
    assert run.regret <= hedge_regret(t, k, largest_loss=7, form="anytime") + ROUNDING
    average = hedge_regret_average(t, k, largest_loss=7, form="anytime")
    assert run.regret / t <= average + ROUNDING


def worst_regret(rounds, rate):
    """Over all sequences of 0/1 losses of two experts."""
    rows = ([0, 0], [0, 1], [1, 0], [1, 1])
    return max(hedge(list(table), rate).regret for table in product(rows, repeat=rounds))


@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("rate", [0.05, 0.5, 2.0])
def test_every_sequence_of_bits(rounds, rate):
    assert worst_regret(rounds, rate) <= hedge_regret(rounds, 2, rate)


def test_dropping_a_term_is_rejected():
    without_curvature = math.log(2) / 2.0
    assert worst_regret(5, 2.0) > without_curvature
    without_start = 0.05 * 5 / 8
    assert worst_regret(5, 0.05) > without_start


def test_alternating_losses_need_the_whole_eighth():
    """In step, they cost n / 8 a round beyond the best: half of that term is too little."""
    regret = hedge(alternating(400), 0.5).regret
    halved_curvature = math.log(2) / 0.5 + 0.5 * 400 / 16
    assert halved_curvature < regret <= hedge_regret(400, 2, 0.5)


def test_random_experts_stay_below():
    rng = np.random.default_rng(0)
    for k, t in ((2, 400), (10, 300)):
        table = rng.integers(0, 2, size=(t, k)).tolist()
        anytime = hedge(table, lambda t, k=k: tuning.hedge_anytime_rate(t, k))
        assert anytime.regret <= hedge_regret(t, k, form="anytime")
        assert hedge(table, tuning.hedge_rate(t, k)).regret <= hedge_regret(t, k)


def test_adaptive_adversary_stays_below_and_beats_a_quarter_of_the_bound():
    """Loss one to whichever expert weighs more: as hard as two experts can be made by greed."""
    rounds, k = 400, 2
    rate = tuning.hedge_rate(rounds, k)
    table, totals = [], [0.0, 0.0]
    for _ in range(rounds):
        heavier = min(range(k), key=totals.__getitem__)
        row = [float(i == heavier) for i in range(k)]
        table.append(row)
        totals = [a + b for a, b in zip(totals, row, strict=True)]
    regret = hedge(table, rate).regret
    assert hedge_regret(rounds, k) / 4 < regret <= hedge_regret(rounds, k)


@settings(max_examples=50)
@given(table=losses(largest=3.0), rate=st.floats(0.01, 3), data=st.data())
def test_progress_over_any_stretch(table, rate, data):
    run, k = hedge(table, rate), len(table[0])
    start = data.draw(st.integers(0, len(table) - 1))
    stop = data.draw(st.integers(start + 1, len(table)))
    stretch = table[start:stop]
    played = run.weights[start:stop]
    pairs = [(v, row) for v, row in zip(played, stretch, strict=True)]
    squares = sum(vi * x * x for v, row in pairs for vi, x in zip(v, row, strict=True))
    for best in range(k):
        u = [float(i == best) for i in range(k)]
        ends = [max(0.0, divergence(u, run.weights[s])) for s in (start, stop)]
        excess = sum((vi - ui) * x for v, row in pairs for vi, ui, x in zip(v, u, row, strict=True))
        assert excess <= hedge_progress_potential(*ends, rate, squares) + ROUNDING


def test_second_order_without_its_second_term_is_rejected():
    run = hedge(alternating(100), 5.0)
    assert run.regret > hedge_second_order(2, 5.0, 0)
    assert run.regret <= hedge_second_order(2, 5.0, run.squared_losses)


def test_sampled_expert_loses_the_weighted_mean_on_average():
    table, rate = [[1, 0, 0.5], [0.25, 1, 0]], 0.7
    run = hedge(table, rate)
    expected = 0.0
    for draws in product(range(3), repeat=2):
        chance = math.prod(run.weights[t][a] for t, a in enumerate(draws))
        expected += chance * sum(table[t][a] for t, a in enumerate(draws))
    assert expected == pytest.approx(run.loss, rel=1e-12)


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.floats(1e-6, 1e3), st.floats(1e-3, 1e3))
def test_never_below_the_exact_value(t, k, rate, largest):
    with mpmath.workdps(50):
        log, b, n = mpmath.log(k), mpmath.mpf(repr(largest)), mpmath.mpf(repr(rate))
        exact = {
            "sharp": b * mpmath.sqrt(t * log / 2),
            "textbook": b * mpmath.sqrt(2 * t * log),
            "anytime": b * mpmath.sqrt(t * log),
        }
        at_rate = {"sharp": log / n + n * t * b**2 / 8, "textbook": log / n + n * t * b**2 / 2}
        second = log / n + n / 2 * b
    for form, value in exact.items():
        assert value <= hedge_regret(t, k, None, largest, form) <= value * (1 + 1e-13)
        assert hedge_regret_average(t, k, largest, form) >= value / t
    for form, value in at_rate.items():
        assert value <= hedge_regret(t, k, rate, largest, form) <= value * (1 + 1e-13)
    assert second <= hedge_second_order(k, rate, largest) <= second * (1 + 1e-13)


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(0.01, 100))
def test_monotone(t, k, largest):
    for form in ("sharp", "textbook", "anytime"):
        here = hedge_regret(t, k, largest_loss=largest, form=form)
        assert here <= hedge_regret(t + 1, k, largest_loss=largest, form=form)
        assert here <= hedge_regret(t, k + 1, largest_loss=largest, form=form)
        assert here <= hedge_regret(t, k, largest_loss=2 * largest, form=form)
        average = hedge_regret_average(t, k, largest, form)
        assert average >= hedge_regret_average(t + 1, k, largest, form)
    assert hedge_second_order(k, largest, t) <= hedge_second_order(k, largest, t + 1)
    assert hedge_second_order(k, largest, t) <= hedge_second_order(k + 1, largest, t)


@given(st.integers(2, 10**6), st.integers(2, 10**6), st.floats(1e-4, 1e2))
def test_the_tuned_rate_is_the_best_one(t, k, rate):
    for form in ("sharp", "textbook"):
        assert hedge_regret(t, k, form=form) <= hedge_regret(t, k, rate, form=form) * (1 + 1e-12)


COUNTS = [0, -1, 2.5, math.nan, math.inf, True, "x"]
POSITIVE = [0, -1, math.nan, math.inf, True]
WHOLE = "a whole number of at least 1"
ABOVE = "a finite number above zero"
FROM_ZERO = "a finite number, zero or more"


@pytest.mark.parametrize(
    ("function", "good", "name", "must", "bad"),
    [
        *((hedge_regret, {"experts": 2}, "rounds", WHOLE, bad) for bad in COUNTS),
        *((hedge_regret, {"rounds": 2}, "experts", WHOLE, bad) for bad in COUNTS),
        *((hedge_regret, {"rounds": 2, "experts": 2}, "learning_rate", ABOVE, b) for b in POSITIVE),
        *((hedge_regret, {"rounds": 2, "experts": 2}, "largest_loss", ABOVE, b) for b in POSITIVE),
        *((hedge_regret_average, {"experts": 2}, "rounds", WHOLE, bad) for bad in COUNTS),
        *(
            (hedge_second_order, {"experts": 2, "learning_rate": 1}, "squared_losses", FROM_ZERO, b)
            for b in (-1, math.nan, math.inf, True)
        ),
        *(
            (hedge_second_order, {"experts": 2, "squared_losses": 1}, "learning_rate", ABOVE, bad)
            for bad in POSITIVE
        ),
        *(
            (
                hedge_progress_potential,
                {"divergence_before": 1, "learning_rate": 1, "squared_losses": 1},
                "divergence_after",
                FROM_ZERO,
                bad,
            )
            for bad in (-1, math.nan, math.inf, True)
        ),
        (
            hedge_regret,
            {"rounds": 2, "experts": 2},
            "form",
            "'sharp', 'textbook' or 'anytime'",
            "best",
        ),
        (
            hedge_regret,
            {"rounds": 2, "experts": 2, "form": "anytime"},
            "learning_rate",
            "left out of the anytime form, whose rate changes with the round",
            0.5,
        ),
    ],
)
def test_refusals(function, good, name, must, bad):
    sentence = f"{name} must be {must}, but is {bad!r}."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        function(**good, **{name: bad})
