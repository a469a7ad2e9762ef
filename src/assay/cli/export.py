"""``assay export``: what a service has written down, as a table."""

from __future__ import annotations

from pathlib import Path

import typer


def export_command(
    out: Path = typer.Argument(..., help="The Parquet file to write."),
    store: Path = typer.Option(Path("assay.db"), "--store", help="The store of the service."),
    learner: str | None = typer.Option(None, "--learner", help="Only the events of this learner."),
) -> None:
    """Write the log of a service to Parquet, also while it is served.

    Example: assay export log.parquet --store assay.db
    """
    from assay.server.store.export import export_log
    from assay.server.store.store import Store

    held = Store(store, exclusive=False)
    try:
        written = export_log(held, out, learner)
    finally:
        held.close()
    typer.echo(f"{written:,} events written to {out}.")
