"""Certifying the predictions in a Parquet file, beside merely reading them with pyarrow.

One line per case: the best time of ours (all of `certify`: scan, counts and both digests in one pass,
then the exact bound and the sealed document), the best time of ``pyarrow.parquet.read_table`` on the
same two columns, their ratio, and the peak memory of a fresh process that does ours alone.

    python bench/certify_parquet.py [--rows N] [--repeat K]
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from assay.certificates.certificate import Certificate
from assay.certificates.issue.certify import certify_evidence
from assay.certificates.issue.evidence_sources import from_table

COLUMNS = ["truth", "prediction"]
MOST_RATIO, MOST_MEGABYTES = 2.0, 500.0


def labels(rows: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Uniform labels, and predictions that are wrong on 5 % of the rows."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, classes, rows)
    wrong = rng.random(rows) < 0.05
    return truth, np.where(wrong, (truth + rng.integers(1, classes, rows)) % classes, truth)


CASES: dict[str, tuple[int, Callable[[np.ndarray], pa.Array]]] = {
    "int64, 2 classes": (2, pa.array),
    "int64, 10 classes": (10, pa.array),
    "bool": (2, lambda codes: pa.array(codes.astype(bool))),
    "string, 2 classes": (2, lambda codes: pa.array(np.array(["ham", "spam"])[codes])),
    "string, 10 classes": (10, lambda codes: pa.array(np.array([f"class {k}" for k in range(10)])[codes])),
}  # fmt: skip


def certified(path: Path) -> Certificate:
    evidence = from_table(path, truth=COLUMNS[0], prediction=COLUMNS[1])
    return certify_evidence(evidence, delta="0.05")


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best_times(path: Path, repeat: int) -> tuple[float, float]:
    """Ours and pyarrow's, taken in turns so that a busy moment of the machine hits both."""
    ours, theirs = [], []
    for _ in range(repeat):
        theirs.append(seconds(lambda: pq.read_table(path, columns=COLUMNS)))
        ours.append(seconds(lambda: certified(path)))
    return min(ours), min(theirs)


def peak_so_far() -> float:
    """This process's peak memory; Linux lets getrusage inherit the peak of the parent."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read_text())[1]) / 2**10
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def peak_megabytes(path: Path) -> float:
    command = [sys.executable, __file__, "--peak-of", str(path)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def met(goal: bool) -> str:
    return "met" if goal else "MISSED"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--peak-of", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peak_of:
        certified(options.peak_of)
        print(peak_so_far())
        return
    goals = f"(goals: ratio at most {MOST_RATIO:g}, less than {MOST_MEGABYTES:g} MB)"
    print(f"{options.rows:,} rows, two columns {goals}")
    with tempfile.TemporaryDirectory() as folder:
        for name, (classes, column) in CASES.items():
            path = Path(folder, "predictions.parquet")
            truth, prediction = labels(options.rows, classes)
            arrays = [column(truth), column(prediction)]
            pq.write_table(pa.Table.from_arrays(arrays, names=COLUMNS), path)
            errors = certified(path).claims[0].inputs["errors"]
            assert errors == np.count_nonzero(truth != prediction)
            del truth, prediction, arrays
            ours, theirs = best_times(path, options.repeat)
            ratio, peak = ours / theirs, peak_megabytes(path)
            print(
                f"{name:20}  certify {ours * 1e3:7.1f} ms  pyarrow {theirs * 1e3:7.1f} ms  "
                f"ratio {ratio:4.2f} {met(ratio <= MOST_RATIO)}  "
                f"peak {peak:4.0f} MB {met(peak < MOST_MEGABYTES)}"
            )


if __name__ == "__main__":
    main()
