"""Matrices and functions that are no kernels: there is no feature space, and so no promise that needs one."""

import math

import numpy as np
import pytest

from assay import (
    SVC,
    SVR,
    KernelMachine,
    KernelMachineRegressor,
    KernelPerceptron,
    KernelRidge,
    load,
    save,
)
from assay.errors import BadData
from assay.guarantees.kernels import defect_of

pytestmark = pytest.mark.filterwarnings(
    "ignore::scipy.linalg.LinAlgWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)

ROWS = 60
RNG = np.random.default_rng(0)
X = RNG.normal(size=(ROWS, 3))
Y = np.where(X[:, 0] + 0.3 * RNG.normal(size=ROWS) > 0, 1, -1)
HALF = RNG.normal(size=(ROWS, ROWS))
INDEFINITE = (HALF + HALF.T) / 2


def tanh(A, B):
    return np.tanh(3 * (A @ B.T) - 1)


NONE = {
    "indefinite": (INDEFINITE, "precomputed"),
    "one-sided": (np.triu(np.ones((ROWS, ROWS))), "precomputed"),
    "function": (X, tanh),
}
MACHINES = [KernelRidge, SVC, SVR, KernelMachine, KernelMachineRegressor, KernelPerceptron]
# What needs no feature space: a loss on the training rows that lies above the errors, and rows that rebuild a learner.
NEEDS_NONE = ("surrogate-upper-bounds", "mistake-compression", "shuffled-mistake-compression")


def promises(model, cells):
    found = list(model.guarantees())
    if hasattr(model, "training_promises"):
        found += model.training_promises(cells, Y).guarantees
    return [promise for promise in found if promise.theorem not in NEEDS_NONE]


@pytest.mark.parametrize("name", NONE)
@pytest.mark.parametrize("machine", MACHINES)
def test_no_number(machine, name, tmp_path):
    cells, kernel = NONE[name]
    model = machine(kernel=kernel)
    if machine in (KernelMachine, KernelMachineRegressor) and name != "one-sided":
        with pytest.raises(
            BadData, match=r"^The kernel matrix must be positive semidefinite, but is not"
        ):
            model.fit(cells, Y)
        return
    model.fit(cells, Y)
    kind = "asymmetry" if name == "one-sided" else "eigenvalue"
    assert model.defect_[0] == kind
    for promise in promises(model, cells):
        assert promise.promised is None
        assert "nothing is promised about" in promise.statement
        words = "not symmetric" if kind == "asymmetry" else "eigenvalue"
        assert any(a.status == "violated" and words in a.evidence for a in promise.assumptions)
    if kernel == "precomputed":
        save(model, tmp_path / "none.assay")
        again = load(tmp_path / "none.assay")
        assert again.defect_ == model.defect_
        assert all(g.promised is None for g in again.guarantees() if g.theorem not in NEEDS_NONE)


@pytest.mark.parametrize("machine", MACHINES)
def test_kernels_keep_their_numbers(machine):
    for cells, kernel in (
        (X @ X.T, "precomputed"),
        ((X @ X.T).astype(np.float32), "precomputed"),
        ((X @ X.T).astype(np.float32).astype(np.float64), "precomputed"),
        (X, lambda A, B: A @ B.T),
        (X, "linear"),
    ):
        model = machine(kernel=kernel).fit(cells, Y)
        assert not hasattr(model, "defect_")
        assert any(promise.promised is not None for promise in model.guarantees())
    # What was found is forgotten with the sample.
    model = machine(kernel="precomputed")
    model.defect_ = ("eigenvalue", -1.0)
    assert not hasattr(model.fit(X @ X.T, Y), "defect_")


def test_kernel_ridge_is_not_the_best():
    """Its objective is far above that of other weights, where it promised an excess of zero."""
    values, vectors = np.linalg.eigh(INDEFINITE)
    K = vectors @ np.diag(np.where(values < 0, -5.0, 5.0)) @ vectors.T
    y = 3.0 * vectors[:, 0] + 0.1 * vectors[:, -1]
    model = KernelRidge(alpha=1.0, kernel="precomputed").fit(K, y)

    def objective(a):
        return float(np.sum((y - K @ a) ** 2) + a @ K @ a)

    better = min(objective(scale * vectors[:, 0]) for scale in np.linspace(-3, 3, 601))
    assert objective(model.dual_coef_) > better + 1
    [excess] = model.guarantees()
    assert excess.promised is None
    assert excess.assumptions[0].evidence == "its matrix has an eigenvalue of -5 or less"


def test_support_vector_machine_fails_its_leave_one_out_promise():
    model = SVC(kernel="precomputed").fit(INDEFINITE, Y)
    loo = model.guarantees(sample=(INDEFINITE, Y))[0]
    assert (loo.of, loo.promised) == ("leave-one-out error", None)


def test_mistakes_one_by_one():
    """What comes bit by bit is looked at when something is promised."""
    model = KernelPerceptron(kernel=tanh)
    for row, label in zip(X, Y.tolist(), strict=True):
        model.learn_one(row, label, classes=[-1, 1])
    assert not hasattr(model, "defect_")
    for promise in model.guarantees(squared_norm=4.0):
        assert promise.promised is None
        assert "eigenvalue" in promise.assumptions[-2].evidence


@pytest.mark.parametrize(
    ("matrix", "found"),
    [
        (np.eye(3), None),
        (np.zeros((2, 2)), None),
        (np.ones((50, 50)), None),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), ("eigenvalue", -1.0)),
        (np.array([[1.0, 2.0], [2.0, 4.0]]), None),
        (np.array([[0.0, 1.0], [1.0, 0.0]]), ("eigenvalue", -1.0)),
        (np.diag([1.0, -1e-9]), ("eigenvalue", -1e-9)),
        (np.array([[1.0, 0.5], [0.4, 1.0]]), ("asymmetry", 0.1)),
        (np.full((2, 2), np.nan), None),
        (np.zeros((0, 0)), None),
    ],
)
def test_defects(matrix, found):
    said = defect_of(matrix)
    assert (said is None) == (found is None)
    if found is not None:
        assert said[0] == found[0]
        assert math.isclose(said[1], found[1], rel_tol=1e-6)


def test_of_many_rows_some_are_looked_at():
    K = np.eye(1100)
    K[::2, ::2] -= 0.1  # on any few hundred of these rows the least eigenvalue is far below zero
    y = np.where(np.arange(1100) % 3, 1, -1)
    assert KernelPerceptron(kernel="precomputed").fit(K, y).defect_[0] == "eigenvalue"
