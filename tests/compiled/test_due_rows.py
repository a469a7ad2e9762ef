import numpy as np
import pytest

from assay.compiled.due_rows import due_rows
from assay.record.fitted_rows import next_due


@pytest.mark.parametrize("due", [0, 15, 16, 4095, 4096, 10**6, 2**40])
def test_naive_twin(due):
    places, end = np.empty(1000, np.int64), due + 20_000
    count, behind = due_rows(due, end, places)
    wanted = []
    while due < end and len(wanted) < 1000:
        wanted.append(due)
        due = next_due(due)
    assert places[:count].tolist() == wanted
    assert behind == due


def test_no_more_than_there_is_room_for():
    places = np.empty(3, np.int64)
    assert due_rows(0, 100, places) == (3, 3)
    assert places.tolist() == [0, 1, 2]
    assert due_rows(5, 5, places) == (0, 5)
