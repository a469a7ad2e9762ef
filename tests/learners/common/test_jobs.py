"""Work in threads: the same results, errors that reach the caller, and progress."""

from __future__ import annotations

import re

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
