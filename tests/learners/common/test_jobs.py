"""Work in threads: the same results, errors that reach the caller, and progress."""

from __future__ import annotations

import os
import re
import threading

import joblib
import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from assay import BaggingClassifier, RandomForestClassifier
from assay.errors import BadParameter

X = np.random.default_rng(0).normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("workers", [-1, 2, 5])
def test_results_do_not_depend_on_the_threads(workers):
    alone, shared = (
        RandomForestClassifier(7, random_state=0, n_jobs=n).fit(X, Y) for n in (None, workers)
    )
    assert shared.predict_proba(X).tobytes() == alone.predict_proba(X).tobytes()


class Failing(DecisionTreeClassifier):
    def fit(self, X, y, **how):
        raise KeyError("the fourth tree")


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_reaches_the_caller(workers):
    with pytest.raises(KeyError, match="the fourth tree"):
        BaggingClassifier(Failing(), n_estimators=10, n_jobs=workers).fit(X, Y)


@pytest.mark.parametrize("bad", [0, 1.5, "2", True])
def test_how_many(bad):
    with pytest.raises(BadParameter, match=f"^{re.escape('n_jobs must be None, a count, or -1')}"):
        RandomForestClassifier(3, n_jobs=bad).fit(X, Y)


@pytest.mark.parametrize(("verbose", "lines"), [(0, 0), (1, 10), (2, 37), (5, 37)])
def test_progress(verbose, lines, capsys):
    RandomForestClassifier(37, max_depth=1, verbose=verbose).fit(X, Y)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == lines
    assert all(re.fullmatch(r"\w+: \d+ of 37 trees, \d+\.\d s", line) for line in printed)


def threads_of(n_jobs, members=12):
    """How many threads fit the members of a bag."""
    Watching.met.clear()
    Watching.together = threading.Barrier(_wanted(n_jobs), timeout=5)
    BaggingClassifier(Watching(), n_estimators=members, n_jobs=n_jobs).fit(X, Y)
    return len(Watching.met)


def _wanted(n_jobs):
    return n_jobs or joblib.parallel.get_active_backend()[1] or 1


class Watching(DecisionTreeClassifier):
    met = set()  # noqa: RUF012

    def fit(self, X, y, **how):
        if threading.get_ident() not in self.met:
            self.met.add(threading.get_ident())
            self.together.wait()  # so that no thread does the work of another
        return super().fit(X, y, **how)


@pytest.mark.parametrize("context", [joblib.parallel_config, joblib.parallel_backend])
def test_joblib_says_how_many_where_nobody_else_does(context):
    assert threads_of(None) == 1
    with context("threading", n_jobs=3):
        assert threads_of(None) == 3
        assert threads_of(2) == 2
    assert threads_of(None) == 1


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="sets processors")
def test_all_processors_are_those_that_may_be_used():
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(every)})
    Watching.met.clear()
    Watching.together = threading.Barrier(1)
    try:
        BaggingClassifier(Watching(), n_estimators=6, n_jobs=-1).fit(X, Y)
    finally:
        os.sched_setaffinity(0, every)
    assert len(Watching.met) == 1
