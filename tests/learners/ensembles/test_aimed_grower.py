"""Forests that predict more than one class or one mean: against single trees, rows left out, files, promises."""

import numpy as np
import pytest
from sklearn.metrics import r2_score

from assay import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    load,
    save,
)
from assay.errors import BadParameter

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
X[RNG.random(X.shape) < 0.05] = np.nan
Z = np.nan_to_num(X)
NUMBERS = np.column_stack([Z[:, 0], Z[:, 1] ** 2]) + 0.1 * RNG.normal(size=(300, 2))
LABELS = np.column_stack([Z[:, 0] > 0, Z[:, 1] > 0.5])
WORDS = np.column_stack([np.digitize(Z[:, 0], [-1, 1]), Z[:, 1] > 0]).astype(str)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_without_bags_every_tree_is_a_single_one(criterion):
    """All features are looked at, so nothing is left to chance but ties, which these numbers do not have."""
    y = np.abs(NUMBERS) if criterion == "poisson" else NUMBERS
    how = {"criterion": criterion, "max_depth": 2}
    forest = RandomForestRegressor(2, bootstrap=False, random_state=0, **how).fit(X, y)
    tree = DecisionTreeRegressor(**how).fit(X, y)
    np.testing.assert_allclose(forest.predict(X), tree.predict(X))
    assert all(one.same_as(tree.nodes_) for one in forest.trees_)


def test_without_bags_every_tree_of_classes_is_a_single_one():
    how = {"max_depth": 2, "monotonic_cst": [1, 0, -1, 0]}
    forest = RandomForestClassifier(2, bootstrap=False, max_features=None, **how)
    y = Z[:, 0] - Z[:, 2] + RNG.normal(size=300) > 0
    tree = DecisionTreeClassifier(**how).fit(X, y)
    np.testing.assert_array_equal(forest.fit(X, y).predict_proba(X), tree.predict_proba(X))


def test_a_tree_depends_on_its_bag_alone():
    """Rows that a bag left out may hold anything: the tree, and so what they say of it, stays the same to the bit."""
    for criterion in ("squared_error", "absolute_error"):
        forest = RandomForestRegressor(3, criterion=criterion, random_state=0).fit(Z, NUMBERS)
        for number, rows in enumerate(forest.estimators_samples_):
            left = np.setdiff1d(np.arange(300), rows)
            other, targets = Z.copy(), NUMBERS.copy()
            other[left], targets[left] = 99.0, -7.0
            again = RandomForestRegressor(3, criterion=criterion, random_state=0)
            again.fit(other, targets)
            assert again.trees_[number].same_as(forest.trees_[number])


def test_several_columns_of_labels(tmp_path):
    model = RandomForestClassifier(30, random_state=0).fit(X, WORDS)
    assert model.n_outputs_ == 2
    assert model.n_classes_ == [3, 2]
    shares = model.predict_proba(X)
    assert [one.shape for one in shares] == [(300, 3), (300, 2)]
    each = [tree.predict_proba(X) for tree in model]
    for k, one in enumerate(shares):
        np.testing.assert_allclose(one, np.mean([tree[k] for tree in each], axis=0))
    assert (model.predict(X) == WORDS).mean() > 0.95
    save(model, tmp_path / "forest.assay")
    again = load(tmp_path / "forest.assay")
    assert (again.predict(X) == model.predict(X)).all()
    assert [one.theorem for one in again.guarantees()] == ["bootstrap-out-of-bag"]


def test_rows_left_out_of_several_columns(tmp_path):
    """They make a score, and no promise: theorems here are about one column."""
    numbers = RandomForestRegressor(40, oob_score=True, random_state=0).fit(X, NUMBERS)
    means, many = np.zeros((300, 2)), np.zeros(300)
    for tree, rows in zip(numbers, numbers.estimators_samples_, strict=True):
        left = np.setdiff1d(np.arange(300), rows)
        means[left] += tree.predict(X[left])
        many[left] += 1
    np.testing.assert_allclose(numbers.oob_prediction_, means / many[:, None])
    assert numbers.oob_score_ == pytest.approx(r2_score(NUMBERS, means / many[:, None]))
    assert len(numbers.guarantees(low=-9, high=9)) == len(numbers.guarantees()) == 1
    labels = RandomForestClassifier(40, oob_score=True, random_state=0).fit(X, LABELS)
    assert labels.oob_decision_function_.shape == (300, 2, 2)
    right = (labels.oob_decision_function_.argmax(axis=1) == LABELS).all(axis=1)
    assert labels.oob_score_ == right.mean()
    save(labels, tmp_path / "forest.assay")
    assert load(tmp_path / "forest.assay").oob_score_ == labels.oob_score_
    with pytest.raises(BadParameter, match=r"^oob_score must be False where some column of y"):
        RandomForestClassifier(5, oob_score=True).fit(X, WORDS)


