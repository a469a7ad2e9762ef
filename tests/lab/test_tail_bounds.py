from __future__ import annotations

import pytest

from assay import tail_bounds
from assay.errors import BadParameter


@pytest.mark.parametrize(("n", "rate"), [(1, 0.5), (20, 0.05), (60, 0.5), (200, 0.9)])
def test_no_bound_is_below_the_exact_tail(n, rate):
    for k in range(int(n * rate) + 1):
        tail = tail_bounds(n, rate, k)
        assert tail.holds
        assert tail.promised["hoeffding-general"] == pytest.approx(tail.promised["hoeffding-tail"])


def test_small_rates_are_chernoffs_and_a_bound_squared_would_be_broken():
    assert tail_bounds(100, 0.05, 1).tightest == "chernoff-lower-tail"
    assert tail_bounds(100, 0.5, 20).tightest == "hoeffding-tail"
    tail = tail_bounds(4, 0.5, 1)
    assert tail.exact == 0.3125
    assert tail.exact > tail.promised["hoeffding-tail"] ** 3


def test_refusals():
    sentence = r"^at_most must be at most the expected number of errors 5, but is 6\.$"
    with pytest.raises(BadParameter, match=sentence):
        tail_bounds(10, 0.5, 6)
