import math
import re

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.boosting.adaboost import adaboost_normalizer_potential, adaboost_training_error
from tests.naive.adaboost import adaboost, stumps
from tests.naive.majority_boost import independent_votes

ROUNDING = 1e-9
FOUR = ([1, 2, 3, 4], [1, 1, -1, 1])
CUTS = [0.5, 1.5, 2.5, 3.5, 4.5]


def mean_exponential_loss(run, y):
    return math.fsum(math.exp(-f * label) for f, label in zip(run.scores, y, strict=True)) / len(y)


def test_three_rounds_of_error_point_three():
    assert adaboost_normalizer_potential(0.3) == pytest.approx(0.916515, rel=1e-6)
    assert adaboost_training_error([0.3] * 3) == pytest.approx(0.769873, rel=1e-6)
    assert adaboost_training_error([0.3] * 3, form="textbook") == pytest.approx(0.786628, rel=1e-6)
    assert 0.5 * math.log(0.7 / 0.3) == pytest.approx(0.423649, rel=1e-6)


def test_stumps_on_four_points():
    x, y = FOUR
    run = adaboost(stumps(x, CUTS), y, 3)
    assert run.errors == pytest.approx([0.25, 1 / 6, 0.2])
    assert run.votes == pytest.approx([0.549306, 0.804719, 0.693147], rel=1e-6)
    assert run.normalizers == pytest.approx([0.866025, 0.745356, 0.8], rel=1e-6)
    assert math.prod(run.normalizers) == pytest.approx(0.516398, rel=1e-6)
    assert adaboost_training_error(run.errors) == pytest.approx(0.516398, rel=1e-6)
    errors = [adaboost(stumps(x, CUTS), y, t).training_error(y) for t in (1, 2, 3)]
    assert errors == [0.25, 0.25, 0]


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from([-1, 1])), min_size=2, max_size=10))
def test_promise_and_potential_hold_on_any_sample(sample):
    x, y = zip(*sample, strict=True)
    hypotheses = stumps(x, [k + 0.5 for k in range(-1, 7)])
    run = adaboost(hypotheses, y, 8)
    if not run.errors:  # no stump is better than a coin
        return
    assert run.training_error(y) <= adaboost_training_error(run.errors) + ROUNDING
    assert run.training_error(y) <= adaboost_training_error(run.errors, "textbook") + ROUNDING
    if run.errors[-1] == 0:
        assert adaboost_training_error(run.errors) == 0 == run.training_error(y)
        return
    for error, z in zip(run.errors, run.normalizers, strict=True):
        assert z == pytest.approx(adaboost_normalizer_potential(error), rel=1e-9)
    product = math.prod(run.normalizers)
    assert mean_exponential_loss(run, y) == pytest.approx(product, rel=1e-9)
    # The hypothesis just used is no better than a coin under the next weights.
    for chosen, after in zip(run.chosen, run.distributions[1:], strict=True):
        wrong = [p for p, h, t in zip(after, hypotheses[chosen], y, strict=True) if h != t]
        assert math.fsum(wrong) == pytest.approx(0.5, abs=1e-9)


def test_independent_votes_stay_below_and_reject_a_missing_square_root():
    """With errors of one tenth, equal votes decide: P[Binomial(5, 1/10) >= 3] = .00856."""
    votes = np.array(independent_votes(sides=10, wrong_sides=1, rounds=5))
    wrong = float(np.mean(np.sum(votes, axis=0) <= 2))
    assert wrong == pytest.approx(0.00856)
    without_root = (4 * 0.1 * 0.9) ** 5
    assert without_root < wrong <= adaboost_training_error([0.1] * 5)


def test_those_votes_are_what_adaboost_takes():
    votes = independent_votes(sides=10, wrong_sides=1, rounds=3)
    run = adaboost([[1 if right else -1 for right in vote] for vote in votes], [1] * 1000, 3)
    assert run.chosen == [0, 1, 2]
    assert run.errors == pytest.approx([0.1] * 3)
    assert run.training_error([1] * 1000) == pytest.approx(0.028)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_never_below_the_exact_value(errors):
    with mpmath.workdps(60):
        exact = [mpmath.mpf(repr(e)) for e in errors]
        sharp = mpmath.fprod(2 * mpmath.sqrt(e * (1 - e)) for e in exact)
        textbook = mpmath.exp(-2 * mpmath.fsum((0.5 - e) ** 2 for e in exact))
        slack = mpmath.mpf(10) ** -40
    assert adaboost_training_error(errors) >= sharp - slack
    assert adaboost_training_error(errors) <= sharp * (1 + 1e-13) + 1e-300
    assert textbook <= adaboost_training_error(errors, "textbook") <= textbook * (1 + 1e-13)
    assert adaboost_training_error(errors) <= adaboost_training_error(errors, "textbook")


@given(st.lists(st.floats(0, 0.5), min_size=1, max_size=20), st.floats(0, 0.25))
def test_monotone(errors, error):
    for form in ("sharp", "textbook"):
        here = adaboost_training_error([*errors, error], form)
        assert here <= adaboost_training_error(errors, form)
        assert here <= adaboost_training_error([*errors, 2 * error], form)


def test_many_rounds_are_quick():
    errors = [0.5 - 1 / (t + 10) for t in range(2000)]
    assert 0 < adaboost_training_error(errors) < 1


@pytest.mark.parametrize(
    ("errors", "form", "sentence"),
    [
        ([], "sharp", "round_errors must be a sequence of at least one number, but is []."),
        (0.3, "sharp", "round_errors must be a sequence of numbers, but is 0.3."),
        ([0.3, -0.1], "sharp", "round_errors[1] must be a number between 0 and 1, but is -0.1."),
        ([1.5], "sharp", "round_errors[0] must be a number between 0 and 1, but is 1.5."),
        ([math.nan], "sharp", "round_errors[0] must be a number between 0 and 1, but is nan."),
        ([math.inf], "sharp", "round_errors[0] must be a number between 0 and 1, but is inf."),
        ([True], "sharp", "round_errors[0] must be a number between 0 and 1, but is True."),
        ([0.3], "exact", "form must be 'sharp' or 'textbook', but is 'exact'."),
    ],
)
def test_refusals(errors, form, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        adaboost_training_error(errors, form)


@pytest.mark.parametrize("bad", [-0.1, 1.5, math.nan, math.inf, True])
def test_potential_refused(bad):
    sentence = f"round_error must be a number between 0 and 1, but is {bad!r}."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        adaboost_normalizer_potential(bad)
