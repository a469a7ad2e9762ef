import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.guarantees.regrets import regret_guarantee
from assay.theory.regret.hedge import BOUNDED_LOSSES


def hedge(observed, **terms):
    inputs = {"rounds": 100, "experts": 10}
    return regret_guarantee("hedge-regret", inputs, observed, of="regret", **terms)


def test_promised_beside_observed():
    made = hedge(3.25)
    assert (made.kind, made.theorem, made.certified) == ("regret", "hedge-regret", "this run")
    assert made.value == pytest.approx(10.72983, rel=1e-6)
    assert (made.observed, made.holds, made.delta) == (3.25, True, "0")
    assert made.statement == f"regret <= {made.promised_text}"
    assert {a.status for a in made.assumptions} == {"by construction"}
    assert not hedge(11.0).holds


def test_a_violated_assumption_promises_nothing():
    made = hedge(3.25, known={BOUNDED_LOSSES: ("violated", "a loss of 7")})
    assert (made.promised, made.applies, made.holds) == (None, False, None)
    assert made.statement == "nothing is promised about regret"


def test_expectations_are_not_compared():
    assert hedge(100.0, quantifier="expectation").holds is None


def test_observed_has_the_digits_that_sums_have():
    assert hedge(2.302585092994046).observed == 2.30258509299
    assert hedge(0.1 + 0.2, scale=1e6).observed == 0.3
    assert hedge(-0.25, scale=1e6).observed == -0.25
    assert hedge(math.inf).observed is None
    assert hedge(None).observed is None


@given(st.floats(-1e9, 1e9), st.floats(0, 1e12))
@example(-1.175494351e-38, 999999999999.998)  # whose logarithm rounds up to 12
def test_observed_is_never_above_what_was_seen_and_near_it(value, scale):
    text = hedge(value, scale=scale).observed_text
    short = Fraction(value) - Fraction(text)
    assert 0 <= short <= Fraction(max(abs(value), scale, 1e-300)) / 10**11 + Fraction(1, 10**300)


def test_what_the_theorem_does_not_cover_is_refused():
    with pytest.raises(BadParameter, match="rounds must be"):
        regret_guarantee("hedge-regret", {"rounds": 0, "experts": 2}, 0.0, of="regret")
