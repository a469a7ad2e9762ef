"""Training: batches, what is set aside, and when it stops."""

from __future__ import annotations

import numpy as np

from assay import MLPClassifier
from assay.learners.neural.network import Network
from assay.learners.neural.training import Part, Progress, Training, batch_size, places_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
CODES = (X[:, 0] > 0).astype(np.int64)


def training(**parameters):
    model = MLPClassifier(4, **parameters)
    network = Network.drawn([3, 4, 1], "relu", np.dtype(float), np.random.RandomState(0))
    return Training(model, network, Progress())


def test_a_pass_shows_every_row_once(monkeypatch):
    seen = []

    def objective(self, X, codes, weights, alpha, gradient):
        seen.extend(X[:, 0].tolist())
        gradient[...] = 0
        return 1.0

    monkeypatch.setattr(Network, "objective", objective)
    run = training(batch_size=7)
    run.run(Part(X, CODES, None), np.random.RandomState(0), once=True)
    assert sorted(seen) == sorted(X[:, 0].tolist())
    assert seen != X[:, 0].tolist()
    assert run.progress.losses == [1.0]
    assert run.progress.rows == 40


def test_what_is_set_aside_is_not_learned(monkeypatch):
    shown = set()
    objective = Network.objective

    def spied(self, X, *rest):
        shown.update(X[:, 0].tolist())
        return objective(self, X, *rest)

    monkeypatch.setattr(Network, "objective", spied)
    run = training(early_stopping=True, validation_fraction=0.25, max_iter=300)
    run.run(Part(X, CODES, None), np.random.RandomState(0), once=False)
    assert len(shown) == 30
    assert run.progress.best_score == max(run.progress.scores)


def test_the_weights_are_those_of_the_best_score():
    fell = 0
    whole = Part(X, RNG.permutation(CODES), None)
    for seed in range(6):
        run = training(early_stopping=True, validation_fraction=0.5, learning_rate_init=0.5)
        _, aside = training(early_stopping=True, validation_fraction=0.5)._parted(
            whole, np.random.RandomState(seed)
        )
        run.run(whole, np.random.RandomState(seed), once=False)
        scores = run.progress.scores
        right = places_of(run.network.scores(aside.X)) == aside.codes
        assert right.mean() == max(scores)
        fell += scores[-1] < max(scores)  # it went on from there, and came back
    assert fell


def test_it_stops_when_the_loss_no_longer_falls():
    run = training(tol=10.0, n_iter_no_change=3)
    run.run(Part(X, CODES, None), np.random.RandomState(0), once=False)
    # The first loss is below infinity by more than any tolerance.
    assert run.progress.passes == 5


def test_batches_and_classes():
    assert [batch_size("auto", n) for n in (5, 200, 1000)] == [5, 200, 200]
    assert places_of(np.array([[0.0], [-1e-9]])).tolist() == [1, 0]
    assert places_of(np.array([[1.0, 2.0, 2.0]])).tolist() == [1]
