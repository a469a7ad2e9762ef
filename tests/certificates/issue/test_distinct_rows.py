"""Which rows of a holdout count: a naive loop says the same."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.certificates.issue.distinct_rows import copies_known, count_rows, require_overlap
from assay.errors import BadParameter
from assay.evidence.rows import row_digests

CELLS = st.lists(st.integers(0, 6), min_size=1, max_size=15)


@settings(max_examples=100, deadline=None)
@given(CELLS, st.lists(st.integers(0, 6), max_size=5), st.data())
def test_rows_that_count_against_a_loop(holdout, train, data):
    unit = data.draw(
        st.none() | st.lists(st.integers(0, 3), min_size=len(holdout), max_size=len(holdout))
    )
    digests, known = (row_digests(np.array(v, float).reshape(-1, 1)) for v in (holdout, train))
    found = count_rows(digests, known, unit)
    counts, seen, copies = [], 0, 0
    for i, value in enumerate(holdout):
        first = holdout.index(value)
        again = first != i and (unit is None or unit[first] != unit[i])
        seen += value in train
        copies += again and value not in train
        counts.append(value not in train and not again)
    assert (found.rows.tolist(), found.seen, found.copies) == (counts, seen, copies)


def test_nothing_is_said_where_nothing_repeats():
    assert copies_known(0, 10, "drop") == copies_known(0, 10, "keep") == ()


def test_another_way_is_refused():
    sentence = "overlap must be 'refuse', 'drop' or 'keep', but is 'no'."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        require_overlap("no")
