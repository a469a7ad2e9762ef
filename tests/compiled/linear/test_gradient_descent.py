import math

import numpy as np
import pytest
from scipy import sparse

from assay.compiled.linear import gradient_descent as loop
from tests.loop_rows import IN_ORDER, block, loss_code
from tests.naive.gradient_descent import descend, dot
from tests.naive.losses import EPSILON, LOSSES


class Play:
    """The arrays of a run, and a call of the loop."""

    def __init__(
        self, d, loss="hinge", ball=0.0, rate=0.0, capped=False, constant=1.0, longest=0.0
    ):
        self.v, self.b = np.zeros(d), np.zeros(1)
        self.numbers, self.counts = np.zeros(9), np.zeros(2, dtype=np.int64)
        self.numbers[loop.SCALE], self.numbers[loop.LONGEST] = 1.0, longest
        self.rule = (loss_code(loss), EPSILON, ball, rate, capped, constant)
        self.mistakes = self.steps = 0

    def run(self, X, y, u=None, room=None, start=0):
        n = len(y)
        self.stepped, self.lengths, self.losses = np.zeros(n, np.int64), np.zeros(n), np.zeros(n)
        mistakes, steps, stopped = loop.gradient_descent_pass(
            block(X),
            np.asarray(y, dtype=float),
            IN_ORDER,
            start,
            self.v,
            self.b,
            self.numbers,
            self.counts,
            self.rule,
            np.zeros(0) if u is None else u,
            n + 1 if room is None else room,
            self.stepped,
            self.lengths,
            self.losses,
        )
        self.mistakes += mistakes
        self.steps += steps
        return stopped

    @property
    def weights(self):
        return np.append(self.v * self.numbers[loop.SCALE], self.b)


def game(seed, n=60, d=5, noise=0.2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.choice([0.0, 1.0], size=(n, d), p=[0.4, 0.6])
    flips = np.where(rng.random(n) < noise, -1.0, 1.0)
    return X, np.where(X @ rng.normal(size=d) >= 0, 1.0, -1.0) * flips


SETTINGS = [
    {"rate": 0.3},
    {"rate": 0.3, "ball": 0.7},
    {"ball": 0.7},
    {"ball": 2.0, "longest": 9.0},
    {"ball": 0.7, "constant": 0.0},
]


@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_matrix])
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("loss", LOSSES)
def test_the_loop_is_its_twin(loss, setting, form):
    X, y = game(3)
    if loss == "exponential" and "rate" in setting:
        setting = setting | {"rate": 0.02}
    given = form(X)
    values = given.toarray() if sparse.issparse(given) else np.asarray(given, dtype=float)
    play = Play(5, loss, **setting)
    assert play.run(given, y) == len(y)
    twin = descend(
        values.tolist(),
        y,
        loss,
        rate=setting.get("rate"),
        ball=setting.get("ball"),
        longest=setting.get("longest", 0.0),
        constant=setting.get("constant", 1.0),
    )
    np.testing.assert_allclose(play.weights, twin.weights, rtol=1e-10, atol=1e-11)
    assert (play.mistakes, play.steps) == (twin.mistakes, twin.steps)
    seen = play.numbers[[loop.PAID, loop.SQUARES, loop.DRIFT, loop.RATE]]
    wanted = [twin.paid, twin.squares, twin.drift, twin.rates[-1]]
    np.testing.assert_allclose(seen, wanted, rtol=1e-10)


@pytest.mark.parametrize("setting", SETTINGS)
def test_capped_steps_are_the_twins(setting):
    X, y = game(5)
    play = Play(5, capped=True, **setting)
    play.run(X, y)
    twin = descend(
        X.tolist(),
        y,
        capped=True,
        rate=setting.get("rate"),
        ball=setting.get("ball"),
        longest=setting.get("longest", 0.0),
        constant=setting.get("constant", 1.0),
    )
    np.testing.assert_allclose(play.weights, twin.weights, rtol=1e-10, atol=1e-11)