def test_rows_left_out_still_promise_where_there_is_one_column():
    model = RandomForestClassifier(
        60, monotonic_cst=[1, 0, 0, 0], oob_score=True, random_state=0, min_samples_leaf=5
    )
    model.fit(X, LABELS[:, 0])
    found = {one.theorem for one in model.guarantees()}
    assert "out-of-bag-vote" in found
    number = RandomForestRegressor(60, criterion="absolute_error", oob_score=True, random_state=0)
    number.fit(X, NUMBERS[:, 0])
    assert number.guarantees(low=-5, high=5)[0].theorem == "out-of-bag-square"


def test_weights_of_classes_of_several_columns():
    by_hand = [{False: 1.0, True: 3.0}, {False: 2.0, True: 1.0}]
    weights = np.prod([np.where(LABELS[:, k], w[True], w[False]) for k, w in enumerate(by_hand)], 0)
    how = {"n_estimators": 5, "random_state": 0}
    one = RandomForestClassifier(class_weight=by_hand, **how).fit(X, LABELS)
    other = RandomForestClassifier(**how).fit(X, LABELS, sample_weight=weights)
    assert all(a.same_as(b) for a, b in zip(one.trees_, other.trees_, strict=True))
    for word in ("balanced", "balanced_subsample"):
        model = RandomForestClassifier(class_weight=word, **how).fit(X, LABELS)
        assert model.predict(X).shape == (300, 2)


def test_threads_do_not_matter_and_fits_go_on():
    how = {"criterion": "absolute_error", "random_state": 3}
    one = RandomForestRegressor(6, **how).fit(X, NUMBERS)
    two = RandomForestRegressor(6, n_jobs=2, **how).fit(X, NUMBERS)
    warm = RandomForestRegressor(2, warm_start=True, **how).fit(X, NUMBERS)
    warm.set_params(n_estimators=6).fit(X, NUMBERS)
    for other in (two, warm):
        assert all(a.same_as(b) for a, b in zip(one.trees_, other.trees_, strict=True))


def test_features_of_a_tree_and_prices():
    """Features drawn once for a tree are counted as the table has them; a price prunes every tree."""
    how = {"max_features": 2, "features_per": "tree", "random_state": 0}
    model = RandomForestRegressor(10, **how).fit(Z, NUMBERS)
    used = [set(tree.feature[tree.feature >= 0].tolist()) for tree in model.trees_]
    assert all(len(one) <= 2 for one in used)
    assert set().union(*used) == {0, 1, 2, 3}
    priced = RandomForestRegressor(10, ccp_alpha=0.05, **how).fit(Z, NUMBERS)
    assert sum(map(len, priced.trees_)) < sum(map(len, model.trees_)) / 3
    plain = RandomForestClassifier(10, ccp_alpha=0.02, random_state=0).fit(Z, LABELS[:, 0])
    grown = RandomForestClassifier(10, random_state=0).fit(Z, LABELS[:, 0])
    for small, large in zip(plain.trees_, grown.trees_, strict=True):
        assert len(small) <= len(large)
        assert small.weight[0] == large.weight[0]


@pytest.mark.parametrize(
    ("kind", "how", "y", "sentence"),
    [
        (
            RandomForestClassifier,
            {"monotonic_cst": [1, 0, 0, 0]},
            LABELS,
            r"^monotonic_cst must be None where y has several columns",
        ),
        (
            RandomForestClassifier,
            {"monotonic_cst": [1, 0, 0, 0]},
            WORDS[:, 0],
            r"^monotonic_cst must be None for more than two classes",
        ),
        (RandomForestRegressor, {"max_bins": 9}, NUMBERS, r"^max_bins must be None with several"),
        (RandomForestRegressor, {"ccp_alpha": -1}, NUMBERS, r"^ccp_alpha must be a finite number"),
    ],
)
def test_refused(kind, how, y, sentence):
    with pytest.raises(BadParameter, match=sentence):
        kind(**how).fit(X, y)
