"""The ``assay`` command: its subcommands, its exit codes, and what a refusal looks like."""

from __future__ import annotations

import json
import os
import sys

import typer

from assay import __version__
from assay.cli.certify import certify_command
from assay.cli.compare import compare_command
from assay.cli.demo import demo_command
from assay.cli.fit import fit_command
from assay.cli.keys import keys_app
from assay.cli.plan import plan_command
from assay.cli.predict import predict_command
from assay.cli.refusals import in_options, options, say_no
from assay.cli.serve import export_command, serve_command
from assay.cli.stream import stream_command
from assay.cli.theorems import theorems_command
from assay.cli.verify import verify_command
from assay.errors import AssayError, CertificateRefused, LedgerBroken
from assay.extras import needed_for

# What a command needs beyond the base install, where a smaller extra would not do.
_EXTRAS = {
    **dict.fromkeys(("compare", "demo", "fit", "predict", "stream"), "learn"),
    **dict.fromkeys(("export", "keys", "serve"), "server"),
}

EPILOG = (
    "Exit codes: 0 it holds; 1 it does not hold (a certificate that fails to verify, an error that "
    "cannot be promised); 2 bad input; 130 ended with Ctrl-C."
)

app = typer.Typer(
    name="assay",
    help="Learning in which every model states its guarantee.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("demo")(demo_command)
app.command("fit")(fit_command)
app.command("predict")(predict_command)
app.command("compare")(compare_command)
app.command("certify")(certify_command)
app.command("verify")(verify_command)
app.command("plan")(plan_command)
app.command("stream")(stream_command)
app.command("theorems")(theorems_command)
app.command("serve")(serve_command)
app.command("export")(export_command)
app.add_typer(keys_app, name="keys")


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
    try:
        with needed_for(f"assay {command}", _EXTRAS.get(command)):
            app()
    except AssayError as refusal:
        _say_no(refusal)
    except BrokenPipeError:
        # The reader of our output left; there is nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _say_no(refusal: AssayError) -> None:
    failed = isinstance(refusal, CertificateRefused | LedgerBroken)
    if "--json" in sys.argv:
        answer = {"ok": False, "error": in_options(refusal), "kind": type(refusal).__name__}
        print(json.dumps(answer | refusal.fields(options()), ensure_ascii=False))
    say_no(refusal)
    sys.exit(1 if failed else 2)
