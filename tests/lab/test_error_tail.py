"""Mean against tail: what the mean alone says, exactly, and learners of one mean and different tails."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import GaussianNB
from assay.data.synthetic import JointTable, gaussian_classes
from assay.errors import BadParameter
from assay.lab import error_tail
from tests.refusals import refuses

FAIR = JointTable([[1, 0], [0, 1]] * 5)


class Gambler:
    """Right everywhere or wrong everywhere, by the sample: the mean of one who always errs in part."""

    def __init__(self, wrong_in=4):
        self.wrong_in = wrong_in

    def fit(self, X, y):
        self.wrong = int(X.sum()) % self.wrong_in == 0

    def predict(self, X):
        truth = X[:, 0].astype(int) % 2
        return 1 - truth if self.wrong else truth


class Steady:
    def fit(self, X, y):
        pass

    def predict(self, X):
        truth = X[:, 0].astype(int) % 2
        return np.where(X[:, 0] < 2, 1 - truth, truth)


def test_one_mean_two_tails():
    gambler = error_tail(Gambler(), FAIR, 20, above=[0.25], random_state=0)
    steady = error_tail(Steady(), FAIR, 20, above=[0.25], random_state=0)
    assert steady.mean.value == pytest.approx(0.2)
    assert steady.tails[0].share == 0.0
    assert set(gambler.errors.round(12)) == {0.0, 1.0}
    assert gambler.tails[0].share == pytest.approx(gambler.mean.value)
    assert gambler.holds
    assert steady.holds
    assert steady.quantile(0.05) == pytest.approx(0.2)
    assert gambler.quantile(0.05) == pytest.approx(1.0)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 6), st.sampled_from([0.01, 0.2, 0.5, 0.9]), st.integers(0, 99))
def test_the_mean_bounds_the_tail_on_every_draw(wrong_in, above, seed):
    tail = error_tail(Gambler(wrong_in), FAIR, 3, above=[above], trials=20, random_state=seed)
    assert tail.holds
    [step] = tail.tails
    assert step.at_least <= step.share <= step.at_most


def test_half_the_upper_bound_would_be_broken():
    [step] = error_tail(Steady(), FAIR, 5, above=[0.19], random_state=0).tails
    assert step.share == 1.0 == step.at_most
    assert not step.share <= 0.2 / 0.19 / 2


def test_a_learner_of_ours():
    source = gaussian_classes(1, 2, bayes_error=0.1, random_state=0)
    tail = error_tail(GaussianNB(), source, 10, trials=30, at=500, random_state=0)
    assert tail.holds
    shares = [step.share for step in tail.tails]
    assert shares == sorted(shares, reverse=True)
    assert str(tail).splitlines()[0] == "GaussianNB after 10 rows, 30 samples:"


def test_refusals():
    with refuses("above must be a number strictly between 0 and 1, but is 1.0."):
        error_tail(Steady(), FAIR, 5, above=[1.0])
    with refuses("above must hold at least one number, but is empty."):
        error_tail(Steady(), FAIR, 5, above=[])
    with pytest.raises(BadParameter, match=r"^source must have"):
        error_tail(Steady(), object(), 5)
