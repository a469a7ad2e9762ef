"""Commands and the service where there is no POSIX: Windows, played on Linux by `elsewhere/sitecustomize.py`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.processes import Caller, Command

if sys.platform != "linux":
    pytest.skip("played on Linux", allow_module_level=True)

ROOT = Path(__file__).parents[2]
THERE = str(Path(__file__).parent / "elsewhere")
ROWS = "".join(
    f"{i % 7},{'é' if i % 3 else 'b'},{'yes' if i % 7 > 3 else 'no'}\r\n" for i in range(400)
)
# As Excel saves "CSV UTF-8".
TABLE = "\ufeffsize,kind,y\r\n" + ROWS


def there(**more):
    return (
        os.environ
        | {"PYTHONPATH": f"{THERE}{os.pathsep}{ROOT}", "PYTHONWARNDEFAULTENCODING": "1"}
        | more
    )


def python(code, **terms):
    return subprocess.run(
        [sys.executable, *code], env=there(), capture_output=True, text=True, timeout=300, **terms
    )


def commands(folder, *lines):
    """Exit code, output and errors of each command line."""
    journey = str(Path(THERE) / "journey.py")
    done = python([journey], cwd=folder, input=json.dumps(lines))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


TWIN = """
import os, sys
from pathlib import Path
import pytest
for name in ("fcntl", "resource", "uvloop"):
    with pytest.raises(ModuleNotFoundError):
        __import__(name)
assert not hasattr(os, "fork") and not hasattr(os, "sched_getaffinity")
with pytest.raises(OSError):
    Path("/proc/self/statm").read_text(encoding="ascii")
path = Path(sys.argv[1], "a")
with path.open("w", encoding="ascii"), pytest.raises(PermissionError):
    path.unlink()
with path.open("w", encoding="ascii"), pytest.raises(PermissionError):
    os.replace(__file__ if "__file__" in globals() else path, path)
with pytest.raises(PermissionError):
    os.open(sys.argv[1], os.O_RDONLY)
exec(compile("with pytest.raises(EncodingWarning): open(path)", "x.py", "exec"), {**globals(), "__name__": "assay.x"})
path.unlink()
print("so it is")
"""


def test_the_play_is_one(tmp_path):
    """Everything that is said to be missing is missing: a test that finds nothing wrong has looked."""
    done = python(["-c", TWIN, str(tmp_path)])
    assert done.stdout == "so it is\n", done.stderr


def test_every_module_can_be_imported():
    code = (
        "import importlib, pkgutil, assay\n"
        "for one in pkgutil.walk_packages(assay.__path__, 'assay.'):\n"
        "    importlib.import_module(one.name)\n"
        "print('all')"
    )
    done = python(["-c", code])
    assert done.stdout == "all\n", done.stderr


FIT = (
    "fit t.csv --target y --order none --learner perceptron --out m.assay --certificate c.json"
    " --report r.html"
)
LINES = [
    FIT,
    FIT,  # over files that are there
    "verify c.json",
    "predict m.assay t.csv --keep y --out p.csv",
    "certify p.csv --truth y --prediction prediction --out d.json --ledger l",
    "verify d.json --data p.csv --truth y --prediction prediction --ledger l",
    "stream t.csv --target y --learner perceptron --out s.assay --certificate s.json",
    "keys new keys.json --name shop --scope predict",
    "keys new keys.json --name café --scope admin",
    "keys list keys.json --json",
]


def test_from_a_table_to_a_certificate(tmp_path):
    (tmp_path / "t.csv").write_bytes(TABLE.encode())
    told = commands(tmp_path, *map(str.split, LINES))
    assert [code for code, *_ in told[:-1]] == [0] * (len(LINES) - 1), told
    assert [key["name"] for key in json.loads(told[-1][1])["keys"]] == ["shop", "café"]
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert "é" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_the_service(tmp_path):
    store = tmp_path / "assay.db"
    server = Command(store, env=there())
    try:
        assert server.ready(), server.output()
        call = Caller(server)
        made = {"algorithm": "perceptron", "classes": [0, 1], "features": ["a", "b"]}
        assert call("PUT", "/v1/learners/it", made)[0] in (200, 201)
        for i in range(20):
            code, answer = call("POST", "/v1/learners/it/predict", {"x": [i % 2, 1.0]})
            assert code == 200
            body = {"trial": answer["trial"], "label": i % 2}
            assert call("POST", "/v1/learners/it/feedback", body)[0] in (200, 202)
        metrics = call("GET", "/metrics")[1].decode()
        assert "process_cpu_seconds_total" in metrics
        assert "process_open_fds" not in metrics
        again = Command(tmp_path / "assay.db", env=there())
        assert again.wait() == 2
        assert f"{store} is open in another server (process {server.pid})." in again.output()
        call.close()
    finally:
        server.terminate()
        assert server.wait() == 0, server.output()
    told = commands(
        tmp_path,
        ["serve", "--store", str(store), "--backup", "copy.db"],
        ["serve", "--store", "copy.db", "--check"],
    )
    assert [code for code, *_ in told] == [0, 0], told
    assert "copy.db is sound" in told[1][1]
