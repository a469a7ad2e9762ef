"""The decision stump: scikit-learn's tree of depth 1, shares, promises, files, refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.tree import DecisionTreeClassifier

from assay import DecisionStump, load, save
from assay.errors import BadData, BadParameter
from tests.scikit_checks import assert_checks_pass_but_those_named

X, Y = make_classification(300, 6, n_informative=4, flip_y=0.1, random_state=0)
IRIS, KINDS = load_iris(return_X_y=True)


@pytest.mark.parametrize(("rows", "y"), [(X, Y), (IRIS[:, [1, 3]], KINDS)])
def test_same_as_a_tree_of_depth_one(rows, y):
    w = np.random.default_rng(1).exponential(size=len(y))
    ours = DecisionStump().fit(rows, y, sample_weight=w)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(rows, y, sample_weight=w)
    assert ours.feature_ == tree.tree_.feature[0]
    assert ours.threshold_ == pytest.approx(tree.tree_.threshold[0], rel=1e-6)
    np.testing.assert_allclose(ours.predict_proba(rows), tree.predict_proba(rows), atol=1e-12)
    assert ours.predict(rows).tolist() == tree.predict(rows).tolist()
    assert ours.feature_importances_.tolist() == tree.feature_importances_.tolist()
    assert ours.labels_.tolist() == [
        ours.predict(rows)[rows[:, ours.feature_] <= ours.threshold_][0],
        ours.predict(rows)[rows[:, ours.feature_] > ours.threshold_][0],
    ]


def test_fewest_errors():
    x = np.array([[0.0], [1], [2], [3], [4], [5]])
    y = [0, 0, 1, 0, 1, 1]
    stump = DecisionStump("error").fit(x, y)
    assert (stump.threshold_, stump.score(x, y)) == (1.5, 5 / 6)


def test_constant_features():
    stump = DecisionStump().fit(np.ones((4, 2)), [1, 2, 2, 2])
    assert (stump.feature_, stump.predict([[5.0, 5.0]]).tolist()) == (-1, [2])
    assert stump.predict_proba([[1.0, 1.0]]).tolist() == [[0.25, 0.75]]
    assert stump.feature_importances_.tolist() == [0, 0]
    assert stump.training_promises(np.ones((4, 2)), [1, 2, 2, 2]).guarantees[0].inputs["size"] == 1


def test_weights_are_repetitions():
    times = np.random.default_rng(2).integers(0, 4, len(Y))
    one = DecisionStump().fit(X, Y, sample_weight=times)
    other = DecisionStump().fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    assert (one.feature_, one.threshold_) == (other.feature_, other.threshold_)


def test_what_training_rows_promise():
    stump = DecisionStump().fit(X, Y)
    promises = stump.training_promises(X[:], Y, holdout=(X[:50] + 0.001, Y[:50]))
    first, held = promises.guarantees
    assert (first.theorem, held.theorem) == ("stump-vote-compression", "holdout-exact")
    assert first.inputs["size"] == 2
    assert not first.vacuous
    assert (first.inputs["stumps"], first.inputs["weighted"]) == (1, False)
    assert stump.guarantees() == []
    certificate = stump.training_certificate(X, Y)
    assert certificate.error == stump.training_promises(X, Y).guarantees[0].value
    sentence = "training_promises needs the very sample of the fit, without rows of weight zero; this is another."
    for other in (X[:100], X + 100):
        with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
            stump.training_promises(other, Y[: len(other)])


def test_files(tmp_path):
    stump = DecisionStump().fit(IRIS, KINDS)
    save(stump, tmp_path / "a.assay")
    again = load(tmp_path / "a.assay")
    assert again.predict_proba(IRIS).tobytes() == stump.predict_proba(IRIS).tobytes()
    assert again.labels_.tolist() == stump.labels_.tolist()


def test_refusals():
    sentence = "criterion must be 'gini' or 'error', but is 'entropy'."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        DecisionStump("entropy").fit(X, Y)
    sentence = "DecisionStump needs at least two classes, but y holds 1 class: 3."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        DecisionStump().fit(X, np.full(len(X), 3))
    sentence = "DecisionStump needs at least two classes, but the weights leave 1 class: 3."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        DecisionStump().fit([[1.0], [2], [3]], [3, 4, 3], [1, 0, 1])


@pytest.mark.parametrize("criterion", ["gini", "error"])
def test_scikit_checks(criterion):
    assert_checks_pass_but_those_named(DecisionStump(criterion))
