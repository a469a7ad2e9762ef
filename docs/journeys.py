"""The files that five journeys through the code pass, for `architecture.rst`: written by running them.

``python docs/journeys.py`` writes ``docs/journeys/*.txt`` anew. Compiled loops, which no profiler of Python sees, stand
last: those that the journey had compiled or loaded.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent / "journeys"

SAMPLE = """
import numpy as np
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2)); y = np.where(X[:, 0] > 0, "yes", "no")
"""

#: What is walked: lines that are not part of it, and those that are.
JOURNEYS = {
    "fit": (
        SAMPLE
        + """
from pathlib import Path
lines = ["a,b,kind"] + [f"{a},{b},{kind}" for (a, b), kind in zip(X.tolist(), y)]
Path("table.csv").write_text("\\n".join(lines) + "\\n")
from assay import fit_table, save
""",
        """
fitted = fit_table("table.csv", target="kind", learner="perceptron")
fitted.certificate.save("kind.json")
""",
    ),
    "certify-verify": (
        "from assay import certify, verify\n",
        """
certify(y_true=["a", "b", "a"], y_pred=["a", "b", "b"]).save("model.json")
verify("model.json")
""",
    ),
    "partial-fit": (
        SAMPLE + "from assay import Perceptron\n",
        """
model = Perceptron().partial_fit(X, y, classes=["no", "yes"])
model.guarantees()
""",
    ),
    "svc": (SAMPLE + "from assay import SVC\n", "SVC().fit(X, y).training_certificate(X, y)\n"),
    "http": (
        """
import asyncio, contextlib, httpx, sys
from assay.server import service as care
from assay.server.app import create_app
care._SWEEP_S = 3600.0  # what is done beside the requests, sooner or later, is not part of the walk
SPAM = {"algorithm": "perceptron", "classes": [0, 1], "features": 2}
app = create_app("service.db")
client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here")
loop = asyncio.new_event_loop()
service = contextlib.AsyncExitStack()
loop.run_until_complete(service.enter_async_context(app.router.lifespan_context(app)))
loop.run_until_complete(client.put("/v1/learners/spam", json=SPAM))
""",
        """
async def talk():
    asked = await client.post("/v1/learners/spam/predict", json={"x": [1, 2], "trial": "one"})
    assert asked.status_code == 200, asked.text
    told = await client.post("/v1/learners/spam/feedback", json={"trial": "one", "label": 1})
    assert told.status_code == 200
loop.run_until_complete(talk())
""",
    ),
}

TRACE = """
import json, os, sys
passed, walking = [], []
def enter(frame, event, argument):
    if walking and event == "call":
        path = frame.f_code.co_filename
        if "/assay/" in path and frame.f_code.co_name != "<module>" and path not in passed:
            passed.append(path)
import threading
threading.setprofile(enter)  # threads that begin before the walk are asked to do parts of it
exec(compile({before!r}, "before", "exec"))
walking.append(True); sys.setprofile(enter)
exec(compile({walk!r}, "walk", "exec"))
sys.setprofile(None); walking.clear()
import assay
for name in sorted(sys.modules):
    if name.startswith("assay.compiled."):
        loops = [loop for loop in vars(sys.modules[name]).values() if hasattr(loop, "py_func")]
        if any(loop.py_func.__module__ == name and loop.overloads for loop in loops):
            path = sys.modules[name].__file__
            passed += [] if path in passed else [path]
root = os.path.dirname(assay.__file__) + os.sep
print(json.dumps([path.removeprefix(root) for path in passed if path.startswith(root)]))
sys.stdout.flush()
os._exit(0)
"""


def passed(name: str) -> list[str]:
    """The files of a journey, in the order in which it enters them."""
    import json

    before, walk = JOURNEYS[name]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", TRACE.format(before=before, walk=walk)],
            cwd=folder,
            env=os.environ | {"PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
            check=True,
        )
    files: list[str] = json.loads(done.stdout.splitlines()[-1])
    return files


def text(name: str) -> str:
    """The journey as the page shows it: a line for each room, in the order of first entry."""
    rooms: dict[str, list[str]] = {}
    for file in passed(name):
        room, _, module = file.removesuffix(".py").rpartition("/")
        rooms.setdefault(room or ".", []).append(module)
    width = max(map(len, rooms))
    return "".join(f"{room:<{width}}  {' · '.join(files)}\n" for room, files in rooms.items())


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in JOURNEYS:
        (FOLDER / f"{name}.txt").write_text(text(name), encoding="utf-8")
