"""The nodes as scikit-learn's tools read them."""

import pickle

import numpy as np
import pytest
from sklearn import tree as peers
from sklearn.inspection import partial_dependence

from assay import DecisionTreeClassifier, DecisionTreeRegressor
from tests.learners.trees.samples import LOAN_X, LOAN_Y, table


def fitted(kind, y, **how):
    X = table(np.random.default_rng(0), 200, missing=0.1)
    return kind(max_depth=4, **how).fit(X, y(X)), X


def one_class(X):
    return np.nan_to_num(X[:, 0]) > 0.2


def two_columns(X):
    return np.column_stack([np.digitize(np.nan_to_num(X[:, 0]), [-1, 1]), one_class(X)])


def number(X):
    return np.nan_to_num(X[:, 0] * 2 - X[:, 1])


@pytest.mark.parametrize(
    ("kind", "y", "shape"),
    [
        (DecisionTreeClassifier, one_class, (1, 2)),
        (DecisionTreeClassifier, two_columns, (2, 3)),
        (DecisionTreeRegressor, number, (1, 1)),
        (DecisionTreeRegressor, lambda X: np.column_stack([number(X), -number(X)]), (2, 1)),
    ],
)
def test_the_same_nodes(kind, y, shape):
    model, X = fitted(kind, y)
    ours, theirs = model.nodes_, model.tree_
    assert isinstance(theirs, peers._tree.Tree)
    assert model.tree_ is theirs
    assert (theirs.node_count, theirs.max_depth, theirs.n_leaves) == (
        len(ours),
        model.get_depth(),
        model.get_n_leaves(),
    )
    assert theirs.value.shape == (len(ours), *shape)
    leaf = ours.feature < 0
    assert (theirs.children_left[leaf] == -1).all()
    assert (theirs.feature[leaf] == -2).all()
    assert (theirs.threshold[leaf] == -2.0).all()
    assert (theirs.n_node_samples == ours.rows).all()
    np.testing.assert_array_equal(theirs.apply(X), model.apply(X))
    np.testing.assert_array_equal(
        theirs.decision_path(X).toarray(), model.decision_path(X).toarray()
    )
    np.testing.assert_allclose(theirs.compute_feature_importances(), model.feature_importances_)
    predicted = theirs.predict(X)
    if kind is DecisionTreeRegressor:
        np.testing.assert_array_equal(predicted.squeeze(), model.predict(X))
    assert pickle.loads(pickle.dumps(model)).tree_.node_count == len(ours)


def test_a_new_fit_has_new_nodes():
    model, X = fitted(DecisionTreeRegressor, number)
    before = model.tree_
    assert model.fit(X, -number(X)).tree_ is not before


def test_tools_of_scikit_learn():
    model, _ = fitted(DecisionTreeClassifier, one_class)
    assert isinstance(model, peers.DecisionTreeClassifier)
    text = peers.export_text(model, decimals=1)
    assert text.startswith("|--- feature_0 <= 0.2")
    assert text.count("class:") == model.get_n_leaves()
    drawn = peers.export_graphviz(model, out_file=None)
    assert drawn.count("[label=") == len(model.nodes_)
    pytest.importorskip("matplotlib")
    import matplotlib as mpl

    mpl.use("agg")
    assert len(peers.plot_tree(model)) >= len(model.nodes_)


def test_partial_dependence_by_recursion_through_the_tree():
    model, X = fitted(DecisionTreeRegressor, number)
    X = np.nan_to_num(X)
    model.fit(X, number(X))
    how = {"kind": "average", "grid_resolution": 5}
    brute = partial_dependence(model, X, [0], method="brute", **how)
    tree = partial_dependence(model, X, [0], method="recursion", **how)
    # Both average over the sample, one row by row, one by the weights of nodes.
    assert np.corrcoef(brute["average"][0], tree["average"][0])[0, 1] > 0.99


def test_no_such_nodes_of_categories():
    model = DecisionTreeClassifier().fit(LOAN_X, LOAN_Y)
    with pytest.raises(AttributeError, match=r"^A tree that asks for categories has no tree_"):
        _ = model.tree_
    assert not hasattr(model, "tree_")
