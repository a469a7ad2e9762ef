"""The promises about online gradient descent are kept on every run; broken ones are caught."""

import math
from fractions import Fraction

import numpy as np
import pytest

from assay import OnlineGradientDescent
from assay.theory.registry import find_theorem
from assay.theory.regret.gradient_descent import ogd_anytime_regret, ogd_hinge_regret
from tests.refusals import refuses

CLASSES = [-1, 1]


def orthonormal(t):
    """Every score is zero and costs one, while the vector of ones predicts each label."""
    return np.eye(t), -np.ones(t, dtype=int)


def tug_of_war(t):
    """The same example with the label that the weights speak against, as far as that is known."""
    return np.ones((t, 1)), np.where(np.arange(t) % 2, 1, -1)


def growing(t):
    """Every example is longer than all before it."""
    return np.arange(1.0, t + 1).reshape(-1, 1) ** 2, np.where(np.arange(t) % 3, 1, -1)


def shifting(t):
    """What was true in the first half is false in the second."""
    X = np.tile([[1.0, 0.5], [-0.5, 1.0]], (t // 2 + 1, 1))[:t]
    return X, np.where(np.arange(t) < t // 2, 1, -1)


ADVERSARIES = [orthonormal, tug_of_war, growing, shifting]


def random_game(rng):
    n, d = int(rng.integers(1, 60)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d)) * rng.choice([0.1, 1.0, 20.0])
    y = np.where(X @ rng.normal(size=d) >= 0, 1, -1)
    noise = rng.choice([0.0, 0.1, 0.5])
    return X, np.where(rng.random(n) < noise, -y, y)


def settings(rng, X):
    radius = math.sqrt(float((X**2).sum(axis=1).max()) + 1) * (1 + 1e-12)
    norm = float(rng.choice([0.3, 1.0, 5.0]))
    return [
        {"max_norm": norm},
        {"max_norm": norm, "radius": radius},
        {"max_norm": norm, "radius": radius, "rounds": len(X)},
        {"max_norm": norm, "eta0": float(rng.uniform(0.01, 2))},
        {"max_norm": None, "eta0": float(rng.uniform(0.01, 2))},
    ]


def played(X, y, **setting):
    return OnlineGradientDescent(**setting).partial_fit(X, y, classes=CLASSES)


def assert_kept(model):
    found = model.guarantees()
    for guarantee in found:
        assert guarantee.applies
        assert guarantee.holds, f"{model}: {guarantee}"
        again = find_theorem(guarantee.theorem)(**guarantee.inputs)
        assert Fraction(guarantee.promised_text) >= Fraction(again)
    return found


def test_many_passes_keep_every_promise():
    rng = np.random.default_rng(30)
    for game in range(50):
        X, y = random_game(rng)
        if len(np.unique(y)) == 2:
            model = OnlineGradientDescent(**settings(rng, X)[game % 5]).fit(X, y)
            assert model.record_.rounds == model.n_iter_ * len(y)
            assert_kept(model)


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("t", [1, 2, 9, 100])
def test_adversaries_break_no_promise(adversary, t):
    X, y = adversary(t)
    for setting in settings(np.random.default_rng(t), X):
        for proximal in (False, True):
            for constant in (False, True):
                assert_kept(played(X, y, proximal=proximal, fit_intercept=constant, **setting))


@pytest.mark.parametrize("t", [4, 9, 100])
def test_orthonormal_examples_meet_the_promise(t):
    X, y = orthonormal(t)
    model = played(X, y, max_norm=math.isqrt(t), radius=1, rounds=t, fit_intercept=False)
    receipt, closed, mistakes = assert_kept(model)
    assert float(receipt.observed) == pytest.approx(t)
    assert receipt.value == pytest.approx(t)
    assert closed.value == t
    assert (mistakes.promised, mistakes.observed) == (t, t)


def test_both_sides_are_those_of_the_run():
    """Two examples by hand: rate 1/2, both cost 1, the second step leaves the ball of radius 1/2."""
    model = played([[1.0], [-1.0]], [1, 1], max_norm=0.5, eta0=0.5, fit_intercept=False)
    assert model.coef_.tolist() == [[0.0]]
    receipt, closed, mistakes = model.guarantees()
    # Losses 1 and 1.5; no vector of the ball does better than 2 in total.
    assert float(receipt.observed) == pytest.approx(0.5)
    assert receipt.value == pytest.approx(0.25 / (2 * 0.5) + 0.25 * 2)
    assert closed.value == pytest.approx(0.75)
    assert (mistakes.observed, mistakes.promised) == (1, 2)


def test_both_sides_of_an_anytime_run_are_those_of_the_run():
    """Two examples by hand: rates 1/sqrt 2 and 1/2 with U = 1/2; both steps end in the ball."""
    model = played([[1.0], [-1.0]], [1, 1], max_norm=0.5, fit_intercept=False)
    assert model.coef_.tolist() == [[0.0]]
    receipt, closed, mistakes = model.guarantees()
    # The first step of 0.707 is pulled back to 0.5, the second takes it to 0. Losses 1 and 1.5.
    assert float(receipt.observed) == pytest.approx(0.5)
    assert float(receipt.inputs["last_rate"]) == pytest.approx(0.5)
    assert float(receipt.inputs["weighted_squares"]) == pytest.approx(math.sqrt(0.5) + 0.5)
    assert receipt.value == pytest.approx(1 / (2 * 0.5) + (math.sqrt(0.5) + 0.5) / 2)
    assert closed.inputs["rounds"] == 2
    assert closed.value == pytest.approx(2 * math.sqrt(2) * 0.5 * math.sqrt(2))
    assert (mistakes.observed, mistakes.promised) == (1, 3)


def test_an_anytime_run_beyond_its_declared_radius_promises_what_was_seen():
    X, y = np.array([[3.0], [-3.0]]), [1, 1]
    model = played(X, y, max_norm=1.0, radius=1.0, fit_intercept=False)
    closed = assert_kept(model)[1]
    assert float(closed.inputs["radius"]) == pytest.approx(3)
    told = model.guarantees(radius=2.0)[1]
    assert (told.promised, told.applies) == (None, False)
    # The rates were made for a radius of 10, so a smaller one does not describe them.
    wide = played(X, y, max_norm=1.0, radius=10.0, fit_intercept=False).guarantees(radius=4.0)[1]
    assert wide.inputs["radius"] == "10"


def test_the_anytime_promise_is_two_root_two():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] + rng.normal(size=300) >= 0, 1, -1)
    model = played(X, y, max_norm=2.0, radius=10.0)
    _, closed, _ = assert_kept(model)
    assert closed.value == pytest.approx(2 * math.sqrt(2) * 2 * 10 * math.sqrt(300), rel=1e-6)
    free = played(X, y, max_norm=2.0)
    _, closed, _ = assert_kept(free)
    longest = free.record_.radius
    assert closed.value == pytest.approx(2 * math.sqrt(2) * 2 * longest * math.sqrt(300), rel=1e-6)


