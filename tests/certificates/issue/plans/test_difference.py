"""Plans of differences: the golden number, margins, and certificates as often as planned."""

from functools import cache

import numpy as np
import pytest

from assay import certify_difference, plan
from assay.errors import BadParameter
from assay.theory.tail.difference import mcnemar_better, paired_difference
from assay.theory.tail.power import difference_power
from tests.power import assert_no_power, assert_power
from tests.refusals import refuses

GUESS = {"only_old_rate": 0.04, "only_new_rate": 0.02}


def test_the_golden_number():
    found = plan(better_by=0, **GUESS, power=0.8)
    assert (found.rows, round(found.power, 5)) == (996, 0.80002)
    assert (found.purpose, found.theorem, found.error) == ("difference", "mcnemar-better", None)
    assert plan(better_by=0, expected=0.02, discordance=0.06, power=0.8).rows == 996
    assert found.power_at(500) < 0.6 < found.power_at(800)


def test_a_margin_is_dearer_than_none_and_not_worse_is_cheaper_than_better():
    rows = [plan(better_by=by, **GUESS).rows for by in (-0.01, -0.005, 0, 0.005)]
    assert rows[0] < rows[1]
    assert rows[2] < rows[3]
    assert plan(better_by=0.005, **GUESS).theorem == "paired-difference"


def test_rivals_share_delta():
    one, five = plan(better_by=0, **GUESS), plan(better_by=0, **GUESS, rivals=5)
    assert five.rows > one.rows
    assert five.rows == plan(better_by=0, **GUESS, delta=0.01).rows


@cache
def promised(b, c, rows, at_all):
    """By how much the new model is better; at all, 0 or nothing."""
    if at_all:
        return 0 if mcnemar_better(b, c, 0.2) == 0 else -1
    return paired_difference(b, c, rows, 0.2)


@pytest.mark.parametrize("margin", [-0.1, 0.0, 0.05])
def test_the_power_is_the_chance_that_the_theorem_promises_so_much(margin):
    from scipy.stats import binom

    rows, old, new = 40, 0.3, 0.1
    power = 0.0
    for m, either in enumerate(binom.pmf(np.arange(rows + 1), rows, old + new)):
        each = [promised(b, m - b, rows, at_all=margin == 0) >= margin for b in range(m + 1)]
        power += either * binom.pmf(np.arange(m + 1), m, old / (old + new))[each].sum()
    assert difference_power(old, new, 0.2, margin, rows) == pytest.approx(power, abs=1e-9)


def succeeded(rows, by, runs, old=0.04, new=0.02, seed=0):
    """How often certificates of rows like those of the guess say what was planned."""
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(rows, [old, new, 1 - old - new], runs)
    promise = "better" if by == 0 else "difference"
    made = (
        certify_difference(only_old=int(b), only_new=int(c), rows=rows, promise=promise)
        for b, c, _ in counts
    )
    return sum(one.claims[0].promised >= by for one in made)


@pytest.mark.guarantees
@pytest.mark.parametrize("by", [0, 0.004, -0.005])
def test_certificates_succeed_as_often_as_planned(by):
    found = plan(better_by=by, **GUESS, power=0.8)
    assert_power(succeeded(found.rows, by, 300), 300, found.power)
    assert_no_power(succeeded(found.rows // 2, by, 100), 100, found.power)


def test_refusals():
    with pytest.raises(BadParameter, match="A difference is planned from a guess"):
        plan(better_by=0, only_old_rate=0.04)
    with pytest.raises(BadParameter, match="A difference is planned from a guess"):
        plan(better_by=0, **GUESS, expected=0.02, discordance=0.06)
    with refuses(
        "better_by must be below the difference 0.02 that is expected, but is 0.03.", BadParameter
    ):
        plan(better_by=0.03, **GUESS)
    with refuses(
        "expected must be between -0.06 and 0.06, the discordance, but is 0.1.", BadParameter
    ):
        plan(better_by=0, expected=0.1, discordance=0.06)
