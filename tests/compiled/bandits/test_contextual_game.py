import numpy as np
import pytest

from assay.compiled.bandits.action_draw import draw, lift
from assay.compiled.bandits.action_features import width, write_rows
from assay.compiled.bandits.contextual_game import (
    ASKED,
    GREEDY_KIND,
    LOG_DET,
    SETTINGS,
    SUMS,
    TALLIES,
    choose_round,
    learn_row,
)
from assay.compiled.common.generator import start_stream
from tests.naive.contextual import Ridge, features


def memory(d, models, penalty):
    arrays = np.zeros(4, dtype=np.uint64), np.zeros(TALLIES, dtype=np.int64), np.zeros(SUMS)
    start_stream(arrays[0], 1, 0)
    cells = np.zeros((d + 2, d, models))
    cells[np.arange(d), np.arange(d)] = np.sqrt(penalty)
    return (*arrays, cells)


@pytest.mark.parametrize("penalty", [1.0, 0.3])
def test_the_factor_is_that_of_the_matrix(penalty):
    rng = np.random.default_rng(0)
    d, models = 6, 3
    _, tally, sums, cells = memory(d, models, penalty)
    naive = [Ridge(penalty) for _ in range(models)]
    for _ in range(80):
        x, loss, model = rng.normal(size=d), float(rng.random()), int(rng.integers(models))
        x[rng.random(d) < 0.3] = 0.0
        learn_row(tally, sums, cells, x, model, loss, 1.0)
        naive[model].learn(x, loss)
    for i, ridge in enumerate(naive):
        R = cells[:d, :, i]
        np.testing.assert_allclose(R.T @ R, ridge.matrix(d), rtol=1e-11, atol=1e-12)
        x = rng.normal(size=d)
        assert cells[d + 1, :, i] @ x + 0.5 == pytest.approx(ridge.look(x)[0], rel=1e-10)
    assert sums[LOG_DET] == pytest.approx(sum(ridge.grown(d) for ridge in naive), rel=1e-11)


def test_a_memory_of_other_sizes_is_refused():
    given, chances = memory(3, 2, 1.0), np.empty(2)
    allowed, nothing = np.ones(2, dtype=np.bool_), np.zeros((0, 0))
    round_ = np.zeros(2), nothing, False, allowed, chances, np.empty(3)
    assert choose_round(GREEDY_KIND, np.zeros(SETTINGS), *given, *round_) in (0, 1)
    assert given[1][ASKED] == 1
    for place, other in [
        (0, np.zeros(3)),
        (1, np.zeros((2, 1))),
        (3, np.ones(3, dtype=np.bool_)),
        (4, np.empty(3)),
        (5, np.empty(2)),
    ]:
        changed = [*round_]
        changed[place] = other
        with pytest.raises(ValueError, match="does not fit the round"):
            choose_round(GREEDY_KIND, np.zeros(SETTINGS), *given, *changed)
    with pytest.raises(ValueError, match="does not fit the round"):
        learn_row(*given[1:], np.zeros(3), 2, 0.5, 1.0)


def test_a_floor_under_every_chance():
    chances, allowed = np.array([1.0, 0.0, 0.0, 0.0]), np.array([True, True, False, True])
    lift(chances, allowed, 0.1)
    assert chances.tolist() == pytest.approx([0.8, 0.1, 0.0, 0.1])
    generator, counts = np.zeros(4, dtype=np.uint64), np.zeros(4)
    start_stream(generator, 5, 0)
    for _ in range(20_000):
        counts[draw(generator, chances)] += 1
    assert counts[2] == 0
    assert counts / 20_000 == pytest.approx(chances, abs=0.015)


def test_the_features_of_actions():
    context, actions = np.array([2.0, 3.0]), np.array([[5.0], [7.0], [11.0]])
    for products in (True, False):
        rows = np.empty((width(context, actions, products), 3))
        write_rows(context, actions, products, rows)
        for i in range(3):
            assert rows[:, i].tolist() == features(context, actions[i], products).tolist()
    rows = np.empty((3, 1))
    write_rows(context, np.zeros((0, 0)), False, rows)
    assert rows[:, 0].tolist() == features(context).tolist()
