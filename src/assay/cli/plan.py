"""``assay plan``: how many rows to buy."""

from __future__ import annotations

import typer

from assay.cli.output import DeltaOption, JsonFlag, print_json


def plan_command(
    error: str = typer.Option(..., "--error", help="The error rate to be promised, such as 0.05."),
    delta: str = DeltaOption,
    expected: str | None = typer.Option(
        None, "--expected", help="The model's true error, as you guess it."
    ),
    power: str = typer.Option("0.9", "--power", help="How surely the promise shall succeed."),
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
    as_json: bool = JsonFlag,
) -> None:
    """Say how many labelled rows it takes to promise an error rate.

    Example: assay plan --error 0.05 --delta 0.05 --expected 0.02 --power 0.9
    """
    from assay.certificates.issue.plan import plan
    from assay.report.text import plan_text

    needed = plan(
        error,
        delta,
        expected=expected,
        power=power,
        class_size=class_size,
        bits=bits,
        vc_dimension=vc_dimension,
        agnostic=agnostic,
    )
    if as_json:
        print_json(needed.to_json())
    else:
        typer.echo(plan_text(needed))
