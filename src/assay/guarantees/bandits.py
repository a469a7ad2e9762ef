"""Guarantees about regret when only the loss of the played arm is seen, from the record of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from assay.guarantees.assumption import Assumption
from assay.guarantees.build import by_construction, guarantee
from assay.guarantees.decimals import decimal_text
from assay.guarantees.guarantee import Guarantee
from assay.record.bandit import BanditRecord
from assay.theory.claim import Condition
from assay.theory.registry import find_theorem
from assay.theory.regret.exp3 import OBLIVIOUS, UNIT_LOSSES

IN_RANGE = Assumption(UNIT_LOSSES, "checked", "any other is refused")
FIXED_LOSSES = Assumption(OBLIVIOUS, "assumed")


def regret_guarantee(
    theorem: str,
    inputs: dict[str, Any],
    observed: float | None,
    *,
    of: str,
    known: Iterable[Assumption] = (),
    **terms: Any,
) -> Guarantee:
    """One theorem about regret, beside what the run did; whether the two may be compared is the theorem's word.

    Examples
    --------
    >>> print(regret_guarantee("exp3-regret", {"rounds": 1000, "arms": 10}, 81.5, of="regret"))
    regret: at most 214.597, observed 81.5, by exp3-regret
    """
    holds = find_theorem(theorem).holds
    mean = holds == "expectation"
    return guarantee(
        theorem,
        inputs,
        observed,
        of=of,
        formula="E[R]" if mean else "R",
        form="{formula} <= {promised}",
        known=known,
        quantifier="probability over the draws" if holds == "probability" else None,
        certified="this policy" if mean else "this run",
        **terms,
    )


def second_order_guarantee(record: BanditRecord, learning_rate: float) -> Guarantee:
    """The receipt of exponential weights at a fixed rate: it holds on every run, whatever the losses."""
    assert record.estimates is not None
    assert record.squared_estimates is not None
    # A sum of n doubles is off by at most n units in the last place of its terms' total.
    slack = 1.0 + (record.rounds + 8) * 2.0**-52
    return regret_guarantee(
        "exp3-second-order",
        {
            "arms": len(record.plays),
            "learning_rate": learning_rate,
            "squared_estimates": record.squared_estimates * slack,
        },
        record.loss - float(np.min(record.estimates)),
        of="regret in estimated losses",
        known=[Assumption(Condition("no-negative-loss", "no loss is negative"), "checked")],
    )


def estimate_guarantee(record: BanditRecord) -> Guarantee:
    """What the squares of the estimates add up to on average: never more than one for each loss."""
    arms = len(record.plays)
    return regret_guarantee(
        "importance-weighting-unbiased",
        {"losses": ["1"] * arms, "probabilities": [f"1/{arms}"] * arms},
        record.squared_estimates,
        of="sum of squared estimates, weighted by the probabilities",
        assumptions=(IN_RANGE, *by_construction("importance-weighting-unbiased")[:1]),
        # The mean is the sum of squared losses, largest when every loss is 1.
        number=lambda estimate: record.rounds * estimate.weighted_square,
    )


def gaps_of(means: Sequence[float]) -> list[str]:
    """How far each arm's mean loss is above the least, as exact decimals.

    Examples
    --------
    >>> gaps_of([0.5, 0.4, 0.45])
    ['0.1', '0', '0.05']
    """
    from assay.theory.rounding import as_fraction

    exact = [as_fraction(mean) for mean in means]
    return [decimal_text(mean - min(exact)) for mean in exact]


def pseudo_regret(record: BanditRecord, means: Sequence[float]) -> float:
    """What the plays cost on average beyond the best arm, for arms of these mean losses."""
    values = np.asarray(means, dtype=np.float64)
    return float(record.plays @ (values - values.min()))
