"""The tree for targets, against scikit-learn."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeRegressor as Peer

from assay import DecisionTreeRegressor, load, save
from assay.errors import BadParameter
from tests.learners.trees.samples import table
from tests.learners.trees.test_classifier import assert_same_questions
from tests.scikit_checks import assert_checks_pass_but_those_named


def sample(seed, rows=300, **shape):
    rng = np.random.default_rng(seed)
    X = table(rng, rows, **shape)
    y = np.nan_to_num(X[:, 0]) ** 2 + np.nan_to_num(X[:, 1]) + 0.3 * rng.normal(size=rows)
    return X, y, rng.random(rows) + 0.1


@pytest.mark.parametrize("shape", [{}, {"digits": 1}, {"missing": 0.1}])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_questions_as_scikit_learn(shape, weighted):
    for seed in range(3):
        X, y, w = sample(seed, **shape)
        w = w if weighted else None
        more = {"min_samples_leaf": 5}
        model = DecisionTreeRegressor(**more).fit(X, y, w)
        peer = Peer(**more, random_state=0).fit(X, y, w)
        inner = (model.nodes_.feature >= 0).sum()
        assert assert_same_questions(model, peer) >= 0.9 * inner
        np.testing.assert_allclose(model.predict(X), peer.predict(X), atol=0.5)


def test_same_pruning_as_scikit_learn():
    X, y, _ = sample(0)
    more = {"min_samples_leaf": 5}
    ours = DecisionTreeRegressor(**more).cost_complexity_pruning_path(X, y)
    theirs = Peer(**more, random_state=0).cost_complexity_pruning_path(X, y)
    assert ours.ccp_alphas == pytest.approx(theirs.ccp_alphas, abs=1e-12)
    assert ours.impurities == pytest.approx(theirs.impurities)
    for alpha in (0.003, 0.02, 0.2):
        model = DecisionTreeRegressor(**more, ccp_alpha=alpha).fit(X, y)
        peer = Peer(**more, ccp_alpha=alpha, random_state=0).fit(X, y)
        np.testing.assert_allclose(model.predict(X), peer.predict(X))
        [price] = model.guarantees()
        assert price.holds


def test_target_in_one_piece():
    """Targets that are all alike are one leaf with exactly that value."""
    model = DecisionTreeRegressor().fit([[1.0], [2], [3]], [0.1, 0.1, 0.1])
    assert len(model.nodes_) == 1
    assert model.predict([[7.0]]).tolist() == [0.1]
    assert model.guarantees() == []
    assert model.feature_importances_.tolist() == [0.0]


def test_validation_prunes_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] > 0, 1.0, 0.0) + 0.5 * rng.normal(size=300)
    folds = list(KFold(5, shuffle=True, random_state=0).split(X))
    model = DecisionTreeRegressor(ccp_alpha="cv", cv=folds).fit(X, y)
    assert model.get_n_leaves() <= 4
    place = len(model.cv_alphas_) // 2
    lost = 0.0
    for rows, others in folds:
        part = DecisionTreeRegressor(ccp_alpha=float(model.cv_alphas_[place]))
        part.fit(X[rows], y[rows])
        lost += ((part.predict(X[others]) - y[others]) ** 2).sum()
    assert lost == pytest.approx(model.cv_losses_[place])


def test_categories_of_a_frame(tmp_path):
    frame = pd.DataFrame({"city": ["a", "b", "c", "a", "b", "c"], "size": [1, 1, 1, 2, 2, 2.0]})
    y = [1.0, 5.0, 1.2, 2.0, 6.0, 2.2]
    model = DecisionTreeRegressor(max_depth=1).fit(frame, y)
    assert list(map(str, model.rules("rent"))) == [
        "IF city is a or c THEN rent is 1.6 (4)",
        "IF city is b THEN rent is 5.5 (2)",
    ]
    assert model.record_.loss == pytest.approx(1.54)
    save(model, tmp_path / "tree.assay")
    assert load(tmp_path / "tree.assay").nodes_.same_as(model.nodes_)


def test_scikit_learn_checks():
    assert_checks_pass_but_those_named(DecisionTreeRegressor())


def test_refused_criterion():
    sentence = "criterion must be one of 'squared_error', 'friedman_mse', 'absolute_error', 'poisson', but is 'gini'."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        DecisionTreeRegressor(criterion="gini").fit([[1.0], [2]], [0.0, 1])


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_no_warning_in_single_precision(kind):
    """The largest target allowed is beyond single precision; cells up to its end are allowed."""
    from assay import (
        AdaBoostClassifier,
        BaggingClassifier,
        DecisionTreeClassifier,
        RandomForestRegressor,
    )

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)).astype(kind), rng.integers(0, 2, 80)
    wide = (
        (X.astype(float) * 1e38).clip(-3e38, 3e38).astype(np.float32) if kind != np.float16 else X
    )
    for cells in (X, wide):
        for model in (DecisionTreeRegressor(), RandomForestRegressor(n_estimators=3)):
            model.fit(cells, y.astype(kind)).predict(cells)
        for classifier in (
            DecisionTreeClassifier(),
            BaggingClassifier(n_estimators=3),
            AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=3),
        ):
            classifier.fit(cells, y).predict(cells)
