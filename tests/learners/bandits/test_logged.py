import math
import re

import numpy as np
import pytest

from assay import logged_value
from assay.errors import BadData, BadParameter
from assay.theory.regret.importance_weighting import importance_weighting_unbiased
from assay.theory.tail.betting import bounded_betting
from tests.soundness import assert_sound, assert_unsound

MEANS = np.array([0.6, 0.2, 0.4])
LOGGING = np.array([0.5, 0.3, 0.2])
TARGET = np.array([0.1, 0.8, 0.1])
TRUTH = float(TARGET @ MEANS)


def log(rng, rounds):
    arms = rng.choice(3, rounds, p=LOGGING)
    losses = (rng.random(rounds) < MEANS[arms]).astype(float)
    return losses, LOGGING[arms], TARGET[arms]


def test_by_hand():
    value = logged_value([1, 0.5, 0], [0.5, 0.25, 0.5], [1, 0.5, 0])
    assert value.inverse_propensity == (2 * 1 + 2 * 0.5) / 3
    assert value.self_normalised == 3 / 4
    assert value.effective_rounds == 16 / 8
    assert value.largest_weight == 2
    assert value.lower is value.upper is None
    nothing = logged_value([1.0], [0.5], [0.0])
    assert nothing.inverse_propensity == 0
    assert math.isnan(nothing.self_normalised)
    assert nothing.effective_rounds == 0


def test_unbiased_with_the_variance_of_the_theorem():
    rng = np.random.default_rng(0)
    found = [logged_value(*log(rng, 50)) for _ in range(4000)]
    means = np.array([value.inverse_propensity for value in found])
    assert abs(means.mean() - TRUTH) < 5 * means.std() / math.sqrt(len(means))
    # The second moment of one round, arm by arm: P[arm] E[loss^2] (target / logging)^2.
    weighed = importance_weighting_unbiased(TARGET.tolist(), LOGGING.tolist())
    second = sum(float(s) * m for s, m in zip(weighed.square, MEANS, strict=True))
    assert means.var() == pytest.approx((second - TRUTH**2) / 50, rel=0.1)
    errors = [value.standard_error**2 for value in found]
    assert np.mean(errors) == pytest.approx(means.var(), rel=0.1)


def test_the_interval_holds_and_a_naive_one_does_not():
    rng, delta, trials = np.random.default_rng(1), 0.2, 600
    missed = naive = 0
    for _ in range(trials):
        losses, propensities, chances = log(rng, 40)
        value = logged_value(losses, propensities, chances, least_propensity=0.2, delta=delta)
        missed += not value.lower <= TRUTH <= value.upper
        naive += abs(value.inverse_propensity - TRUTH) > 0.3 * value.standard_error
    assert_sound(missed, trials, delta)
    assert_unsound(naive, trials, delta)


def test_each_end_of_the_interval_spends_half_of_delta():
    losses, propensities, chances = log(np.random.default_rng(5), 200)
    value = logged_value(losses, propensities, chances, least_propensity=0.2, delta=0.1)
    shares = losses * chances / propensities * 0.2

    def ends(half):
        upper = bounded_betting(shares, half) / 0.2
        return (1 - bounded_betting(1 - shares, half)) / 0.2, upper

    assert (value.lower, value.upper) == pytest.approx(ends(0.05), rel=1e-9)
    # Spending all of it at either end fails twice as often, and is narrower.
    assert value.lower < ends(0.1)[0] < ends(0.1)[1] < value.upper


def test_the_interval_shrinks():
    rng = np.random.default_rng(2)
    widths = []
    for rounds in (100, 1000, 10_000):
        value = logged_value(*log(rng, rounds), least_propensity=0.2)
        assert value.lower <= value.inverse_propensity <= value.upper
        widths.append(value.upper - value.lower)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.06


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        (([1.5], [0.5], [1]), "losses must lie between 0 and 1, but round 0 holds 1.5."),
        (
            ([0, math.nan], [0.5, 1], [1, 1]),
            "losses must lie between 0 and 1, but round 1 holds nan.",
        ),
        (([1], [0.0], [1]), "propensities must lie above 0 and at most 1, but round 0 holds 0.0."),
        (([1], [0.5], [2]), "probabilities must lie between 0 and 1, but round 0 holds 2.0."),
        (
            ([1, 0], [0.5], [1]),
            "losses, propensities and probabilities must be of one length, but have 2, 1 and 1 rounds.",
        ),
        (
            ([], [], []),
            "losses must hold one number for each of at least one round, but have the shape (0,).",
        ),
        (("many", [1], [1]), "losses must be numbers, but are str."),
    ],
)
def test_refusals(inputs, sentence):
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        logged_value(*inputs)


def test_refusals_of_what_is_declared():
    sentence = "propensities must be at least 0.6, as declared, but round 1 holds 0.5."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        logged_value([1, 1], [0.7, 0.5], [1, 1], least_propensity=0.6)
    for bad in (0.0, -1.0, 1.5, math.nan, "a", [0.5, 0.5], True):
        sentence = f"least_propensity must be a number above 0 and at most 1, but is {bad!r}."
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            logged_value([1, 1], [0.7, 0.5], [1, 1], least_propensity=bad)
    with pytest.raises(BadParameter, match=r"^delta must be a number strictly between 0 and 1"):
        logged_value([1], [0.7], [1], delta=2)
