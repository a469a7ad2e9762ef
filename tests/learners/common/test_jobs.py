"""Threads, their results in order, and progress."""

from __future__ import annotations

import os
import re
import time

import pytest

from assay.errors import BadParameter
from assay.learners.common.jobs import in_threads, told, workers_of


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_come_in_the_order_of_the_work(workers):
    def slow(i):
        time.sleep(0.002 * (5 - i % 5))
        return i * i

    assert list(in_threads(slow, range(12), workers)) == [i * i for i in range(12)]


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_reaches_the_caller(workers):
    def fail(i):
        if i == 3:
            raise KeyError(i)
        return i

    with pytest.raises(KeyError):
        list(in_threads(fail, range(100), workers))


def test_how_many():
    every = os.cpu_count()
    assert [workers_of(n) for n in (None, 1, 4, -1)] == [1, 1, 4, every]
    assert workers_of(-1 - every) == 1
    for bad in (0, 1.5, "2", True):
        with pytest.raises(
            BadParameter, match=f"^{re.escape('n_jobs must be None, a count, or -1')}"
        ):
            workers_of(bad)


@pytest.mark.parametrize(("verbose", "lines"), [(0, 0), (1, 10), (2, 37), (5, 37)])
def test_progress(verbose, lines, capsys):
    assert list(told(range(37), 37, "Forest", "trees", verbose)) == list(range(37))
    said = capsys.readouterr().out.splitlines()
    assert len(said) == lines
    assert all(re.fullmatch(r"Forest: \d+ of 37 trees, \d+\.\d s", line) for line in said)
