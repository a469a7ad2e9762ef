"""What logs say of samples: kept where it divides them into groups, and dropped where it cannot."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.data.logs.sample_fields import SampleFields

CELLS = st.dictionaries(st.sampled_from("abc"), st.sampled_from([None, "x", "y", 1, True, 0.5, []]))


@given(st.lists(CELLS, max_size=20), st.integers(0, 20))
def test_joined_as_if_read_at_once(rows, cut):
    whole, parts = SampleFields(), [SampleFields(), SampleFields()]
    for place, cells in enumerate(rows):
        whole.add(place, cells)
        second = place >= min(cut, len(rows))
        parts[second].add(place - second * min(cut, len(rows)), cells)
    first = min(cut, len(rows))
    joined = SampleFields()
    joined.join(0, parts[0], first)
    joined.join(first, parts[1], len(rows) - first)
    assert joined.columns(len(rows)) == whole.columns(len(rows))
    assert sorted(joined.dropped) == sorted(whole.dropped)
    assert sorted(whole.dropped) == sorted(
        {n for cells in rows for n, v in cells.items() if v == []}
    )


def test_contents_and_names_are_not_kept():
    fields = SampleFields()
    for i in range(600):
        cells = {"id": i, "topic": i % 7, "text": "x" * 201, "odd": {"a": 1}, "gone": float("nan")}
        fields.add(i, cells | {"number": np.float64(i), "": 1, 3: 1})
    assert list(fields.columns(600)) == ["topic"]
    assert sorted(fields.dropped) == ["id", "number", "odd", "text"]
    fields.add(600, "no mapping")
    assert fields.columns(601)["topic"][-1] is None
