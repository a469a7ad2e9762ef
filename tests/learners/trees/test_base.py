"""What trees share: categories, missing cells, pruning by validation, model files, refusals."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import KFold, cross_val_score

from assay import DecisionTreeClassifier, DecisionTreeRegressor, load, save
from assay.errors import BadData, BadParameter
from tests.learners.trees.samples import LOAN, LOAN_X, LOAN_Y, labels, real, table

# Categories and missing cells


def test_frames_of_every_kind_give_one_tree():
    words = LOAN_X.to_dict(orient="list")
    as_categories = LOAN_X.astype("category")
    frames = [LOAN_X, as_categories, pl.DataFrame(words), LOAN_X.to_numpy(), LOAN_X.values.tolist()]
    trees = [DecisionTreeClassifier().fit(X, LOAN_Y).nodes_ for X in frames]
    assert all(trees[0].same_as(tree) for tree in trees[1:])
    arrow = pl.DataFrame(words).to_arrow()
    assert trees[0].same_as(DecisionTreeClassifier().fit(arrow, LOAN_Y).nodes_)


def test_missing_votes_are_learned_from():
    X, y = real("house_votes_84")
    model = DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert list(map(str, model.rules("party"))) == [
        "IF physician_fee_freeze is false or missing THEN party is democrat (253 of 258)",
        "IF physician_fee_freeze is true THEN party is republican (163 of 177)",
    ]
    full = DecisionTreeClassifier().fit(X, y)
    assert full.score(X, y) == 1.0
    mean = cross_val_score(DecisionTreeClassifier(ccp_alpha=0.005), X, y, cv=5).mean()
    assert mean > 0.93


def test_unknown_categories_are_missing_ones():
    model = DecisionTreeClassifier(max_depth=1).fit([["a"], ["a"], ["b"], [None]], [0, 0, 1, 1])
    assert model.predict([["a"], ["b"], [None], ["c"]]).tolist() == [0, 1, 1, 1]
    model = DecisionTreeClassifier(algorithm="id3").fit([["a"], ["a"], ["b"]], [0, 0, 1])
    assert model.predict([["c"], [None]]).tolist() == [0, 0]  # with most of the examples
    assert model.predict(pd.DataFrame([["b"]])).tolist() == [1]


def test_truth_values_may_be_asked_as_numbers():
    X = np.array([[True, False], [False, False], [True, True]])
    model = DecisionTreeClassifier().fit(X, ["a", "b", "a"])
    assert model.categories_ == [["false", "true"]] * 2
    assert model.predict([[1, 0], [0, 1]]).tolist() == ["a", "b"]
    assert str(model.rules()[0]) == "IF x0 is true THEN class is a (2 of 2)"


def test_whole_numbers_as_categories():
    X = np.array([[0], [1], [2], [0], [1], [2]], float)
    y = [0, 1, 0, 0, 1, 0]
    one = DecisionTreeClassifier(max_depth=1, categorical_features=[0]).fit(X, y)
    assert one.score(X, y) == 1.0
    assert DecisionTreeClassifier(max_depth=1).fit(X, y).score(X, y) < 1.0
    for chosen in ("all", ["x0"], [True]):
        other = DecisionTreeClassifier(max_depth=1, categorical_features=chosen).fit(X, y)
        assert other.nodes_.same_as(one.nodes_)


# Pruning by validation


def test_the_price_by_validation_prunes_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] > 0) ^ (rng.random(400) < 0.2)
    whole = DecisionTreeClassifier().fit(X, y)
    model = DecisionTreeClassifier(ccp_alpha="cv", random_state=0).fit(X, y)
    assert whole.get_n_leaves() > 40
    assert model.get_n_leaves() <= 6
    assert model.nodes_.feature[0] == 0
    assert len(model.cv_alphas_) == len(model.cv_losses_)
    assert model.cv_losses_.min() == model.cv_losses_[model.cv_alphas_ == model.ccp_alpha_][0]
    again = DecisionTreeClassifier(ccp_alpha="cv", random_state=0).fit(X, y)
    assert again.nodes_.same_as(model.nodes_)
    assert cross_val_score(model, X, y, cv=4).mean() > cross_val_score(whole, X, y, cv=4).mean()


def test_losses_by_validation_are_those_of_pruned_trees():
    """The sum over nodes that are leaves for a price is what the pruned trees lose, fold by fold."""
    rng = np.random.default_rng(1)
    X = table(rng, 120, digits=1, missing=0.05)
    y, w = labels(rng, X, 3), rng.random(120)
    folds = list(KFold(3, shuffle=True, random_state=0).split(X))
    model = DecisionTreeClassifier(ccp_alpha="cv", cv=folds).fit(X, y, w)
    for place in (0, len(model.cv_alphas_) // 2, -1):
        alpha, lost = float(model.cv_alphas_[place]), 0.0
        for rows, others in folds:
            part = DecisionTreeClassifier(ccp_alpha=alpha).fit(X[rows], y[rows], w[rows])
            lost += w[others][part.predict(X[others]) != y[others]].sum()
        assert lost == pytest.approx(model.cv_losses_[place])


# Model files, refusals


def test_model_files(tmp_path):
    X, y = real("house_votes_84")
    for more in ({}, {"ccp_alpha": "cv", "random_state": 3}, {"algorithm": "c4.5"}):
        model = DecisionTreeClassifier(**more).fit(X, y)
        save(model, tmp_path / "tree.assay")
        again = load(tmp_path / "tree.assay")
        assert again.nodes_.same_as(model.nodes_)
        assert (again.predict(X) == model.predict(X)).all()
        assert again.guarantees() == model.guarantees()
        assert str(again.rules()[0]) == str(model.rules()[0])


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"max_depth": 0}, "max_depth must be None or a count of at least 1, but is 0."),
        (
            {"min_samples_split": 1},
            "min_samples_split must be a count of at least 2, or a share of the rows, but is 1.",
        ),
        (
            {"min_samples_leaf": 1.5},
            "min_samples_leaf must be a count of at least 1, or a share of the rows, but is 1.5.",
        ),
        (
            {"min_weight_fraction_leaf": 0.6},
            "min_weight_fraction_leaf must be a number from 0 to 0.5, but is 0.6.",
        ),
        (
            {"min_impurity_decrease": -1.0},
            "min_impurity_decrease must be a finite number, zero or more, but is -1.0.",
        ),
        (
            {"max_features": 0},
            "max_features must be 'sqrt', 'log2', None, a count of at least 1, or a share above 0 and at most 1, "
            "but is 0.",
        ),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes must be None or a count of at least 2, but is 1."),
        (
            {"criterion": "chi2"},
            "criterion must be None, or one of 'gini', 'entropy', 'log_loss', 'misclassification', "
            "'gain_ratio', but is 'chi2'.",
        ),
        (
            {"algorithm": "c6"},
            "algorithm must be one of 'cart', 'c4.5', 'c5.0', 'id3', but is 'c6'.",
        ),
        ({"splits": "three"}, "splits must be None, 'binary' or 'multiway', but is 'three'."),
        ({"thresholds": "long"}, "thresholds must be 'middle' or 'short', but is 'long'."),
        ({"ccp_alpha": -1.0}, "ccp_alpha must be a number, zero or more, or 'cv', but is -1.0."),
        (
            {"ccp_alpha": "best"},
            "ccp_alpha must be a number, zero or more, or 'cv', but is 'best'.",
        ),
        (
            {"categorical_features": ["wage"]},
            "categorical_features must be some of ['sex', 'income', 'education', 'marital'], but is 'wage'.",
        ),
        (
            {"categorical_features": [7]},
            "categorical_features must be places from 0 to 3, or names, but is 7.",
        ),
        (
            {"categorical_features": "some"},
            "categorical_features must be None, 'all', or a list, but is 'some'.",
        ),
        (
            {"ccp_alpha": "cv", "cv": 6},
            "ccp_alpha='cv' cannot be found: n_splits=6 cannot be greater than the number of members in each class.",
        ),
    ],
)
def test_refused_parameters(parameters, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        DecisionTreeClassifier(**parameters).fit(LOAN_X, LOAN_Y)


def test_refused_data():
    fit = DecisionTreeClassifier().fit
    sentence = "sample_weight must hold finite numbers, zero or more, but holds -1.0 in row 0."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        fit(LOAN_X, LOAN_Y, [-1.0] * 10)
    with pytest.raises(BadData, match=r"^The weights must leave at least one row"):
        DecisionTreeClassifier(class_weight={"yes": 0, "no": 0}).fit(LOAN_X, LOAN_Y)
    sentence = (
        "ID3 asks for categories only, but x1 is a number. Name it in categorical_features, "
        "or use algorithm='c4.5'."
    )
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        DecisionTreeClassifier(algorithm="id3").fit([["a", 1], ["b", 2]], [0, 1])
    with pytest.raises(
        BadData, match=r"^Column x0 must hold text, truth values or numbers, and one"
    ):
        fit([["a"], [3]], [0, 1])
    model = fit(LOAN_X, LOAN_Y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(LOAN)
    with pytest.raises(ValueError, match="infinity or a value too large"):
        fit([[1e300], [1.0]], [0, 1])

    with pytest.raises(
        BadData, match=r"^The weights must add up to at most 1e\+150, .* add up to 1e\+201\."
    ):
        fit(LOAN_X, LOAN_Y, [1e200] * 10)
    sentence = (
        "y must hold numbers of at most 1e+150 in size, since their squares are summed, but holds -1e+200 in row 1. "
        "Divide it by a number."
    )
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        DecisionTreeRegressor().fit([[1.0], [2.0]], [0.0, -1e200])


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
def test_weights_leave_no_impurity_below_zero(criterion, tmp_path):
    """Else there would be no price to promise, and a file that cannot be read."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y, w = rng.integers(0, 6, (40, 3)), rng.integers(0, 3, 40), rng.random(40) + 0.1
        model = DecisionTreeClassifier(criterion=criterion).fit(X, y, w)
        assert (model.nodes_.impurity >= 0).all()
        assert all(g.holds for g in model.guarantees() if g.of == "price of a leaf")
        save(model, tmp_path / "tree.assay")
        assert load(tmp_path / "tree.assay").nodes_.same_as(model.nodes_)
    # What the formula alone gives for one class of that weight.
    assert any(weight - weight * weight / weight < 0 for weight in w)


