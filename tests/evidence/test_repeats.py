"""Rows that came again: the odds are those of every order alike, and independent draws hardly ever raise an alarm."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from assay.evidence.fitted_rows import heads
from assay.evidence.repeats import FALSE_ALARM, even_stake, find_repeats, stake, too_even
from assay.files import read_table
from tests.soundness import assert_sound, assert_unsound

DATA = Path(__file__).parents[2] / "examples" / "data"


def as_heads(values):
    return np.asarray(values).astype(np.uint64)


def zipf(rng, rows):
    return np.minimum(rng.zipf(1.3, size=rows), 10**9)


NATURAL = {
    "dice": lambda rng, rows: rng.integers(6, size=rows),
    "a thousand": lambda rng, rows: rng.integers(1000, size=rows),
    "zipf": zipf,
    "geometric": lambda rng, rows: rng.geometric(0.01, size=rows),
    "continuous": lambda rng, rows: rng.integers(2**60, size=rows),
    "both": lambda rng, rows: np.where(
        rng.random(rows) < 0.5, rng.integers(2**60, size=rows), rng.integers(50, size=rows)
    ),
}


@pytest.mark.parametrize("counts", [(2, 2), (3, 2, 1), (2, 2, 2), (4, 1, 1), (3, 3)])
def test_the_stake_is_one_on_the_average_over_every_order(counts):
    values = np.repeat(np.arange(len(counts)), counts).tolist()
    stakes = [stake(np.array(order), np.array(counts)) for order in itertools.permutations(values)]
    assert math.isclose(math.fsum(stakes) / len(stakes), 1.0, rel_tol=1e-12)


def test_the_stake_on_even_counts_is_one_at_most_on_the_average():
    """Over all samples of two rows, then of four, of two values."""
    for rows, chance in itertools.product((2, 4, 6), (0.5, 0.1)):
        mean = 0.0
        for sample in itertools.product((0, 1), repeat=rows):
            counts = np.unique(sample, return_counts=True)[1]
            mean += (
                chance ** sum(sample) * (1 - chance) ** (rows - sum(sample)) * even_stake(counts)
            )
        assert mean <= 1.0


def naive(values):
    """Rows left to themselves: who came again, by a set."""
    met, again = set(), 0
    for value in values:
        again += value in met
        met.add(value)
    return again


@pytest.mark.parametrize("name", NATURAL)
def test_how_many_came_again(name):
    values = NATURAL[name](np.random.default_rng(0), 500).tolist()
    assert find_repeats(as_heads(values)).again == naive(values)


def alarms(draw, rows, streams):
    rng = np.random.default_rng(rows)
    return sum(find_repeats(as_heads(draw(rng, rows))).alarm for _ in range(streams))


@pytest.mark.parametrize("name", NATURAL)
def test_independent_draws_raise_no_alarm(name):
    for rows in (2, 20, 200, 2000):
        assert_sound(alarms(NATURAL[name], rows, 30), 30, float(FALSE_ALARM))


@pytest.mark.guarantees
@pytest.mark.parametrize("rows", [3, 10, 30, 100, 300, 1000, 10_000])
@pytest.mark.parametrize("name", NATURAL)
def test_independent_draws_hardly_ever_raise_an_alarm(name, rows):
    assert_sound(alarms(NATURAL[name], rows, 2000), 2000, float(FALSE_ALARM))


def test_a_rule_that_counts_repeats_alone_would_be_rejected():
    """The broken twin: 'a tenth of the rows came again' is what dice do all the time."""
    rng = np.random.default_rng(0)
    broken = sum(find_repeats(as_heads(rng.integers(6, size=50))).again > 5 for _ in range(30))
    assert_unsound(broken, 30, float(FALSE_ALARM))


def copies(rng, rows, times, how):
    values = rng.integers(2**60, size=rows // times)
    if how == "in order":
        return np.tile(values, times)
    if how == "shuffled passes":
        return np.concatenate([rng.permutation(values) for _ in range(times)])
    if how == "at once":
        return np.repeat(values, times)
    return rng.permutation(np.repeat(values, times))


@pytest.mark.parametrize("how", ["in order", "shuffled passes", "at once", "shuffled copies"])
@pytest.mark.parametrize("times", [2, 3, 5, 10])
def test_copies_raise_an_alarm(how, times):
    rng = np.random.default_rng(0)
    for rows in (120, 300, 3000):
        assert all(find_repeats(as_heads(copies(rng, rows, times, how))).alarm for _ in range(10))


def test_a_tenth_of_the_rows_once_more_raises_an_alarm():
    values = np.random.default_rng(0).integers(2**60, size=1000)
    assert find_repeats(as_heads(np.concatenate([values, values[:100]]))).alarm


def test_rows_learned_before_are_compared():
    values = as_heads(np.random.default_rng(0).integers(2**60, size=1000))
    found = find_repeats(values, before=values[::25])
    assert (found.alarm, found.again, found.again_before) == (True, 40, 40)
    assert not find_repeats(values, before=values[::25] + np.uint64(1)).alarm


@pytest.mark.parametrize("name", ["elec2", "house_votes_84", "zoo", "ionosphere"])
def test_real_data_in_their_order(name):
    table = read_table(DATA / f"{name}.parquet", target="target", missing="zero")
    found = heads(table.X, table.y)[:, 1]
    assert not find_repeats(found).alarm
    assert find_repeats(np.tile(found, 2)).alarm


def test_rows_few_of_which_are_copies_are_found_among_many():
    """Of 20,000 values two in five occur twice, and none three times."""
    assert too_even(np.repeat([1, 2], [12_000, 8_000]))
    assert not too_even(np.random.default_rng(0).poisson(1.0, 20_000))
