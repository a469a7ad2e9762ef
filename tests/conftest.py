import os

from hypothesis import settings

# Machines are noisy, so no example has a deadline; on CI the examples are the same every time.
settings.register_profile("assay", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("assay")
