"""What the linear learners from whole samples share."""

import numpy as np
import pytest
from scipy import sparse

from assay import HingeLossLP, LinearRegression, LinearSVC, LogisticRegression, Ridge, load, save
from assay.errors import BadData
from tests.learners.model_files import reopened

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 5.0], [4.0, 2.0], [5.0, 1.0]])
Y = np.array(["a", "a", "b", "b", "c", "c"])


@pytest.mark.parametrize("kind", [LogisticRegression, HingeLossLP])
def test_scores_and_labels(kind):
    two = kind().fit(X[:4], Y[:4])
    scores = two.decision_function(X)
    assert scores.shape == (6,)
    assert (two.predict(X) == np.where(scores > 0, "b", "a")).all()
    three = kind().fit(X, Y)
    assert three.decision_function(X).shape == (6, 3)
    best = three.decision_function(X).argmax(axis=1)
    assert (three.predict(sparse.csr_matrix(X)) == three.classes_[best]).all()


@pytest.mark.parametrize("kind", [LogisticRegression, LinearSVC])
def test_a_score_of_zero_is_the_first_class_as_scikit_learn_has_it(kind):
    model = kind().fit(X[:4], Y[:4])
    model.coef_, model.intercept_ = np.zeros((1, 2)), np.zeros(1)
    assert model.predict(X[:1]).tolist() == ["a"]
    if hasattr(model, "predict_proba"):
        assert model.classes_[model.predict_proba(X[:1]).argmax()] == "a"


@pytest.mark.parametrize("kind", [LogisticRegression, LinearSVC])
@pytest.mark.parametrize("labels", [Y, np.where(Y == "a", "a", "b")])
def test_weights_may_be_sparse(kind, labels, tmp_path):
    model = kind().fit(X, labels)
    answers, scores = model.predict(X), model.decision_function(X)
    promises = model.guarantees()
    assert sparse.issparse(model.sparsify().coef_)
    save(model, tmp_path / "a.assay")
    for one in (model, load(tmp_path / "a.assay")):
        assert (one.predict(sparse.csr_matrix(X)) == answers).all()
        assert np.allclose(one.decision_function(X), scores)
        assert one.guarantees() == promises
        if len(one.classes_) == 2:
            assert one.training_promises(X, labels).guarantees
    assert isinstance(model.densify().coef_, np.ndarray)


def test_weights_put_there_by_hand_may_be_a_vector():
    model = LogisticRegression().fit(X[:4], Y[:4])
    chances = model.predict_proba(X)
    model.coef_, model.intercept_ = model.coef_[0], model.intercept_[0]
    assert np.array_equal(model.predict_proba(X), chances)


def test_quantities_are_no_classes():
    with pytest.raises(BadData, match=r"y holds 0\.5, a measured quantity"):
        HingeLossLP().fit(X, [0.5, 1, 2, 3, 4, 5])


@pytest.mark.parametrize("kind", [LinearRegression, Ridge])
def test_targets_keep_their_shape(kind):
    y = X @ [1.0, 2.0] + 3
    assert kind().fit(X, y).predict(X).shape == (6,)
    assert np.shape(kind().fit(X, y).intercept_) == ()
    both = kind().fit(X, np.stack([y, -y], axis=1))
    assert both.predict(X).shape == (6, 2)
    assert np.allclose(both.coef_[0], -both.coef_[1])
    assert kind(fit_intercept=False).fit(X, y).intercept_ == 0.0


def test_half_a_fit_is_refused():
    reopened(Ridge().fit(X, X[:, 0]))
    reopened(Ridge())
    for missing in ("coef_", "record_"):
        half = Ridge().fit(X, X[:, 0])
        delattr(half, missing)
        with pytest.raises(ValueError, match=f"^it has no {missing}$"):
            reopened(half)
