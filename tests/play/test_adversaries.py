"""Opponents force exactly the mistakes they promise."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import BernoulliNB
from sklearn.tree import DecisionTreeClassifier

from assay import Perceptron, Winnow, conservative, play, theorem
from assay.errors import BadParameter
from assay.play.adversaries import NoFreeLunch, TwoPoints, against_disjunctions, orthonormal
from tests.naive.players import Elimination


@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(),
        Perceptron(fit_intercept=False, zero=-1),
        Winnow(),
        Winnow(negations=True),
        Elimination(),
        SGDClassifier(random_state=0),
        BernoulliNB(),
        conservative(Perceptron()),
    ],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.parametrize("features", [1, 2, 7, 30])
def test_every_learner_of_disjunctions_errs_on_every_feature(learner, features):
    forced = against_disjunctions(clone(learner), features)
    assert forced.mistakes == features == theorem("online-disjunction-lower")(features=features)
    # Nothing false was said: the labels are those of a disjunction.
    truth = np.where(forced.X[:, list(forced.target)].any(axis=1), 1, -1)
    assert forced.y.tolist() == truth.tolist()
    # Played again from the start, the learner errs just as often.
    again = play(clone(learner), forced.X, forced.y, classes=[-1, 1])
    assert again.mistakes == features


def test_elimination_meets_its_bound_exactly():
    forced = against_disjunctions(Elimination(), 12)
    assert forced.mistakes == theorem("online-disjunction-mistakes")(features=12)


@pytest.mark.parametrize("zero", [1, -1])
@pytest.mark.parametrize("features", [1, 3, 10, 200])
def test_the_perceptron_reaches_its_bound(features, zero):
    worst = orthonormal(features, zero)
    learner = Perceptron(fit_intercept=False, zero=zero)
    result = play(learner, worst.X, worst.y, classes=[-1, 1])
    bound = theorem("perceptron-margin-mistakes")(radius=worst.radius, margin=worst.margin)
    assert result.mistakes == features == bound
    margins = worst.y * (worst.X @ worst.separator)
    np.testing.assert_allclose(margins, worst.margin)
    assert np.linalg.norm(worst.separator) == pytest.approx(1)


def test_with_the_constant_feature_the_same_sequence_is_easy():
    worst = orthonormal(50)
    assert play(Perceptron(), worst.X, worst.y, classes=[-1, 1]).mistakes == 1


def test_a_rare_point_is_missed_as_often_as_the_theorem_says():
    two, rows, trials = TwoPoints(rare=0.05), 40, 4000
    missed = sum((two.sample(rows, random_state=s)[1] == -1).all() for s in range(trials))
    chance = theorem("unseen-point")(mass=0.05, rows=rows)
    spread = np.sqrt(chance * (1 - chance) / trials)
    assert abs(missed / trials - chance) < 5 * spread
    assert two.error(lambda X: np.full(2, -1)) == pytest.approx(0.05)
    assert two.error(lambda X: np.full(2, 1)) == pytest.approx(0.95)
    assert two.error(lambda X: np.where(X[:, 0] > 0, 1, -1)) == 0


@pytest.mark.parametrize(
    "learner", [DecisionTreeClassifier(random_state=0), Perceptron()], ids=["tree", "perceptron"]
)
def test_no_learner_gets_a_free_lunch(learner):
    points, rows, trials = 16, 8, 300
    errors = [NoFreeLunch(points).error(learner, rows, random_state=s) for s in range(trials)]
    least = theorem("no-free-lunch")(rows=rows, points=points)
    assert least >= 0.25
    spread = np.std(errors) / np.sqrt(trials)
    assert np.mean(errors) > least - 5 * spread
    # Those that repeat what they were told meet it; the check would notice a bound twice as large.
    assert np.mean(errors) < 2 * least - 5 * spread
    assert np.mean(np.asarray(errors) > 1 / 8) > 1 / 7


def test_refusals():
    for call, wanted in [
        (
            lambda: against_disjunctions(Perceptron(), 0),
            "features must be a whole number of at least 1, but is 0.",
        ),
        (lambda: orthonormal(3, zero=0), "zero must be 1 or -1, but is 0."),
        (lambda: TwoPoints(rare=0), "rare must be a number strictly between 0 and 1, but is 0."),
        (lambda: NoFreeLunch(points=1), "points must be a whole number of at least 2, but is 1."),
    ]:
        with pytest.raises(BadParameter, match=f"^{re.escape(wanted)}$"):
            call()
