"""``assay keys``: make, list and revoke the keys of a service."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
    days: float | None = typer.Option(
        None, "--days", help="Days until it ends. It never does without."
    ),
) -> None:
    """Make a key and print it, this once: only a hash of it is kept.

    Example: assay keys new keys.json --name shop --scope predict --scope feedback --learner basket
    """
    from assay.server.keys import add_key, new_key

    text, key = new_key(name, scope, learner or None, rate, days)
    add_key(file, key)
    typer.echo(f"Key {key.id} for {name!r} was added to {file}. It is shown only now:", err=True)
    typer.echo(text)


_Store = typer.Option(
    None, "--store", help="The store of the service, which knows when keys were last used."
)


@keys_command.command("list", cls=GroupedCommand)
def list_command(
    file: Path = typer.Argument(..., help="The file of keys."),
    store: Path | None = _Store,
    as_json: bool = JsonFlag,
) -> None:
    """Show what keys there are and what they may do; the keys themselves nobody can show."""
    from assay.server.keys import read_keys

    keys, uses = read_keys(file), _uses(store)
    if as_json:
        fields = ("id", "name", "scopes", "learners", "made", "expires")
        listed = [{f: getattr(k, f) for f in fields} | {"used": uses.get(k.id)} for k in keys]
        typer.echo(json.dumps({"ok": True, "keys": listed}, ensure_ascii=False))
        return
    for key in keys:
        learners = "all learners" if key.learners is None else ", ".join(key.learners)
        more = "" if key.expires is None else f"  until {_day(key.expires)}"
        if store is not None:
            more += f"  used {_day(uses[key.id])}" if key.id in uses else "  never used"
        scopes = ",".join(key.scopes)
        typer.echo(f"{key.id}  {_day(key.made)}  {scopes}  {learners}  {key.name}{more}")


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))


def _uses(store: Path | None) -> dict[str, float]:
    if store is None:
        return {}
    with _opened(store) as held:
        return {key: at / 1000 for key, at in held.key_uses().items()}


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    from assay.server.store.store import Store

    store = Store(path, exclusive=False)
    try:
        yield store
    finally:
        store.close()


@keys_command.command("audit", cls=GroupedCommand)
def audit_command(
    store: Path = typer.Argument(..., help="The store of the service."), as_json: bool = JsonFlag
) -> None:
    """Show who created, changed and deleted learners: the key, the address and the event of each act.

    Example: assay keys audit assay.db
    """
    with _opened(store) as held:
        entries = list(held.audit())
    if as_json:
        acts = [entry._asdict() | {"at": entry.at / 1000} for entry in entries]
        typer.echo(json.dumps({"ok": True, "acts": acts}, ensure_ascii=False))
        return
    for entry in entries:
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(entry.at / 1000))
        who = f"key {entry.key or '-'}  {entry.client or '-'}"
        typer.echo(f"{when}  {who}  {entry.act} {entry.learner} (event {entry.seq})")


@keys_command.command("revoke", cls=GroupedCommand)
def revoke_command(
    file: Path = typer.Argument(..., help="The file of keys."),
    number: str = typer.Argument(..., metavar="ID", help="The id that `assay keys list` shows."),
) -> None:
    """Remove a key; a running server stops taking it within a second."""
    from assay.server.keys import revoke_key

    key = revoke_key(file, number)
    typer.echo(f"Key {key.id} for {key.name!r} was removed from {file}.")
