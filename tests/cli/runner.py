"""Runs the command line in this process and returns what a shell would see."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest.mock import patch

from assay.cli.app import main


@dataclass(frozen=True)
class Run:
    code: int
    out: str
    err: str


def run(*arguments: object) -> Run:
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.object(sys, "argv", ["assay", *map(str, arguments)]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
    return Run(code, out.getvalue(), err.getvalue())
