"""What it costs to import a learner."""

import subprocess
import sys

_ASK = """
import sys
from assay import Perceptron
names = [name for name in sys.modules if name.split(".")[0] == "assay"]
print(len(names), *(name for name in names if name.split(".")[1:2] in (["kernels"], ["guarantees"])))
"""


def test_a_class_loads_neither_kernels_nor_theorems():
    answer = subprocess.run(
        [sys.executable, "-c", _ASK], capture_output=True, text=True, check=True
    )
    modules, *others = answer.stdout.split()
    assert int(modules) <= 30
    assert others == []
