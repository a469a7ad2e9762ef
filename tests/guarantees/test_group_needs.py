"""What groups that fail would need."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.guarantees.group_needs import (
    errors_allowed,
    listed_groups,
    rows_needed,
    shortfall_text,
    shortfalls,
)
from assay.theory.tail.binomial import upper_rate

LEVEL = Fraction(1, 20)


@settings(max_examples=40)
@given(st.integers(1, 200), st.integers(1, 30))
def test_a_group_falls_short_where_its_bound_is_above_the_rate(rows, percent):
    rate = Fraction(percent, 100)
    for errors in {0, rows // 10, rows // 3}:
        short = shortfalls([((("g", 1),), errors, rows)], rate, LEVEL)
        assert bool(short) == (Fraction(upper_rate(errors, rows, LEVEL)) > rate)
        allowed = errors_allowed(rows, rate, LEVEL)
        assert bool(short) == (allowed is None or errors > allowed)
        needed = rows_needed(errors, rows, rate, LEVEL)
        if needed is None:
            assert Fraction(errors, rows) >= rate
        elif short:
            assert needed > rows
            # Rounded up, the share of errors is no smaller than what was seen.
            again = -(-errors * needed // rows)
            assert Fraction(upper_rate(again, needed, LEVEL)) <= rate


def test_in_words():
    groups = [(("g", i),) for i in range(7)]
    assert listed_groups(groups[:1]) == "The group g = 0"
    assert (
        listed_groups(groups)
        == "The groups g = 0 and g = 1 and g = 2 and g = 3 and g = 4 and 2 more"
    )
    [short] = shortfalls([(groups[0], 3, 10)], Fraction(1, 10), LEVEL)
    assert (
        shortfall_text(short) == "g = 0 (3 of 10 wrong) is wrong too often for any number of rows"
    )
