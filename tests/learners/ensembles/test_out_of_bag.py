"""Rows left out: sums over blocks of rows, and records."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from assay import BaggingClassifier, DecisionTreeClassifier, RandomForestClassifier


def test_sums_over_several_blocks():
    rng = np.random.default_rng(1)
    n, members = 5000, 4
    X = rng.normal(size=(n, 3)).astype(np.float32)
    y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
    how = {"max_depth": 2, "random_state": 0, "oob_score": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # rows in every bag
        model, threads = (
            RandomForestClassifier(members, n_jobs=j, **how).fit(X, y) for j in (1, 2)
        )
    assert model.record_ == threads.record_
    left = np.array([np.bincount(rows, minlength=n) == 0 for rows in model.estimators_samples_])
    values = [tree.value[tree.leaf_of(X)] for tree in model.trees_]
    shares = np.array([value / value.sum(axis=1, keepdims=True) for value in values])
    loss = 1 - shares[:, np.arange(n), y]
    votes = (
        np.where(left[:, :, None], shares, 0).sum(axis=0) / np.maximum(left.sum(axis=0), 1)[:, None]
    )
    votes[~left.any(axis=0)] = np.nan
    np.testing.assert_allclose(model.oob_decision_function_, votes)
    record = model.record_
    assert record.left_out == left.sum(axis=1).min()
    assert record.loss == pytest.approx(np.mean([loss[t, left[t]].mean() for t in range(members)]))
    pairs = [(loss[t] * loss[s])[left[t] & left[s]] for t in range(members) for s in range(members)]
    assert record.tandem == pytest.approx(np.mean([p.mean() for p in pairs]))
    assert record.left_out_by_both == min(map(len, pairs))


def test_nothing_is_said_where_a_bag_left_nothing_out():
    X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 1]
    seen = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for seed in range(30):
            model = BaggingClassifier(
                DecisionTreeClassifier(), 2, oob_score=True, random_state=seed
            )
            left = [
                set(range(3)) - set(rows.tolist()) for rows in model.fit(X, y).estimators_samples_
            ]
            record = model.record_
            assert record.left_out == min(map(len, left))
            assert record.left_out_by_both == min(len(left[0] & left[1]), *map(len, left))
            if not record.left_out:
                errors = [g for g in model.guarantees() if "error" in g.of]
                assert all(g.promised is None or g.vacuous for g in errors)
            seen.add((record.left_out, record.left_out_by_both))
    assert {(0, 0), (1, 0)} <= seen
