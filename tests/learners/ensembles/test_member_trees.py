"""The trees of a forest as learners, and what scikit-learn's tools do with them."""

import numpy as np
import pytest
from sklearn import tree as peers
from sklearn.inspection import partial_dependence

from assay import DecisionTreeClassifier, RandomForestClassifier, RandomForestRegressor

RNG = np.random.default_rng(1)
X = RNG.normal(size=(200, 3))
WORDS = np.where(X[:, 0] + 0.3 * RNG.normal(size=200) > 0, "yes", "no")


def test_members_of_a_vote():
    model = RandomForestClassifier(7, random_state=0).fit(X, WORDS)
    assert len(model) == len(model.estimators_) == 7
    assert model[2] is model.estimators_[2]
    assert [type(one) for one in model] == [DecisionTreeClassifier] * 7
    shares = np.mean([one.predict_proba(X) for one in model], axis=0)
    np.testing.assert_allclose(shares, model.predict_proba(X))
    assert model[0].classes_.tolist() == [0.0, 1.0]
    assert model[0].get_params()["max_features"] == "sqrt"
    assert len({one.random_state for one in model}) == 7
    assert (model.n_classes_, model.n_outputs_) == (2, 1)
    np.testing.assert_array_equal(np.column_stack([one.apply(X) for one in model]), model.apply(X))
    means = np.mean([one.feature_importances_ for one in model], axis=0)
    np.testing.assert_allclose(means / means.sum(), model.feature_importances_)


def test_ways_through_all_trees():
    model = RandomForestRegressor(4, max_depth=3, random_state=0).fit(X, X[:, 0])
    passed, starts = model.decision_path(X)
    assert passed.shape == (200, starts[-1])
    leaves = model.apply(X)
    for number, tree in enumerate(model):
        own = passed[:, starts[number] : starts[number + 1]]
        assert (own != tree.decision_path(X)).nnz == 0
        assert (own[np.arange(200), leaves[:, number]] == 1).all()


def test_tools_read_the_trees():
    model = RandomForestRegressor(5, max_depth=2, random_state=0).fit(X, X[:, 0])
    assert peers.export_text(model[0]).count("value:") == model[0].get_n_leaves()
    assert model.estimator.get_params()["max_depth"] == 2
    how = {"kind": "average", "grid_resolution": 5}
    brute = partial_dependence(model, X, [0], method="brute", **how)["average"][0]
    tree = partial_dependence(model, X, [0], method="recursion", **how)["average"][0]
    peer = partial_dependence(model.to_sklearn(), X, [0], **how)["average"][0]
    assert tree.tolist() == peer.tolist()
    assert np.corrcoef(brute, tree)[0, 1] > 0.99


def test_a_new_fit_has_new_members():
    model = RandomForestRegressor(2, random_state=0).fit(X, X[:, 0])
    before = model[0]
    model.fit(X, X[:, 1])
    assert model[0] is not before
    with pytest.raises(AttributeError):
        len(RandomForestRegressor())
