"""What was seen of units is what their rows show, one by one."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from assay.guarantees.unit_shares import seen_of_units

kinds = st.lists(
    st.integers(1, 9).flatmap(
        lambda rows: st.tuples(st.integers(0, rows), st.just(rows), st.integers(1, 5))
    ),
    min_size=1,
    max_size=6,
)


@given(kinds)
def test_as_counted_unit_by_unit(listed):
    units = [(e, r) for e, r, many in listed for _ in range(many)]
    errors, rows = (sum(column) for column in zip(*units, strict=True))
    mean = sum(Fraction(e, r) for e, r in units) / len(units)
    assert seen_of_units("unit-mean-error", listed) == mean
    assert seen_of_units("unit-mean-difference", listed) == mean
    assert seen_of_units("unit-row-beyond", listed) == Fraction(errors, rows)
    assert seen_of_units("unit-any-error", listed) == Fraction(
        sum(e > 0 for e, _ in units), len(units)
    )
    right = rows - errors
    assert seen_of_units("recall", listed) == Fraction(right, rows)
    assert seen_of_units("f1", listed) == Fraction(2 * right, 2 * right + errors)
