"""Noise, bias and variance: closed forms, exact sums on what was drawn, intervals, and a learner that cheats."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from assay import bias_variance
from assay.data.synthetic import JointTable, NoisyFunction, gaussian_classes
from assay.errors import BadData, BadParameter
from assay.theory.generalization.decomposition import bias_variance as theorem

LINE = NoisyFunction(lambda x: x, noise=0.5)


class Mean:
    """Predicts the mean of the sample everywhere."""

    def fit(self, X, y):
        self.value = y.mean()

    def predict(self, X):
        return np.full(len(X), self.value)


class Coin:
    """Predicts 0 or 3, whatever the sample."""

    rng = np.random.default_rng(0)

    def __deepcopy__(self, memo):
        return Coin()

    def fit(self, X, y):
        self.value = self.rng.choice([0.0, 3.0])

    def predict(self, X):
        return np.full(len(X), self.value)


def test_the_golden_numbers():
    """y is 0 or 2 and the prediction 0 or 3, by independent coins: 3.5 = 1 + 0.25 + 2.25."""
    found = bias_variance(
        Coin(), JointTable([[1, 1]], labels=[0, 2]), 1, trials=1500, random_state=1
    )
    assert found.noise == 1.0
    assert found.bias.covers(0.25)
    assert found.variance.covers(2.25)
    assert found.error.covers(3.5)
    assert found.promised == pytest.approx(3.5, abs=0.2)
    assert theorem(1, -0.5, 2.25) == 3.5


def test_the_mean_of_the_sample():
    """Its variance is that of y over the rows; its bias is the distance from the mean of all y, zero here."""
    at = np.linspace(-0.9, 0.9, 7)[:, None]
    found = bias_variance(Mean(), LINE, 20, trials=2000, at=at, random_state=0)
    assert found.noise == pytest.approx(0.25)
    assert found.bias.covers(float((at**2).mean()))
    assert found.variance.covers((1 / 3 + 0.25) / 20)
    assert (found.rows, found.trials, found.points, found.learner) == (20, 2000, 7, "Mean")
    assert found.holds


def test_intervals_cover_about_as_often_as_they_say():
    at = np.array([[-0.5], [0.2]])
    truth = {"bias": float((at**2).mean()), "variance": (1 / 3 + 0.25) / 5}
    truth["error"] = 0.25 + truth["bias"] + truth["variance"]
    hits = dict.fromkeys((*truth, "residual"), 0)
    for seed in range(60):
        found = bias_variance(Mean(), LINE, 5, trials=60, at=at, delta=0.1, random_state=seed)
        for name, value in truth.items():
            hits[name] += getattr(found, name).covers(value)
        hits["residual"] += found.holds
    for name, count in hits.items():
        assert 44 <= count <= 60, name  # 54 of 60 on average
    assert min(hits.values()) < 60  # intervals that always cover would be too wide


def test_the_interval_of_a_bias_that_is_nearly_zero_is_not_too_narrow():
    """At the best prediction the first order vanishes; intervals of that order alone would hardly ever cover."""
    at = np.array([[-0.5], [0.5]])
    hits = [
        bias_variance(Mean(), LINE, 5, trials=50, at=at, random_state=seed).bias.covers(0.25)
        for seed in range(60)
    ]
    assert sum(hits) >= 50


class Nearest(Mean):
    """Predicts what the nearest rows had, on average."""

    def __init__(self, many):
        self.many = many

    def fit(self, X, y):
        self.X, self.y = X, y

    def predict(self, X):
        near = np.abs(X - self.X[:, 0]).argsort(axis=1)[:, : self.many]
        return self.y[near].mean(axis=1)


@settings(max_examples=20)
@given(st.integers(1, 8), st.integers(2, 12), st.integers(0, 2**31))
def test_on_what_was_drawn_the_parts_add_up_exactly(neighbours, trials, seed):
    found = bias_variance(Nearest(neighbours), LINE, 10, trials=trials, at=5, random_state=seed)
    parts = found.noise + found.bias.value + found.variance.value
    assert found.promised == pytest.approx(parts, rel=1e-12)


def test_a_learner_that_knows_the_outcome_breaks_the_identity():
    class Leaky(JointTable):
        def sample(self, rows, rng):
            X, y = super().sample(rows, rng)
            object.__setattr__(self, "last", y[-1])
            return X, y

        def outcomes(self, X, rng):
            return np.full(len(X), self.last)

    class Last(Mean):
        def fit(self, X, y):
            self.value = y[-1]

    found = bias_variance(Last(), Leaky([[1, 1]], labels=[0, 2]), 3, at=[[0.0]], random_state=0)
    assert found.error.value == 0
    assert found.promised == pytest.approx(2, abs=0.1)
    assert not found.holds


def test_trees_vary_and_stumps_are_biased():
    source = NoisyFunction(lambda x: np.sin(3 * x), noise=0.3)
    deep, flat = (
        bias_variance(DecisionTreeRegressor(max_depth=d), source, 40, trials=80, random_state=0)
        for d in (None, 1)
    )
    assert deep.variance.low > flat.variance.high
    assert deep.bias.high < flat.bias.low
    assert deep.holds
    assert flat.holds
    lines = str(flat).splitlines()
    assert (
        lines[0] == "DecisionTreeRegressor after 40 rows, 80 samples, square error at 100 points:"
    )
    assert [line.split()[0] for line in lines[1:]] == [
        "promised", "observed", "noise", "bias^2", "variance",
    ]  # fmt: skip


def test_classifiers_and_probabilities():
    source = gaussian_classes(1, 2, bayes_error=0.2, random_state=1)
    hard = bias_variance(DecisionTreeClassifier(), source, 30, trials=60, random_state=0)
    soft = bias_variance(
        DecisionTreeClassifier(max_depth=2),
        source,
        30,
        trials=60,
        predict=lambda model, X: 2 * model.predict_proba(X)[:, -1] - 1,
        random_state=0,
    )
    assert hard.holds
    assert hard.noise == soft.noise
    assert soft.variance.value < hard.variance.value
    # A sample of one row has one label; it is repeated.
    assert bias_variance(DecisionTreeClassifier(), source, 1, trials=5, random_state=0).trials == 5


def test_refusals():
    with pytest.raises(
        BadParameter, match=r"^rows must be a whole number of at least 1, but is 0\.$"
    ):
        bias_variance(Mean(), LINE, 0)
    with pytest.raises(
        BadParameter, match=r"^trials must be a whole number of at least 2, but is 1\.$"
    ):
        bias_variance(Mean(), LINE, 5, trials=1)
    sentence = (
        "source must have sample and outcomes and mean and variance, as those of assay.data.synthetic have, "
        "but int has no sample."
    )
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        bias_variance(Mean(), 3, 5)
    with pytest.raises(
        BadData, match=r"^The learner must predict one finite number for each of 100 points, "
    ):
        bias_variance(Mean(), LINE, 5, predict=lambda model, X: np.full(len(X), np.nan))


@pytest.mark.parametrize(
    ("at", "sentence"),
    [
        (
            [1.0, 2.0],
            "at must be a count, or a table with a row for each point, but has the shape (2,).",
        ),
        (
            np.zeros((0, 1)),
            "at must be a count, or a table with a row for each point, but has the shape (0, 1).",
        ),
        ([[np.nan]], "at must hold finite numbers, but a cell is NaN or infinite."),
    ],
)
def test_points_that_are_none_are_refused(at, sentence):
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        bias_variance(Mean(), LINE, 5, at=at)
