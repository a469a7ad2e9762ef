"""By what a ledger knows samples again."""

import numpy as np
import pytest

from assay.certificates.issue.log_holdout import sample_digests


def column(values):
    made = np.empty(len(values), dtype=object)
    made[:] = list(values)
    return made


def digests(ids, asked, task=""):
    found = sample_digests(column(ids), column(asked), task)
    return set() if found is None else {bytes(row) for row in found}


def test_numbers_that_only_count_tell_nothing_without_a_task():
    for counted in (["1", "2", "3"], ["0", "1", "2"]):
        assert digests(counted, [None] * 3) == set()
        assert len(digests(counted, [None] * 3, "sums")) == 3
    assert len(digests(["3", "1", "2"], [None] * 3)) == 3


def test_questions_count_once_and_in_any_order():
    one = digests(["a", "b", "a"], [b"x", b"y", b"x"])
    assert one == digests(["b", "a"], [b"y", b"x"])
    assert len(one) == 4


@pytest.mark.parametrize(("ids", "asked"), [(["c", "d"], [b"x", b"y"]), (["a", "b"], [b"z", b"w"])])
def test_either_is_enough_to_share_half(ids, asked):
    assert len(digests(["a", "b"], [b"x", b"y"]) & digests(ids, asked)) == 2


def test_a_question_is_not_an_id():
    assert not digests(["1"], [b"x"]) & digests(["x"], [None], "")
