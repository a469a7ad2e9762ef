import math

import numpy as np
import pytest
from scipy import sparse

from assay.compiled.linear import sgd as loop
from tests.loop_rows import block, loss_code
from tests.naive.losses import EPSILON, SGD_LOSSES
from tests.naive.sgd import optimal_rate, power_rate, sgd


class Play:
    """The arrays of a run, and a call of the loop."""

    def __init__(
        self,
        d,
        loss,
        eta0=0.5,
        power=0.5,
        alpha=0.0,
        average=0,
        share=1.0,
        first=1.0,
        pull=0.0,
        passive=0,
    ):
        self.v, self.b = np.zeros(d), np.zeros(1)
        self.lag, self.pulled = np.zeros(d if average else 0), np.zeros(d if pull else 0)
        self.owed = np.zeros(1)
        self.numbers, self.counts = np.array([1.0, 0, 0, 0]), np.zeros(3, dtype=np.int64)
        steps = (loss_code(loss), EPSILON, eta0, first, power, alpha, pull, passive)
        self.rule = (*steps, average, share, True)

    def run(self, X, y, weights=None, order=None):
        return loop.sgd_pass(
            block(X),
            np.asarray(y, dtype=float),
            np.ones(len(y)) if weights is None else weights,
            np.arange(len(y)) if order is None else order,
            self.v,
            self.lag,
            self.pulled,
            self.owed,
            self.b,
            self.numbers,
            self.counts,
            self.rule,
        )

    @property
    def weights(self):
        return np.append(self.v * self.numbers[loop.SCALE], self.b)

    @property
    def average(self):
        total = self.numbers[loop.TOTAL] * self.v - self.lag
        return np.append(total, self.numbers[loop.BIAS]) / self.counts[loop.AVERAGED]


def game(seed, n=80, d=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.choice([0.0, 1.0], size=(n, d), p=[0.4, 0.6])
    flips = np.where(rng.random(n) < 0.2, -1.0, 1.0)
    return X, np.where(X @ rng.normal(size=d) >= 0, 1.0, -1.0) * flips


FORMS = [np.asarray, np.float32, sparse.csr_matrix]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("alpha", [0.0, 0.01, 0.9])
@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 0.25])
@pytest.mark.parametrize("loss", SGD_LOSSES)
def test_the_loop_is_its_twin(loss, power, alpha, form):
    X, y = game(1)
    given = form(X)
    values = given.toarray() if sparse.issparse(given) else np.asarray(given, dtype=float)
    weights = np.random.default_rng(2).uniform(0.2, 2, size=len(y))
    weights[7] = 0.0
    eta0 = 0.05 if loss in ("exponential", "squared_hinge", "squared_epsilon_insensitive") else 0.2
    play = Play(6, loss, eta0, power, alpha, average=10, share=0.5)
    mistakes, steps, played = play.run(given, y, weights)
    rate = power_rate(eta0, power)
    twin = sgd(values, y, loss, rate, alpha, share=0.5, weights=weights, average=10)
    assert played == len(y)
    assert mistakes == twin.mistakes
    assert 0 < steps <= len(y)
    assert_same(play, twin)
    assert play.numbers[loop.PAID] == pytest.approx(twin.paid, rel=1e-10)
    assert play.counts.tolist() == [80, 71, 0]


def assert_same(play, twin, **close):
    close = {"rtol": 1e-9, "atol": 1e-12} | close
    np.testing.assert_allclose(play.weights, [*twin.coef, twin.intercept], **close)
    mean = [*twin.average_coef, twin.average_intercept]
    np.testing.assert_allclose(play.average, mean, **close)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("alpha", [0.0, 0.5])
@pytest.mark.parametrize("pull", [0.005, 0.3])
def test_weights_are_pulled_to_zero_as_the_twins_are(pull, alpha, form):
    X, y = game(8, n=300)
    given = form(X)
    sparsely = sparse.issparse(given)
    values = given.toarray() if sparsely else np.asarray(given, dtype=float)
    play = Play(6, "squared_hinge", 0.1, power=0.25, alpha=alpha, average=20, pull=pull)
    play.run(given, y)
    rate = power_rate(0.1, 0.25)
    twin = sgd(values, y, "squared_hinge", rate, alpha, average=20, pull=pull, sparsely=sparsely)
    assert_same(play, twin)
    assert play.numbers[loop.PAID] == pytest.approx(twin.paid, rel=1e-9)
    assert ((play.v == 0) == (twin.coef == 0)).all()
    if pull == 0.3:
        assert (play.v == 0).any()  # unlike weights that only shrink


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("passive", [1, 2])
@pytest.mark.parametrize("loss", ["hinge", "epsilon_insensitive"])
def test_aggressive_steps_are_the_twins(loss, passive, form):
    X, y = game(9)
    X[3] = 0.0
    given = form(X)
    values = given.toarray() if sparse.issparse(given) else np.asarray(given, dtype=float)
    play = Play(6, loss, 0.3, power=0.0, average=1, passive=passive)
    play.run(given, y)
    twin = sgd(values, y, loss, power_rate(0.3, 0.0), passive=passive)
    assert_same(play, twin)
    assert play.numbers[loop.PAID] == pytest.approx(twin.paid, rel=1e-10)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("alpha", [0.001, 0.5, 4.0])
