from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.data.synthetic.expert_losses import expert_losses
from assay.errors import BadParameter
from tests.data.reading import refuses


@given(st.integers(1, 60), st.integers(2, 8), st.integers(0, 100), st.data())
def test_the_best_expert_is_known_exactly(rounds, experts, seed, data):
    gap = data.draw(st.integers(1, rounds))
    best_loss = data.draw(st.integers(0, rounds - gap))
    table = expert_losses(rounds, experts, best_loss=best_loss, gap=gap, random_state=seed)
    assert table.losses.shape == (rounds, experts)
    assert set(table.losses.flat) <= {0.0, 1.0}
    totals = table.losses.sum(axis=0)
    others = np.delete(totals, table.best)
    assert totals[table.best] == table.best_loss == best_loss
    assert others.min() == best_loss + table.gap == best_loss + gap


def test_the_same_seed_gives_the_same_table():
    first, again = (expert_losses(20, 3, best_loss=2, random_state=9).losses for _ in range(2))
    assert np.array_equal(first, again)


@pytest.mark.parametrize("best_loss", [-1, 8, 2.5])
def test_bad_losses(best_loss):
    with refuses(
        "best_loss must be a whole number from 0 to 7, which is the rounds less the gap, but is "
        f"{best_loss}.",
        BadParameter,
    ):
        expert_losses(10, 3, best_loss=best_loss, gap=3)


def test_other_refusals():
    with refuses("experts must be at least 2, but is 1.", BadParameter):
        expert_losses(10, 1, best_loss=0)
    with refuses("gap must be a whole number of at least 1, but is 0.", BadParameter):
        expert_losses(10, 2, best_loss=0, gap=0)
