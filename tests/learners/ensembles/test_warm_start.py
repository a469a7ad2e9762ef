"""A fit that goes on has the bags that it had: else rows that trees saw would pass for rows they did not see."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

from assay import (
    BaggingClassifier,
    DecisionTreeClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    load,
    save,
)
from assay.errors import BadData

RNG = np.random.default_rng(0)
X, COINS = RNG.normal(size=(200, 3)), RNG.integers(0, 2, 200)
SENTENCE = (
    "warm_start goes on with the sample it has, but rows, labels, weights, or the parameters that say how bags and "
    "bins are made, are others than in the earlier fit. Set them back, or fit with warm_start=False."
)
OTHERWISE = {
    "bootstrap": ({"bootstrap": False}, {"bootstrap": True}),
    "max_samples": ({"max_samples": 0.9}, {"max_samples": 0.2}),
    "rows": ({}, {}),
}


def went_on(kind, before, after, *, pretend=False):
    """An ensemble that was grown otherwise before, on labels that nobody can predict."""
    model = kind(n_estimators=30, warm_start=True, random_state=0, **before).fit(X, COINS)
    order = slice(None) if after else slice(None, None, -1)
    if pretend:
        model.sample_ = kind(n_estimators=1, **after).fit(X[order], COINS[order]).sample_
    return model.set_params(n_estimators=31, oob_score=True, **after).fit(X[order], COINS[order])


@pytest.mark.parametrize("kind", [RandomForestClassifier, BaggingClassifier])
@pytest.mark.parametrize(("before", "after"), OTHERWISE.values(), ids=OTHERWISE)
def test_other_bags_are_refused_as_they_would_break_the_promise(kind, before, after):
    with pytest.raises(BadData, match=f"^{re.escape(SENTENCE)}$"):
        went_on(kind, before, after)
    # Had the earlier fit been of the same sample, as it is made to say: members err on less than half of all coins.
    member, *_ = went_on(kind, before, after, pretend=True).guarantees()
    assert member.value < 0.5


@pytest.mark.parametrize("kind", [RandomForestClassifier, BaggingClassifier])
def test_the_same_sample_goes_on_also_from_a_file(kind, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # rows in every bag
        whole = kind(n_estimators=5, random_state=3, oob_score=True).fit(X, COINS)
        part = kind(n_estimators=2, random_state=3).fit(X, COINS)
        save(part, tmp_path / "part.assay")
        part = load(tmp_path / "part.assay")
        part.set_params(n_estimators=5, warm_start=True, oob_score=True).fit(X.copy(), COINS)
    assert part.record_ == whole.record_
    assert part.predict_proba(X).tobytes() == whole.predict_proba(X).tobytes()


def test_other_targets_weights_and_bins_are_refused():
    numbers = RandomForestRegressor(2, random_state=0, warm_start=True).fit(X, X[:, 0])
    for told in ({"y": X[:, 1]}, {"y": X[:, 0], "sample_weight": np.arange(200.0)}):
        with pytest.raises(BadData, match=r"^warm_start goes on with the sample it has"):
            numbers.fit(X, **told)
    with pytest.raises(BadData, match=r"^warm_start goes on with the sample it has"):
        numbers.set_params(max_bins=9).fit(X, X[:, 0])


def test_a_refused_fit_changes_nothing():
    model = RandomForestClassifier(3, random_state=0, warm_start=True, oob_score=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, COINS)
    before = [str(promise) for promise in model.guarantees()]
    with pytest.raises(BadData):
        model.fit(X, np.where(COINS, "b", "a"))
    assert model.classes_.tolist() == [0, 1]
    assert [str(promise) for promise in model.guarantees()] == before


def test_what_is_promised_is_about_the_fit_and_not_about_parameters_set_later():
    """The twin that asks the parameters promises something although trees saw all rows."""
    for told, later in (
        ({"class_weight": "balanced"}, {"class_weight": None}),
        ({"max_bins": 8}, {"max_bins": None}),
    ):
        model = RandomForestClassifier(20, random_state=0, oob_score=True, **told).fit(X, COINS)
        model.set_params(**later)
        assert [promise.promised for promise in model.guarantees()[:2]] == [None, None]
    bags = BaggingClassifier(
        DecisionTreeClassifier(max_depth=1), max_samples=0.5, bootstrap=False, random_state=0
    ).fit(X, COINS)
    before = [rows.tolist() for rows in bags.estimators_samples_]
    bags.set_params(bootstrap=True, max_samples=1.0)
    assert [rows.tolist() for rows in bags.estimators_samples_] == before
    assert bags.guarantees() == []


def test_weights_are_taken_on_trust():
    model = RandomForestClassifier(20, random_state=0, oob_score=True)
    member, *_ = model.fit(X, COINS, sample_weight=1.0 + COINS).guarantees()
    assert [a.status for a in member.assumptions] == ["assumed", "declared"]
    member, *_ = model.fit(X, COINS).guarantees()
    assert [a.status for a in member.assumptions] == ["assumed", "by construction"]
