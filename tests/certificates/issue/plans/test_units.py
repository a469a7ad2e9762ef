"""Plans of units: certificates over units as often as planned, the power against direct simulation."""

import numpy as np
import pytest

from assay import certify, plan
from assay.errors import BadParameter
from assay.theory.tail.power_units import unit_power
from assay.theory.tail.unit_mean import unit_mean_betting
from tests.power import assert_no_power, assert_power
from tests.refusals import refuses

GUESS = {"expected": 0.05, "unit_rows": 5, "correlation": 0.4}


def test_rows_that_err_together_are_dearer():
    plans = [plan(error=0.1, **GUESS | {"correlation": rho}) for rho in (0, 0.2, 0.6, 1)]
    units = [p.units for p in plans]
    assert units == sorted(units)
    assert all(p.rows == 5 * p.units for p in plans)
    assert (plans[0].purpose, plans[0].theorem) == ("units", "unit-mean-betting")


def test_a_unit_of_one_row_is_a_row():
    alone = plan(error=0.1, expected=0.05, unit_rows=1, correlation=0.5)
    again = plan(error=0.1, expected=0.05, unit_rows=1, correlation=0)
    assert alone.rows == pytest.approx(again.rows, rel=0.05)
    # Betting does not know that rows are 0 or 1, which the exact bound of plain rows does.
    assert 1 < alone.rows / plan(error=0.1, expected=0.05).rows < 2.2


def drawn(units, runs, seed=1):
    """Wrong rows of units of five, of a model that errs on 5 % with correlation 0.4."""
    rng = np.random.default_rng(seed)
    spread = 0.6 / 0.4
    rates = rng.beta(0.05 * spread, 0.95 * spread, (runs, units))
    return rng.binomial(5, rates)


def test_the_guess_has_the_correlation_that_was_given():
    wrong = drawn(4000, 10)
    rho = (wrong.var(axis=1) / (5 * 0.05 * 0.95) - 1).mean() / 4
    assert rho == pytest.approx(0.4, abs=0.03)


@pytest.mark.guarantees
def test_the_power_is_the_chance_that_the_theorem_promises_so_much():
    counts = [np.unique(row, return_counts=True) for row in drawn(120, 150)]
    kinds = [[(int(e), 5, int(m)) for e, m in zip(*c, strict=True)] for c in counts]
    successes = sum(unit_mean_betting(k, 0.05) <= 0.12 for k in kinds)
    assert_power(successes, 150, unit_power(0.05, 0.4, 5, 0.12, 0.05, 120))


@pytest.mark.guarantees
def test_certificates_succeed_as_often_as_planned():
    found = plan(error=0.12, **GUESS, power=0.8)

    def succeeded(units, runs):
        names = np.repeat(np.arange(units), 5)
        count = 0
        for row in drawn(units, runs):
            wrong = (np.arange(5) < row[:, None]).reshape(-1)
            made = certify(
                y_true=np.zeros(len(wrong), int),
                y_pred=wrong.astype(int),
                unit=names,
                labels=[0, 1],
            )
            count += made.error <= 0.12
        return count

    assert_power(succeeded(found.units, 120), 120, found.power)
    assert_no_power(succeeded(found.units // 2, 40), 40, found.power)


def test_refusals():
    with pytest.raises(BadParameter, match="Units are planned from a guess: expected"):
        plan(error=0.1, unit_rows=5)
    with refuses("expected must be below the error 0.1 to be promised, but is 0.2.", BadParameter):
        plan(error=0.1, **GUESS | {"expected": 0.2})
    with refuses("unit_rows must be at most 10,000, but is 100000.", BadParameter):
        plan(error=0.1, **GUESS | {"unit_rows": 100_000})
