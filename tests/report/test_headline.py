from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import certify
from assay.certificates.show.words import percent_above
from assay.report.headline import bars, headline, scale_top


@settings(max_examples=50)
@given(st.floats(1e-12, 1.0))
def test_the_headline_never_reads_lower_than_the_promise(rate):
    text = repr(rate)
    shown = percent_above(text).removesuffix(" %")
    assert Fraction(shown) >= 100 * Fraction(text)
    assert rate == 1 or shown != "100"


@pytest.mark.parametrize("rate", [True, False])
@settings(max_examples=50)
@given(value=st.floats(1e-9, 1.0))
def test_every_bar_fits_its_scale(rate, value):
    top = scale_top(value, rate=rate)
    assert value <= top <= max(20 * value, 1e-8)
    assert not rate or top <= 1


def test_the_bars_are_as_long_as_their_numbers():
    claim = certify(errors=50, rows=1000).claims[0]
    drawn = bars(claim, 1000)
    assert "width:50.00%" in drawn
    assert "width:62.86%" in drawn
    assert "5 %" in drawn
    assert "6.29 %" in drawn


def test_a_count_that_is_not_told_is_not_drawn():
    gate = certify(errors=9, rows=311, answer="pass-fail", max_error=0.05)
    assert "observed" not in bars(gate.claims[0], 311)
    assert "at most 5 %" in headline(gate)


def test_a_mean_loss_is_no_percentage():
    card = headline(certify(loss=[0.1, 0.2] * 300))
    assert "The expected loss of a new row is at most 0." in card
    assert "Seen on 600 rows" in card
    assert "0.15" in card
