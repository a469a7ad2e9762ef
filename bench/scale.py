"""What fits over blocks cost against the number of rows: time, the slope of it, and the memory that they take.

    python bench/scale.py [ROWS ...]

Rows are generated into a folder of Parquet that is as large as the most of them; each learner then learns growing
parts of it, one block after the other, in a process of its own. Of `HistGradientBoostingClassifier` the memory grows
by about a byte a cell and 13 bytes a row, that of the others does not grow.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COLUMNS = 20
LEARNERS = {
    "GaussianNB": {},
    "Ridge": {},
    "LogisticRegression": {},
    "LinearSVC": {},
    "HistGradientBoostingClassifier": {"max_iter": 10, "early_stopping": False},
}


def write(folder: Path, rows: int) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, step = np.random.default_rng(0), 2**18
    for place, start in enumerate(range(0, rows, step)):
        X = rng.normal(size=(min(step, rows - start), COLUMNS))
        y = X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=len(X)) > 0
        columns = {f"x{j}": X[:, j] for j in range(COLUMNS)} | {"y": y.astype(np.int64)}
        pq.write_table(pa.table(columns), folder / f"{place:05}.parquet", row_group_size=2**16)


def learn(name: str, folder: str) -> None:
    """In a process of its own: seconds, and the megabytes that were added to what imports and compiled loops take."""
    import resource

    import numpy as np

    import assay
    from assay.distributed import fit

    def made():
        return getattr(assay, name)(**LEARNERS[name])

    rng = np.random.default_rng(0)
    fit(made(), rng.normal(size=(3000, COLUMNS)), rng.integers(2, size=3000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.perf_counter()
    fit(made(), folder, "y")
    seconds = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([seconds, (after - before) / 1024]))


def main(counts: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for rows in counts:
            (Path(folder) / str(rows)).mkdir()
            write(Path(folder) / str(rows), rows)
        for name in LEARNERS:
            costs = []
            for rows in counts:
                command = [sys.executable, __file__, "--learn", name, str(Path(folder) / str(rows))]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                costs.append(json.loads(done.stdout))
                seconds, megabytes = costs[-1]
                print(
                    f"{name:32} {rows:>12,} rows {seconds:9.2f} s {megabytes:8.0f} MB more",
                    flush=True,
                )
            if len(counts) > 1:
                slope = math.log(costs[-1][0] / costs[-2][0]) / math.log(counts[-1] / counts[-2])
                print(f"{name:32} slope {slope:.2f}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--learn"]:
        learn(*sys.argv[2:])
    else:
        main([int(rows) for rows in sys.argv[1:]] or [1_000_000, 4_000_000])
