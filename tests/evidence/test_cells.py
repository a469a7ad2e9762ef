"""Cells count as the rows that they stand for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadData
from assay.evidence.cells import Cells, from_cells
from assay.evidence.evidence import from_labels

CELLS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("abd"), st.sampled_from(["x", "", None])),
    min_size=1,
    max_size=9,
).flatmap(lambda cells: st.tuples(st.just(cells), st.lists(st.integers(1, 9), min_size=len(cells))))


@given(CELLS)
def test_cells_are_rows(drawn):
    cells, counts = drawn
    counts = np.array(counts[: len(cells)])
    truth, predicted, group = (list(column) for column in zip(*cells, strict=True))
    seen = from_cells(Cells(truth, predicted, counts, ((group,),)), by=[("group",)], unseen="wrong")
    rows = [
        np.repeat(np.array(c, dtype=object), counts).tolist() for c in (truth, predicted, group)
    ]
    one_by_one = from_labels(*rows[:2], groups={"group": rows[2]}, unseen="wrong")
    for part in ("rows", "errors", "groups", "notes"):
        assert getattr(seen, part) == getattr(one_by_one, part)
    for part in ("labels", "confusion", "unseen", "declared"):
        assert getattr(seen.tally, part) == getattr(one_by_one.tally, part)


@pytest.mark.parametrize(
    ("truth", "sentence"),
    [
        (["a", None], "truth has no value in 30 rows; every row needs one."),
        ([1.0, float("nan")], "truth has no value in 30 rows"),
        ([1.0, 1.5], "truth holds 1.5, which is not a label"),
    ],
)
def test_what_is_no_label_is_refused_in_rows(truth, sentence):
    with pytest.raises(BadData, match=sentence):
        from_cells(Cells(truth, truth, np.array([70, 30])))
