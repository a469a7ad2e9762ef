import os

# Tests that share the cores must not each start a thread on all of them: waiting for one another, they take
# several times as long. It is read when NumPy is imported, so it comes first. Alone, tests use all cores.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import contextlib
import importlib
from pathlib import Path

import narwhals.dependencies
import numpy as np
import pytest
from hypothesis import settings

HERE = Path(__file__).parent


def told_at_once(is_native):
    """Whether something is a frame or a series: an array never is, whatever its class is searched for.

    scikit-learn asks narwhals that of every array that it is given, several times over, and the search takes most
    of the time in which an array is checked.
    """

    def told(given):
        return type(given) is not np.ndarray and is_native(given)

    return told


for question in ("_is_native_dataframe", "_is_native_series"):
    if hasattr(narwhals.dependencies, question):
        is_native = getattr(narwhals.dependencies, question)
        setattr(narwhals.dependencies, question, told_at_once(is_native))

# Machines are noisy, so no example has a deadline. The verdict on a commit is the same every time, so that the same
# examples are few; `make explore` (and `make guarantees`) draw new ones, and more of them.
explore = os.environ.get("ASSAY_EXPLORE") == "1"
examples = 100 if explore else 40
settings.register_profile("assay", deadline=None, derandomize=not explore, max_examples=examples)
settings.load_profile("assay")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Let each worker of a run of all tests import another part of them first.

    Every worker imports all tests. Their bytecode, with the assertions that pytest rewrites, is kept on disk: what
    one worker has made, the others find there, unless all make the same at the same time.
    """
    place = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    if not place or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    files = sorted(HERE.rglob("test_*.py"))
    first = len(files) * place // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for path in files[first:]:
        name = ".".join(path.relative_to(HERE.parent).with_suffix("").parts)
        with contextlib.suppress(Exception, pytest.skip.Exception):  # said when it is collected
            importlib.import_module(name)


def pytest_sessionstart(session):
    session.config.stash[ENTRIES] = entries(session)


def pytest_sessionfinish(session):
    """Refuse tests that leave files behind in the folder that they are run from."""
    left = entries(session) - session.config.stash.get(ENTRIES, entries(session))
    if left and "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"\nThe tests have left {', '.join(sorted(left))} in {session.config.rootpath}.")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


ENTRIES = pytest.StashKey[set[str]]()


def entries(session):
    """What is in the folder, but for caches, which are hidden."""
    return {name for name in os.listdir(session.config.rootpath) if not name.startswith(".")}
