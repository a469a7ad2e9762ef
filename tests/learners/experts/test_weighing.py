"""How losses come from advice, in whole games and in pieces."""

import re

import numpy as np
import pytest

from assay import AdaHedge, FixedShare, WeightedAverage
from assay.errors import BadParameter
from tests.expert_games import advice

# Losses are made for about a million cells at a time.
MANY = np.random.default_rng(0).random((2000, 1000))


def test_pieces_make_no_difference():
    told = MANY.mean(axis=1)
    whole, pieces = WeightedAverage(), WeightedAverage()
    guesses = whole.play(MANY, told)
    parts = [pieces.play(MANY[t : t + 300], told[t : t + 300]) for t in range(0, 2000, 300)]
    assert np.concatenate(parts).tobytes() == guesses.tobytes()
    assert pieces.sums_.tobytes() == whole.sums_.tobytes()


def test_a_bad_round_in_a_later_piece_is_named():
    said = MANY.copy()
    said[1700, 1] = 3.0
    policy = WeightedAverage()
    with pytest.raises(
        ValueError, match=r"expert 1 in round 1701 must lie .* before it was learned\.$"
    ):
        policy.play(said, MANY[:, 0])
    assert policy.rounds_ == 1700


@pytest.mark.parametrize(
    "make", [AdaHedge, lambda **k: FixedShare(rounds=40, **k), WeightedAverage]
)
def test_tracing_changes_no_bit(make):
    said, told = advice(5)
    plain, traced = make(loss="square"), make(loss="square", trace=True)
    assert plain.play(said, told).tobytes() == traced.play(said, told).tobytes()
    assert plain.sums_.tobytes() == traced.sums_.tobytes()
    trace = traced.record_.trace
    assert trace["loss"][-1] == pytest.approx(plain.record_.loss)
    assert len(trace["loss"]) == len(told)


# Functions as losses


def convexity(policy):
    [found] = [a for a in policy.guarantees()[0].assumptions if "weighted mean" in a.name]
    return found


POLICIES = [WeightedAverage, AdaHedge, lambda **k: FixedShare(rounds=5000, **k)]


@pytest.mark.parametrize("make", POLICIES)
def test_whether_a_function_is_convex_is_declared(make):
    said, told = advice(5)
    policy = make(loss=lambda y, x: (y - x) ** 4)
    policy.play(said, told)
    assert convexity(policy).status == "declared"
    assert policy.guarantees()[0].holds
    known = make(loss="absolute")
    known.play(said, told)
    assert convexity(known).status == "by construction"


@pytest.mark.parametrize("make", POLICIES)
def test_a_function_that_is_not_convex_is_noticed(make):
    """The experts lose nothing and their average everything, which no theorem allows."""
    policy = make(loss=lambda y, x: 1 - 2 * abs(y - x))
    policy.play([[0.5, 0.5], [0.0, 1.0], [0.0, 1.0]], [0.25, 0.5, 0.5])
    assert policy.broken_ == 2
    found = convexity(policy)
    assert (found.status, found.evidence) == (
        "violated",
        "the average lost more than the mean in round 2",
    )
    made = policy.guarantees()[0]
    assert (made.promised, made.holds) == (None, None)
    policy.update([0.5, 0.5], 0.5)  # it stays so
    assert policy.broken_ == 2


@pytest.mark.parametrize("shift", [0.0, 1e6])
@pytest.mark.parametrize("experts", [1, 2, 7])
def test_rounding_is_no_offence(shift, experts):
    rng = np.random.default_rng(experts)
    said = shift + rng.random((2000, 1)) + 1e-9 * rng.random((2000, experts))
    told = said.mean(axis=1) + 1e-9 * rng.random(2000)
    for loss in (lambda y, x: (y - x) ** 2, lambda y, x: abs(y - x), lambda y, x: np.exp(x - y)):
        policy = AdaHedge(loss=loss)
        policy.play(said, told)
        assert policy.broken_ == 0


def failing_at(place):
    """A loss that fails when it is asked for the so manieth time."""
    calls = []

    def loss(y, x):
        calls.append(0)
        if len(calls) == place:
            raise ZeroDivisionError
        return (y - x) ** 2

    return loss


@pytest.mark.parametrize("place", [3, 4, 5, 6])
@pytest.mark.parametrize("make", POLICIES)
def test_a_function_that_fails_leaves_what_was_known(make, place):
    said, told = MANY, MANY[:, 0]  # two pieces
    policy = make(loss=failing_at(place))
    policy.play(said[:6], told[:6])
    state = {k: np.array(v).tobytes() for k, v in vars(policy).items() if k.endswith("_")}
    with pytest.raises(ZeroDivisionError):
        policy.play(said, told)
    assert {k: np.array(v).tobytes() for k, v in vars(policy).items() if k.endswith("_")} == state
    policy.play(said, told)
    assert policy.record_.rounds == 2006
    fresh = make(loss=failing_at(2))
    with pytest.raises(ZeroDivisionError):
        fresh.update([0.5, 0.5], 0.5)
    assert not hasattr(fresh, "rounds_")


@pytest.mark.parametrize(
    ("loss", "sentence"),
    [
        (
            lambda y, x: np.zeros(3),
            "loss must give a number for every prediction, but for predictions of shape (2, 2) gives "
            "float64 of shape (3,).",
        ),
        (
            lambda y, x: 0.5,
            "loss must give a number for every prediction, but for predictions of shape (2, 2) gives "
            "float64 of shape ().",
        ),
        (
            lambda y, x: np.full(x.shape, "a"),
            "loss must give a number for every prediction, but for predictions of shape (2, 2) gives "
            "<U1 of shape (2, 2).",
        ),
        (
            lambda y, x: np.full(x.shape, 0.5 if x.ndim == 2 else np.nan),
            "loss must give finite numbers, but for the prediction 0.5 and the outcome 1 gives nan.",
        ),
    ],
)
def test_functions_that_give_something_else(loss, sentence):
    policy = WeightedAverage(loss=loss)
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        policy.play([[0.5, 0.5], [0.5, 0.5]], [1.0, 1.0])
    assert not hasattr(policy, "rounds_")
