"""Plans of groups: the error is promised in every one as often as planned."""

import numpy as np
import pytest

from assay import certify, plan
from assay.errors import BadParameter
from tests.power import assert_no_power, assert_power
from tests.refusals import refuses

SHARES = {"a": 0.6, "b": 0.3, "c": 0.1}


def test_the_smallest_group_decides():
    found = plan(error=0.1, expected=0.05, groups=SHARES)
    alone = plan(error=0.1, expected=0.05)
    assert found.rows > alone.rows / 0.1
    assert (found.purpose, found.theorem) == ("groups", "worst-group")
    assert [name for name, _ in found.parts] == list(SHARES)
    # Where groups can be chosen, far fewer will do, and a little more than one group needs alone.
    assert sum(rows for _, rows in found.parts) < found.rows / 2
    assert alone.rows < found.parts[0][1] < 2 * alone.rows
    assert plan(error=0.1, expected=0.05, groups=[0.6, 0.3, 0.1]).rows == found.rows


def succeeded(rows, shares, runs, seed=2):
    rng = np.random.default_rng(seed)
    count = 0
    for _ in range(runs):
        group = rng.choice(list(shares), rows, p=list(shares.values()))
        wrong = (rng.random(rows) < 0.05).astype(int)
        made = certify(
            y_true=np.zeros(rows, int),
            y_pred=wrong,
            labels=[0, 1],
            groups={"group": group},
            every_group=True,
        )
        count += made.claims[0].promised <= 0.1
    return count


def test_certificates_succeed_as_often_as_planned():
    found = plan(error=0.1, expected=0.05, groups=SHARES, power=0.8)
    assert_power(succeeded(found.rows, SHARES, 100), 100, found.power)
    assert_no_power(succeeded(found.rows // 2, SHARES, 100), 100, found.power)


def test_chosen_groups_succeed_together():
    found = plan(error=0.1, expected=0.05, groups=SHARES, power=0.8)
    rng = np.random.default_rng(5)
    each = found.parts[0][1]
    most = plan(error=0.1, expected=0.05, power=0.8 ** (1 / 3)).errors_allowed
    passing = (rng.binomial(each, 0.05, (4000, 3)) <= most).all(axis=1).sum()
    assert 0.79 < passing / 4000 < 0.86


def test_refusals():
    with refuses("groups must be of 2 to 1,000 groups, but is 1.", BadParameter):
        plan(error=0.1, groups=[0.5])
    with refuses("groups must be shares that add up to 1 at most, but is 1.5.", BadParameter):
        plan(error=0.1, groups=[0.75, 0.75])
    with pytest.raises(
        BadParameter, match=r"groups\['a'\] must be a number strictly between 0 and 1"
    ):
        plan(error=0.1, groups={"a": 2, "b": 0.5})
