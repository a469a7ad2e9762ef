"""Columns of many categories: statistics by other rows, and what must not leak through them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.data import Preparation, encoder_from_json
from assay.data.target_statistics import BLOCKS, FOLDS, MOST_SHARES, Counted, Outcomes, folds
from assay.errors import BadData
from tests.naive import target_statistics as naive

ROWS = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 5), min_size=n, max_size=n),
        st.lists(st.integers(-9, 9), min_size=n, max_size=n),
        st.integers(0, 99),
        st.booleans(),
    )
)


@given(ROWS)
def test_as_by_definition(rows):
    category, y, seed, past = rows
    code, y = np.array(category), np.array(y, float)
    order = np.random.default_rng(seed).integers(0, 20, len(y)) if past else None
    outcomes = Outcomes.of(y, quantity=True, order=order, seed=seed)
    counted = Counted.of(code, 6, outcomes)
    expected = naive.of_others(category, y.tolist(), outcomes.fold.tolist(), past)
    assert counted.of_others(code, outcomes)[:, 0] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    m = naive.strength(category, y.tolist())
    for one in set(category):
        all_rows = y[code == one].tolist()
        assert counted.statistics[one, 0] == pytest.approx(
            naive.smoothed(all_rows, y.mean(), m), rel=1e-9, abs=1e-9
        )


@given(ROWS)
def test_nothing_of_a_row_or_of_what_it_belongs_to_is_in_its_features(rows):
    category, y, seed, past = rows
    code, y = np.array(category), np.array(y, float)
    rng = np.random.default_rng(seed)
    unit = rng.integers(0, max(2, len(y) // 2), len(y))
    order = rng.integers(0, 20, len(y)) if past else None
    outcomes = Outcomes.of(y, quantity=True, together=unit, order=order, seed=seed)
    counted = Counted.of(code, 6, outcomes)
    shown = counted.of_others(code, outcomes)
    at = int(rng.integers(len(y)))
    hidden = unit == unit[at]
    if past:
        # Whatever comes later, or at the same time, is not known either.
        last = np.array([order[unit == one].max() for one in unit])
        hidden = last >= last[at]
    other = np.where(hidden, rng.integers(-9, 9, len(y)) * 100.0, y)
    changed = Outcomes.of(other, quantity=True, together=unit, order=order, seed=seed)
    # The mean and its weight are two numbers, the same for all rows.
    again = replace(
        Counted.of(code, 6, changed), prior=counted.prior, strength=counted.strength
    ).of_others(code, changed)
    assert again[at].tolist() == shown[at].tolist()


def test_folds_keep_together_what_belongs_together():
    unit = np.repeat(np.arange(50), 3)
    fold = folds(150, together=unit, seed=3)
    assert all(len(set(fold[unit == one])) == 1 for one in range(50))
    assert np.bincount(fold).tolist() == [30] * FOLDS
    assert fold.tolist() == folds(150, together=unit, seed=3).tolist()
    assert fold.tolist() != folds(150, together=unit, seed=4).tolist()


def test_blocks_of_time_are_in_order_and_rows_of_one_time_in_one():
    order = np.random.default_rng(0).integers(0, 30, 300)
    block = folds(300, order=order)
    assert (np.diff(block[np.argsort(order, kind="stable")]) >= 0).all()
    assert all(len(set(block[order == when])) == 1 for when in range(30))
    assert block.max() < BLOCKS


def test_the_first_block_of_time_knows_the_mean_only():
    order, code = np.arange(100), np.zeros(100, np.int64)
    code[::2] = 1
    outcomes = Outcomes.of(code == 1, order=order)
    shown = Counted.of(code, 2, outcomes).of_others(code, outcomes)
    assert shown[:10, 0].tolist() == [0.5] * 10
    assert (np.abs(shown[10:, 0] - 0.5) > 0.3).all()


def correlated(shown, y):
    """Whether a feature of noise and the target agree by more than chance allows: five deviations."""
    with np.errstate(invalid="ignore"):
        r = np.corrcoef(np.asarray(shown, float), y)[0, 1] if np.ptp(shown) else 0.0
    return abs(r) > 5 / np.sqrt(len(y))


@pytest.mark.parametrize("rows_each", [2, 5, 20])
def test_noise_leaks_nothing_and_the_broken_twin_is_caught(rows_each):
    rng = np.random.default_rng(rows_each)
    for _ in range(20):
        code, y = rng.integers(0, 1000 // rows_each, 1000), rng.integers(0, 2, 1000)
        outcomes = Outcomes.of(y)
        counted = Counted.of(code, 1000 // rows_each, outcomes)
        assert not correlated(counted.of_others(code, outcomes)[:, 0], y)
        assert correlated(naive.in_fold(code.tolist(), y.tolist()), y)


def test_where_categories_tell_nothing_all_are_the_mean():
    rng = np.random.default_rng(1)
    code, y = rng.integers(0, 100, 5000), rng.integers(0, 2, 5000)
    counted = Counted.of(code, 100, Outcomes.of(y))
    assert np.abs(counted.statistics[:, 0] - y.mean()).max() < 0.05


def test_of_two_classes_one_share_and_of_many_the_commonest():
    assert Outcomes.of(np.array([True, False])).names == ("share of True",)
    many = Outcomes.of(np.repeat(np.arange(30), np.arange(30) + 1))
    assert many.names == tuple(f"share of {label}" for label in range(30 - MOST_SHARES, 30))
    assert Outcomes.of(np.array([1.5, 2.0]), quantity=True).names == ("mean",)


def zips(different, each, text="z{}"):
    return [text.format(i % different) for i in range(different * each)]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (zips(50, 30), "category"),
        (zips(51, 10), "coded"),
        (zips(51, 2), "coded"),
        (zips(1500, 2), "coded"),
        (zips(51, 1), "text"),
        (zips(51, 2, "call me back {}"), "text"),
        (zips(51, 10, "call me back {}"), "coded"),
    ],
)
def test_what_counts_as_many_categories(words, kind):
    y = np.arange(len(words)) % 3 == 0
    ready = Preparation.fit(pa.table({"c": words}), outcomes=Outcomes.of(y))
    assert ready.columns[0].kind == kind
    # Without outcomes there are no statistics of them.
    assert Preparation.fit(pa.table({"c": words})).columns[0].kind in ("category", "text")


def test_numbers_named_as_categories_are_coded_where_they_are_many():
    rows = pa.table({"zip": list(range(2000)) * 2})
    outcomes = Outcomes.of(np.arange(4000) % 2 == 0)
    [column] = Preparation.fit(rows, categories=["zip"], outcomes=outcomes).columns
    assert column.kind == "coded"
    [column] = Preparation.fit(
        rows, categories={"zip": [1, 2, 3]}, unknown="other", outcomes=outcomes
    ).columns
    assert column.categories == ("1", "2", "3")


def test_unknown_ones_have_the_mean_and_missing_ones_are_told():
    words = [*zips(60, 20), None, None]
    y = np.array([int(word is not None and int(word[1:]) < 20) for word in words])
    ready = Preparation.fit(pa.table({"c": words}), outcomes=Outcomes.of(y)).unscaled()
    assert ready.features == ("share of 1 by c", "c is missing")
    X = ready.transform(pa.table({"c": ["z3", "z50", "never seen", None]}))
    assert X[0, 0] > 0.9
    assert X[1, 0] < 0.1
    assert X[2, 0] == pytest.approx(y.mean())
    assert X[:, 1].tolist() == [0, 0, 0, 1]


def test_a_document_holds_all_of_it():
    words = zips(60, 20)
    y = np.array(["a", "b", "c"])[np.arange(len(words)) % 3]
    table = pa.table({"c": words, "n": np.arange(len(words)) / 7})
    ready = Preparation.fit(table, outcomes=Outcomes.of(y))
    again = encoder_from_json(json.loads(json.dumps(ready.to_json())))
    assert again == ready
    assert again.transform(table).tolist() == ready.transform(table).tolist()
    [described, _] = ready.described()
    assert described == (
        "c",
        "category",
        "3 features for 60 categories, by the training rows of each: share of a, share of b, share of c",
        "the mean",
    )


@pytest.mark.parametrize(
    "change",
    [
        {"statistics": []},
        {"statistics": [[0.5]] * 59},
        {"statistics": [[0.5, 0.5]] * 60},
        {"statistics": [["a half"]] * 60},
        {"statistics": [[float("nan")]] * 60},
        {"statistics": 7},
        {"prior": []},
        {"prior": [True]},
        {"parts": []},
        {"parts": ["x", "x"]},
        {"categories": ["same"] * 60},
        {"kind": "number"},
    ],
)
def test_a_document_that_nobody_wrote_is_refused(change):
    words = zips(60, 20)
    outcomes = Outcomes.of(np.arange(len(words)) % 2)
    document = Preparation.fit(pa.table({"c": words}), outcomes=outcomes).to_json()
    document["columns"][0] |= change
    with pytest.raises(BadData, match="cannot be made from this document"):
        encoder_from_json(document)
