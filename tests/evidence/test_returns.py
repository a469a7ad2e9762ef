"""Histograms of weighted losses: what is shared out never promises more, and no order matters."""

import numpy as np

from assay.evidence.returns import digest_of_columns, returns_of
from assay.theory.tail.logged import logged_loss_at_least


def test_few_values_are_counted_as_they_are():
    assert returns_of(np.array([0.5, 2.0, 0.5, 0.0])) == ((0.0, 1.0), (0.5, 2.0), (2.0, 1.0))


def test_many_values_keep_their_mean_and_promise_hardly_less():
    rng = np.random.default_rng(0)
    for values in (rng.random(5000), rng.lognormal(0, 3, 5000), rng.random(5000) * 1e-200):
        shared = returns_of(values)
        assert len(shared) <= 2000
        assert sum(n for _, n in shared) == 5000
        mean = sum(y * n for y, n in shared) / 5000
        assert 0 <= values.mean() - mean <= 2e-5 * values.mean()
        whole = [(y, 1) for y in values.tolist()]
        exact = logged_loss_at_least(whole[:4000], 0.05)
        again = logged_loss_at_least(returns_of(values[:4000]), 0.05)
        assert exact * (1 - 1e-3) <= again <= exact
        assert returns_of(values[::-1]) == shared


def test_values_of_a_power_of_two_stay_where_they_are():
    values = np.concatenate([np.arange(1, 3000) / 7, np.array([0.0, 1.0, 2.0, 4.0] * 1000)])
    shared = dict(returns_of(values))
    assert all(shared[y] >= 1000 for y in (0.0, 1.0, 2.0, 4.0))


def test_the_digest_tells_columns_apart():
    a, b = np.array([0.5, 0.25]), np.array([1.0])
    assert digest_of_columns(a, b) != digest_of_columns(b, a)
    assert digest_of_columns(a, b) != digest_of_columns(np.concatenate([a, b]))
    assert digest_of_columns(a, b) == digest_of_columns(a[::-1][::-1], b.copy())
