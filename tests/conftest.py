import os

from hypothesis import settings

# Machines are noisy, so no example has a deadline. The verdict on a commit is the same every time;
# `make explore` (and `make guarantees`) draw new examples.
explore = os.environ.get("ASSAY_EXPLORE") == "1"
settings.register_profile("assay", deadline=None, derandomize=not explore)
settings.load_profile("assay")
