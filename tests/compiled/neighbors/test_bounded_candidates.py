"""Screening: whatever rounding does within its allowance, no neighbour is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.compiled.neighbors.bounded_candidates import screen_nearest, screen_within


def screened(seed, n, k, off, *, careless=False, limit=None):
    """Exact values of rows on a line, blurred by as much as is allowed; the rows kept, and the nearest."""
    rng = np.random.default_rng(seed)
    s, x = rng.integers(0, 50, 3) / 8, rng.integers(0, 50, n) / 8
    true = 0.5 * (s[:, None] - x) ** 2
    half = 0.5 * s**2
    own, allowance = off * rng.random(n), off * rng.random(3)
    # The middle of what v may be, less half the row's own, and anything up to both allowances around it.
    blur = rng.choice([-1.0, 1.0], (3, n)) * (0.5 * own + allowance[:, None])
    V = true - half[:, None] - 0.5 * own + blur
    told = (half, 0.0 * allowance if careless else allowance, np.zeros(3), 1.0)
    distances = (s[:, None] - x) ** 2
    if limit is not None:
        many, found, used = screen_within(V, *told, limit)
        wanted = [np.flatnonzero(row <= limit) for row in distances]
    else:
        mine = 0.0 * own if careless else own
        many, found, used = screen_nearest(V, mine, *told, np.full(3, np.inf), k)
        wanted = [np.argsort(row, kind="stable")[:k] for row in distances]
    assert used == many.sum()
    kept = np.split(found[:used], np.cumsum(many)[:-1])
    return kept, wanted


def lost(*told, **how):
    kept, wanted = screened(*told, **how)
    return sum(len(set(w.tolist()) - set(k.tolist())) for k, w in zip(kept, wanted, strict=True))


@settings(max_examples=60)
@given(
    st.integers(0, 10**6), st.integers(1, 300), st.integers(1, 80), st.sampled_from([0.0, 0.1, 2.0])
)
def test_no_neighbour_is_lost(seed, n, k, off):
    assert lost(seed, n, min(k, n), off) == 0
    assert lost(seed, n, 1, off, limit=1.0) == 0


@pytest.mark.parametrize("limit", [None, 1.0])
def test_without_the_allowance_some_are(limit):
    assert sum(lost(seed, 200, 5, 2.0, careless=True, limit=limit) for seed in range(5)) > 0


def test_few_are_kept_when_little_is_off():
    kept, wanted = screened(1, 300, 3, 1e-9)
    for rows, near in zip(kept, wanted, strict=True):
        assert len(rows) < 60
        assert set(near) <= set(rows)


def test_a_bar_leaves_out_what_is_beyond_it():
    V = np.array([[3.0, 1.0, 2.0]], dtype=np.float32)
    zero = np.zeros(1)
    many, found, used = screen_nearest(V, np.zeros(3), zero, zero, zero, 1.0, np.array([4.0]), 3)
    assert (many.tolist(), found[:used].tolist()) == ([2], [1, 2])
