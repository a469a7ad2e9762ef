import numpy as np
import pytest

from assay.compiled.common.due_rows import due_digests, due_rows
from assay.evidence.fitted_rows import heads, next_due
from assay.evidence.row_mix import LABEL
from assay.evidence.row_mix import seeds as label_seeds


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


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_digests_are_those_of_the_rows_that_are_due(kind):
    rng = np.random.default_rng(0)
    block, labels = rng.normal(size=(300, 4)).astype(kind), rng.integers(0, 3, 300)
    wanted = heads(block, labels)
    found = np.zeros((400, 2), np.uint64)
    seeds = label_seeds(np.arange(4, dtype=np.uint64), 0)
    label_seed = label_seeds(np.array([LABEL], np.uint64), 0)[0]
    places = np.empty(300, np.int64)
    count, behind = due_rows(100, 400, places)
    given = (block, labels.astype(float), 100, 400, seeds, label_seed, found, 7)
    assert due_digests(*given) == (7 + count, behind)
    assert (found[7 : 7 + count] == wanted[places[:count] - 100]).all()
    assert not found[7 + count :].any()
    assert due_digests(*given[:6], found[:9], 7)[0] == 9
