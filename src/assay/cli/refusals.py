"""Refusals as the command line says them: parameters are options, and so are the ways out."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, BadParameter, require
from assay.guarantees.printable import printable

if TYPE_CHECKING:
    from typer import Context


_REPEATED = {"groups": "by", "rates": "rate"}


def options() -> dict[str, str]:
    """The options of the command that runs, by the names of its parameters."""
    from typer import Context
    from typer.core import TyperGroup, TyperOption
    from typer.main import get_command

    from assay.cli.app import app

    command: Any = get_command(app)
    for word in sys.argv[1:]:
        if isinstance(command, TyperGroup):
            command = command.get_command(Context(command), word) or command
    options = [option for option in command.params if isinstance(option, TyperOption)]
    named = {str(option.name): max(option.opts, key=len) for option in options}
    # What Python takes as a list is an option that may be repeated.
    return {python: named[one] for python, one in _REPEATED.items() if one in named} | named


def in_options(refusal: AssayError) -> str:
    """The refusal in words, where options are named as options."""
    return refusal.sentence(options())


def say_no(refusal: AssayError) -> None:
    """One line on standard error."""
    # A refusal may quote a file, which shall not act on the terminal.
    print(f"assay: {printable(in_options(refusal), 5000)}", file=sys.stderr)


def is_given(context: Context, name: str) -> bool:
    """Whether somebody typed a parameter of the command."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def require_taken(context: Context, taken: Collection[str], beside: str) -> None:
    """Refuse what was typed and is not taken ``beside`` something else."""
    for name in sorted(set(context.params) - set(taken)):
        shown = context.params[name]
        require(not is_given(context, name), name, f"left out {beside}", shown)


def require_apart(read: Path, **written: Path | None) -> None:
    """Refuse to write over what is read, or over one another."""
    taken = [(read, "the table")]
    for option, path in written.items():
        if path is None:
            continue
        for other, what in taken:
            relation = _relation(path, other)
            if relation:
                raise BadParameter(
                    f"--{option} names {path}, which {relation.format(what)}. Give it a name of its own."
                )
        taken.append((path, f"what --{option} names"))


def _relation(one: Path, other: Path) -> str:
    if one.exists() or other.exists():
        # The disk itself tells whether capitals count.
        return "is {}" if one.exists() and other.exists() and one.samefile(other) else ""
    places = os.path.realpath(one), os.path.realpath(other)
    if places[0] == places[1]:
        return "is {}"
    alike = places[0].casefold() == places[1].casefold()
    return "differs from {} in capitals alone, which many disks do not tell apart" if alike else ""
