"""Runs the command line in this process and returns what a shell would see."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest.mock import patch

from assay.cli.app import main

NOTICE = "assay: compiling loops for this machine; this happens once.\n"


@dataclass(frozen=True)
class Run:
    code: int
    out: str
    err: str


def run(*arguments: object, stdin: str | None = None, together: bool = False) -> Run:
    """Run `assay` with these arguments.

    stdin: what is piped into it. together: errors are written among the output, as by ``2>&1``.
    """
    out = io.StringIO()
    err = out if together else io.StringIO()
    given = sys.stdin if stdin is None else io.TextIOWrapper(io.BytesIO(stdin.encode()))
    with (
        patch.object(sys, "argv", ["assay", *map(str, arguments)]),
        patch.object(sys, "stdin", given),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
    return Run(code, without_notice(out.getvalue()), without_notice(err.getvalue()))


def without_notice(said: str) -> str:
    """What a command said, as on a machine where nothing needs to be compiled any more."""
    return said.replace(NOTICE, "", 1)
