"""``assay export``: what assay holds, in the format of others."""

from __future__ import annotations

from pathlib import Path

import typer

from assay.errors import BadParameter


def export_command(
    source: Path = typer.Argument(..., help="The store of a service."),
    out: Path | None = typer.Argument(
        None, help="The file to write: .parquet, .jsonl or .csv, by its ending."
    ),
    learner: str | None = typer.Option(None, "--learner", help="Only what is of this learner."),
    events: bool = typer.Option(
        False, "--events", help="The log itself, event by event, in place of decisions."
    ),
) -> None:
    """Write what a service was asked, answered and told, a row for each decision, also while it is served.

    Example: assay export assay.db decisions.parquet --learner shop
    """
    from assay.cli.export_store import export_store

    if out is None:
        raise BadParameter("The file to write must be named, such as decisions.parquet.")
    typer.echo(export_store(source, out, learner, events))
