"""Guarantees of policies among experts, from the records of their runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import require
from assay.guarantees.assumption import Status
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.regrets import regret_guarantee
from assay.record.experts import (
    AdaHedgeRecord,
    ExpertRecord,
    FixedShareRecord,
    HedgeRecord,
    MajorityRecord,
    SleepingRecord,
    WeighingRecord,
)
from assay.theory.mistake.sleeping_experts import UNIT_LOSSES
from assay.theory.mistake.version_space import IN_CLASS
from assay.theory.registry import find_theorem
from assay.theory.regret.adahedge import FINITE_LOSSES
from assay.theory.regret.hedge import BOUNDED_LOSSES, LOSS_IS_MEAN, NONNEGATIVE_LOSSES
from assay.theory.regret.weighted_average import ENTROPIC_RATE, MIXABLE_RATES, UNIT_OUTCOMES

Known = dict[str, tuple[Status, str]]

_COMPARED: tuple[Status, str] = ("checked", "every loss was compared")
_IN_RANGE: tuple[Status, str] = ("checked", "every number was compared with the range")
# Of losses that differ by less, the squares lose digits, or all of them.
_LEAST_SPREAD = 1e-140


def rivals(record: ExpertRecord, against: Any) -> list[int]:
    """The experts that a run is compared with: the best, each, or one by number or name."""
    experts = len(record.expert_losses)
    place = -1
    if isinstance(against, str):
        if against == "best":
            return [record.best]
        if against == "each":
            return list(range(experts))
        names = [record.name(i) for i in range(experts)]
        place = names.index(against) if against in names else -1
    elif isinstance(against, int | np.integer) and not isinstance(against, bool):
        place = int(against)
    must = "'best', 'each', or an expert by number or name"
    require(0 <= place < experts, "against", must, against)
    return [place]


def expert_named(names: Sequence[str] | None, expert: int) -> str:
    """An expert in words.

    Examples
    --------
    >>> expert_named(None, 1), expert_named(["north", "south"], 1)
    ('expert 1', "expert 'south'")
    """
    return f"expert {expert}" if names is None else f"expert {names[expert]!r}"


def _regret(
    theorem: str, inputs: dict[str, Any], record: ExpertRecord, expert: int, **terms: Any
) -> Guarantee:
    """The bound of a theorem on the regret against one expert."""
    terms.setdefault("of", f"regret against {expert_named(record.names, expert)}")
    terms.setdefault("scale", max(record.loss, 1.0))
    return regret_guarantee(theorem, inputs, float(record.regrets[expert]), **terms)


def _convex(record: WeighingRecord) -> Known:
    """How it is known that a prediction loses no more than the weighted mean of the experts."""
    if record.loss_name is None:
        return {}
    known: tuple[Status, str] = (
        "by construction",
        "the loss is convex, so the average loses no more than the mean",
    )
    if record.not_convex:
        known = "violated", f"the average lost more than the mean in round {record.not_convex}"
    elif record.loss_name == "function":
        known = "declared", "a function must be convex; in no round did the average lose more"
    return {LOSS_IS_MEAN: known}


# Exponential weights


def hedge_guarantees(record: HedgeRecord, expert: int) -> list[Guarantee]:
    """The bound at the rate that was played, its receipts, and what following the experts drawn costs."""
    guarantees = [_bounded(record, expert)]
    if record.learning_rate is not None:
        # From the squared losses that occurred, and from how far the weights went.
        common = {
            "learning_rate": record.learning_rate,
            "squared_losses": float(record.squared_losses or 0.0),
        }
        theorems = {"hedge-second-order": {"experts": len(record.expert_losses)} | common}
        receipt = _receipt(record, expert)
        if receipt:
            theorems["hedge-progress-potential"] = receipt | common
        known: Known = {NONNEGATIVE_LOSSES: _COMPARED}
        guarantees += [
            _regret(name, inputs, record, expert, known=known) for name, inputs in theorems.items()
        ]
    if record.drawn_loss is not None:
        guarantees.append(
            regret_guarantee(
                "hedge-regret",
                guarantees[0].inputs,
                record.drawn_loss - float(record.expert_losses[expert]),
                of=f"regret of the experts drawn against {expert_named(record.names, expert)}",
                scale=max(record.loss, 1.0),
                known={BOUNDED_LOSSES: _COMPARED},
                quantifier="expectation",
            )
        )
    return guarantees


def weighted_average_guarantees(record: HedgeRecord, expert: int) -> list[Guarantee]:
    """At most ln K / rate where averaging gains that much; else what Hedge promises."""
    largest, rate = MIXABLE_RATES.get(record.loss_name or ""), record.learning_rate
    if largest is None or rate is None:
        return [_bounded(record, expert)]
    if rate > largest:
        return []
    theorems: dict[str, dict[str, Any]] = {
        f"wa-{record.loss_name}-regret": {
            "experts": len(record.expert_losses),
            "learning_rate": rate,
        }
    }
    receipt = _receipt(record, expert)
    if receipt:
        theorems["wa-progress-potential"] = receipt | {"learning_rate": rate}
    terms = {"scale": max(record.loss, 1e-12), "known": {UNIT_OUTCOMES: _IN_RANGE}}
    return [_regret(name, inputs, record, expert, **terms) for name, inputs in theorems.items()]


def _bounded(record: HedgeRecord, expert: int) -> Guarantee:
    """The bound on the regret with bounded losses."""
    inputs: dict[str, Any] = {"rounds": record.rounds, "experts": len(record.expert_losses)}
    if record.largest_loss != 1.0:
        inputs["largest_loss"] = record.largest_loss
    if record.learning_rate is None:
        inputs["form"] = "anytime"
    else:
        inputs["learning_rate"] = record.learning_rate
    known = {BOUNDED_LOSSES: _COMPARED} | _convex(record)
    return _regret("hedge-regret", inputs, record, expert, known=known)


def _receipt(record: HedgeRecord, expert: int) -> dict[str, float]:
    """How far the weights went towards an expert; nothing where it has lost all weight."""
    assert record.divergences is not None
    after = float(record.divergences[expert])
    before = record.divergence_before
    return {"divergence_before": before, "divergence_after": after} if math.isfinite(after) else {}


# AdaHedge


def adahedge_guarantees(record: AdaHedgeRecord, expert: int) -> list[Guarantee]:
    """From the gap, from the variances, and from the largest range of a round."""
    gap, variance, spread = (
        float(value or 0.0) for value in (record.gap, record.variance, record.spread)
    )
    known: Known = {FINITE_LOSSES: ("checked", "every loss was looked at")}
    scale = max(abs(record.loss), abs(float(record.expert_losses[expert])), record.size)
    terms: dict[str, Any] = {"scale": scale, "known": known}
    if record.mixtures:
        # It holds against every mixture, and is shown beside the regret against the expert, who is one.
        named = expert_named(record.names, expert)
        terms["of"] = f"regret against every mixture, {named} among them"
        return [_regret("adahedge-mixture-regret", {"gap": gap}, record, expert, **terms)]
    known |= _convex(record)
    experts = {"experts": len(record.expert_losses)}
    theorems: dict[str, dict[str, Any]] = {"adahedge-gap-regret": {"gap": gap}}
    # A sum of variances that is no float promises nothing.
    if math.isfinite(variance) and (spread == 0.0 or spread > _LEAST_SPREAD):
        by_run = {"variance": max(0.0, variance), "spread": spread}
        theorems["adahedge-second-order"] = experts | by_run
    theorems["adahedge-regret"] = {"rounds": record.rounds, **experts, "spread": spread}
    return [_regret(name, inputs, record, expert, **terms) for name, inputs in theorems.items()]


# Fixed share


def fixed_share_guarantees(record: FixedShareRecord, expert: int) -> list[Guarantee]:
    """Against the best sequence, and as the one without switches, against the expert."""
    assert record.learning_rate is not None
    assert record.sequence_loss is not None
    if record.loss_name == "entropic" and record.learning_rate > ENTROPIC_RATE:
        return []  # losses without a bound, at a rate at which averaging them is not enough
    word = "switch" if record.switches == 1 else "switches"
    best = f"the best sequence with at most {record.switches} {word}"
    alone = expert_named(record.names, expert)
    return [
        _tracked(record, record.switches, best, record.sequence_loss),
        _tracked(record, 0, alone, float(record.expert_losses[expert])),
    ]


def _tracked(record: FixedShareRecord, switches: int, rival: str, lost: float) -> Guarantee:
    rate = record.learning_rate
    inputs: dict[str, Any] = {
        "rounds": record.rounds,
        "experts": len(record.expert_losses),
        "switches": min(switches, record.rounds - 1),
        "learning_rate": rate,
        "share": record.share,
    }
    known: Known = {BOUNDED_LOSSES: _COMPARED, UNIT_OUTCOMES: _IN_RANGE}
    theorem = "fixed-share-regret"
    if rate is not None and rate <= MIXABLE_RATES.get(record.loss_name or "", 0):
        theorem = "fixed-share-mixable-regret"
        inputs["loss"] = record.loss_name
    else:
        if record.largest_loss != 1.0:
            inputs["largest_loss"] = record.largest_loss
        known |= _convex(record)
    return regret_guarantee(
        theorem,
        inputs,
        record.loss - lost,
        of=f"regret against {rival}",
        scale=max(record.loss, 1.0),
        known=known,
    )


# Sleeping experts


def sleeping_guarantees(record: SleepingRecord, expert: int) -> list[Guarantee]:
    """What the policy loses in the rounds in which the expert was awake."""
    assert record.paid is not None
    paid = float(record.paid[expert])
    outcomes = find_theorem("sleeping-experts-mistakes").assumes[2]
    # The sum of the weighted mean losses obeys the bound on every run, whatever was drawn.
    return [
        regret_guarantee(
            "sleeping-experts-mistakes",
            {
                "expert_loss": float(record.expert_losses[expert]),
                "experts": len(record.expert_losses),
                "epsilon": record.epsilon,
            },
            paid,
            of=f"loss while {expert_named(record.names, expert)} was awake",
            scale=paid,
            known={
                UNIT_LOSSES: _COMPARED,
                outcomes: ("by construction", "what is bounded is the mean over the draw"),
            },
            letter="sum of P",
        )
    ]


# Weighted majority


def majority_guarantees(record: MajorityRecord, expert: int) -> list[Guarantee]:
    """Mistakes compared with those of the expert; of experts drawn, on average."""
    named, experts = expert_named(record.names, expert), len(record.expert_losses)
    of, mistakes = f"mistakes, compared with {named}", float(record.mistakes or 0)
    randomized = record.drawn_loss is not None
    best = int(record.expert_losses[expert])
    if record.beta == 0.0:
        # Nothing against one who has erred, and nothing about following a single expert.
        if randomized or best:
            return []
        size, never = {"class_size": experts}, f"{named} never erred"
        known: Known = {IN_CLASS: ("checked", never)}
        return [
            regret_guarantee("halving-mistakes", size, mistakes, of=of, known=known, letter="M")
        ]
    inputs: dict[str, Any] = {"best_mistakes": best, "experts": experts}
    if record.beta is not None:
        inputs["beta"] = record.beta
    if not randomized:
        theorem = "weighted-majority-mistakes"
        known = {find_theorem(theorem).assumes[0]: ("checked", "every label was compared")}
        return [regret_guarantee(theorem, inputs, mistakes, of=of, known=known, letter="M")]
    theorem = "randomized-majority-mistakes"
    return [
        regret_guarantee(
            theorem,
            inputs,
            record.loss,
            of=f"expected {of}",
            scale=record.loss,
            letter="sum of the wrong shares of weight",
        ),
        regret_guarantee(theorem, inputs, mistakes, of=of, letter="E[M]", quantifier="expectation"),
    ]
