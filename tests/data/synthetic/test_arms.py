from __future__ import annotations

import numpy as np
import pytest

from assay.data.synthetic.arms import arms
from assay.errors import BadParameter
from tests.data.reading import refuses


def test_constants():
    bandit = arms(20_000, [0.25, 0.0, 0.5], best_mean=0.125, random_state=1)
    assert bandit.losses.shape == (20_000, 3)
    assert set(bandit.losses.flat) <= {0.0, 1.0}
    assert bandit.best == 1
    assert bandit.gaps.tolist() == [0.25, 0.0, 0.5]
    assert (bandit.means - bandit.means.min()).tolist() == bandit.gaps.tolist()
    # Five deviations of 20,000 draws.
    assert np.abs(bandit.losses.mean(axis=0) - bandit.means).max() < 0.018


def test_the_same_seed_gives_the_same_losses():
    first, again = (arms(20, [0, 0.5], random_state=9).losses for _ in range(2))
    assert np.array_equal(first, again)


@pytest.mark.parametrize("gaps", [[], [0.0], [0.1, 0.2], [0.0, 0.0], [0.0, -0.1], [[0.0, 0.1]]])
def test_bad_gaps(gaps):
    with refuses(
        "gaps must be a number of at least 0 for each of two or more arms, and 0 for one of them, "
        f"but is {gaps!r}.",
        BadParameter,
    ):
        arms(10, gaps)


@pytest.mark.parametrize("mean", [-0.1, 0.6, True, "0"])
def test_bad_means(mean):
    with refuses(
        f"best_mean must be at least 0, and at most 1 with the largest gap added, but is {mean!r}.",
        BadParameter,
    ):
        arms(10, [0.0, 0.5], best_mean=mean)