def test_many_examples_keep_the_promise_with_a_rival_fixed_on_the_way():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 4))
    y = np.where(X @ [1.0, -1, 0.5, 0] + rng.normal(size=20_000) >= 0, 1, -1)
    model = played(X, y, max_norm=1.0)
    assert model.record_.kept == 0
    found = assert_kept(model)
    u = model.players_[0].hindsight.fixed.vector
    margins = y * (X @ u[:-1] + u[-1])
    # The loss of the rival is counted on rounds with a step only, so it is at most that of all.
    assert float(found[2].inputs["hinge_loss"]) <= np.maximum(0, 1 - margins).sum() * (1 + 1e-9)


def test_a_declared_radius_that_is_false_promises_nothing():
    X, y = np.array([[3.0], [-3.0]]), [1, 1]
    model = played(X, y, max_norm=1.0, radius=1.0, rounds=2, fit_intercept=False)
    receipt, closed, _ = model.guarantees()
    assert receipt.holds
    assert closed.promised is None
    assert not closed.applies
    assert "no promise" in str(closed)
    told = played(X, y, max_norm=1.0, eta0=0.1, fit_intercept=False).guarantees(radius=10.0)
    assert told[1].inputs["radius"] == "10"
    with refuses("radius must be a finite number above zero, but is -1."):
        model.guarantees(radius=-1)


