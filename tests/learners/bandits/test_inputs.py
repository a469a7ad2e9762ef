import math

import numpy as np
import pytest

from assay.errors import BadData, BadParameter
from assay.learners.bandits.inputs import loss_table, mean_losses, one_loss


def test_losses():
    assert one_loss(np.float32(0.5)) == 0.5
    assert one_loss(0) == 0.0
    for odd in ("0.5", None, True, np.True_, [1], 10**400, b"1"):
        assert math.isnan(one_loss(odd))


def test_tables_are_not_copied_without_need():
    table = np.random.default_rng(0).random((5, 3))
    assert loss_table(table, 3) is table
    assert loss_table(table.T, 5).flags.c_contiguous
    assert loss_table(np.ones((2, 2), dtype=bool), 2).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    with pytest.raises(BadData, match="round 1, arm 0 holds 3"):
        loss_table([[0, 1], [3, 0]], 2)


def test_means():
    assert mean_losses((0, 1), 2).tolist() == [0.0, 1.0]
    with pytest.raises(
        BadParameter, match=r"means\[0\] must be a number between 0 and 1, but is nan"
    ):
        mean_losses([math.nan], 1)
    with pytest.raises(BadData, match="means must be numbers, but are list"):
        mean_losses(["x"], 1)
