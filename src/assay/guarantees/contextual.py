"""Guarantees about decisions with context, from the record of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.guarantees.assumption import Assumption
from assay.guarantees.bandits import IN_RANGE, regret_guarantee
from assay.guarantees.decimals import delta_text
from assay.guarantees.guarantee import Guarantee
from assay.record.contextual import AdvisedActionsRecord, ContextualRecord, RidgeRecord
from assay.theory.claim import Condition, Status
from assay.theory.regret.exp3 import OBLIVIOUS
from assay.theory.regret.exp4 import ADVICE_FIXED
from assay.theory.regret.forward_ridge import UNIT_NUMBERS
from assay.theory.regret.regression_oracle import ORACLE, REALIZABLE, TOLD_IN_TURN
from assay.theory.regret.self_normalised import (
    LINEAR,
    OWN_LOSSES,
    SHORT_FEATURES,
    SHORT_PARAMETER,
    TOLD_AT_ONCE,
)

# What rounding may have taken from sums of as many terms as a run has rounds.
_SLACK = 1e-9


def _in_turn(record: ContextualRecord, condition: Condition) -> Assumption:
    if record.in_turn:
        return Assumption(condition, "by construction")
    late, untold = record.late, record.untold
    return Assumption(condition, "violated", f"{late} learned late, {untold} never told")


def _linear(record: RidgeRecord) -> list[Assumption]:
    """What is known of the losses and of what was learned of them."""
    norm = record.settings["parameter_norm"]
    weighted = record.weighted
    return [
        IN_RANGE,
        Assumption(LINEAR, "assumed"),
        Assumption(SHORT_PARAMETER, "declared", f"parameter_norm {norm:g}"),
        Assumption(OWN_LOSSES, "violated", f"{weighted} learned with a weight")
        if weighted
        else Assumption(OWN_LOSSES, "assumed"),
    ]


def interval_guarantee(record: RidgeRecord) -> Guarantee:
    """What the choices cost at most, by the intervals they were made with."""
    inputs = {"gaps": record.gaps * (1 + _SLACK), "delta": delta_text(record.settings["delta"])}
    return regret_guarantee(
        "interval-regret", inputs, record.regret, of="regret", known=_linear(record)
    )


def linucb_guarantees(record: RidgeRecord, declared: Mapping[str, Any]) -> list[Guarantee]:
    """The regret by the intervals of the run; and by the theorem of optimism, where the policy went by all of it."""
    if record.settings.get("optimism", 1.0) != 1.0:
        return [interval_guarantee(record)]
    inputs = {
        **_model(record),
        "delta": delta_text(record.settings["delta"]),
        "explored": record.explored,
    }
    known = [
        *_linear(record),
        Assumption(SHORT_FEATURES, "checked", f"the longest met is {record.feature_norm:g}"),
        _in_turn(record, TOLD_AT_ONCE),
    ]
    optimism = regret_guarantee("linucb-regret", inputs, record.regret, of="regret", known=known)
    return [interval_guarantee(record), optimism]


def linear_thompson_guarantees(record: RidgeRecord, declared: Mapping[str, Any]) -> list[Guarantee]:
    """The regret by the intervals of the run; the sampling itself promises nothing more."""
    return [interval_guarantee(record)]


def _model(record: RidgeRecord) -> dict[str, Any]:
    """Rounds, dimension, lengths and penalty, as theorems of linear losses take them."""
    settings = record.settings
    return {
        "rounds": record.asked,
        "dimension": record.dimension,
        "feature_norm": record.feature_norm * (1 + _SLACK),
        "parameter_norm": settings["parameter_norm"],
        "penalty": settings["penalty"],
    }


def oracle_guarantees(
    theorem: str, own: Mapping[str, Any], record: ContextualRecord, declared: Mapping[str, Any]
) -> list[Guarantee]:
    """What the regression loses itself, and the regret of drawing by its forecasts.

    The regret of a regression other than the library's least squares is the user's to declare: ``oracle_regret``.
    """
    guarantees, oracle = [], declared.get("oracle_regret")
    known = [IN_RANGE, Assumption(REALIZABLE, "assumed"), _in_turn(record, TOLD_IN_TURN)]
    if oracle is not None:
        known.append(Assumption(ORACLE, "declared", f"oracle_regret {oracle}"))
    elif isinstance(record, RidgeRecord):
        guarantees.append(_forecast_guarantee(record))
        oracle = _least_squares_regret(record)
        known.append(Assumption(ORACLE, "by construction", "forward-ridge-regret"))
    if oracle is not None:
        inputs = {"rounds": record.asked, "actions": record.most_actions, "oracle_regret": oracle}
        guarantees.append(
            regret_guarantee(
                theorem, {**inputs, **own}, record.regret, of="expected regret", known=known
            )
        )
    return guarantees


def _forecast_guarantee(record: RidgeRecord) -> Guarantee:
    """The receipt of the forecasts: on every run, whatever the losses."""
    status: Status = "violated" if record.weighted else "checked"
    return regret_guarantee(
        "forward-ridge-receipt",
        {"log_determinant": record.log_determinant * (1 + _SLACK) + _SLACK},
        record.squared_errors - record.best_squared_errors,
        of="squared errors beyond the best linear forecaster's",
        known=[Assumption(UNIT_NUMBERS, status, "any other loss is refused")],
    )


def _least_squares_regret(record: RidgeRecord) -> float:
    from assay.theory.regret.forward_ridge import forward_ridge_regret

    return forward_ridge_regret(**_model(record))


def exp4_guarantees(record: AdvisedActionsRecord, declared: Mapping[str, Any]) -> list[Guarantee]:
    """The regret on average against the best expert."""
    rate = record.learning_rate
    how: dict[str, Any] = {"form": "anytime"} if rate is None else {"learning_rate": rate}
    inputs = {
        "rounds": record.asked,
        "actions": record.most_actions,
        "experts": len(record.expert_losses),
        "least_propensity": record.settings["least_propensity"],
        **how,
    }
    seen = None
    if record.expected_loss is not None and record.best_loss is not None:
        seen = record.expected_loss - record.best_loss
    known = (
        IN_RANGE,
        Assumption(OBLIVIOUS, "assumed"),
        Assumption(ADVICE_FIXED, "assumed"),
        _in_turn(record, TOLD_IN_TURN),
    )
    return [regret_guarantee("exp4-regret", inputs, seen, of="expected regret", known=known)]