def test_a_schedule_may_start_late(alpha, form):
    X, y = game(2)
    given = form(X)
    values = given.toarray() if sparse.issparse(given) else np.asarray(given, dtype=float)
    play = Play(6, "hinge", 1 / alpha, 1.0, alpha, average=1, first=alpha**-0.75)
    play.run(given, y)
    assert_same(play, sgd(values, y, "hinge", optimal_rate(alpha), alpha))


@pytest.mark.parametrize("form", FORMS)
def test_lazy_shrinking_is_shrinking_of_every_weight_for_long(form):
    X, y = game(4, n=4000)
    given = form(X)
    values = given.toarray() if sparse.issparse(given) else np.asarray(given, dtype=float)
    for alpha, eta0 in ((0.5, 0.5), (1.0, 1.0), (3.0, 1.0)):
        play = Play(6, "hinge", eta0, power=0.0, alpha=alpha, average=1)
        play.run(given, y)
        twin = sgd(values, y, "hinge", power_rate(eta0, 0.0), alpha)
        assert_same(play, twin, rtol=1e-7, atol=1e-9)
        assert play.numbers[loop.PAID] == pytest.approx(twin.paid, rel=1e-8)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_whether_the_objective_is_watched_changes_no_weight(form):
    X, y = game(3)
    watched, plain = (Play(6, "hinge", alpha=0.2, average=5) for _ in range(2))
    plain.rule = (*plain.rule[:-1], False)
    for play in (watched, plain):
        play.run(form(X), y)
    assert (watched.weights == plain.weights).all()
    assert (watched.average == plain.average).all()
    assert plain.numbers[loop.PAID] == 0 < watched.numbers[loop.PAID]


def test_at_its_corner_the_hinge_steps():
    play = Play(1, "hinge", eta0=1.0, power=0.0)
    play.run(np.ones((2, 1)), [1.0, 1.0])
    assert play.weights.tolist() == [1, 1]
    play = Play(1, "hinge", eta0=1.0, power=0.0, share=0.0)
    play.run(np.ones((3, 1)), [1.0, 1.0, 1.0])
    # The second score is exactly one: a step; the third is two: none.
    assert play.weights.tolist() == [2, 0]


def test_a_twin_that_forgets_to_shrink_is_told_apart():
    X, y = game(4)
    play = Play(6, "hinge", alpha=0.1)
    play.run(X, y)
    twin = sgd(X, y, "hinge", power_rate(0.5, 0.5), 0.0)
    assert np.abs(play.weights[:-1] - twin.coef).max() > 1e-3


def test_a_twin_that_weighs_the_penalty_is_told_apart():
    X, y = game(4)
    play = Play(6, "hinge", alpha=0.1)
    play.run(X, y, weights=np.full(len(y), 2.0))
    twin = sgd(X, y, "hinge", power_rate(1.0, 0.5), 0.1)
    assert np.abs(play.weights[:-1] - twin.coef).max() > 1e-3


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_chunks_change_no_bit(form):
    X, y = game(5)
    whole, chunked = (Play(6, "log_loss", alpha=0.3, average=5, pull=0.01) for _ in range(2))
    whole.run(form(X), y)
    for part in range(0, len(y), 11):
        chunked.run(form(X[part : part + 11]), y[part : part + 11])
    for name in ("v", "b", "lag", "pulled", "owed", "numbers", "counts"):
        assert (getattr(whole, name) == getattr(chunked, name)).all()


def test_the_order_is_followed():
    X, y = game(6)
    order = np.random.default_rng(0).permutation(len(y))
    given, sorted_before = Play(6, "hinge"), Play(6, "hinge")
    given.run(X, y, order=order)
    sorted_before.run(X[order], y[order])
    assert (given.v == sorted_before.v).all()


def test_steep_slopes_are_cut_off_and_counted():
    play = Play(1, "squared_error", eta0=1.0, power=0.0)
    play.run(np.array([[1e7], [1.0], [1.0]]), [1e6, 0.0, 0.0])
    # The second slope, 1e13 and more, is cut to 1e12; so is the third.
    assert play.counts[loop.CUT] == 2
    assert play.weights.tolist() == [1e13 - 2e12, 1e6 - 2e12]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_the_loop_stops_at_what_is_no_number(form):
    X, y = game(7, n=10)
    X[4, 1] = np.nan
    play = Play(6, "hinge")
    assert play.run(form(X), y)[2] == 4
    assert play.counts[loop.ROUNDS] == 4
    assert math.isfinite(play.weights.sum())
