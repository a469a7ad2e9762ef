"""Plans: the golden number of rows, the power by its definition, and no fewer rows that would do."""

from __future__ import annotations

import math

import pytest
from scipy.stats import binom

from assay.theory.tail.difference import mcnemar_better
from assay.theory.tail.power import difference_rows, f1_rows, gate_rows, rate_power, rate_rows
from assay.theory.tail.rates import rate_at_least
from tests.refusals import refuses


def test_golden_rows():
    assert difference_rows(0.04, 0.02, power=0.8, delta=0.05) == 996
    assert rate_power(2 / 3, 0.5, 996, 0.05, share=0.06) == pytest.approx(0.80002, abs=5e-6)
    assert all(rate_power(2 / 3, 0.5, n, 0.05, share=0.06) < 0.8 for n in range(850, 996))


@pytest.mark.parametrize("rows", [10, 60])
def test_the_power_is_the_chance_that_the_theorem_passes(rows):
    old, new = 0.3, 0.1
    power = sum(
        binom.pmf(m, rows, old + new) * binom.pmf(b, m, old / (old + new))
        for m in range(rows + 1)
        for b in range(m + 1)
        if mcnemar_better(b, m - b, 0.05) == 0
    )
    assert rate_power(old / (old + new), 0.5, rows, 0.05, old + new) == pytest.approx(power)
    passes = sum(
        binom.pmf(k, rows, 0.9) for k in range(rows + 1) if rate_at_least(k, rows, 0.05) >= 0.7
    )
    assert rate_power(0.9, 0.7, rows, 0.05) == pytest.approx(passes)


def test_no_fewer_rows_reach_the_power():
    rows = rate_rows(0.95, 0.9, power=0.8, delta=0.05)
    assert rate_power(0.95, 0.9, rows, 0.05) >= 0.8
    assert all(rate_power(0.95, 0.9, n, 0.05) < 0.8 for n in range(1, rows))
    # Of rows of which a tenth count, about ten times as many.
    assert rate_rows(0.95, 0.9, 0.8, 0.05, share=0.1) == pytest.approx(10 * rows, rel=0.15)


def test_f1_is_planned_as_jaccard():
    counted = 0.2 * (0.9 / 0.9 + 1 - 0.9)
    jaccard, least = 0.18 / counted, 0.85 / 1.15
    assert f1_rows(0.9, 0.9, 0.2, 0.85, 0.8, 0.05) == rate_rows(jaccard, least, 0.8, 0.05, counted)


@pytest.mark.parametrize(
    ("good", "bad", "power"), [(0.01, 0.05, 0.99), (0.1, 0.3, 0.9), (0.2, 0.8, 0.6)]
)
def test_a_gate_has_the_fewest_rows(good, bad, power):
    rows, errors = gate_rows(good, bad, power)
    slack = 1e-12

    def works(n: int, k: int) -> bool:
        return binom.cdf(k, n, good) >= power - slack and binom.sf(k, n, bad) >= power - slack

    assert works(rows, errors)
    assert not any(works(n, k) for n in range(1, rows) for k in range(math.ceil(n * bad) + 1))


def test_refuses_what_cannot_be_planned():
    with refuses("good must be below bad 0.1, but is 0.2."):
        gate_rows(0.2, 0.1, 0.9)
    with refuses("only_new_rate must be below only_old_rate 0.02, but is 0.04."):
        difference_rows(0.02, 0.04, 0.8, 0.05)
    with refuses("rate must be above at_least 0.9, but is 0.8."):
        rate_rows(0.8, 0.9, 0.8, 0.05)
