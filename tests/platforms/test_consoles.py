"""Every command on a console that cannot show all of what it is told: Windows' cp1252, and ASCII."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from unittest.mock import patch

import pytest

from assay.cli.app import _COMMANDS, main
from assay.gates import job
from assay.guarantees.printable import show_all_on


def shown(encoding, *words):
    """Exit code, and what a console of this encoding shows of output and of errors."""
    streams = [
        io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors=e)
        for e in ("strict", "backslashreplace")
    ]
    with (
        patch.object(sys, "argv", ["assay", *map(str, words)]),
        patch.object(sys, "stdout", streams[0]),
        patch.object(sys, "stderr", streams[1]),
    ):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        for stream in streams:
            stream.flush()
    # Typer takes ASCII for an oversight, and writes UTF-8.
    shown_in = "utf-8" if encoding == "ascii" else encoding
    return code, *(stream.buffer.getvalue().decode(shown_in) for stream in streams)


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """A folder of tables whose names, columns and labels are of many scripts."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{'œuf' if i % 2 else '卵'},{'œuf' if i % 2 else '卵'}\n" for i in range(60))
    (tmp_path / "naïve ≤.csv").write_text("œ≤,p\n" + rows, encoding="utf-8")
    return "naïve ≤.csv"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
@pytest.mark.parametrize("command", ["", *_COMMANDS])
def test_help(encoding, command):
    code, out, err = shown(encoding, *command.split(), "--help")
    assert (code, err) == (0, "")
    assert out.lstrip().startswith("Usage: ")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
@pytest.mark.parametrize("words", [["theorems"], ["learners"], ["plan", "--error", "0.05"]])
def test_what_is_told(encoding, words):
    code, out, err = shown(encoding, *words)
    plain = shown("utf-8", *words)
    assert (code, err) == (plain[0], plain[2]) == (0, "")
    assert out.count("\n") == plain[1].count("\n")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_certificates(encoding, odd):
    asked = ["certify", odd, "--truth", "œ≤", "--prediction", "p", "--out", "c.json"]
    code, out, err = shown(encoding, *asked)
    assert (code, err) == (0, "")
    assert ("na\u00efve \\u2264" if encoding == "cp1252" else "naïve ≤") in out
    assert (
        shown(encoding, "verify", "c.json", "--data", odd, "--truth", "œ≤", "--prediction", "p")[0]
        == 0
    )


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
@pytest.mark.parametrize("wrong", ["nö≤", "\U0001d54f"])
def test_json_says_the_same_on_any_console(encoding, odd, wrong):
    for words in (
        ["certify", odd, "--truth", "œ≤", "--prediction", "p", "--json"],
        ["certify", odd, "--truth", wrong, "--prediction", "p", "--json"],  # a refusal
    ):
        code, out, _ = shown(encoding, *words)
        assert (code, json.loads(out)) == (
            shown("utf-8", *words)[0],
            json.loads(shown("utf-8", *words)[1]),
        )


def test_backslashes_would_not_be_json():
    """The escapes of the standard library are not those of JSON: the test above would fail with them."""
    assert "é".encode("ascii", "backslashreplace") == b"\\xe9"
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    show_all_on(stream)
    json.dump("é≤\U0001d54f\udc80", stream, ensure_ascii=False)
    stream.flush()
    assert json.loads(stream.buffer.getvalue()) == "é≤\U0001d54f\udc80"


def test_a_refusal_is_one_line(odd):
    for encoding in ("cp1252", "ascii"):
        code, out, err = shown(encoding, "certify", odd, "--truth", "nö≤", "--prediction", "p")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "Traceback" not in err


def test_jobs_of_an_action(odd, tmp_path, monkeypatch):
    """The action runs commands as processes and prints what they answered."""
    monkeypatch.setattr(
        os,
        "environ",
        os.environ | {"ASSAY_FILES": odd, "ASSAY_TRUTH": "œ≤", "ASSAY_PREDICTION": "p"},
    )
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with patch.object(sys, "stdout", stream), pytest.raises(SystemExit) as end:
        job.main()
    stream.flush()
    assert end.value.code == 0
    assert stream.buffer.getvalue().startswith(b"PASS na\\u00efve \\u2264.csv, promised 0.")


def test_a_locale_of_ascii(odd, tmp_path):
    """Python would take UTF-8 nevertheless, unless it is told not to: names of files are then no text."""
    (tmp_path / odd).write_text("t,p\n" + "œ,œ\nx,x\n" * 30, encoding="utf-8")
    told = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    words = ["certify", odd, "--truth", "t", "--prediction", "p", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", "from assay.cli.app import main; main()", *words],
        env={k: v for k, v in os.environ.items() if k != "PYTHONIOENCODING"} | told,
        capture_output=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["certificate"]["claims"]


def test_a_reader_that_leaves_is_no_fault_on_windows_either():
    """There a pipe that nobody reads is an invalid argument."""
    code = (
        "import os, sys, errno\n"
        "import assay.cli.app as module\n"
        "def app(): raise OSError(int(sys.argv[1]), 'Invalid argument')\n"
        "module.app = app\n"
        "os.name = sys.argv[2]\n"
        "module.main()"
    )

    def ended(number, name):
        done = subprocess.run(
            [sys.executable, "-c", code, str(number), name], capture_output=True, timeout=60
        )
        return done.returncode, done.stderr[-40:]

    assert ended(22, "nt") == (1, b"")
    assert ended(32, "posix") == (1, b"")
    assert b"Invalid argument" in ended(22, "posix")[1]
    assert b"Invalid argument" in ended(28, "nt")[1]
