import re
import subprocess
import sys

import pytest

from assay import __version__
from tests.cli.runner import run


def test_version():
    assert run("--version").out == f"assay {__version__}\n"


def test_the_package_runs_as_a_module():
    command = [sys.executable, "-m", "assay", "--version"]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    assert found.stdout == f"assay {__version__}\n"


def test_help_lists_the_commands_and_the_exit_codes():
    text = " ".join(run("--help").out.split())
    for name in ("certify", "verify", "plan", "theorems"):
        assert name in text
    assert "Exit codes: 0 it holds; 1 it does not hold" in text


@pytest.mark.parametrize(
    "arguments", [("nonsense",), ("plan",), ("plan", "--eror", "0.1"), ("verify",)]
)
def test_wrong_usage_is_exit_code_2_without_a_traceback(arguments):
    found = run(*arguments)
    assert found.code == 2
    assert "Traceback" not in found.err + found.out


def test_the_installed_script_starts_without_heavy_imports():
    code = (
        "import sys; import assay.cli.app;"
        "heavy = {'numpy', 'scipy', 'pyarrow', 'sklearn', 'numba'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_import_assay_is_light():
    code = "import sys, assay; print(len([m for m in sys.modules if m.startswith('assay')]))"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert re.fullmatch(r"1\n", found.stdout)


def test_a_closed_pipe_is_no_traceback():
    command = f"{sys.executable} -c 'from assay.cli.app import main; main()' theorems | head -n 1"
    found = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "perceptron-margin-mistakes" in found.stdout
    assert "Traceback" not in found.stderr
