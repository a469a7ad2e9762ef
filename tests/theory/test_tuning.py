import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory import tuning

positive = st.floats(1e-3, 1e3)
counts = st.integers(1, 10**6)


def test_known_rates():
    assert tuning.hedge_rate(100, 10, form="textbook") == pytest.approx(0.214597, rel=1e-5)
    assert tuning.hedge_rate(100, 10) == pytest.approx(2 * 0.2145966, rel=1e-6)
    assert tuning.exp3_rate(1000, 10) == pytest.approx(0.0214597, rel=1e-5)
    assert tuning.exp3_rate(2, 2) == pytest.approx(0.588705, rel=1e-6)
    assert tuning.gradient_step(100, 2, 1) == 0.2
    assert tuning.weighted_average_rate("square") == 0.5
    assert tuning.weighted_average_rate("entropic") == 1.0
    assert tuning.weighted_majority_beta() == pytest.approx(1 / math.e, rel=1e-15)


def test_the_factor_makes_the_two_constants_of_weighted_majority_equal():
    beta = tuning.weighted_majority_beta()
    mistakes, logs = math.log(1 / beta), 1.0
    assert mistakes / math.log(2 / (1 + beta)) == pytest.approx(2.632372, rel=1e-6)
    assert logs / math.log(2 / (1 + beta)) == pytest.approx(2.632372, rel=1e-6)


@given(counts, st.integers(2, 10**6), positive)
def test_scaling(t, k, largest):
    for form in ("sharp", "textbook"):
        rate = tuning.hedge_rate(t, k, largest, form)
        assert rate == pytest.approx(tuning.hedge_rate(t, k, form=form) / largest)
        assert tuning.hedge_rate(4 * t, k, largest, form) == pytest.approx(rate / 2)
    assert tuning.hedge_rate(t, k) == pytest.approx(2 * tuning.hedge_rate(t, k, form="textbook"))
    # In the last round the anytime rates are 1/sqrt(2) of the ones that knew the end.
    root = math.sqrt(2)
    anytime = tuning.hedge_anytime_rate(t, k, largest)
    assert anytime == pytest.approx(tuning.hedge_rate(t, k, largest) / root)
    assert tuning.exp3_anytime_rate(t, k) == pytest.approx(tuning.exp3_rate(t, k) / root)
    assert tuning.exp3_rate(t, k) == pytest.approx(math.sqrt(2 * math.log(k) / (t * k)))


@given(counts, positive, positive)
def test_gradient_steps(t, u, r):
    step = tuning.gradient_step(t, u, r)
    assert step == pytest.approx(u / (r * math.sqrt(t)))
    assert tuning.gradient_anytime_step(t, u, r) == pytest.approx(math.sqrt(2) * step)


@given(counts)
def test_a_single_expert_still_gets_a_rate_above_zero(t):
    assert tuning.hedge_rate(t, 1) > 0
    assert tuning.hedge_anytime_rate(t, 1) > 0
    assert tuning.exp3_rate(t, 1) > 0
    assert tuning.exp3_anytime_rate(t, 1) > 0


WHOLE = "a whole number of at least 1"
ABOVE = "a finite number above zero"
COUNTS = [0, -1, 1.5, math.nan, math.inf, True]
NUMBERS = [0, -1, math.nan, math.inf, True]
GOOD = {
    tuning.hedge_rate: {"rounds": 2, "experts": 2},
    tuning.hedge_anytime_rate: {"round_number": 2, "experts": 2},
    tuning.exp3_rate: {"rounds": 2, "arms": 2},
    tuning.exp3_anytime_rate: {"round_number": 2, "arms": 2},
    tuning.gradient_step: {"rounds": 2, "norm": 1, "radius": 1},
    tuning.gradient_anytime_step: {"round_number": 2, "norm": 1, "radius": 1},
    tuning.weighted_average_rate: {},
}


@pytest.mark.parametrize(
    ("function", "name", "must", "values"),
    [
        (tuning.hedge_rate, "rounds", WHOLE, COUNTS),
        (tuning.hedge_rate, "experts", WHOLE, COUNTS),
        (tuning.hedge_rate, "largest_loss", ABOVE, NUMBERS),
        (tuning.hedge_rate, "form", "'sharp' or 'textbook'", ["anytime", None]),
        (tuning.hedge_anytime_rate, "round_number", WHOLE, COUNTS),
        (tuning.hedge_anytime_rate, "experts", WHOLE, COUNTS),
        (tuning.hedge_anytime_rate, "largest_loss", ABOVE, NUMBERS),
        (tuning.exp3_rate, "rounds", WHOLE, COUNTS),
        (tuning.exp3_rate, "arms", WHOLE, COUNTS),
        (tuning.exp3_anytime_rate, "round_number", WHOLE, COUNTS),
        (tuning.exp3_anytime_rate, "arms", WHOLE, COUNTS),
        (tuning.gradient_step, "rounds", WHOLE, COUNTS),
        (tuning.gradient_step, "norm", ABOVE, NUMBERS),
        (tuning.gradient_step, "radius", ABOVE, NUMBERS),
        (tuning.gradient_anytime_step, "round_number", WHOLE, COUNTS),
        (tuning.gradient_anytime_step, "norm", ABOVE, NUMBERS),
        (tuning.gradient_anytime_step, "radius", ABOVE, NUMBERS),
        (
            tuning.weighted_average_rate,
            "loss",
            "'entropic' or 'square'",
            ["hinge", None, ["square"]],
        ),
    ],
)
def test_refusals(function, name, must, values):
    for bad in values:
        sentence = f"{name} must be {must}, but is {bad!r}."
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            function(**GOOD[function] | {name: bad})
