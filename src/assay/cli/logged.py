"""``assay logged``: what a policy would lose, from a log of decisions that another one made."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import typer

from assay.cli.output import DeltaOption, JsonFlag, print_json
from assay.errors import BadParameter

if TYPE_CHECKING:
    from assay.play.judged_log import JudgedLog


def logged_command(
    data: Path = typer.Argument(
        ...,
        help="A log: text or DSJSON of Vowpal Wabbit, a log of Personalizer, CSV of Open Bandit, or a table.",
    ),
    policy: str | None = typer.Option(
        None,
        "--policy",
        help="What to judge: uniform, first (the first action), arm=NAME, or the file of a policy; when not given one "
        "is learned from the first rounds.",
    ),
    learner: str | None = typer.Option(
        None,
        "--learner",
        help="What learns: epsilon-greedy (when not given), square-cb, linear-thompson or linucb.",
    ),
    param: list[str] | None = typer.Option(
        None, "--param", help="A parameter of the learner, as name=value. May be repeated."
    ),
    method: str | None = typer.Option(
        None,
        "--method",
        help="How it learns: doubly-robust (when not given) or inverse-propensity.",
    ),
    holdout: float | None = typer.Option(
        None,
        "--holdout",
        help="The share of the rounds, the last, that judge what was learned; 0.5 by default.",
    ),
    format: str | None = typer.Option(
        None,
        "--format",
        help="What the log is, where its beginning does not tell: vw, vw-adf, dsjson or open-bandit.",
    ),
    bounds: tuple[float, float] | None = typer.Option(
        None, "--range", help="Between which two numbers all costs or rewards lie."
    ),
    hashed: int | None = typer.Option(
        None,
        "--hashed",
        help="How many columns features become, where a log has more than 1,000 different ones.",
    ),
    arm: str | None = typer.Option(None, "--arm", help="Of a table: the column of the actions."),
    loss_column: str | None = typer.Option(
        None, "--loss-column", help="Of a table: the column of their losses."
    ),
    reward_column: str | None = typer.Option(
        None, "--reward-column", help="Of a table: the column of their rewards, in place of losses."
    ),
    propensity: str | None = typer.Option(
        None,
        "--propensity",
        help="Of a table: the column of the probabilities they were chosen with.",
    ),
    context: list[str] | None = typer.Option(
        None, "--context", help="Of a table: a column that tells of the round. May be repeated."
    ),
    delta: str = DeltaOption,
    better: bool = typer.Option(
        False,
        "--better",
        help="Exit with 1 unless the policy is certainly better than whoever made the log.",
    ),
    out: Path | None = typer.Option(None, "--out", help="Write the learned policy to this file."),
    as_json: bool = JsonFlag,
) -> None:
    """Learn a policy from a log of decisions, or judge one by it: what it loses, and whether that is less.

    Example: assay logged clicks.dsjson --out policy.assay
    """
    from assay.learners.model_file.files import save
    from assay.report.logged import logged_text
    from assay.whole_file import refuse_unwritable

    asked = SimpleNamespace(**locals())
    _require(asked)
    if out is not None:
        refuse_unwritable(out)
    judged = _judge(asked)
    if out is not None:
        save(judged.policy, out)
    if as_json:
        print_json(summary(judged))
    else:
        typer.echo(logged_text(judged))
        if out is not None:
            typer.echo(f"{'Saved':<10}{out}; judge it by another log with: --policy {out}")
    if better and not judged.improvement.better:
        raise typer.Exit(1)


def _require(asked: Any) -> None:
    """Refuse options that do not go together, before anything is read."""
    if asked.policy is not None:
        for name in ("learner", "param", "method", "holdout", "out"):
            if getattr(asked, name):
                raise BadParameter(f"--{name} is for a policy that is learned, not with --policy.")


def _judge(asked: Any) -> JudgedLog:
    from assay.cli.parameters import named_values
    from assay.learners.model_file.files import load
    from assay.play.judged_log import judge_log, like_columns
    from assay.play.read_decisions import read_decisions
    from assay.theory.needs import inside_unit

    policy, like = asked.policy, None
    if policy is not None and Path(policy).is_file():
        policy = load(policy)
        columns = getattr(policy, "log_columns_", None)
        if columns is None:
            raise BadParameter(
                f"{asked.policy} holds no policy that learned from a log: its columns have no names."
            )
        like = like_columns(columns)
    log = read_decisions(
        asked.data,
        format=asked.format,
        range=asked.bounds,
        hashed=asked.hashed,
        like=like,
        arm=asked.arm,
        loss=asked.loss_column,
        reward=asked.reward_column,
        propensity=asked.propensity,
        contexts=asked.context or (),
    )
    terms: dict[str, Any] = {
        "policy": policy,
        "delta": float(inside_unit("delta", asked.delta).low),
        "source": str(asked.data),
    }
    if policy is None:
        terms |= {
            "learner": asked.learner or "epsilon-greedy",
            "parameters": named_values(asked.param or []),
            "method": asked.method or "doubly-robust",
            "holdout": 0.5 if asked.holdout is None else asked.holdout,
        }
    return judge_log(log, **terms)


def summary(judged: JudgedLog) -> dict[str, Any]:
    """The numbers a script wants, in those of the log."""
    value, log, unit = judged.value, judged.log, judged.unit
    lower, upper = judged.interval()
    return {
        "ok": True,
        "format": log.format,
        "rounds": len(log),
        "actions": log.arms,
        "learned_rounds": judged.learned,
        "judged_rounds": judged.judged,
        "policy": judged.name,
        "range": list(log.bounds),
        f"logged_{unit}": judged.scaled(judged.logged_loss),
        "inverse_propensity": judged.scaled(value.inverse_propensity),
        "self_normalised": judged.scaled(value.self_normalised),
        "lower": lower,
        "upper": upper,
        "better_by": judged.better_by(),
        "better": judged.improvement.better,
        "delta": str(value.delta),
        "theorems": ["logged-loss-at-least", "logged-loss-at-most", judged.improvement.theorem],
        "effective_rounds": value.effective_rounds,
        "largest_weight": value.largest_weight,
        "assumptions": [assumption.to_json() for assumption in judged.assumptions()],
        "notes": list(log.notes),
    }