def test_assumptions_say_how_they_are_known():
    X, y = shifting(10)
    receipt, _, mistakes = played(X, y, proximal=True).guarantees()
    scale, steps, rates = receipt.assumptions
    assert (scale.status, steps.status, rates.status) == (
        "checked",
        "by construction",
        "by construction",
    )
    assert "nearest point of the ball" in steps.evidence
    assert "steps end where the loss is zero" in steps.evidence
    assert "nearest point of the ball whose radius is the norm" in rates.name
    assert rates.evidence.startswith("the last rate is ")
    assert (receipt.theorem, mistakes.theorem) == ("ogd-anytime-regret", "ogd-anytime-mistakes")
    plain = played(X, y, max_norm=None, eta0=0.1).guarantees()
    assert [g.theorem for g in plain] == ["ogd-hinge-regret", "ogd-hinge-regret", "ogd-mistakes"]
    assert plain[0].assumptions[1].evidence == ""


def test_other_losses_and_runs_without_a_step_promise_nothing():
    X, y = shifting(10)
    assert played(X, y, loss="log_loss").guarantees() == []
    assert played(np.zeros((3, 1)), [1, 1, -1], fit_intercept=False).guarantees() == []


# Broken twins


def test_anytime_bounds_with_something_missing_are_caught():
    """Labels that pull the weights to and fro at one end of the ball, and then across it."""
    t, model = 2000, OnlineGradientDescent(max_norm=0.5, radius=1.0, fit_intercept=False)
    for round_number in range(t):
        w = 0.0 if round_number == 0 else model.coef_[0, 0]
        there = w < 0.5 - 0.25 / math.sqrt(round_number + 1) and t - round_number > 63
        model.learn_one([1.0], 1 if there else -1, classes=CLASSES)
    receipt, closed, _ = assert_kept(model)
    regret, last = float(receipt.observed), float(receipt.inputs["last_rate"])
    squares = float(receipt.inputs["weighted_squares"])
    assert regret > 0.85 * closed.value
    assert regret > ogd_hinge_regret(0.5, 1, t)
    assert regret > ogd_anytime_regret(0.25, 1, t, last, squares)
    assert regret > ogd_anytime_regret(0.5, 1, t, last, squares / 2)
    assert regret > ogd_anytime_regret(0.5, 0.5, t)


def test_bounds_with_something_missing_are_caught():
    X, y = orthonormal(9)
    model = played(X, y, max_norm=3, radius=1, rounds=9, fit_intercept=False)
    receipt = model.guarantees()[0]
    regret, rate = float(receipt.observed), float(receipt.inputs["learning_rate"])
    assert regret > ogd_hinge_regret(3, 0.5, 9)
    assert regret > ogd_hinge_regret(3, 1, 9, rate, squared_norms=4.5)
    assert regret > ogd_hinge_regret(1.5, 1, 9, rate)


@pytest.mark.parametrize("fault", ["forgets", "turned", "too long"])
def test_a_learner_that_does_something_else_is_caught(fault):
    """The same check, on a learner whose weights are spoiled after each example."""
    factor = {"forgets": 0.0, "turned": -1.0, "too long": 2.0}[fault]
    t = 300
    X, y = np.ones((t, 1)), np.ones(t, dtype=int)
    if fault == "too long":
        y = np.where(np.arange(t) % 2, 1, -1)
    model = OnlineGradientDescent(max_norm=None, eta0=0.1, fit_intercept=False)
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label, classes=CLASSES)
        model.players_[0].weights *= factor
    assert not model.guarantees()[0].holds
