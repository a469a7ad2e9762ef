"""Importing assay, and verifying a certificate file in a fresh process."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from assay import certify

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


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.cert.json"
        certify(errors=50, rows=1000, delta=0.05).save(path)
        runs = [
            json.loads(
                subprocess.run(
                    [sys.executable, "-c", CODE, path], check=True, capture_output=True
                ).stdout
            )
            for _ in range(7)
        ]
    imported, verifier, first, again = (1e3 * min(column) for column in zip(*runs, strict=True))
    print(f"import assay: {imported:.0f} ms (goal 300 ms)")
    print(f"importing the verifier: {verifier:.0f} ms")
    print(f"verify, first in the process: {first:.0f} ms; again: {again:.1f} ms (goal 50 ms)")


if __name__ == "__main__":
    main()
