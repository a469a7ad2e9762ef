"""The least hinge loss: against a support vector machine without a penalty, and by its dual."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog
from sklearn.svm import SVC

from assay import HingeLossLP, load, save
from assay.errors import BadData
from tests.scikit_checks import assert_checks_pass_but_those_named


def problem(seed, n=40, d=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return rng, X, (X[:, 0] + rng.standard_normal(n) > 0).astype(int)


def dual_value(X, y, free):
    """The largest sum of weights between 0 and 1 whose signed examples cancel: a lower bound on the loss."""
    signs = 2.0 * y - 1
    rows = np.hstack([X, np.ones((len(X), 1))]) if free else X
    found = linprog(
        -np.ones(len(y)),
        A_eq=(signs[:, None] * rows).T,
        b_eq=np.zeros(rows.shape[1]),
        bounds=(0, 1),
    )
    return -found.fun


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_the_loss_is_the_least(seed, free):
    _, X, y = problem(seed)
    model = HingeLossLP(fit_intercept=free).fit(X, y)
    assert model.hinge_ == pytest.approx([dual_value(X, y, free)], rel=1e-6)
    if free and seed < 2:
        svm = SVC(C=1e5, kernel="linear", tol=1e-6).fit(X, y)
        loss = np.maximum(0, 1 - (2 * y - 1) * svm.decision_function(X)).sum()
        assert model.hinge_[0] <= loss * (1 + 1e-6)
        assert model.hinge_[0] == pytest.approx(loss, rel=1e-2)


def test_by_hand_on_the_line():
    # -, +, -, + at 0, 1, 2, 3. A line that is -1 and +1 at the ends misses by 4/3 twice.
    model = HingeLossLP().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    assert model.hinge_ == pytest.approx([8 / 3])
    grid = [
        sum(max(0, 1 - s * (w * x + b)) for x, s in zip(range(4), (-1, 1, -1, 1), strict=True))
        for w, b in itertools.product(np.linspace(-3, 3, 61), repeat=2)
    ]
    assert min(grid) >= 8 / 3 - 1e-9


def test_separable_data_has_no_loss():
    _, X, _ = problem(1)
    y = (X[:, 0] > 0).astype(int)
    model = HingeLossLP().fit(X, y)
    assert model.hinge_ == pytest.approx([0], abs=1e-6)
    assert model.score(X, y) == 1.0
    assert model.training_errors_ == 0


def test_sparse_rows_and_several_classes():
    rng, X, _ = problem(2, 60)
    y = np.array(["x", "y", "z"])[np.digitize(X[:, 0] + 0.3 * rng.standard_normal(60), [-0.5, 0.5])]
    dense, thin = HingeLossLP().fit(X, y), HingeLossLP().fit(sparse.csr_matrix(X), y)
    assert np.allclose(dense.hinge_, thin.hinge_, rtol=1e-6)
    assert dense.coef_.shape == (3, 3)
    for place, label in enumerate(dense.classes_):
        assert dense.hinge_[place] == pytest.approx(dual_value(X, (y == label) * 1, True), rel=1e-6)


def test_the_training_error_is_below_the_loss():
    tight = 0
    for seed in range(30):
        rng, X, y = problem(seed, 20)
        y = rng.integers(0, 3, 20) if seed % 3 == 0 else y
        if len(np.unique(y)) < 2:
            continue
        model = HingeLossLP(fit_intercept=bool(seed % 2)).fit(X, y)
        promise = model.guarantees()[0]
        assert promise.holds
        assert float(promise.observed) == pytest.approx(np.mean(model.predict(X) != y))
        tight += float(promise.observed) > promise.value / 3
    assert tight > 0  # a third of it would not do
    assert HingeLossLP().guarantees() == []


def test_nothing_separates_equal_rows():
    model = HingeLossLP().fit(np.ones((4, 2)), [0, 1, 1, 1])
    assert model.hinge_ == pytest.approx([2.0])
    assert model.predict([[1.0, 1.0]]) == [1]


def test_one_class_is_refused():
    with pytest.raises(
        BadData, match="HingeLossLP needs at least two classes, but y holds 1 class: 1"
    ):
        HingeLossLP().fit([[1.0], [2.0]], [1, 1])


def test_a_solver_that_gives_up_is_refused(monkeypatch):
    class Lost:
        x, message = None, "Numerical trouble. (HiGHS Status 4)"

    monkeypatch.setattr("scipy.optimize.linprog", lambda *_, **__: Lost)
    with pytest.raises(BadData, match=r"of 2 rows with 1 features: Numerical trouble\. Scale the"):
        HingeLossLP().fit([[1.0], [2.0]], [0, 1])


def test_saved_and_loaded(tmp_path):
    _, X, y = problem(4)
    model = HingeLossLP().fit(X, y)
    save(model, tmp_path / "a.assay")
    again = load(tmp_path / "a.assay")
    assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    assert again.guarantees() == model.guarantees()


def test_scikit_learns_checks():
    assert_checks_pass_but_those_named(HingeLossLP())


def test_a_solver_that_gives_no_reason_is_said_to_give_none():
    X = np.random.default_rng(1).normal(size=(60, 3)) * 1e200
    with pytest.raises(BadData, match=r"It gave no reason\. Scale the features to a common size\."):
        HingeLossLP().fit(X, X[:, 0] > 0)
