"""Several columns of y, monotone predictions and ties: what learners say, keep, promise and refuse."""

import re

import numpy as np
import pytest
from sklearn.multioutput import MultiOutputClassifier

from assay import DecisionTreeClassifier, DecisionTreeRegressor, load, save
from assay.errors import BadData, BadParameter
from tests.learners.trees.samples import table

X = table(np.random.default_rng(0), 120, missing=0.1)
Z = np.nan_to_num(X)
LABELS = np.column_stack(
    [np.array(["a", "b", "c"])[np.digitize(Z[:, 0], [-0.5, 0.5])], np.where(Z[:, 1] > 0, "x", "y")]
)
NUMBERS = np.column_stack([Z[:, 0], Z[:, 1] ** 2, Z[:, 0] * Z[:, 1]])


def test_labels_of_several_columns(tmp_path):
    model = DecisionTreeClassifier(max_depth=3).fit(X, LABELS)
    assert model.n_outputs_ == 2
    assert model.n_classes_.tolist() == [3, 2]
    assert [labels.tolist() for labels in model.classes_] == [["a", "b", "c"], ["x", "y"]]
    predicted = model.predict(X)
    assert predicted.shape == (120, 2)
    shares = model.predict_proba(X)
    assert [one.shape for one in shares] == [(120, 3), (120, 2)]
    for k, (one, labels) in enumerate(zip(shares, model.classes_, strict=True)):
        np.testing.assert_allclose(one.sum(axis=1), 1)
        assert (labels[one.argmax(axis=1)] == predicted[:, k]).all()
    assert (predicted == LABELS).mean() > 0.9
    save(model, tmp_path / "tree.assay")
    again = load(tmp_path / "tree.assay")
    assert again.nodes_.same_as(model.nodes_)
    assert (again.predict(X) == predicted).all()


def test_numbers_of_several_columns(tmp_path):
    for criterion in ("squared_error", "absolute_error"):
        model = DecisionTreeRegressor(criterion=criterion).fit(X, NUMBERS)
        assert model.n_outputs_ == 3
        np.testing.assert_allclose(model.predict(X), NUMBERS)
        assert model.record_.loss == pytest.approx(0)
        save(model, tmp_path / "tree.assay")
        assert (load(tmp_path / "tree.assay").predict(X) == model.predict(X)).all()


def test_one_column_that_is_a_table_is_one_column():
    with pytest.warns(match="column-vector"):
        model = DecisionTreeRegressor().fit(X, NUMBERS[:, :1])
    assert model.predict(X).shape == (120,)


def test_of_several_columns_the_length_of_a_description_promises_nothing():
    """The code names one class at a leaf; that pruning found the best subtree holds whatever leaves cost."""
    model = DecisionTreeClassifier(ccp_alpha=0.01).fit(X, LABELS)
    assert model.record_.bits is None
    assert [one.theorem for one in model.guarantees()] == ["weakest-link-optimal"]
    with pytest.raises(BadParameter, match=r"^There is a certificate for one column of y, but"):
        model.training_certificate(X, LABELS)
    with pytest.raises(BadData):
        model.certificate(X, LABELS)
    with pytest.raises(BadParameter, match=r"^There is rules for one column"):
        model.rules()


def test_monotone_trees_keep_their_promises(tmp_path):
    """The code is of all trees, so what their predictions must do besides takes nothing from it."""
    y = Z[:, 0] + np.random.default_rng(1).normal(size=120) > 0
    model = DecisionTreeClassifier(monotonic_cst=[1, 0, 0, 0], min_samples_leaf=5).fit(X, y)
    assert model.record_.bits > 0
    assert model.record_.errors == (model.predict(X) != y).sum()
    assert model.guarantees()[0].theorem == "occam-exact"
    save(model, tmp_path / "tree.assay")
    assert (load(tmp_path / "tree.assay").predict_proba(X) == model.predict_proba(X)).all()
    said = [rule.right <= rule.weight for rule in model.rules()]
    assert all(said)
    named = DecisionTreeClassifier(monotonic_cst=[1, 0, 0, 0], max_leaf_nodes=9).fit(X, y)
    assert named.predict_proba(Z).shape == (120, 2)


def test_equally_good_features_are_drawn_where_there_is_a_seed():
    """Two columns are the same: without a seed the first is asked for, with one either is."""
    twice = np.column_stack([Z[:, 1], Z[:, 0], Z[:, 0]])
    y = Z[:, 0] > 0
    assert DecisionTreeClassifier().fit(twice, y).nodes_.feature[0] == 1
    roots = [
        DecisionTreeClassifier(random_state=seed).fit(twice, y).nodes_.feature[0]
        for seed in range(60)
    ]
    assert set(roots) == {1, 2}
    assert 15 < roots.count(1) < 45
    one, other = (DecisionTreeRegressor(random_state=5).fit(twice, Z[:, 2]) for _ in range(2))
    assert one.nodes_.same_as(other.nodes_)


@pytest.mark.parametrize(
    ("how", "y", "sentence"),
    [
        (
            {"monotonic_cst": [1, 0, 0, 0]},
            LABELS,
            "monotonic_cst must be None where y has several columns, but is [1, 0, 0, 0]. Fit a tree for each column "
            "of y.",
        ),
        (
            {"monotonic_cst": [1, 0, 0, 0]},
            LABELS[:, 0],
            "monotonic_cst must be None for more than two classes, but is [1, 0, 0, 0]. Scores of several classes go "
            "up and down together.",
        ),
        (
            {"ccp_alpha": "cv"},
            LABELS,
            "ccp_alpha must be a number where y has several columns, but is 'cv'. Fit a tree for each column.",
        ),
        (
            {"algorithm": "c5.0"},
            LABELS,
            "pruning must be 'cost-complexity' where y has several columns, but is None.",
        ),
        (
            {"ccp_criterion": "misclassification"},
            LABELS,
            "ccp_criterion must be 'impurity' where y has several columns, but is 'misclassification'.",
        ),
        (
            {"splitter": "random"},
            LABELS,
            "splitter must be 'best', but is 'random'. For questions that differ from tree to tree draw features, with "
            "max_features.",
        ),
        (
            {"categorical_features": [3]},
            LABELS,
            "Several columns of y, monotonic_cst, and the criteria 'absolute_error' and 'poisson' are for features "
            "that are numbers, but x3 has categories. Write them as columns of zeros and ones.",
        ),
    ],
)
def test_refused(how, y, sentence):
    cells = Z.copy()
    cells[:, 3] = np.arange(120) % 3
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        DecisionTreeClassifier(**how).fit(cells, y)


def test_counts_are_not_below_zero():
    model = DecisionTreeRegressor(criterion="poisson")
    sentence = (
        "Some values of y are negative, as -0.5 in row 1, but criterion='poisson' is for counts and rates, zero or "
        "more. Choose 'squared_error'."
    )
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        model.fit([[0.0], [1]], [1.0, -0.5])
    with pytest.raises(BadData, match=r"^The sum of y is not positive, but criterion='poisson'"):
        model.fit([[0.0], [1]], [0.0, 0.0])


def test_other_meta_learners_take_them():
    model = MultiOutputClassifier(DecisionTreeClassifier(max_depth=3)).fit(Z, LABELS)
    assert (model.predict(Z) == LABELS).mean() > 0.9
