"""Importing assay, and verifying a certificate file in a fresh process."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from assay import certify

# Errors and rows: one decided in whole numbers, the slowest that still is, and two by enclosures.
CASES = ((50, 1_000), (199, 10_000), (0, 1_000_000), (5_000, 100_000))
IMPORT, VERIFY = 300.0, 50.0  # milliseconds: the goals
RUNS = 7

CODE = """
import json, sys, time
start = time.perf_counter()
import assay
assay_imported = time.perf_counter()
from assay import verify
imported = time.perf_counter()
assert assay.verify(sys.argv[1]).ok
first = time.perf_counter()
assert assay.verify(sys.argv[1]).ok
again = time.perf_counter()
print(json.dumps([assay_imported - start, imported - assay_imported, first - imported, again - first]))
"""


def timed(path: Path) -> list[float]:
    """Milliseconds: import assay, import the verifier, verify, verify again; the best of some runs."""
    command = [sys.executable, "-c", CODE, str(path)]
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        for _ in range(RUNS)
    ]
    return [1e3 * min(column) for column in zip(*runs, strict=True)]


def met(goal: bool) -> str:
    return "met" if goal else "MISSED"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.cert.json"
        for place, (errors, rows) in enumerate(CASES):
            certify(errors=errors, rows=rows, delta=0.05).save(path)
            imported, verifier, first, again = timed(path)
            if place == 0:
                print(
                    f"import assay: {imported:.0f} ms (goal {IMPORT:g} ms: {met(imported <= IMPORT)})"
                )
                print(f"importing the verifier: {verifier:.0f} ms")
            print(
                f"verify, {errors:,} of {rows:,}: first in the process {first:.0f} ms "
                f"(goal {VERIFY:g} ms: {met(first <= VERIFY)}); again {again:.1f} ms"
            )


if __name__ == "__main__":
    main()
