import numpy as np
import pytest

from assay import lab
from assay.data.synthetic import CoinFlipLearner
from assay.errors import BadParameter
from assay.theory.boosting.crowd import crowd_majority_error


def test_both_stay_below_one_bound_and_a_better_one_is_broken_by_both():
    played = lab.weak_learners(300, 0.1, runs=10, random_state=2)
    odd = slice(0, None, 2)
    assert (played.reluctant[odd] <= played.bound[odd]).all()
    assert (played.expected <= played.bound).all()
    # The mean of the runs, within five standard errors of what is expected.
    spread = np.sqrt(np.maximum(played.expected, 0.1) / played.runs)
    assert (np.abs(played.coins - played.expected) <= 5 * spread).all()
    # An exponent nine times as large, as if the edge were three times as good, is broken by both.
    twin = 300 * np.exp(-18 * np.arange(1, len(played.bound) + 1) * played.edge**2)
    assert (played.reluctant[odd] > twin[odd]).any()
    assert (played.coins > twin).any()
    for t in (1, 11, 101):
        exact = 300 * crowd_majority_error(t, played.edge)
        assert played.expected[t - 1] == pytest.approx(exact, rel=1e-9)


def test_the_same_seed_plays_the_same_and_names_are_those_of_the_figure():
    one, other = (lab.weak_learners(50, 0.2, hypotheses=15, runs=2) for _ in range(2))
    assert one.coins.tolist() == other.coins.tolist()
    assert [len(column) for column in one.wrong.values()] == [len(one.bound)] * 2


def test_coins():
    X, y = np.zeros((4000, 1)), np.resize(["a", "b"], 4000)
    learner = CoinFlipLearner(0.2, random_state=3).fit(X, y)
    assert (learner.predict(X) == y).mean() == pytest.approx(0.7, abs=0.03)
    assert learner.set_params(edge=0.5).fit(X, y).predict(X).tolist() == y.tolist()
    assert learner.get_params() == {"edge": 0.5, "random_state": 3}
    with pytest.raises(BadParameter, match=r"^X must be the 4000 examples of the fit, but is 3\.$"):
        learner.predict(X[:3])
    with pytest.raises(BadParameter, match=r"^y must be two labels, but is 1\.$"):
        learner.fit(X[:2], ["a", "a"])
