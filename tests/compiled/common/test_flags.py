from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys

from numba.core.dispatcher import Dispatcher

from assay import compiled
from assay.compiled.common import flags
from assay.compiled.common.flags import EXACT

SENTENCE = "assay: compiling loops for this machine; this happens once.\n"


def test_exact_means_every_operation_as_written():
    assert EXACT["fastmath"] is False
    assert EXACT["cache"]
    assert EXACT["nogil"]


def test_no_loop_may_be_regrouped_or_contracted():
    loops = 0
    for file in pkgutil.walk_packages(compiled.__path__, "assay.compiled."):
        module = importlib.import_module(file.name)
        for name, found in vars(module).items():
            if isinstance(found, Dispatcher):
                loops += 1
                options = found.targetoptions
                assert options.get("fastmath", False) is False, f"{file.name}.{name}"
                assert not options.get("parallel"), f"{file.name}.{name}"
    assert loops > 300


def test_the_user_is_told_once_and_only_when_something_is_compiled(tmp_path):
    code = (
        "import numpy as np; from assay.compiled.common.rows import add_to, dot; "
        "dot(np.ones(2), np.ones(2)); add_to(np.ones(2), np.ones(2), 1.0); print('done')"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    said = []
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout == "done\n"
        said.append(run.stderr)
    assert said == [SENTENCE, ""]


class Dispatched:
    """What numba tells its listeners when it starts and ends to compile a function."""

    def __init__(self, module):
        self.data = {"dispatcher": type("Function", (), {"__module__": module})}


def test_what_may_not_disturb_the_compiler_waits_for_it(monkeypatch):
    watch, calls = flags._Watch(), []
    watch.said = True
    monkeypatch.setattr(flags, "_WATCH", watch)
    flags.call_when_compiled(lambda: calls.append("at once"))
    assert calls == ["at once"]
    outer, inner = (
        Dispatched("assay.compiled.common.rows"),
        Dispatched("assay.compiled.common.rows"),
    )
    watch.on_start(outer)
    watch.on_start(inner)
    flags.call_when_compiled(lambda: calls.append("later"))
    watch.on_start(Dispatched("numba.core"))
    watch.on_end(Dispatched("numba.core"))
    watch.on_end(inner)
    assert calls == ["at once"]
    watch.on_end(outer)
    assert calls == ["at once", "later"]
    assert watch.waiting is None
