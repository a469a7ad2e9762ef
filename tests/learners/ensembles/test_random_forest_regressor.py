"""The random forest for numbers: scikit-learn's accuracy, threads, rows left out, promises, files, refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.datasets import make_friedman1
from sklearn.tree import DecisionTreeRegressor

from assay import RandomForestRegressor, load, save
from assay.errors import BadData, BadParameter
from tests.naive import forest as naive
from tests.scikit_checks import assert_checks_pass_but_those_named

X, Y = make_friedman1(900, 8, noise=1.0, random_state=0)
TRAIN, HELD = slice(0, 500), slice(500, None)


@pytest.mark.parametrize("told", [{}, {"max_features": "sqrt"}, {"max_bins": 64}])
def test_as_accurate_as_scikit_learn(told):
    ours = RandomForestRegressor(60, random_state=0, **told).fit(X[TRAIN], Y[TRAIN])
    told.pop("max_bins", None)
    theirs = ensemble.RandomForestRegressor(60, random_state=0, **told).fit(X[TRAIN], Y[TRAIN])
    misses = [(Y[HELD] - model.predict(X[HELD])) ** 2 for model in (ours, theirs)]
    gap = misses[0] - misses[1]
    assert abs(gap.mean()) < 4 * gap.std() / np.sqrt(len(gap))
    assert np.corrcoef(ours.predict(X[HELD]), theirs.predict(X[HELD]))[0, 1] > 0.97
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=0.05)


@pytest.mark.parametrize(
    "told", [{}, {"max_depth": 4}, {"min_samples_leaf": 40}, {"max_leaf_nodes": 9}]
)
def test_one_tree_on_all_rows_is_scikit_learns(told):
    # One feature, or enough rows at every node: no two cuts are equally good.
    width = 8 if told else 1
    ours = RandomForestRegressor(1, bootstrap=False, **told).fit(X[:, :width], Y)
    theirs = DecisionTreeRegressor(random_state=0, **told).fit(X[:, :width], Y)
    asked = make_friedman1(300, 8, random_state=5)[0][:, :width]
    np.testing.assert_allclose(ours.predict(asked), theirs.predict(asked), rtol=1e-9)
    if "max_leaf_nodes" not in told:
        np.testing.assert_allclose(ours.trees_[0].impurity, theirs.tree_.impurity, atol=1e-9)
    assert ours.trees_[0].leaves == theirs.get_n_leaves()


def test_weights_are_repetitions_without_bags():
    times = np.random.default_rng(0).integers(0, 3, 200)
    told = {"bootstrap": False, "max_depth": 5}
    one = X[:200, :1]
    weighed = RandomForestRegressor(1, **told).fit(one, Y[:200], sample_weight=times)
    repeated = RandomForestRegressor(1, **told)
    repeated.fit(np.repeat(one, times, axis=0), np.repeat(Y[:200], times))
    np.testing.assert_allclose(weighed.predict(X[:, :1]), repeated.predict(X[:, :1]), rtol=1e-9)


def test_the_same_bits_for_any_number_of_threads():
    runs = [
        RandomForestRegressor(20, random_state=3, oob_score=True, n_jobs=jobs).fit(X[:300], Y[:300])
        for jobs in (1, 3)
    ]
    assert runs[0].predict(X).tobytes() == runs[1].predict(X).tobytes()
    assert runs[0].oob_prediction_.tobytes() == runs[1].oob_prediction_.tobytes()
    assert runs[0].record_ == runs[1].record_


def test_rows_left_out_are_judged_as_by_hand():
    rows, target = X[:60], Y[:60]
    model = RandomForestRegressor(20, random_state=2, oob_score=True).fit(rows, target)
    bags = [naive.bag(model.seed_, t, 60, 60)[1] for t in range(20)]
    said = np.array([naive.vote([tree], rows.astype(np.float32))[:, 0] for tree in model.trees_])
    left = np.array(bags) == 0
    np.testing.assert_allclose(model.oob_prediction_, (said * left).sum(axis=0) / left.sum(axis=0))
    losses = [np.mean((said[t] - target)[left[t]] ** 2) for t in range(20)]
    assert model.record_.loss == pytest.approx(np.mean(losses))
    rest = ((model.oob_prediction_ - target) ** 2).sum()
    assert model.record_.errors == pytest.approx(rest)
    assert model.oob_score_ == pytest.approx(1 - rest / ((target - target.mean()) ** 2).sum())


def test_a_promise_needs_a_range():
    model = RandomForestRegressor(30, random_state=0, oob_score=True).fit(X[TRAIN], Y[TRAIN])
    assert [p.theorem for p in model.guarantees()] == ["bootstrap-out-of-bag"]
    promise, _ = model.guarantees(low=-10.0, high=40.0)
    assert promise.theorem == "out-of-bag-square"
    error = np.mean((Y[HELD] - model.predict(X[HELD])) ** 2) / 2500
    assert error < model.record_.loss / 2500 < promise.value < 0.1
    assert [a.status for a in promise.assumptions if "range" in a.name] == ["declared"]
    broken, _ = model.guarantees(low=0.0, high=10.0)
    assert (broken.applies, broken.promised) == (False, None)
    with pytest.raises(
        BadParameter, match=r"^low must be below high, 1\.0, by at least 1e-150, but is 3\.0\.$"
    ):
        model.guarantees(low=3.0, high=1.0)
    small = RandomForestRegressor(30, random_state=0, oob_score=True, max_bins=8)
    none, _ = small.fit(X[TRAIN], Y[TRAIN]).guarantees(low=-10.0, high=40.0)
    assert not none.applies


def test_numbers_far_from_zero():
    one = X[:, :1]
    far = RandomForestRegressor(5, random_state=0).fit(one, Y + 1e9)
    near = RandomForestRegressor(5, random_state=0).fit(one, Y)
    # Squares of a billion would leave nothing of differences of ten.
    np.testing.assert_allclose(far.predict(one) - 1e9, near.predict(one), atol=1e-5)
    assert RandomForestRegressor(3, random_state=0).fit(X, np.full(len(X), 7.5)).predict(
        X[:2]
    ).tolist() == [7.5, 7.5]


def test_files(tmp_path):
    model = RandomForestRegressor(25, random_state=0, oob_score=True).fit(X[:100], Y[:100])
    save(model, tmp_path / "a.assay")
    again = load(tmp_path / "a.assay")
    assert again.predict(X).tobytes() == model.predict(X).tobytes()
    assert again.guarantees(low=-10, high=40) == model.guarantees(low=-10, high=40)


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (
            {"criterion": "gini"},
            "criterion must be one of 'squared_error', 'friedman_mse', 'absolute_error', 'poisson', but is 'gini'.",
        ),
        (
            {"max_samples": 0.5, "bootstrap": False},
            "max_samples must be None if bootstrap is False, but is 0.5. "
            "Without a bootstrap every tree sees every row.",
        ),
    ],
)
def test_refused_parameters(told, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        RandomForestRegressor(**told).fit(X, Y)


def test_checks():
    assert_checks_pass_but_those_named(RandomForestRegressor(10))


def test_ranges_and_targets_that_mean_nothing_are_refused_by_a_sentence():
    model = RandomForestRegressor(30, random_state=0, oob_score=True).fit(X[:99], Y[:99])
    for told, sentence in (
        ({"low": "a", "high": 1.0}, "low must be a number from -1e+150 to 1e+150, but is 'a'."),
        ({"low": 0, "high": np.nan}, "high must be a number from -1e+150 to 1e+150, but is nan."),
        (
            {"low": -1e300, "high": 1},
            "low must be a number from -1e+150 to 1e+150, but is -1e+300.",
        ),
        (
            {"low": 0.0, "high": 1e-200},
            "low must be below high, 1e-200, by at least 1e-150, but is 0.0.",
        ),
    ):
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            model.guarantees(**told)
    gone = np.array([*Y[:98], None], dtype=object)
    with pytest.raises(BadData, match=r"^y must hold finite numbers, but has none in row 98\.$"):
        RandomForestRegressor(2).fit(X[:99], gone)
