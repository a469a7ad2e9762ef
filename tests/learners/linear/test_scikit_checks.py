"""The one check of scikit-learn that no learner runs passes where scikit-learn does run it."""

import os
import subprocess
import sys

from assay.learners.common import NOT_RUN

PROGRAM = """
from sklearn.utils.estimator_checks import estimator_checks_generator
from assay import Perceptron, SGDRegressor

for kind in (Perceptron, SGDRegressor):
    for model, check in estimator_checks_generator(kind()):
        if check.func.__name__ in {named}:
            check(model)
            print(kind.__name__, check.func.__name__)
"""


def test_what_is_not_run_for_want_of_a_setting_passes_with_it():
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("{named}", repr(set(NOT_RUN)))],
        env=os.environ | {"SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert len(set(found.stdout.splitlines())) == 2 * len(NOT_RUN)
