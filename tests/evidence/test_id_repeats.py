import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evidence.id_repeats import folded, rows_again

IDS = st.lists(
    st.one_of(st.none(), st.sampled_from(["q1", "Q1", "q 1", "q2", "", "\uff511"])), max_size=20
)


@given(IDS, st.integers(0, 20))
def test_lists_and_arrow_arrays_count_alike(ids, cut):
    chunks = [part for part in (ids[:cut], ids[cut:]) if part]
    arrow = [pa.array(part, pa.string()) for part in chunks]
    packed = [part.dictionary_encode() for part in arrow]
    named = [folded(id) for id in ids if id]
    expected = (len(named) - len(set(named)), len(named))
    assert rows_again(chunks) == rows_again(arrow) == rows_again(packed) == expected


@pytest.mark.parametrize("values", [[1, 2, 1, None], [1.5, 2.5, 1.5, None]])
def test_numbers(values):
    assert rows_again([values]) == rows_again([pa.array(values)]) == (1, 3)


def test_what_holds_other_things_is_no_id():
    assert rows_again([pa.array([[1], [1]])]) == (0, 0)
