"""Promises from training rows are kept where the truth is known, and twins that leave something out are not.

The population is a table, so that the true error is known exactly.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from assay import SVC, KernelMachine, KernelPerceptron, LinearSVC, LogisticRegression, Perceptron
from assay.kernels import Gaussian
from assay.theory.generalization.compression import preferent_compression
from assay.theory.generalization.pac_bayes import pac_bayes_linear_vote
from tests.learners.training_sample import sample
from tests.soundness import assert_sound, assert_unsound


class Population:
    def __init__(self, noise, rows=300, seed=5, classes=2):
        self.X, self.y = sample(rows, seed, classes, noise)
        self.rng = np.random.default_rng(seed)

    def drawn(self, size):
        while True:
            places = self.rng.integers(len(self.y), size=size)
            if len(np.unique(self.y[places])) == len(np.unique(self.y)):
                return self.X[places], self.y[places]

    def error(self, model):
        return float((model.predict(self.X) != self.y).mean())


WILD = {
    "svc": SVC(C=10.0, gamma=5.0),
    "linear-svc": LinearSVC(loss="hinge", tol=1e-6, max_iter=100_000, random_state=0),
    "kernel-machine": KernelMachine("squared_hinge", gamma=5.0, alpha=0.01),
    "logistic": LogisticRegression(C=100.0),
    "perceptron": Perceptron(max_iter=3),
    "kernel-perceptron": KernelPerceptron(Gaussian(5.0)),
}


def broken(model, draws, noise, size=60, delta=0.05):
    """How often the tightest promise breaks, and how often twins of it that leave something out do."""
    population, count = Population(noise), {"promise": 0, "errors only": 0, "no distance": 0}
    for _ in range(draws):
        X, y = population.drawn(size)
        found = model.fit(X, y).training_promises(X, y, delta=delta)
        truth = population.error(model)
        # Any of them failing is a failure: they are promised together.
        count["promise"] += any(g.value < truth for g in found.guarantees)
        # Only the rows that are wrong count, and not those that were needed to get the others right.
        wrong = int((model.predict(X) != y).sum())
        count["errors only"] += preferent_compression(wrong, size, delta) < truth
        # The length of the weights is free.
        margins = model._training_facts(X, y).margins
        drawn = float(ndtr(-200.0 * margins).mean())
        count["no distance"] += pac_bayes_linear_vote(drawn, 0, size, delta) < truth
    return count


@pytest.mark.parametrize("name", WILD)
def test_no_promise_is_broken(name):
    assert_sound(broken(WILD[name], 12, noise=0.3)["promise"], 12, 0.05)


@pytest.mark.guarantees
@pytest.mark.parametrize("name", WILD)
def test_no_promise_is_broken_in_many_draws(name):
    for noise in (0.3, 3.0):
        assert_sound(broken(WILD[name], 300, noise)["promise"], 300, 0.05)


@pytest.mark.parametrize("name", ["svc", "kernel-machine", "kernel-perceptron"])
def test_twins_that_count_too_little_are_caught(name):
    count = broken(WILD[name], 12, noise=10.0)
    assert_sound(count["promise"], 12, 0.05)
    assert_unsound(count["errors only"], 12, 0.05)
    assert_unsound(count["no distance"], 12, 0.05)


SEVERAL = {
    "ovo": SVC(C=10.0, gamma=5.0),
    "ovr": SVC(C=10.0, gamma=0.1, multi_class="ovr"),
    "linear": LinearSVC(C=10.0, tol=1e-6, max_iter=100_000, random_state=0),
    "perceptron": Perceptron(max_iter=3),
    "kernel-perceptron": KernelPerceptron(Gaussian(5.0)),
}


def broken_of_several(model, draws, noise, size=60, delta=0.05):
    """The same with three classes, for which there is one promise: it breaks, and a twin of it does."""
    population, count = Population(noise, classes=3), [0, 0]
    for _ in range(draws):
        X, y = population.drawn(size)
        found = model.fit(X, y).training_promises(X, y, delta=delta).guarantees[0]
        truth, wrong = population.error(model), int((model.predict(X) != y).sum())
        count[0] += found.value < truth
        count[1] += preferent_compression(wrong, size, delta) < truth
    return count


@pytest.mark.parametrize("name", SEVERAL)
def test_no_promise_about_several_classes_is_broken(name):
    assert_sound(broken_of_several(SEVERAL[name], 8, noise=0.3)[0], 8, 0.05)


@pytest.mark.guarantees
@pytest.mark.parametrize("name", SEVERAL)
def test_no_promise_about_several_classes_is_broken_in_many_draws(name):
    assert_sound(broken_of_several(SEVERAL[name], 300, noise=0.3)[0], 300, 0.05)


@pytest.mark.parametrize("name", ["ovo", "kernel-perceptron"])
def test_a_twin_about_several_classes_is_caught(name):
    sound, unsound = broken_of_several(SEVERAL[name], 8, noise=10.0)
    assert_sound(sound, 8, 0.05)
    assert_unsound(unsound, 8, 0.05)


def told_by(X, y):
    """A kernel that knows the labels of some rows, and takes all others for positive."""
    signs = dict(zip(map(tuple, X), np.where(y == 1, 1.0, -1.0), strict=True))

    def seen(rows):
        return np.array([signs.get(tuple(row), 1.0) for row in rows])

    return lambda A, B: np.outer(seen(A), seen(B))


def test_a_kernel_read_from_the_rows_would_break_the_promise():
    """It has wide margins on them and knows nothing: why the settings must come first."""
    violations, fresh = 0, sample(400, 77, noise=1.0)
    for seed in range(6):
        X, y = sample(150, seed, noise=1.0)
        model = SVC(kernel=told_by(X, y), C=1.0).fit(X, y)
        promised = model.training_promises(X, y).tightest.value
        violations += promised < float((model.predict(fresh[0]) != fresh[1]).mean())
    assert_unsound(violations, 6, 0.05)
