"""Layers of gates: answers and gradients against the naive twin, and against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay.learners.neural.network import GATES, Network, losses_of, size_of
from tests.naive.network import answer, objective

RNG = np.random.default_rng(0)


def made(sizes, gate, seed=0, dtype=np.float64):
    return Network.drawn(sizes, gate, np.dtype(dtype), np.random.RandomState(seed))


def sample(network, rows, seed=0):
    rng = np.random.default_rng(seed)
    many = max(2, network.sizes[-1])
    return rng.normal(size=(rows, network.sizes[0])), np.arange(rows) % many, rng.random(rows)


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("sizes", [(3, 4, 1), (3, 4, 2, 3), (3, 1)])
def test_answers_and_objective_of_the_naive_twin(gate, sizes):
    network = made(sizes, gate)
    X, codes, weights = sample(network, 9)
    wanted = [answer(x, network.coefs, network.intercepts, gate) for x in X]
    np.testing.assert_allclose(network.scores(X), wanted, rtol=1e-12, atol=1e-14)
    gradient = np.empty(size_of(sizes))
    for share in (None, weights):
        found = network.objective(X, codes, share, 0.7, gradient)
        told = np.ones(9) if share is None else share
        twin = objective(X, codes, told, network.coefs, network.intercepts, gate, 0.7)
        assert found == pytest.approx(twin, rel=1e-12)


def differences(network, X, codes, weights, alpha, step=1e-6):
    """The gradient by the definition of a derivative."""
    found, spare = np.empty_like(network.parameters), np.empty_like(network.parameters)
    for j in range(len(found)):
        kept = network.parameters[j]
        ends = []
        for side in (step, -step):
            network.parameters[j] = kept + side
            ends.append(network.objective(X, codes, weights, alpha, spare))
        network.parameters[j] = kept
        found[j] = (ends[0] - ends[1]) / (2 * step)
    return found


@settings(max_examples=30)
@given(
    st.sampled_from(list(GATES)),
    st.lists(st.integers(1, 5), max_size=3),
    st.integers(1, 4),
    st.integers(0, 2**31),
    st.booleans(),
)
def test_the_gradient_is_that_of_finite_differences(gate, hidden, outputs, seed, weighted):
    outputs = 1 if outputs == 2 else outputs
    network = made((3, *hidden, outputs), gate, seed)
    X, codes, weights = sample(network, 7, seed)
    share = weights if weighted else None
    gradient = np.empty_like(network.parameters)
    network.objective(X, codes, share, 0.3, gradient)
    wanted = differences(network, X, codes, share, 0.3)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-4, atol=1e-7)


def test_a_wrong_slope_is_noticed():
    """The same comparison rejects a gradient whose gates have the slope of others."""
    network = made((3, 4, 1), "tanh", 1)
    X, codes, _ = sample(network, 7)
    wanted = differences(network, X, codes, None, 0.3)
    network.slope = GATES["logistic"][1]
    gradient = np.empty_like(network.parameters)
    network.objective(X, codes, None, 0.3, gradient)
    assert not np.allclose(gradient, wanted, rtol=1e-4, atol=1e-7)


def test_sparse_rows_and_batches_of_other_sizes():
    network = made((6, 5, 3), "relu")
    X, codes, _ = sample(network, 30)
    X *= RNG.random(X.shape) < 0.4
    one, other = np.empty_like(network.parameters), np.empty_like(network.parameters)
    for rows in (30, 7, 30, 1):
        loss = network.objective(X[:rows], codes[:rows], None, 0.1, one)
        again = network.objective(sparse.csr_matrix(X[:rows]), codes[:rows], None, 0.1, other)
        assert loss == pytest.approx(again, rel=1e-12)
        np.testing.assert_allclose(one, other, atol=1e-14)


def test_rows_are_answered_block_by_block(monkeypatch):
    network = made((3, 4, 1), "relu")
    X, _, _ = sample(network, 50)
    whole = network.scores(X)
    monkeypatch.setattr("assay.learners.neural.network._BLOCK", 20)
    np.testing.assert_allclose(network.scores(X), whole, rtol=1e-13)


def test_losses_of_large_scores_are_finite_and_exact():
    losses, pull = losses_of(np.array([[800.0], [-800.0]]), np.array([0, 1]))
    assert losses.tolist() == [800.0, 800.0]
    assert pull[:, 0].tolist() == [1.0, -1.0]
    losses, pull = losses_of(np.array([[0.0, 900.0, 0.0]]), np.array([0]))
    assert losses.tolist() == [900.0]
    assert pull.tolist() == [[-1.0, 1.0, 0.0]]


def test_single_precision_stays_single():
    network = made((3, 4, 1), "tanh", dtype=np.float32)
    assert network.scores(np.ones((2, 3), "f4")).dtype == np.float32
    gradient = np.empty_like(network.parameters)
    network.objective(np.ones((2, 3), "f4"), np.array([0, 1]), np.ones(2), 0.1, gradient)
    assert np.isfinite(gradient).all()
