"""Guarantees about regret when only the loss of the played arm is seen, from the record of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.guarantees.assumption import Assumption
from assay.guarantees.build import by_construction, guarantee
from assay.guarantees.decimals import decimal_text, delta_text
from assay.guarantees.guarantee import Guarantee
from assay.record.bandit import BanditRecord, EXP3Record, KLUCBRecord
from assay.theory.claim import Condition
from assay.theory.registry import find_theorem
from assay.theory.regret.exp3 import OBLIVIOUS, UNIT_LOSSES
from assay.theory.regret.exp3_ix import NOT_FORESEEN

IN_RANGE = Assumption(UNIT_LOSSES, "checked", "any other is refused")


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


def second_order_guarantee(record: EXP3Record) -> Guarantee:
    """The receipt of exponential weights at a fixed rate: it holds on every run, whatever the losses."""
    assert record.estimates is not None
    assert record.squared_estimates is not None
    # A sum of n doubles is off by at most n units in the last place of its terms' total.
    slack = 1.0 + (record.rounds + 8) * 2.0**-52
    return regret_guarantee(
        "exp3-second-order",
        {
            "arms": len(record.plays),
            "learning_rate": record.learning_rate,
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


# The policies


def exp3_guarantees(record: EXP3Record, declared: Mapping[str, Any]) -> list[Guarantee]:
    """The receipt at a fixed rate, the regret on average, and what the estimates add up to."""
    known = (IN_RANGE, _unwatched(record, OBLIVIOUS))
    seen = record.expected_regret
    return [
        *([] if record.learning_rate is None else [second_order_guarantee(record)]),
        regret_guarantee("exp3-regret", _played(record), seen, of="expected regret", known=known),
        estimate_guarantee(record),
    ]


def exp3_ix_guarantees(record: EXP3Record, declared: Mapping[str, Any]) -> list[Guarantee]:
    """The regret of all runs but a share delta."""
    inputs = _played(record, delta=delta_text(declared["delta"]))
    known = (IN_RANGE, Assumption(NOT_FORESEEN, "assumed"))
    return [regret_guarantee("exp3-ix-regret", inputs, record.regret, of="regret", known=known)]


def _played(record: EXP3Record, **more: Any) -> dict[str, Any]:
    """Rounds, arms and the rate."""
    rate = record.learning_rate
    how = {"form": "anytime"} if rate is None else {"learning_rate": rate}
    return {"rounds": record.rounds, "arms": record.arms, **more, **how}


def ucb1_guarantees(record: BanditRecord, declared: Mapping[str, Any]) -> list[Guarantee]:
    """The regret on average: by the gaps between declared means, and for any."""
    drawn_apart, by_means = find_theorem("ucb1-regret").assumes[:2]
    drawn, seen = _unwatched(record, drawn_apart), _seen(record, declared)
    inputs: dict[str, Any] = {"rounds": record.rounds, "arms": record.arms}
    terms: dict[str, Any] = {"of": "expected regret"}
    anyhow = regret_guarantee("ucb1-gap-free-regret", inputs, seen, known=[drawn], **terms)
    if "means" not in declared:
        return [anyhow]
    inputs = {"rounds": record.rounds, "gaps": gaps_of(declared["means"])}
    known = (drawn, Assumption(by_means, "declared", f"means {declared['means']}"))
    return [regret_guarantee("ucb1-regret", inputs, seen, known=known, **terms), anyhow]


def kl_ucb_guarantees(record: KLUCBRecord, declared: Mapping[str, Any]) -> list[Guarantee]:
    """The regret on average, for declared means."""
    if "means" not in declared:
        return []
    means = declared["means"]
    drawn_apart, by_means = find_theorem("kl-ucb-regret").assumes[:2]
    inputs = {"rounds": record.rounds, "means": list(map(decimal_text, means)), "form": record.form}
    known = (_unwatched(record, drawn_apart), Assumption(by_means, "declared", f"means {means}"))
    seen = pseudo_regret(record, means)
    return [regret_guarantee("kl-ucb-regret", inputs, seen, of="expected regret", known=known)]


def thompson_guarantees(record: BanditRecord, declared: Mapping[str, Any]) -> list[Guarantee]:
    """The regret on average, on arms that the prior would draw."""
    prior, independent, _ = find_theorem("thompson-bayesian-regret").assumes
    return [
        regret_guarantee(
            "thompson-bayesian-regret",
            {"rounds": record.rounds, "arms": record.arms},
            _seen(record, declared),
            of="expected regret, averaged over the prior",
            known=(Assumption(prior, "assumed"), _unwatched(record, independent)),
        )
    ]


def _seen(record: BanditRecord, declared: Mapping[str, Any]) -> float | None:
    """The regret in the declared means; None where nobody declared any."""
    return pseudo_regret(record, declared["means"]) if "means" in declared else None


def _unwatched(record: BanditRecord, condition: str) -> Assumption:
    """An assumption about losses that do not answer to the play, as it stands after this run."""
    if not record.opponent_looked:
        return Assumption(condition, "assumed")
    return Assumption(condition, "violated", "the opponent looked at the probabilities")
