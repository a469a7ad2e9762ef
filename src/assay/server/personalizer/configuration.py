"""A loop's configuration as Personalizer has it: what of it a learner's settings are, and what cannot be changed."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import msgspec

from assay.server.refusals import Refusal

_DURATION = re.compile(
    r"P(?:(?P<days>\d{1,5})D)?(?:T(?:(?P<hours>\d{1,6})H)?(?:(?P<minutes>\d{1,6})M)?"
    r"(?:(?P<seconds>\d{1,9}(?:\.\d{1,6})?)S)?)?"
)
#: How every learner is, whatever its settings: it learns from each reward at once and keeps the log.
_ALWAYS: dict[str, Any] = {
    "rewardAggregation": "earliest",
    "modelExportFrequency": "PT0S",
    "modelRetrainDays": 0,
    "logRetentionDays": -1,
    "logMirrorEnabled": False,
    "isAutoOptimizationEnabled": False,
}
_MODES = {"Online": False, "Apprentice": True}


class Configuration(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """What is sent to change it; what is left out stays."""

    reward_wait_time: str | None = None
    default_reward: float | None = None
    learning_mode: str | None = None
    reward_aggregation: str | None = None
    model_export_frequency: str | None = None
    model_retrain_days: int | None = None
    log_retention_days: int | None = None
    log_mirror_enabled: bool | None = None
    log_mirror_sas_uri: str | None = None
    is_auto_optimization_enabled: bool | None = None
    auto_optimization_frequency: str | None = None
    auto_optimization_start_date: str | None = None
    exploration_percentage: float | None = None
    last_configuration_edit_date: str | None = None


configuration_decoder = msgspec.json.Decoder(Configuration)


def configuration_of(standing: dict[str, Any]) -> dict[str, Any]:
    """The configuration of a learner, from where it stands; what it does not have is left out.

    Examples
    --------
    >>> held = configuration_of({"settings": {"wait": 600.0, "default_reward": 0.0}})
    >>> held["rewardWaitTime"], held["defaultReward"], held["learningMode"]
    ('PT600S', 0.0, 'Online')
    """
    settings = standing["settings"]
    held: dict[str, Any] = {}
    if settings.get("wait") is not None:
        held["rewardWaitTime"] = f"PT{settings['wait']:.15g}S"
        held["defaultReward"] = settings.get("default_reward")
    mode = "Apprentice" if settings.get("apprentice") else "Online"
    return held | {"learningMode": mode} | _ALWAYS


def settings_of(wanted: Configuration, standing: dict[str, Any]) -> dict[str, Any]:
    """A learner's settings with what is wanted; refuses what no learner can be set to."""
    settings: dict[str, Any] = dict(standing["settings"])
    _require_as_ever(wanted)
    if wanted.learning_mode is not None:
        if wanted.learning_mode not in _MODES:
            given = wanted.learning_mode[:50]
            raise Refusal("refused", f"learningMode must be {' or '.join(_MODES)}, but is {given!r}.")  # fmt: skip
        settings["apprentice"] = _MODES[wanted.learning_mode]
    if wanted.reward_wait_time is not None:
        settings["wait"] = seconds_of(wanted.reward_wait_time)
        if settings.get("default_loss") is None:
            settings.setdefault("default_reward", 0.0)
    if wanted.default_reward is not None:
        if settings.get("wait") is None:
            raise Refusal("refused", "defaultReward needs a rewardWaitTime beside it.")
        settings["default_reward"] = wanted.default_reward
        settings.pop("default_loss", None)
    return settings


def _require_as_ever(wanted: Configuration) -> None:
    for name, value in msgspec.to_builtins(wanted).items():
        if value is not None and name in _ALWAYS and _plain(value) != _plain(_ALWAYS[name]):
            raise Refusal("refused", f"{name} is always {_ALWAYS[name]!r} here, and cannot be {value!r}.")  # fmt: skip
    if wanted.exploration_percentage is not None:
        raise Refusal(
            "refused",
            "explorationPercentage cannot be changed: how much a learner explores stands in the params of its "
            "definition.",
        )


def _plain(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def seconds_of(duration: str) -> float:
    """The seconds of a duration such as ``PT10M``.

    Examples
    --------
    >>> seconds_of("PT10M"), seconds_of("P1DT0.5S")
    (600.0, 86400.5)
    """
    found = _DURATION.fullmatch(duration)
    parts = {} if found is None else {k: float(v) for k, v in found.groupdict().items() if v}
    if not parts:
        raise Refusal(
            "refused", f"rewardWaitTime must be a duration such as PT10M, but is {duration[:50]!r}."
        )
    return timedelta(**parts).total_seconds()
