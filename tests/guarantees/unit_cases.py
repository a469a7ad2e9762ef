"""Cases of rows that come in units: units as a whole, and metrics of their rows."""

from __future__ import annotations

import functools

import numpy as np

from assay.theory.tail.rates import f1_at_least, rate_at_least
from assay.theory.tail.unit_rates import unit_f1_at_least, unit_rate_at_least, units_wholly_right
from tests.guarantees.case import DELTA, Case
from tests.guarantees.report_cases import units

# Of the experiment's units, each of which is wrong as a whole or not at all.
_WRONG = 0.7 * 0.1 + 0.3 * 0.3


def frozen(bound):
    """The bound of kinds of units, each worked out once."""
    kept = functools.cache(lambda kinds: bound([list(kind) for kind in kinds]))
    return lambda kinds: kept(tuple(sorted(kinds)))


def whole(bound):
    """The same units, of which the share that is wrong is promised."""

    def experiment(rng, trials):
        return units(bound)(rng, trials)[0], _WRONG

    return experiment


def from_below(metric):
    """The same units, of which a metric of rows is promised from below; `metric` makes it of the share of errors."""

    def of(bound):
        def experiment(rng, trials):
            promised, share = units(bound)(rng, trials)
            return -np.asarray(promised), -metric(share)

        return experiment

    return of


def counted(kinds):
    rows = sum(r * many for _, r, many in kinds)
    return rows - sum(e * many for e, _, many in kinds), rows


def f1_of(share: float) -> float:
    return 2 * (1 - share) / (2 - share)


CASES = [
    Case(
        "units-wholly-right",
        "the share of wrong rows",
        frozen(lambda kinds: units_wholly_right(kinds, DELTA)),
        lambda kinds: (lambda right, rows: 1 - right / rows)(*counted(kinds)),
        whole,
        trials=500,
    ),
    Case(
        "unit-rate-at-least",
        "rows of a unit taken for independent draws",
        frozen(lambda kinds: unit_rate_at_least(kinds, 10, DELTA)),
        frozen(lambda kinds: rate_at_least(*counted(kinds), DELTA)),
        from_below(lambda share: 1 - share),
        trials=300,
    ),
    Case(
        "unit-f1-at-least",
        "rows of a unit taken for independent draws",
        frozen(lambda kinds: unit_f1_at_least(kinds, 10, DELTA)),
        frozen(
            lambda kinds: f1_at_least(
                counted(kinds)[0], 0, -int(np.subtract(*counted(kinds))), DELTA
            )
        ),
        from_below(f1_of),
        trials=300,
    ),
]
