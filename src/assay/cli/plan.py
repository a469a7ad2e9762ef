"""``assay plan``: how many rows, or labels, to buy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from assay.cli.output import JsonFlag, print_json
from assay.errors import BadParameter


def plan_command(
    error: str | None = typer.Option(
        None, "--error", help="The error rate to be promised, such as 0.05."
    ),
    better_by: str | None = typer.Option(
        None,
        "--better-by",
        help="By how much a new model shall be promised to be better; 0 for at all, -0.01 for not worse by more.",
    ),
    precision: str | None = typer.Option(
        None, "--precision", help="The precision to be promised; likewise the next three."
    ),
    recall: str | None = typer.Option(None, "--recall", help="The recall to be promised."),
    specificity: str | None = typer.Option(
        None, "--specificity", help="The specificity to be promised."
    ),
    f1: str | None = typer.Option(None, "--f1", help="The F1 to be promised."),
    gate: tuple[str, str] = typer.Option(
        (None, None),
        "--gate",
        help="Two errors: a model of the first shall pass, one of the second fail.",
    ),
    delta: str | None = typer.Option(
        None,
        "--delta",
        help="Probability that a promise fails: 0.05 when not given; of a gate, 1 less the power.",
    ),
    power: str | None = typer.Option(
        None,
        "--power",
        help="How surely the promise shall succeed if the guess is right: 0.9 when not given, of a gate 0.99.",
    ),
    expected: str | None = typer.Option(
        None,
        "--expected",
        help="What you guess: the model's true error, the metric (of F1 also PRECISION,RECALL), or the difference.",
    ),
    only_old_rate: str | None = typer.Option(
        None, "--only-old-rate", help="How often you guess that only the old model is wrong."
    ),
    only_new_rate: str | None = typer.Option(
        None, "--only-new-rate", help="How often only the new one is."
    ),
    discordance: str | None = typer.Option(
        None, "--discordance", help="How often exactly one of them is, with --expected."
    ),
    rivals: int = typer.Option(
        1, "--rivals", help="With how many old models the new one is compared."
    ),
    flagged: str | None = typer.Option(
        None, "--flagged", help="The share of rows that the model flags, for precision."
    ),
    prevalence: str | None = typer.Option(
        None, "--prevalence", help="The share of rows that are positive."
    ),
    rates: int = typer.Option(1, "--rates", help="How many metrics are promised at once."),
    unit_rows: int | None = typer.Option(
        None, "--unit-rows", help="Rows come in units of so many, such as attempts."
    ),
    correlation: str | None = typer.Option(
        None, "--correlation", help="How alike rows of a unit err: 0 independently, 1 all or none."
    ),
    group: list[str] | None = typer.Option(
        None,
        "--group",
        help="NAME=SHARE: a group and its share of the rows; the error is promised of each. Repeated.",
    ),
    judge: list[str] | None = typer.Option(
        None,
        "--judge",
        help="NAME=ITEMS:SHARE: how many items of a batch have this verdict of a judge, and which share of them you "
        "guess to be wrong. Repeated.",
    ),
    class_size: int | None = typer.Option(
        None, "--class-size", help="Training rows for a class of so many rules."
    ),
    bits: int | None = typer.Option(
        None, "--bits", help="Training rows for rules described in so many bits."
    ),
    vc_dimension: int | None = typer.Option(
        None, "--vc", help="Training rows for a class of this VC dimension."
    ),
    agnostic: bool = typer.Option(
        False, "--agnostic", help="No rule of the class need be perfect."
    ),
    report: Path | None = typer.Option(
        None, "--report", help="Write the plan and a figure of its power to this file of HTML."
    ),
    as_json: bool = JsonFlag,
) -> None:
    """Say how many labelled rows it takes to promise something, and how likely that is to succeed.

    Example: assay plan --error 0.05 --expected 0.02 --power 0.9

    Example: assay plan --gate 0.01 0.05

    Example: assay plan --better-by 0 --only-old-rate 0.04 --only-new-rate 0.02

    Example: assay plan --error 0.11 --judge flagged=1000:0.8 --judge passed=9000:0.01
    """
    from assay.certificates.issue.plan import plan
    from assay.report.text import plan_text
    from assay.whole_file import refuse_unwritable

    if report is not None:
        refuse_unwritable(report)
    needed = plan(
        error,
        delta,
        expected=_numbers(expected) if f1 is not None else expected,
        power=power,
        class_size=class_size,
        bits=bits,
        vc_dimension=vc_dimension,
        agnostic=agnostic,
        better_by=better_by,
        only_old_rate=only_old_rate,
        only_new_rate=only_new_rate,
        discordance=discordance,
        rivals=rivals,
        precision=precision,
        recall=recall,
        specificity=specificity,
        f1=f1,
        flagged=flagged,
        prevalence=prevalence,
        rates=rates,
        unit_rows=unit_rows,
        correlation=correlation,
        groups=_named("--group", group, "NAME=SHARE", 1),
        judge=_named("--judge", judge, "NAME=ITEMS:SHARE", 2),
        gate=None if None in gate else gate,
    )
    if report is not None:
        from assay.report.html_report import save_report
        from assay.report.plan_story import plan_story

        save_report(plan_story(needed), report)
    if as_json:
        print_json(needed.to_json())
        return
    typer.echo(plan_text(needed))
    if report is not None:
        typer.echo(f"Saved {report}; open it in a browser.")


def _numbers(text: str | None) -> Any:
    """One number, or several with commas between."""
    return text if text is None or "," not in text else tuple(text.split(","))


def _named(option: str, given: list[str] | None, form: str, numbers: int) -> dict[str, Any] | None:
    """What stands after a name and an equals sign: a number, or two with a colon between."""
    if not given:
        return None
    read: dict[str, Any] = {}
    for text in given:
        name, sign, rest = text.rpartition("=")
        parts = rest.split(":")
        if not sign or not name or len(parts) != numbers or name in read:
            why = f"names {name!r} twice" if name in read else f"must be {form}, but is {text!r}"
            raise BadParameter(f"{option} {why}.")
        read[name] = parts[0] if numbers == 1 else tuple(parts)
    return read
