"""Rates: a bucket lets through what it should, never more, and forgets nobody who matters."""

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.server.limits import Limits
from assay.server.rates import Buckets


@settings(max_examples=50)
@given(
    st.floats(0.1, 1000), st.floats(0.1, 10), st.lists(st.floats(0, 1), min_size=1, max_size=200)
)
def test_never_more_than_the_burst_and_what_flowed_in(rate, burst, pauses):
    now = 0.0
    buckets = Buckets(burst, clock=lambda: now)
    let = 0
    for pause in pauses:
        now += pause
        wait = buckets.take("who", rate)
        let += wait == 0
        assert wait >= 0
        assert let <= max(1.0, rate * burst) + rate * (now - pauses[0]) + 1e-6


def test_a_bucket_that_counts_no_time_would_be_caught():
    """The check above can fail: a bucket that is always full lets too many through."""
    now = 0.0
    fresh = [Buckets(1.0, clock=lambda: now).take("who", 1.0) for _ in range(5)]
    assert sum(wait == 0 for wait in fresh) > 1.0


def test_whoever_waits_as_told_gets_in():
    now = 0.0
    buckets = Buckets(1.0, clock=lambda: now)
    for _ in range(100):
        wait = buckets.take("who", 3.0)
        if wait:
            now += wait + 1e-9
            assert buckets.take("who", 3.0) == 0


def test_everybody_has_a_bucket_of_their_own():
    buckets = Buckets(1.0, clock=lambda: 0.0)
    assert buckets.take("a", 1.0) == 0
    assert buckets.take("a", 1.0) > 0
    assert buckets.take("b", 1.0) == 0


def test_the_memory_is_bounded_and_the_busy_are_remembered():
    buckets = Buckets(1.0, most=10, clock=lambda: 0.0)
    buckets.take("busy", 1.0)
    for n in range(100):
        buckets.take(f"other {n}", 1.0)
        assert buckets.take("busy", 1.0) > 0
    assert len(buckets._buckets) == 10


def test_all_limits_are_above_zero():
    limits = Limits()
    assert all(getattr(limits, name) > 0 for name in limits.__dataclass_fields__)
