"""Kernel ridge regression: seconds to fit, and memory, against scikit-learn, at equal weights."""

import os
import subprocess
import sys

import numpy as np
from measure import line, race
from sklearn.kernel_ridge import KernelRidge as Peer

from assay import KernelRidge

N, FEATURES = 8000, 20
TERMS = {"alpha": 1.0, "kernel": "rbf", "gamma": 0.05}
# The highest memory of a process that fits once, above what it held before (Linux).
PROBE = """
import re
from kernel_ridge import problem, TERMS
from assay import KernelRidge
X, y = problem()
KernelRidge(**TERMS, dtype={dtype!r}).fit(X[:300], y[:300])
def most():
    return int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
before = most()
KernelRidge(**TERMS, dtype={dtype!r}).fit(X, y)
print((most() - before) * 1024)
"""


def problem():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, FEATURES))
    return X, np.sin(X[:, 0]) + 0.1 * rng.standard_normal(N)


def memory(dtype):
    here = os.path.dirname(__file__)
    program = [sys.executable, "-c", PROBE.format(dtype=dtype)]
    found = subprocess.run(program, cwd=here, check=True, capture_output=True, text=True)
    return int(found.stdout) / (N * N * np.dtype(dtype).itemsize)


def main():
    X, y = problem()
    found = {}

    def fit(name, model):
        found[name] = model.fit(X, y)

    contenders = {
        "scikit-learn": lambda: fit("scikit-learn", Peer(**TERMS)),
        "float64": lambda: fit("float64", KernelRidge(**TERMS)),
        "float32": lambda: fit("float32", KernelRidge(**TERMS, dtype="float32")),
    }
    seconds = race(contenders, repeats=3)
    theirs = found["scikit-learn"].dual_coef_
    for name, goal, near in (("float64", 1.8, 1e-9), ("float32", 3, 1e-3)):
        apart = np.abs(found[name].dual_coef_ - theirs).max() / np.abs(theirs).max()
        assert apart < near, (name, apart)
        what = f"KernelRidge, {N:,} rows, {name}, weights equal to {apart:.0e}"
        line(what, seconds[name], seconds["scikit-learn"], "scikit-learn", goal)
        held = memory(name)
        verdict = "met" if held <= 1.2 else "MISSED"
        print(f"memory, {name}: {held:.2f} of the kernel matrix (goal 1.2) {verdict}", flush=True)


if __name__ == "__main__":
    main()
