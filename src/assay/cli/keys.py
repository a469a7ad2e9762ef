"""``assay keys``: make, list and revoke the keys of a service."""

from __future__ import annotations

import json
import time
from pathlib import Path

import typer

from assay.cli.help import GroupedCommand, GroupedHelp
from assay.cli.output import JsonFlag

keys_command = typer.Typer(
    help="Keys for the API of `assay serve --keys FILE`.",
    cls=GroupedHelp,
    no_args_is_help=True,
    add_completion=False,
)


@keys_command.command("new", cls=GroupedCommand)
def new_command(
    file: Path = typer.Argument(..., help="The file of keys; made if it is not there."),
    name: str = typer.Option(..., "--name", help="What the key is for."),
    scope: list[str] = typer.Option(
        ..., "--scope", help="read, predict, feedback or admin; can be given several times."
    ),
    learner: list[str] = typer.Option(
        [], "--learner", help="A learner the key is for; can be given several times. All without."
    ),
    rate: float | None = typer.Option(None, "--rate", help="Requests a second it may make."),
) -> None:
    """Make a key and print it, this once: only a hash of it is kept.

    Example: assay keys new keys.json --name shop --scope predict --scope feedback --learner basket
    """
    from assay.server.keys import add_key, new_key

    text, key = new_key(name, scope, learner or None, rate)
    add_key(file, key)
    typer.echo(f"Key {key.id} for {name!r} was added to {file}. It is shown only now:", err=True)
    typer.echo(text)


@keys_command.command("list", cls=GroupedCommand)
def list_command(
    file: Path = typer.Argument(..., help="The file of keys."), as_json: bool = JsonFlag
) -> None:
    """Show what keys there are and what they may do; the keys themselves nobody can show."""
    from assay.server.keys import read_keys

    keys = read_keys(file)
    if as_json:
        listed = [
            {"id": k.id, "name": k.name, "scopes": k.scopes, "learners": k.learners, "made": k.made}
            for k in keys
        ]
        typer.echo(json.dumps({"ok": True, "keys": listed}, ensure_ascii=False))
        return
    for key in keys:
        day = time.strftime("%Y-%m-%d", time.gmtime(key.made))
        learners = "all learners" if key.learners is None else ", ".join(key.learners)
        typer.echo(f"{key.id}  {day}  {','.join(key.scopes)}  {learners}  {key.name}")


@keys_command.command("revoke", cls=GroupedCommand)
def revoke_command(
    file: Path = typer.Argument(..., help="The file of keys."),
    number: str = typer.Argument(..., metavar="ID", help="The id that `assay keys list` shows."),
) -> None:
    """Remove a key; a running server stops taking it within a second."""
    from assay.server.keys import revoke_key

    key = revoke_key(file, number)
    typer.echo(f"Key {key.id} for {key.name!r} was removed from {file}.")
