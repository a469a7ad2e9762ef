"""The ``assay`` command: its subcommands, its exit codes, and what a refusal looks like."""

from __future__ import annotations

import atexit
import errno
import gc
import json
import os
import sys
from importlib import import_module

import typer

from assay import __version__
from assay.cli.help import GroupedCommand, GroupedHelp
from assay.cli.refusals import in_options, options, say_no
from assay.errors import AssayError, CertificateRefused, LedgerBroken
from assay.extras import needed_for
from assay.guarantees.printable import show_all_on

# Every command, in the order of the help, and the extra that it needs where a smaller one would not do. `fit` is
# `fit_command` in `assay.cli.fit`.
_COMMANDS = {
    "demo": "learn",
    "fit": "learn",
    "predict": "learn",
    "compare": "learn",
    "certify": None,
    "verify": None,
    "plan": None,
    "stream": "learn",
    "logged": "learn",
    "learners": "learn",
    "theorems": None,
    "serve": "server",
    "export": "server",
    "keys": "server",
}

EPILOG = (
    "Exit codes: 0 it holds; 1 it does not hold (a certificate that fails to verify, an error that "
    "cannot be promised); 2 bad input; 130 ended with Ctrl-C."
)

app = typer.Typer(
    name="assay",
    cls=GroupedHelp,
    help="Learning in which every model states its guarantee.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for _name in _COMMANDS:
    _command = getattr(import_module(f"assay.cli.{_name}"), f"{_name}_command")
    if isinstance(_command, typer.Typer):
        app.add_typer(_command, name=_name)
    else:
        app.command(_name, cls=GroupedCommand)(_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False,
        "--version",
        callback=_print_version,
        is_eager=True,
        help="Show the version and exit.",
    ),
) -> None:
    """Learning in which every model states its guarantee."""


def main() -> None:
    """Run the command line; a refusal is one line on standard error and an exit code."""
    command = next(iter(sys.argv[1:]), "")
    # A command lives for seconds and makes little garbage in cycles, but modules by the thousand to look through.
    gc.set_threshold(100_000, 20, 20)
    atexit.register(_leave)
    show_all_on(sys.stdout)  # also names of files that are no text
    try:
        with needed_for(f"assay {command}", _COMMANDS.get(command)):
            app()
    except AssayError as refusal:
        _say_no(refusal)
    except OSError as problem:
        if not _reader_left(problem):
            raise
        # The reader of our output left; there is nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _reader_left(problem: OSError) -> bool:
    on_windows = os.name == "nt" and problem.errno == errno.EINVAL and problem.filename is None
    return isinstance(problem, BrokenPipeError) or on_windows


def _leave() -> None:
    """Look through nothing once more: the process ends."""
    if "duckdb" not in sys.modules:  # which reports as leaks what is not collected
        gc.freeze()


def _say_no(refusal: AssayError) -> None:
    failed = isinstance(refusal, CertificateRefused | LedgerBroken)
    if "--json" in sys.argv:
        answer = {"ok": False, "error": in_options(refusal), "kind": type(refusal).__name__}
        print(json.dumps(answer | refusal.fields(options()), ensure_ascii=False))
    say_no(refusal)
    sys.exit(1 if failed else 2)
