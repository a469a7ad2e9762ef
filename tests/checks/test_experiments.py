"""The experiments draw what they say: exact failure rates where they can be summed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from assay.checks import check_bound
from assay.checks.experiments import (
    best_of,
    bounded_losses,
    code_words,
    finite_batch,
    holdout,
    interval,
    peeking,
    runs,
)
from tests.refusals import COUNT, COUNT_FROM_ONE, NOT_NUMBERS, refuses

TRIALS = 40_000


def share(*numbers: int) -> float:
    """No bound at all: what was seen."""
    return numbers[0] / numbers[1]


def broken(experiment) -> float:
    return check_bound(experiment, delta=0.5, trials=TRIALS).rate


def near(chance: float):
    """Within five standard errors."""
    return pytest.approx(chance, abs=5 * math.sqrt(chance * (1 - chance) / TRIALS))


def test_holdout():
    chance = stats.binom.cdf(4, 30, 0.15)  # 4.5 errors expected
    assert broken(holdout(share, rows=30, rate=0.15)) == near(chance)


def test_interval():
    def narrow(errors: int, rows: int) -> tuple[float, float]:
        return errors / rows - 0.05, errors / rows + 0.05

    chance = 1 - stats.binom.pmf([4, 5, 6], 30, 0.16).sum()  # 3.3 to 6.3 errors
    assert broken(interval(narrow, rows=30, rate=0.16)) == near(chance)

    def nothing_at_first(errors: int, rows: int) -> tuple[float, float]:
        return (0.0, 0.0) if rows == 10 and errors == 0 else (0.0, 1.0)

    assert broken(interval(nothing_at_first, rows=30, rate=0.1, looks=3)) == near(0.9**10)


def test_best_of():
    chance = 1 - stats.binom.sf(4, 30, 0.15) ** 7
    assert broken(best_of(share, models=7, rows=30, rate=0.15)) == near(chance)


def test_peeking_sees_every_look_of_one_growing_holdout():
    looks = []

    def bound(errors: int, rows: int) -> float:
        looks.append(rows)
        return 0.0 if errors == 0 else 1.0

    # Broken if no error was seen at some look, hence if none was seen at the first.
    assert broken(peeking(bound, looks=4, rows=30, rate=0.1)) == near(0.9**7)
    assert sorted(set(looks)) == [7, 15, 22, 30]
    assert broken(peeking(share, looks=1, rows=30, rate=0.15)) == near(stats.binom.cdf(4, 30, 0.15))


def test_finite_batch():
    chance = stats.hypergeom.cdf(2, 40, 10, 12)
    seen = set()

    def bound(errors: int, rows: int, population: int) -> float:
        seen.add((rows, population))
        return errors / rows

    assert broken(finite_batch(bound, rows=12, population=40, bad=10)) == near(chance)
    assert seen == {(12, 40)}
    # All checked: what was seen is the truth.
    assert broken(finite_batch(bound, rows=40, population=40, bad=10)) == 0


def test_code_words():
    def bound(errors: int, rows: int, bits: int) -> float:
        return 0.0 if errors == 0 and bits < 3 else 1.0

    chance = 1 - (1 - 0.9**20) ** 2
    assert broken(code_words(bound, bits=[1, 2, 3, 3], rows=20, rate=0.1)) == near(chance)


def test_runs():
    def bound(run: int, mistakes: int) -> float:
        assert run >= 1
        return 0.0 if run >= 10 and mistakes != 1 else 1.0

    chance = 1 - (1 - 0.9**10) ** 2  # the second of three hypotheses is never promised anything
    assert broken(runs(bound, hypotheses=3, rate=0.1)) == near(chance)


def test_bounded_losses():
    def sampler(rng: np.random.Generator, size: int) -> np.ndarray:
        return rng.uniform(0, 1, size)

    experiment = bounded_losses(lambda x: float(x.min()) + 0.3, sampler, mean=0.5, rows=3)
    found = check_bound(experiment, delta=0.5, trials=5000)
    assert found.rate == pytest.approx(1 - 0.8**3, abs=0.035)


def test_a_bound_is_called_once_for_each_count():
    calls = []

    def bound(errors: int, rows: int) -> float:
        assert type(errors) is int
        calls.append((errors, rows))
        return 1.0

    check_bound(holdout(bound, rows=20, rate=0.3), delta=0.05)
    assert len(calls) == len(set(calls)) <= 21


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_certain_rates(rate):
    assert broken(holdout(share, rows=5, rate=rate)) == 0
    assert broken(best_of(share, models=3, rows=5, rate=rate)) == 0


def test_refusals():
    for rate in [*NOT_NUMBERS, -0.1, 1.5]:
        sentence = f"rate must be a number between 0 and 1, but is {rate!r}."
        with refuses(sentence):
            holdout(share, rows=10, rate=rate)
        with refuses(sentence):
            peeking(share, looks=2, rows=10, rate=rate)
    with refuses(f"rows must be {COUNT_FROM_ONE}, but is 0."):
        interval(lambda k, n: (0, 1), rows=0, rate=0.1)
    with refuses(f"models must be {COUNT_FROM_ONE}, but is 0."):
        best_of(share, models=0, rows=10, rate=0.1)
    with refuses("looks must be at most the number of rows 10, but is 11."):
        peeking(share, looks=11, rows=10, rate=0.1)
    with refuses("rows must be at most the population 10, but is 11."):
        finite_batch(share, rows=11, population=10, bad=1)
    with refuses("bad must be at most the population 10, but is 11."):
        finite_batch(share, rows=5, population=10, bad=11)
    with refuses(f"bad must be {COUNT}, but is -1."):
        finite_batch(share, rows=5, population=10, bad=-1)
    with refuses(f"bits must be {COUNT_FROM_ONE}, but is 0."):
        code_words(share, bits=[1, 0], rows=10, rate=0.1)
    with refuses("rate must be above zero, or no run would end, but is 0."):
        runs(share, hypotheses=3, rate=0)
    with refuses("mean must be a number between 0 and 1, but is 2."):
        bounded_losses(lambda x: 1.0, lambda rng, size: np.zeros(size), mean=2, rows=3)
