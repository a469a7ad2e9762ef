"""Many games for each learner that promises something: no promise is broken.

What is drawn is drawn independently: who decides about the labels (a separator, noise, an adversary), the
number of features and of passes, dense or sparse or one by one, single or double precision, and the
learner's parameters. Statuses are compared with an oracle that shares nothing with the learner. And every
check is shown to be able to fail: real learners with a fault in their rule are played by the same games and
judged by the same check.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from assay import MarginPerceptron, OnlineGradientDescent, Perceptron, Winnow
from assay.theory.registry import find_theorem
from tests import linear_games as games
from tests.naive.widest_margin import widest_margin

GAMES = 100
MOST = 500  # until a fault is caught
MANY = pytest.mark.parametrize(
    "seeds",
    [range(GAMES), pytest.param(range(GAMES, 2000), marks=pytest.mark.guarantees)],
    ids=["some", "many"],
)


def assert_caught(verdict, fault):
    """A learner with this fault fails the check, and that not just once."""
    found = 0
    for seed in range(MOST):
        try:
            verdict(seed, fault)
        except AssertionError:
            found += 1
        if found == 2:
            return
    pytest.fail(f"{fault.__name__}: only {found} of {MOST} games caught it")


def assert_kept(guarantee, seed):
    """A promise is what its theorem says, and was kept."""
    assert guarantee.applies, (seed, str(guarantee))
    again = find_theorem(guarantee.theorem)(**guarantee.inputs)
    assert float(guarantee.promised) >= float(again)
    assert guarantee.holds, (seed, str(guarantee))


def assert_known(guarantee, place, margin, widest, seed):
    """The status of a declared margin is right, given the largest one on the examples that count.

    "declared" means that it is not known, which is so only near the largest one.
    """
    status = guarantee.assumptions[place].status
    if guarantee.applies:
        assert_kept(guarantee, seed)
        least = margin * (1 - 1e-6) if status == "checked" else 0.8 * margin
        assert widest >= least, (seed, str(guarantee))
    else:
        assert status == "violated"
        assert widest < margin * (1 + 1e-6), (seed, str(guarantee))


def counted(player):
    """The examples behind the updates, each times its label, the constant feature last."""
    X, ones, y = player.hindsight.examples()
    X = X.whole.toarray() if X.dense is None else X.whole
    return y[:, None] * np.column_stack([X, ones])


# The perceptron


def perceptron_verdict(seed, fault=None):
    rng = np.random.default_rng([seed, 1])
    game = games.linear_game(seed)
    model = Perceptron(fit_intercept=game.intercept, zero=[1, -1, "mistake"][rng.integers(3)])
    games.play(model if fault is None else games.broken(model, fault), game)
    radius, margin = game.radius, game.radius * float(rng.uniform(0.01, 0.5))
    player = model.players_[0]
    signed = counted(player)
    widest = widest_margin(signed)
    said, *seen = model.guarantees(radius=radius, margin=margin)
    if widest_margin(game.signed) >= margin * (1 + 1e-6):
        assert said.applies, (seed, str(said))
    assert_known(said, 0, margin, widest, seed)
    for guarantee in seen:
        assert_kept(guarantee, seed)
        if "margin" in guarantee.inputs:
            assert float(guarantee.inputs["margin"]) <= widest * (1 + 1e-6)
        else:
            u = player.hindsight.best().vector
            loss = np.maximum(0, 1 - signed @ u).sum()
            assert float(guarantee.inputs["hinge_loss"]) >= loss * (1 - 1e-9)
            assert float(guarantee.inputs["norm"]) >= np.linalg.norm(u)
    return game, said


@MANY
def test_games_break_no_promise_of_the_perceptron(seeds):
    played = [perceptron_verdict(seed) for seed in seeds]
    assert {game.kind for game, _ in played} == set(games.LINEAR)
    statuses = [said.assumptions[0].status for _, said in played]
    assert statuses.count("violated") > len(seeds) / 5
    assert statuses.count("declared") > len(seeds) / 5


@pytest.mark.parametrize(
    "fault", [games.skips, games.turns, games.forgets, games.restarts, games.grows]
)
def test_a_perceptron_with_a_fault_is_caught(fault):
    assert_caught(perceptron_verdict, fault)


# The margin perceptron


def margin_perceptron_verdict(seed, fault=None):
    rng = np.random.default_rng([seed, 2])
    game = games.linear_game(seed)
    margin, eps = float(rng.uniform(0.01, 0.6)), float(rng.choice([0.1, 0.5, 1.0]))
    model = MarginPerceptron(margin=margin, eps=eps, fit_intercept=game.intercept)
    games.play(model if fault is None else games.broken(model, fault), game)
    widest = widest_margin(counted(model.players_[0]))
    told, *seen = model.guarantees()
    whole = game.signed / np.linalg.norm(game.signed, axis=1, keepdims=True)
    if widest_margin(whole) >= margin * (1 + 1e-6):
        assert told.applies, (seed, str(told))
    assert_known(told, 1, margin, widest, seed)
    for guarantee in seen:
        assert_kept(guarantee, seed)
        assert float(guarantee.inputs["margin"]) <= widest * (1 + 1e-6)
    return told


@MANY
def test_games_break_no_promise_of_the_margin_perceptron(seeds):
    found = [margin_perceptron_verdict(seed) for seed in seeds]
    statuses = [told.assumptions[1].status for told in found]
    assert statuses.count("violated") > len(seeds) / 5
    assert statuses.count("checked") > len(seeds) / 5


@pytest.mark.parametrize("fault", [games.turns, games.restarts, games.insists])
def test_a_margin_perceptron_with_a_fault_is_caught(fault):
    assert_caught(margin_perceptron_verdict, fault)


# Winnow


def fewest(X, y, negations, most):
    """The size of the smallest disjunction that agrees, up to a number of literals; inf where none does."""
    both = np.column_stack([X, 1 - X]) if negations else X
    allowed = [j for j in range(both.shape[1]) if not both[y < 0, j].any()]
    masks = [sum(1 << i for i in np.flatnonzero(both[y > 0, j]).tolist()) for j in allowed]
    whole = (1 << int((y > 0).sum())) - 1
    if sum(1 << i for i in range(whole.bit_length()) if any(m >> i & 1 for m in masks)) != whole:
        return np.inf
    for size in range(most + 1):
        for chosen in combinations(masks, size):
            covered = 0
            for mask in chosen:
                covered |= mask
            if covered == whole:
                return size
    return most + 1


def winnow_verdict(seed, fault=None):
    game, negations = games.boolean_game(seed)
    declared = int(np.random.default_rng([seed, 3]).integers(0, min(4, game.X.shape[1]) + 1))
    model = Winnow(negations=negations)
    games.play(model if fault is None else games.broken(model, fault), game)
    player = model.players_[0]
    X, _, y = player.hindsight.examples()
    X = X.whole.toarray() if X.dense is None else X.whole
    X = X if len(y) else np.zeros((0, player.width))
    least = fewest(X, y, negations, declared)
    said, seen = model.guarantees(literals=declared)
    assert said.assumptions[0].status == ("checked" if least <= declared else "violated"), seed
    assert seen.applies == (least < np.inf)
    for guarantee in (said, seen):
        if guarantee.applies:
            assert_kept(guarantee, seed)
    if game.kind in ("disjunction", "hunted"):
        assert seen.applies
        assert player.missed_negatives <= 2 * player.missed_positives + 1
    return game, said


@MANY
def test_games_break_no_promise_of_winnow(seeds):
    played = [winnow_verdict(seed) for seed in seeds]
    assert {game.kind for game, _ in played} == set(games.BOOLEAN)
    applies = sum(said.applies for _, said in played)
    assert 0.2 < applies / len(seeds) < 0.8


@pytest.mark.parametrize(
    "fault",
    [
        games.skips,
        games.turns,
        games.never_demotes,
        games.promotes_by_little,
        games.demotes_by_little,
    ],
)
def test_winnow_with_a_fault_is_caught(fault):
    assert_caught(winnow_verdict, fault)


# Online gradient descent


def gradient_verdict(seed, fault=None):
    rng = np.random.default_rng([seed, 4])
    game = games.linear_game(seed, passes=(1, 2))
    norm, rate = float(rng.choice([0.05, 0.3, 1.0, 5.0])), float(rng.uniform(0.01, 2))
    rules = [
        {"max_norm": norm},
        {"max_norm": norm, "radius": game.radius},
        {"max_norm": norm, "radius": game.radius, "rounds": game.rounds},
        {"max_norm": norm, "eta0": rate},
        {"max_norm": None, "eta0": rate},
    ]
    model = OnlineGradientDescent(
        **rules[rng.integers(len(rules))],
        proximal=bool(rng.integers(2)),
        fit_intercept=game.intercept,
    )
    games.play(model if fault is None else games.broken(model, fault), game)
    found = model.guarantees()
    for guarantee in found:
        assert_kept(guarantee, seed)
    return found


@MANY
def test_games_break_no_promise_of_gradient_descent(seeds):
    found = [gradient_verdict(seed) for seed in seeds]
    assert all(len(guarantees) == 3 for guarantees in found)
    assert {g.theorem for guarantees in found for g in guarantees} == {
        "ogd-hinge-regret",
        "ogd-mistakes",
        "ogd-anytime-regret",
        "ogd-anytime-mistakes",
    }


@pytest.mark.parametrize("fault", [games.skips, games.turns, games.overshoots, games.roams])
def test_gradient_descent_with_a_fault_is_caught(fault):
    assert_caught(gradient_verdict, fault)
