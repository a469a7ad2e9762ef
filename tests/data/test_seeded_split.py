from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.data import split
from assay.errors import BadParameter
from tests.data.reading import refuses


@given(st.integers(2, 200), st.floats(0.01, 0.99), st.integers(0, 2**64))
def test_two_sides_that_are_all_rows(rows, share, seed):
    parts = split(rows, holdout=share, random_state=seed)
    assert sorted([*parts.train, *parts.holdout]) == list(range(rows))
    assert (np.diff(parts.train) > 0).all()
    assert (np.diff(parts.holdout) > 0).all()
    assert len(parts.holdout) == min(max(round(rows * share), 1), rows - 1)
    again = split(rows, holdout=share, random_state=seed)
    assert np.array_equal(again.holdout, parts.holdout)


def naive_draws(rows, seed):
    """PCG64 as published (O'Neill, 2014, XSL-RR 128/64), from the state that the seed gives."""
    start = np.random.PCG64(seed).state["state"]
    state, draws = start["state"], []
    for _ in range(rows):
        state = (state * 0x2360ED051FC65DA44385DF649FCCF645 + start["inc"]) % 2**128
        word, turn = (state >> 64) ^ (state % 2**64), state >> 122
        draws.append((word >> turn | word << (64 - turn)) % 2**64)
    return draws


@given(st.integers(2, 60), st.integers(0, 10**6), st.data())
def test_the_rows_with_the_least_draws_are_held_out(rows, seed, data):
    count = data.draw(st.integers(1, rows - 1))
    draws = naive_draws(rows, seed)
    expected = sorted(sorted(range(rows), key=draws.__getitem__)[:count])
    assert split(rows, holdout=count, random_state=seed).holdout.tolist() == expected


def test_the_split_never_changes():
    """A split that others rely on stays what it is, whatever becomes of NumPy's seeding."""
    assert split(20, holdout=5, random_state=0).holdout.tolist() == [2, 3, 11, 13, 15]


def test_every_row_is_as_likely():
    counts = np.zeros(10)
    for seed in range(4000):
        counts[split(10, holdout=3, random_state=seed).holdout] += 1
    # Each count is binomial with mean 1200 and deviation 29.
    assert (np.abs(counts - 1200) < 150).all()


@given(
    st.lists(st.sampled_from("abc"), min_size=4, max_size=100),
    st.integers(0, 1000),
    st.floats(0.1, 0.9),
)
def test_strata_get_their_share(labels, seed, share):
    parts = split(len(labels), holdout=share, random_state=seed, stratify=labels)
    y = np.array(labels)
    exact = len(parts.holdout) / len(y)
    for label in set(labels):
        held = (y[parts.holdout] == label).sum()
        assert abs(held - exact * (y == label).sum()) < 1
    plain = split(len(labels), holdout=share, random_state=seed)
    assert len(plain.holdout) == len(parts.holdout)


def test_without_strata_shares_differ():
    y = np.array([0] * 90 + [1] * 10)
    held = {int(y[split(100, holdout=0.3, random_state=s).holdout].sum()) for s in range(50)}
    assert len(held) > 1
    held = {
        int(y[split(100, holdout=0.3, random_state=s, stratify=y).holdout].sum()) for s in range(50)
    }
    assert held == {3}


@pytest.mark.parametrize("rows", [1, 0, -5, 2.0, True, "9"])
def test_bad_rows(rows):
    with refuses(f"rows must be a whole number of at least 2, but is {rows!r}.", BadParameter):
        split(rows)


@pytest.mark.parametrize("holdout", [0.0, 1.0, -0.5, math.nan, "half", True, None])
def test_bad_shares(holdout):
    with refuses(
        "holdout must be a number strictly between 0 and 1, or a number of rows, but is "
        f"{holdout!r}.",
        BadParameter,
    ):
        split(10, holdout=holdout)


@pytest.mark.parametrize("holdout", [0, 10, -1, 11])
def test_bad_counts(holdout):
    with refuses(f"holdout must be from 1 to 9 for 10 rows, but is {holdout}.", BadParameter):
        split(10, holdout=holdout)


def test_other_refusals():
    for seed in (-1, 0.5, True):
        with refuses(
            f"random_state must be a whole number of at least 0, but is {seed!r}.", BadParameter
        ):
            split(10, random_state=seed)
    with refuses("There are 10 rows, but stratify has shape (3,); it needs one label per row."):
        split(10, stratify=[1, 2, 3])
