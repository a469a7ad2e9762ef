"""Rows that changed an online learner: those a naive replay names, and nothing for another sample."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from assay import KernelPerceptron, MarginPerceptron, Perceptron, Winnow
from assay.kernels import Gaussian, Linear


def sample(n=60, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    scores = X @ rng.normal(size=(4, classes)) + rng.normal(size=(n, classes))
    return X, scores.argmax(axis=1)


def replayed(model, X, y):
    """How many rows changed it, by its own account, and whether they are known to be its sample."""
    facts = model._training_facts(X, y)
    return facts.mistaken, facts.known[0].status == "checked"


def changed_rows(model, X, y):
    """The rows that change a learner which is shown them one by one, so often as the model was."""
    twin, changed = clone(model), np.zeros(len(y), dtype=bool)
    for _ in range(model.n_iter_):
        for t in range(len(y)):
            before = _changes(twin)
            twin.partial_fit(X[t : t + 1], y[t : t + 1], classes=model.classes_)
            changed[t] |= _changes(twin) > before
    return changed


def _changes(model):
    return sum(p.updates + p.hindsight.count for p in getattr(model, "players_", []))


def mistaken(X, y, passes):
    """A perceptron with a constant feature, and the rows on which it was wrong."""
    w, wrong = np.zeros(X.shape[1] + 1), set()
    Z, signs = np.column_stack([X, np.ones(len(X))]), np.where(y == 1, 1, -1)
    for _ in range(passes):
        for t in range(len(Z)):
            if (1 if w @ Z[t] >= 0 else -1) != signs[t]:
                w += signs[t] * Z[t]
                wrong.add(t)
    return wrong


@pytest.mark.parametrize("passes", [1, 2, 7])
def test_the_rows_are_those_of_a_naive_perceptron(passes):
    X, y = sample()
    model = Perceptron(max_iter=passes, n_iter_no_change=100, shuffle=False).fit(X, y)
    assert replayed(model, X, y) == (len(mistaken(X, y, passes)), True)


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(),
        Perceptron(trace=True, warm_start=True),
        MarginPerceptron(margin=0.05),
        KernelPerceptron(Gaussian(0.5)),
        KernelPerceptron(Gaussian(0.5), budget=7),
        KernelPerceptron(lambda A, B: A @ B.T + 1),
    ],
    ids=lambda model: str(model).split(" at 0x")[0],
)
@pytest.mark.parametrize("classes", [2, 3])
def test_without_the_rows_that_changed_nothing_the_learner_is_the_same(model, classes):
    X, y = sample(classes=classes)
    model = clone(model).set_params(max_iter=6, shuffle=False).fit(X, y)
    changed = changed_rows(model, X, y)
    assert replayed(model, X, y) == (changed.sum(), True)
    assert replayed(model, X[changed], y[changed]) == (changed.sum(), True)
    # And a row fewer makes another one, or the count could not matter.
    first = np.flatnonzero(changed)[0]
    kept = changed & (np.arange(len(y)) != first)
    assert not replayed(model, X[kept], y[kept])[1]


def test_rows_shown_once_are_shown_once_again():
    X, y = sample()
    model = Perceptron().partial_fit(X[:20], y[:20], classes=[0, 1]).partial_fit(X[20:], y[20:])
    assert replayed(model, X, y) == (len(mistaken(X, y, 1)), True)
    one = Perceptron()
    for x, label in zip(X, y, strict=True):
        one.learn_one(x, label, classes=[0, 1])
    assert replayed(one, X, y)[1]


def test_sparse_rows_and_boolean_ones():
    X, y = sample()
    sparse_rows = sparse.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0))
    for model in (Perceptron(), KernelPerceptron(Gaussian(0.5))):
        assert replayed(model.fit(sparse_rows, y), sparse_rows, y)[1]
    assert replayed(Winnow().fit((X > 0) * 1.0, y), (X > 0) * 1.0, y)[1]


def test_another_sample_order_or_start_is_noticed():
    X, y = sample()
    model = Perceptron(max_iter=3).fit(X, y)
    order = np.random.default_rng(1).permutation(len(y))
    assert not replayed(model, X[order], y[order])[1]
    assert not replayed(model, X[1:], y[1:])[1]
    assert not replayed(model, X, 1 - y)[1]
    twice = Perceptron(max_iter=3, warm_start=True).fit(X, y).fit(X, y)
    assert not replayed(twice, X, y)[1]
    assert not replayed(model.partial_fit(X, y), X, y)[1]


SHUFFLED = [
    Perceptron(random_state=3),
    MarginPerceptron(margin=0.05, random_state=3),
    KernelPerceptron(Gaussian(0.5), random_state=3),
    KernelPerceptron(lambda A, B: A @ B.T + 1, random_state=3),
    KernelPerceptron("precomputed", random_state=3),
]


@pytest.mark.parametrize("model", SHUFFLED, ids=lambda model: str(model).split(" at 0x")[0])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_shuffled_fit_is_its_passes_one_by_one_in_their_orders(model, classes):
    X, y = sample(classes=classes)
    given = model.get_params()
    if given.get("kernel") == "precomputed":
        given["kernel"] = Linear() + 1
        fitted = clone(model).set_params(max_iter=4, n_iter_no_change=9).fit(X @ X.T + 1, y)
        shown = X @ X.T + 1
    else:
        fitted, shown = clone(model).set_params(max_iter=4, n_iter_no_change=9).fit(X, y), X
    orders = np.random.RandomState(fitted.order_seed_)
    plain, changed = type(model)(**given), np.zeros(len(y), dtype=bool)
    for _ in range(4):
        for t in orders.permutation(len(y)):
            before = _changes(plain)
            plain.partial_fit(X[t : t + 1], y[t : t + 1], classes=fitted.classes_)
            changed[t] |= _changes(plain) > before
    assert [p.mistakes for p in fitted.players_] == [p.mistakes for p in plain.players_]
    assert replayed(fitted, shown, y) == (changed.sum(), True)
    assert not replayed(fitted, shown[::-1].copy(), y[::-1].copy())[1]


def test_what_is_set_after_a_shuffled_fit_changes_nothing():
    X, y = sample()
    model = Perceptron(max_iter=3, random_state=None).fit(X, y)
    known = replayed(model, X, y)
    assert known[1]
    assert replayed(model.set_params(random_state=9, shuffle=False), X, y) == known
    assert not hasattr(model.fit(X, y), "order_seed_")
