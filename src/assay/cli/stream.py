"""``assay stream``: predict, be told, learn; row after row, with every mistake under its bound."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import typer

from assay.cli.output import DeltaOption, JsonFlag
from assay.cli.stream_run import run_stream
from assay.errors import BadParameter


def stream_command(
    data: list[str] = typer.Argument(
        ...,
        help="Tables, one after the other: CSV, Parquet, Feather or libsvm; - reads standard input, which "
        "is CSV unless --format says otherwise.",
    ),
    target: str | None = typer.Option(None, "--target", help="The column to predict."),
    learner: str | None = typer.Option(
        None, "--learner", help="The learner's name, such as perceptron."
    ),
    param: list[str] | None = typer.Option(
        None, "--param", help="A parameter of the learner, as name=value. May be repeated."
    ),
    label: list[str] | None = typer.Option(
        None,
        "--label",
        help="Declare a label, rather than take those of the first rows. Declare all.",
    ),
    column: list[str] | None = typer.Option(
        None, "--column", help="Learn from this column; all but the target when not given."
    ),
    number: list[str] | None = typer.Option(
        None, "--number", help="Read this column as numbers, whatever its first rows look like."
    ),
    category: list[str] | None = typer.Option(
        None, "--category", help="Read this column as categories, though it holds numbers."
    ),
    encoder: str = typer.Option(
        "one-hot", "--encoder", help="How columns become features: one-hot, booleans or literals."
    ),
    missing: str = typer.Option(
        "refuse", "--missing", help="What a missing value does: refuse (end the stream) or zero."
    ),
    unknown: str = typer.Option(
        "refuse",
        "--unknown",
        help="What a category does that the first rows did not hold: refuse or other.",
    ),
    standardize: bool = typer.Option(
        False, "--standardize", help="Centre and scale every feature by the rows up to each."
    ),
    format: str | None = typer.Option(
        None,
        "--format",
        help="What DATA is, where names do not tell: csv, tsv, jsonl, parquet, feather or libsvm.",
    ),
    features: int | None = typer.Option(
        None, "--features", help="How many features libsvm text has; needed from standard input."
    ),
    delta: str = DeltaOption,
    warm_start: Path | None = typer.Option(
        None, "--warm-start", help="Go on with the learner in this model file."
    ),
    certificate: Path | None = typer.Option(
        None, "--certificate", help="Write the certificate of the stream to this file."
    ),
    out: Path | None = typer.Option(None, "--out", help="Write the learner to this model file."),
    experts: bool = typer.Option(
        False,
        "--experts",
        help="The columns are forecasts of the target, numbers or labels: combine them.",
    ),
    bandit: bool = typer.Option(
        False, "--bandit", help="The rows are logged bandit rounds: replay another policy on them."
    ),
    policy: str | None = typer.Option(
        None, "--policy", help="With --experts or --bandit: the policy, such as adahedge or ucb1."
    ),
    loss: str | None = typer.Option(
        None, "--loss", help="With --experts: square, absolute, entropic, or zero-one for labels."
    ),
    bounds: tuple[float, float] | None = typer.Option(
        None, "--range", help="With --experts or --bandit: between which two numbers all lie."
    ),
    arm: str | None = typer.Option(None, "--arm", help="With --bandit: the column of the arms."),
    loss_column: str | None = typer.Option(
        None, "--loss-column", help="With --bandit: the column of their losses."
    ),
    reward_column: str | None = typer.Option(
        None,
        "--reward-column",
        help="With --bandit: the column of their rewards, in place of losses.",
    ),
    propensity: str | None = typer.Option(
        None, "--propensity", help="With --bandit: the column of the arms' probabilities."
    ),
    least_propensity: float | None = typer.Option(
        None, "--least-propensity", help="With --bandit: the least probability the log can hold."
    ),
    context: list[str] | None = typer.Option(
        None,
        "--context",
        help="With --bandit: a column that tells of the round, for a policy with context. May be repeated.",
    ),
    report: Path | None = typer.Option(
        None, "--report", help="With --bandit and a context: write a page of HTML, figures and all."
    ),
    overlap: str = typer.Option(
        "refuse",
        "--overlap",
        help="What rows mean that came again more than chance allows: refuse (nothing is promised) or keep, "
        "which declares that equal rows are separate draws.",
    ),
    independent: bool = typer.Option(
        False,
        "--independent",
        help="Declare that the rows are independent draws from one distribution: then the promise is about new "
        "rows too, unless their order tells otherwise.",
    ),
    unit: str | None = typer.Option(
        None,
        "--unit",
        help="With --independent: none declares that every row is a draw of its own, though an id comes again.",
    ),
    order: str | None = typer.Option(
        None,
        "--order",
        help="With --independent: none declares that the order of the rows is not the order in which they were "
        "drawn, so that it is not looked at.",
    ),
    as_json: bool = JsonFlag,
) -> None:
    """Predict every row of a stream, then learn it; count the mistakes.

    Ctrl-C ends the stream in order: what was learned is kept, and certificate and model are written.

    Example: assay stream power.parquet --target price_up --learner perceptron --out power.assay
    """
    asked = SimpleNamespace(**locals())
    run_stream(game_asked_for(asked), asked)


_BOTH = {"data", "param", "format", "policy", "bounds", "out", "as_json"}
_LOG = {"arm", "loss_column", "reward_column", "propensity", "least_propensity"}
_POLICIES_ONLY = {"policy", "loss", "bounds", "context", "report"} | _LOG
#: The policies that are told something of each round.
CONTEXTUAL = ("linucb", "linear-thompson", "epsilon-greedy", "square-cb", "exp4")
_CONTEXT = {"context", "target", "warm_start", "report", "category", "number", "column"}
# What goes with either game; everything else is refused, also what is thought of later.
_GOES_WITH = {
    "experts": _BOTH | {"experts", "target", "loss", "column", "number", "label", "warm_start"},
    "bandit": _BOTH | _LOG | {"bandit", "label", "delta"},
}


def game_asked_for(asked: Any) -> str:
    """Which game the options ask for: experts, bandit or learner; refuses those that do not go with it."""
    if asked.experts and asked.bandit:
        raise BadParameter("--experts and --bandit cannot be played at once.")
    game = "experts" if asked.experts else "bandit" if asked.bandit else "learner"
    taken = _GOES_WITH.get(game, set())
    if game == "bandit" and with_context(asked):
        taken = taken | _CONTEXT
    for name in given(asked):
        option = "--range" if name == "bounds" else "--" + name.replace("_", "-")
        if game == "learner" and name in _POLICIES_ONLY:
            raise BadParameter(f"{option} goes with --experts or --bandit.")
        if game != "learner" and name not in taken:
            raise BadParameter(f"{option} does not go with --{game}.")
    return game


def with_context(asked: Any) -> bool:
    """Whether a bandit is asked for that is told something of each round."""
    named = asked.policy in CONTEXTUAL or bool(asked.context)
    return named or (asked.policy is None and asked.arm is None and asked.target is not None)


def given(asked: Any) -> list[str]:
    """The options that are not as they would be if nobody had given any."""
    plain = {name: p.default.default for name, p in signature(stream_command).parameters.items()}
    return [
        name for name, value in vars(asked).items() if value not in (None, False, [], plain[name])
    ]
