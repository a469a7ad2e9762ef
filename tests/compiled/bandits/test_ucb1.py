import math

import numpy as np

from assay import UCB1
from tests.naive.bandits import ucb1_index


def test_ten_rounds_by_hand():
    """Every arm once; then the least mean minus its width, ties going to the first arm."""
    policy = UCB1(arms=3, trace=True).play(np.tile([0.5, 0.5, 0.5], (6, 1)))
    assert policy.record_.trace["arm"].tolist() == [0, 1, 2, 0, 1, 2]
    policy = UCB1(arms=2, trace=True).play(np.tile([1.0, 0.0], (4, 1)))
    assert ucb1_index(1.0, 1, 4) == 1 - math.sqrt(2 * math.log(4))
    # In round 4 the second arm has two plays: 0 - sqrt(ln 4) = -1.18 is below 1 - sqrt(2 ln 4) = -0.67.
    assert policy.record_.trace["arm"].tolist() == [0, 1, 1, 1]
