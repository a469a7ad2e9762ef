"""The search for stumps: threads, odd numbers, single features."""

from __future__ import annotations

import numpy as np
import pytest

from assay.learners.ensembles import stump_search
from assay.learners.ensembles.stump_search import Stump, StumpSearch, midway


@pytest.mark.parametrize("criterion", ["gini", "error"])
def test_any_number_of_threads_finds_the_same(criterion, monkeypatch):
    monkeypatch.setattr(stump_search, "_WORTH_A_THREAD", 0)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 9)).round(2)
    codes = rng.integers(0, 3, 700)
    for power in (0, 6):
        w = rng.exponential(size=700) ** power
        found = []
        for jobs in (1, 2, 3, 20):
            search = StumpSearch(X, codes, criterion, jobs=jobs)
            found.append((search.find(w[search.rows] / w.sum()), search._room[0].tobytes()))
            search.close()
        assert len(set(found)) == 1


def test_rows_come_back_to_where_they_were():
    X, codes = np.arange(6.0)[:, None], np.array([1, 0, 1, 0, 1, 1])
    search = StumpSearch(X, codes)
    assert search.labels.tolist() == [0, 0, 1, 1, 1, 1]
    assert codes[search.rows].tolist() == search.labels.tolist()
    stump = Stump(0, 2.5, 0, 1)
    back = np.empty(6, dtype=int)
    back[search.rows] = search.said(stump)
    assert back.tolist() == [0, 0, 0, 1, 1, 1]
    back[search.rows] = search.above(stump)
    assert back.tolist() == [0, 0, 0, 1, 1, 1]


def test_where_no_feature_has_two_values():
    search = StumpSearch(np.ones((5, 2)), np.array([0, 1, 1, 2, 2]))
    assert search.find(np.full(5, 0.2)) == Stump(-1, 0.0, 1, 1)
    assert search.find(np.array([0.6, 0.1, 0.1, 0.1, 0.1])) == Stump(-1, 0.0, 0, 0)
    assert search.said(Stump(-1, 0.0, 1, 1)).tolist() == [1] * 5
    assert not search.above(Stump(-1, 0.0, 1, 1)).any()


def test_neighbouring_and_extreme_numbers():
    one = np.nextafter(1.0, 2.0)
    for low, high in ((1.0, one), (-1.7e308, 1.7e308), (5e-324, 1e-323), (-0.0, 5e-324)):
        search = StumpSearch(np.array([[low], [high]]), np.array([0, 1]))
        stump = search.find(np.array([0.5, 0.5]))
        assert low <= stump.threshold < high
        assert search.said(stump).tolist() == [0, 1]


def test_two_zeros_are_one_value():
    search = StumpSearch(np.array([[0.0], [-0.0], [1.0]]), np.array([0, 1, 1]))
    assert search.find(np.array([0.2, 0.4, 0.4])).threshold == 0.5


def test_midway():
    assert midway(1.0, 4.0) == 2.5
    assert midway(-1.7e308, 1.7e308) == 0.0
