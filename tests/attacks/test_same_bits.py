"""One result, whatever the memory holds beside it, however the rows come, and whatever the processor can do."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from assay.learners.registry import find_learner, learner_names
from tests.attacks.same_bits import COMPACT, SCENES, SIZES, WITHOUT, Place, digest_of

# What NumPy decides by processor while it runs.
_UFUNCS = (
    sys.modules.get("numpy._core._multiarray_umath") or sys.modules["numpy.core._multiarray_umath"]
)
_NUMPY = " ".join(_UFUNCS.__cpu_dispatch__)
# The C library's other versions of exp, log and pow.
_OLD_LIBRARY = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable"}
SETTINGS = {
    "another processor": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "another library": _OLD_LIBRARY | {"NPY_DISABLE_CPU_FEATURES": _NUMPY},
    "both": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""} | _OLD_LIBRARY,
}


def learned(name, runs):
    """The digests of so many runs, each at another place, and in pieces of changing size."""
    sizes = (None, *SIZES)
    return {digest_of(name, Place(run), sizes[run % len(sizes)]) for run in range(runs)}


@pytest.mark.parametrize("name", SCENES)
def test_where_the_numbers_lie_and_how_they_come_changes_nothing(name):
    assert len(learned(name, 20)) == 1


@pytest.mark.guarantees
@pytest.mark.parametrize("name", SCENES)
def test_two_hundred_runs_agree(name):
    assert len(learned(name, 200)) == 1


def test_a_sum_that_the_compiler_may_regroup_would_be_noticed():
    """The broken twin: the same numbers, added in another order."""
    numbers = np.random.default_rng(0).normal(size=40)
    pairwise, in_order = float(np.sum(numbers)), float(np.cumsum(numbers)[-1])
    assert pairwise != in_order
    assert pairwise == pytest.approx(in_order, rel=1e-12)


def test_every_online_learner_and_policy_has_its_scene():
    played = {name.split()[0] for name in SCENES}
    for name in learner_names():
        found = find_learner(name)
        online = hasattr(found, "partial_fit") or hasattr(found, "play")
        if online and name not in WITHOUT:
            assert found.__name__ in played, name


def elsewhere(setting, names):
    """The digests of a process of its own."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.attacks.same_bits", *names],
        env=os.environ | setting | {"PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("setting", ["another processor", "another library"])
def test_another_machine_finds_the_same(setting):
    found = elsewhere(SETTINGS[setting], COMPACT)
    assert found == {name: digest_of(name, Place(1), None) for name in COMPACT}


@pytest.mark.guarantees
@pytest.mark.parametrize("setting", SETTINGS)
def test_another_machine_finds_the_same_of_everything(setting):
    found = elsewhere(SETTINGS[setting], list(SCENES))
    here = {name: digest_of(name, Place(1), None) for name in SCENES}
    assert [name for name in SCENES if found[name] != here[name]] == []
