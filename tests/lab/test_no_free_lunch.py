"""All labellings of a few points: golden numbers, a naive twin, any learner, a bound that is too large."""

from __future__ import annotations

import re
import zlib
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from assay import BernoulliNB, Perceptron, no_free_lunch, theorem
from assay.errors import BadData, BadParameter


class Rote:
    """Repeats what it was told; says the same of all else."""

    def __init__(self, otherwise=1):
        self.otherwise = otherwise

    def fit(self, X, y):
        self.known = {tuple(x): label for x, label in zip(X, y, strict=True)}

    def predict(self, X):
        return np.array([self.known.get(tuple(x), self.otherwise) for x in X])


class Contrary(Rote):
    """Says the opposite of what it was told."""

    def predict(self, X):
        return -super().predict(X)


class Whim:
    """Any function of the sample."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, X, y):
        self.told = zlib.crc32(X.tobytes() + np.asarray(y).tobytes(), self.seed)

    def predict(self, X):
        return np.random.default_rng(self.told).choice([-1, 1], len(X))


def naive(learner, m, points):
    """Errors of every labelling on every sequence, by loops."""
    X = np.eye(points)
    found = {}
    for labels in product((-1, 1), repeat=points):
        y = np.array(labels)
        errors = []
        for sample in product(range(points), repeat=m):
            told = y[list(sample)]
            if len(set(told)) == 1:
                said = np.full(points, told[0])
            else:
                learner.fit(X[list(sample)], told)
                said = learner.predict(X)
            errors.append((said != y).mean())
        found[labels] = np.array(errors)
    return found


@pytest.mark.parametrize(
    "learner", [Rote(), Rote(-1), Contrary(), Whim(3)], ids=lambda o: type(o).__name__
)
@pytest.mark.parametrize(("m", "points"), [(1, 2), (2, 4), (2, 3)])
def test_the_naive_twin(learner, m, points):
    found = no_free_lunch(learner, m, points=np.eye(points))
    wanted = naive(learner, m, points)
    means = {labels: errors.mean() for labels, errors in wanted.items()}
    often = {labels: (errors > 1 / 8).mean() for labels, errors in wanted.items()}
    assert found.average == pytest.approx(np.mean(list(means.values())))
    assert found.worst_error == pytest.approx(max(means.values()))
    assert means[found.worst] == pytest.approx(found.worst_error)
    assert found.chance == pytest.approx(max(often.values()))
    assert often[found.risky] == pytest.approx(found.chance)
    assert (found.labellings, found.samples, found.complete) == (2**points, points**m, True)


@pytest.mark.parametrize("learner", [Rote(), DecisionTreeClassifier(random_state=0), Perceptron()])
def test_the_golden_numbers(learner):
    for m, wanted in ((1, 0.25), (2, 0.28125)):
        found = no_free_lunch(learner, m)
        assert found.average == pytest.approx(wanted, abs=1e-12)
        assert found.promised == wanted
        assert found.holds
        assert found.chance >= found.promised_chance >= 1 / 7 - 1e-12
    assert theorem("no-free-lunch")(rows=10, points=20) == pytest.approx(0.299368, abs=1e-6)


@settings(max_examples=25)
@given(st.integers(0, 2**31), st.integers(1, 3), st.integers(1, 6))
def test_no_learner_is_better_on_average(seed, m, samples):
    found = no_free_lunch(Whim(seed), m, samples=samples, random_state=seed)
    assert found.average >= found.least - 1e-12
    assert found.worst_error >= found.average
    assert found.holds


def test_a_bound_that_is_too_large_is_broken():
    """As if one row fewer had been seen: those who repeat what they saw are better than that."""
    found = no_free_lunch(Rote(), 2)
    assert found.average < theorem("no-free-lunch")(rows=1, points=4)
    assert found.average < found.least * 1.01


def test_more_points_are_drawn_from():
    found = no_free_lunch(BernoulliNB(), 5, samples=2, random_state=0)
    assert (found.points, found.labellings, found.samples, found.complete) == (10, 1024, 2, False)
    assert found.holds
    assert found.promised > 0.25
    text = str(found).splitlines()
    assert text[0] == "BernoulliNB after 5 of 10 points, 1,024 labellings, 2 samples (drawn):"
    assert re.search(r"worst labelling [+-]{10}, where", text[2])


def test_refusals():
    with pytest.raises(
        BadParameter, match=r"^rows must be a whole number of at least 1, but is 0\.$"
    ):
        no_free_lunch(Rote(), 0)
    with pytest.raises(
        BadParameter, match=r"^the number of points must be between 2 and 18, but is 20\.$"
    ):
        no_free_lunch(Rote(), 10)
    with pytest.raises(
        BadData, match=r"^points must have rows and columns, but have the shape \(3,\)\.$"
    ):
        no_free_lunch(Rote(), 1, points=[1, 2, 3])


def test_drawn_samples_may_do_better_than_all_of_them_and_the_text_says_so():
    """A sample of distinct points leaves fewer unseen than samples do on average."""
    found = next(
        one
        for seed in range(200)
        if (one := no_free_lunch(DecisionTreeClassifier(), 4, samples=1, random_state=seed)).least
        < one.promised
    )
    assert found.holds
    assert found.average < found.promised
    line = str(found).splitlines()[1]
    assert f"at least {found.least:.4g} on these samples, and over all at least" in line
