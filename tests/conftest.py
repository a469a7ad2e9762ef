import os

# Tests that share the cores must not each start a thread on all of them: waiting for one another, they take
# several times as long. It is read when NumPy is imported, so it comes first. Alone, tests use all cores.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from hypothesis import settings

# Machines are noisy, so no example has a deadline. The verdict on a commit is the same every time;
# `make explore` (and `make guarantees`) draw new examples.
explore = os.environ.get("ASSAY_EXPLORE") == "1"
settings.register_profile("assay", deadline=None, derandomize=not explore)
settings.load_profile("assay")
