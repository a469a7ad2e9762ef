"""Which of the options of ``assay stream`` go together with ``--experts`` and with ``--bandit``."""

from __future__ import annotations

from typing import Any

from assay.errors import BadParameter

# What an option is when it is not given, where that is not None, False or nothing.
_PLAIN: dict[str, Any] = {
    "delta": "0.05",
    "encoder": "one-hot",
    "missing": "refuse",
    "overlap": "refuse",
    "unknown": "refuse",
}
_BOTH = {"data", "param", "format", "policy", "bounds", "out", "as_json"}
_LOG = {"arm", "loss_column", "reward_column", "propensity", "least_propensity"}
# What goes with either game; everything else is refused, also what is thought of later.
_GOES_WITH = {
    "experts": _BOTH | {"experts", "target", "loss", "column", "number", "warm_start"},
    "bandit": _BOTH | _LOG | {"bandit", "label", "delta"},
}
_POLICIES_ONLY = ("policy", "loss", "bounds", *sorted(_LOG))


def asks_for_policies(given: dict[str, Any]) -> bool:
    """Whether experts or a bandit are to be played; refuses options that are for them only."""
    if given["experts"] or given["bandit"]:
        return True
    for name in _POLICIES_ONLY:
        if _is_given(name, given):
            raise BadParameter(f"{_option(name)} goes with --experts or --bandit.")
    return False


def stream_policies(given: dict[str, Any], parameters: dict[str, Any]) -> None:
    """Play what was asked for."""
    if given["experts"] and given["bandit"]:
        raise BadParameter("--experts and --bandit cannot be played at once.")
    game = "experts" if given["experts"] else "bandit"
    for name in given:
        if name not in _GOES_WITH[game] and _is_given(name, given):
            raise BadParameter(f"{_option(name)} does not go with --{game}.")
    common = {name: given[name] for name in ("policy", "bounds", "format", "out", "as_json")} | {
        "parameters": parameters
    }
    if game == "experts":
        from assay.cli.stream_experts import stream_experts

        stream_experts(
            given["data"],
            target=given["target"],
            loss=given["loss"],
            columns=given["column"],
            numbers=given["number"],
            warm_start=given["warm_start"],
            **common,
        )
        return
    from assay.cli.stream_bandit import stream_bandit

    stream_bandit(
        given["data"],
        arm=given["arm"],
        loss=given["loss_column"],
        reward=given["reward_column"],
        propensity=given["propensity"],
        arms=given["label"],
        least_propensity=given["least_propensity"],
        delta=given["delta"],
        **common,
    )


def _is_given(name: str, given: dict[str, Any]) -> bool:
    return given[name] not in (None, False, [], _PLAIN.get(name))


def _option(name: str) -> str:
    return "--range" if name == "bounds" else "--" + name.replace("_", "-")