def test_the_capped_step_is_the_minimiser_and_the_printed_rule_is_not():
    """From w = 0, x = (2, 0), y = 1 and lambda = 0.1 the step is 0.25, not 1 / (2 lambda) = 5."""
    x, y, price = np.array([[2.0, 0.0]]), [1.0], 0.1
    play = Play(2, rate=1 / (2 * price), capped=True, constant=0.0)
    play.run(x, y)
    assert play.weights.tolist() == [0.5, 0.0, 0.0]
    printed = Play(2, rate=1 / (2 * price), constant=0.0)
    printed.run(x, y)
    assert printed.weights.tolist() == [10.0, 0.0, 0.0]
    rng = np.random.default_rng(0)
    for _ in range(200):
        w, row, rate = rng.normal(size=3), rng.normal(size=3), rng.uniform(0.05, 3)
        moved = Play(3, rate=rate, capped=True, constant=0.0)
        moved.v[:] = w
        moved.run(row.reshape(1, -1), [1.0])

        def objective(v, w=w, row=row, rate=rate):
            return max(0.0, 1 - dot(v, row)) + dot(v - w, v - w) / (2 * rate)

        best = objective(moved.v)
        for other in (w, w + rate * row, *(moved.v + 0.1 * rng.normal(size=(20, 3)))):
            assert best <= objective(other) + 1e-12


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_pausing_and_chunks_change_no_bit(form):
    X, y = game(8)
    whole = Play(5, ball=0.5)
    whole.run(form(X), y)
    paused = Play(5, ball=0.5)
    stopped, pauses = 0, 0
    while stopped < len(y):
        stopped = paused.run(form(X), y, room=7, start=stopped)
        pauses += 1
    assert pauses > 3
    chunked = Play(5, ball=0.5)
    for part in range(0, len(y), 13):
        chunked.run(form(X[part : part + 13]), y[part : part + 13])
    for other in (paused, chunked):
        assert (other.v == whole.v).all()
        assert other.b == whole.b
        assert (other.numbers == whole.numbers).all()
        assert (other.counts == whole.counts).all()
        assert (other.mistakes, other.steps) == (whole.mistakes, whole.steps)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_the_rivals_loss_is_counted_on_rounds_with_a_step(form):
    X, y = game(9)
    u = np.linspace(-1, 1, 6)
    play = Play(5, rate=0.2)
    play.run(form(X), y, u=u)
    rows = play.stepped[: play.steps]
    with_one = np.hstack([X, np.ones((len(X), 1))])[rows]
    wanted = math.fsum(np.maximum(0, 1 - y[rows] * (with_one @ u)))
    assert play.numbers[loop.RIVAL] == pytest.approx(wanted, rel=1e-12)
    assert play.losses[: play.steps].sum() == pytest.approx(play.numbers[loop.PAID])


def test_the_norm_is_kept_within_the_ball_for_long():
    X, y = game(10, n=20_000, d=3, noise=0.5)
    play = Play(3, ball=0.25, rate=0.5)
    play.run(X, y)
    assert np.linalg.norm(play.weights) <= 0.25 * (1 + 1e-12)
    assert play.numbers[loop.NORM] == pytest.approx(play.weights @ play.weights, rel=1e-9)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_the_loop_stops_at_what_is_no_number(bad, form):
    X, y = game(11, n=10)
    X[6, 2] = bad
    play = Play(5, ball=1.0)
    assert play.run(form(X), y) == 6
    before = Play(5, ball=1.0)
    before.run(form(X[:6]), y[:6])
    assert (play.v == before.v).all()
    assert play.counts[loop.ROUNDS] == 6


def test_the_loop_stops_at_a_step_of_overflowing_length():
    play = Play(2, ball=1.0)
    assert play.run(np.array([[1.0, 0.0], [0.0, 1e200]]), [1.0, -1.0]) == 1
    assert play.weights == pytest.approx([math.sqrt(0.5), 0, math.sqrt(0.5)])


def test_rows_of_zeros_cost_but_move_nothing():
    play = Play(2, ball=1.0, constant=0.0)
    assert play.run(np.zeros((3, 2)), [1.0, -1.0, 1.0]) == 3
    assert play.weights.tolist() == [0.0, 0.0, 0.0]
    assert play.numbers[loop.PAID] == 3
    assert play.mistakes == 1
