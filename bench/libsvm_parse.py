"""Reading libsvm text: `assay.files.read_table` beside scikit-learn's `load_svmlight_file`.

Both read the same generated file, and must give the same bits, before they are timed in turns. One
line per kind of number in the file: six digits, and all 17, as `dump_svmlight_file` writes them.

    python bench/libsvm_parse.py [--rows N] [--repeat K]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from assay.compiled.text.libsvm import parse_text
from assay.data.libsvm import read_libsvm
from assay.files import read_table

NONZEROS = 40
FEATURES = 100_000


def write(path: Path, rows: int, digits: int) -> None:
    """Rows with 40 of 100,000 features, normal values of so many digits, and labels -1 and +1."""
    rng = np.random.default_rng(0)
    with open(path, "w") as file:
        for start in range(0, rows, 5_000):
            count = min(5_000, rows - start)
            indices = np.sort(rng.integers(1, FEATURES - NONZEROS, (count, NONZEROS)), axis=1)
            indices += np.arange(NONZEROS)
            values = rng.normal(size=(count, NONZEROS))
            labels = rng.choice([-1, 1], count)
            for label, places, numbers in zip(
                labels, indices.tolist(), values.tolist(), strict=True
            ):
                cells = (f"{i}:{v:.{digits}g}" for i, v in zip(places, numbers, strict=True))
                file.write(f"{label:+d} {' '.join(cells)}\n")


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def assert_equal(path: Path) -> None:
    ours = read_table(path)
    X, y = load_svmlight_file(str(path))
    assert ours.X.shape == X.shape
    assert np.array_equal(ours.X.data.view(np.uint64), X.data.view(np.uint64))
    assert np.array_equal(ours.X.indices, X.indices)
    assert np.array_equal(ours.X.indptr, X.indptr)
    assert np.array_equal(ours.y, y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=170_000, help="170,000 rows are about 100 MB")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for digits, rows in ((6, options.rows), (17, options.rows * 3 // 5)):
            path = Path(folder, f"{digits}.svm")
            write(path, rows, digits)
            assert_equal(path)
            compare(path, options.repeat, f"{digits:2} digits")


def compare(path: Path, repeat: int, name: str) -> None:
    ours, alone, theirs = [], [], []
    for _ in range(repeat):
        theirs.append(seconds(lambda: load_svmlight_file(str(path))))
        ours.append(seconds(lambda: read_table(path)))
        alone.append(seconds(lambda: read_libsvm([path], parse=one_thread)))
    size = path.stat().st_size / 1e6
    best, peer = min(ours), min(theirs)
    print(
        f"{name}, {size:4.0f} MB  ours {best:6.3f} s ({size / best:4.0f} MB/s)  "
        f"load_svmlight_file {peer:6.3f} s ({size / peer:3.0f} MB/s)  "
        f"ratio {peer / best:4.1f} (one thread {peer / min(alone):4.1f})  equal to the bit"
    )


def one_thread(text, read_line, least, most):  # type: ignore[no-untyped-def]
    return parse_text(text, read_line, least, most, threads=1)


if __name__ == "__main__":
    main()