FOUND = {
    "training_errors_": [0, 10**6],
    "training_rows_": [1, 3],
    "missing_features_": [np.zeros(3, bool)],
}


@pytest.mark.parametrize("name", FOUND)
def test_numbers_that_promises_rest_on_fit_the_tree(name, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": rng.choice(list("abcde"), 60),
            "b": rng.normal(size=60),
            "c": [None if r < 0.5 else "x" for r in rng.random(60)],
        }
    )
    y = np.where(frame["c"].isna(), rng.integers(0, 2, 60), 2)
    model = DecisionTreeClassifier(max_leaf_nodes=4).fit(frame, y)
    save(model, tmp_path / "tree.assay")
    assert load(tmp_path / "tree.assay").guarantees() == model.guarantees()
    right = getattr(model, name)
    for wrong in FOUND[name]:
        setattr(model, name, wrong)
        save(model, tmp_path / "wrong.assay")
        with pytest.raises(BadData, match=r"damaged or was changed"):
            load(tmp_path / "wrong.assay")
    setattr(model, name, right)


def test_a_part_of_a_frame_has_the_columns_of_the_frame():
    """What a fold takes of a pandas frame still has the numbers of its rows, which are no feature."""
    part = LOAN.drop(columns="default").iloc[[0, 1, 3, 4, 5, 7, 8, 9]]
    model = DecisionTreeClassifier().fit(part, LOAN_Y[part.index])
    assert model.n_features_in_ == 4
    assert (model.predict(part) == LOAN_Y[part.index]).all()
