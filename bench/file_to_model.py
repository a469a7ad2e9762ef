"""From a file to a model, one pass of logistic regression, beside Vowpal Wabbit.

Both read the same examples: VW its text and its cache, we libsvm text (whole) and Parquet (in chunks,
each learned while the next is read, as VW does) with lists of indices and lists of values. Results are
compared first, on a holdout.

    python bench/file_to_model.py [--rows N] [--repeat K]
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from measure import line, race

import assay

NONZEROS, FEATURES, HOLDOUT, CHUNK = 40, 100_000, 20_000, 2**15
# One over the expected squared length of a row with its constant: a step chosen before any row is seen.
STEP = 1 / (NONZEROS + 1)
VW = ["--quiet", "--loss_function", "logistic"]


def write(folder: Path, name: str, rows: int, seed: int) -> None:
    """Rows with 40 of 100,000 features, normal values, and labels drawn from a planted model."""
    planted = np.random.default_rng(0).normal(size=FEATURES)
    rng = np.random.default_rng(seed)
    indices = np.sort(rng.integers(0, FEATURES - NONZEROS, (rows, NONZEROS)), axis=1)
    indices += np.arange(NONZEROS)
    values = rng.normal(size=(rows, NONZEROS)).round(4)
    scores = 3 * (values * planted[indices]).sum(axis=1) / np.sqrt(NONZEROS)
    signs = np.where(rng.random(rows) < 1 / (1 + np.exp(-scores)), 1, -1)

    ends = pa.array(np.arange(0, indices.size + 1, NONZEROS), pa.int32())
    places = pa.array(indices.ravel(), pa.int32())
    numbers = pa.array(values.ravel())
    counted = pc.add(places, pa.scalar(1, pa.int32()))
    cells = pc.binary_join_element_wise(*(c.cast(pa.string()) for c in (counted, numbers)), ":")
    lines = pc.binary_join(pa.ListArray.from_arrays(ends, cells), " ")
    labels = pa.array(signs)
    for kind, between in (("svm", " "), ("vw", " | ")):
        text = pc.binary_join_element_wise(labels.cast(pa.string()), lines, between)
        (folder / f"{name}.{kind}").write_text("\n".join(text.to_pylist()) + "\n")
    # As plain as VW's cache: not compressed, and no cell declared as possibly missing.
    plain = {"compression": "none", "use_dictionary": False}
    for kind, nullable, form in (("parquet", False, plain), ("default.parquet", True, {})):
        lists = [
            pa.ListArray.from_arrays(ends, held, pa.list_(pa.field("element", held.type, nullable)))
            for held in (places, numbers.cast(pa.float32()))
        ]
        columns = [*lists, labels]
        names = ("indices", "values", "label")
        fields = [
            pa.field(*of, nullable) for of in zip(names, (c.type for c in columns), strict=True)
        ]
        table = pa.Table.from_arrays(columns, schema=pa.schema(fields))
        pq.write_table(table, folder / f"{name}.{kind}", **form)


def learner(step: float):
    return assay.SGDClassifier(
        loss="logistic", alpha=0, learning_rate="constant", eta0=step, max_iter=1, tol=None, shuffle=False
    )  # fmt: skip


def learn(path: Path, step: float = STEP):
    """All of it: read and learn. How many features there are is known, as VW knows its 2^18 weights."""
    known = {"features": FEATURES, "dtype": np.float32}
    if path.suffix != ".parquet":
        examples = assay.read_table(path, zero_based=False, **known)
        return learner(step).fit(examples.X, examples.y)
    model = learner(step)
    for chunk in assay.read_table(path, target="label", chunk_rows=CHUNK, **known):
        model.partial_fit(chunk.X, chunk.y, classes=[-1, 1])
    return model


def vw(*arguments) -> None:
    from vowpalwabbit import Workspace

    Workspace(arg_list=[*VW, *map(str, arguments)]).finish()


def cached(folder: Path) -> list[Path | str]:
    """What tells VW to read its cache, or to write it where there is none."""
    return ["-d", folder / "train.vw", "--cache_file", folder / "train.cache"]


def losses(scores, signs):
    """The log loss and the error of every row."""
    return np.logaddexp(0, -signs * scores), (signs * scores < 0).astype(float)


def compare(folder: Path) -> None:
    """Assert that our results are no worse than VW's, each at the rate it comes with."""
    train, test = folder / "train.svm", folder / "test.svm"
    ours, columns = learn(train), learn(train.with_suffix(".parquet"))
    assert np.array_equal(ours.coef_, columns.coef_), "text and Parquet give different models"
    holdout = assay.read_table(test, features=FEATURES, zero_based=False)

    def vw_losses(rate):
        model, found = folder / "vw.model", folder / "vw.scores"
        vw(*cached(folder), "-l", rate, "-f", model)
        vw("-d", test.with_suffix(".vw"), "-t", "-i", model, "-p", found)
        return losses(np.loadtxt(found), holdout.y)

    def our_losses(model):
        return losses(model.decision_function(holdout.X), holdout.y)

    print(
        f"results on {HOLDOUT:,} rows held out; ours at step 1 / mean squared length, VW at -l 0.5:"
    )
    theirs = {rate: vw_losses(rate) for rate in (0.5, 1, 2)}
    for name, mine, its in zip(("log loss", "error"), our_losses(ours), theirs[0.5], strict=True):
        noise = (mine - its).std() / np.sqrt(HOLDOUT)
        assert mine.mean() <= its.mean() + 2 * noise, f"{name} is worse than VW's"
        print(f"  {name} {mine.mean():.4f}, VW {its.mean():.4f} (noise {noise:.4f}): no worse")
    mine = min(our_losses(learn(train, STEP * k))[0].mean() for k in (1, 2, 4))
    its = min(found[0].mean() for found in theirs.values())
    print(
        f"  log loss at the best of three rates, 1, 2 and 4 times these: {mine:.4f}, VW {its:.4f}"
    )


def warm(folder: Path, repeat: int) -> None:
    """In a process that has learned before; VW's start-up is measured on one example."""
    text, one = folder / "train.vw", folder / "one.vw"
    with open(text) as file:
        one.write_text(file.readline())
    best = race(
        {
            "text": lambda: learn(folder / "train.svm"),
            "VW text": lambda: vw("-d", text),
            "Parquet": lambda: learn(folder / "train.parquet"),
            "VW cache": lambda: vw(*cached(folder)),
            "default": lambda: learn(folder / "train.default.parquet"),
            "VW start": lambda: vw("-d", one),
        },
        repeat,
    )
    start = best["VW start"]
    print(f"warm process, VW in the same process and without its start-up of {start:.3f} s:")
    line("  libsvm text", best["text"], best["VW text"] - start, "VW text", 1.5)
    line("  Parquet, plain", best["Parquet"], best["VW cache"] - start, "VW cache", 2.5)
    ratio = (best["VW cache"] - start) / best["default"]
    print(f"  Parquet as pyarrow writes it if not told: {best['default']:.4g} s, ratio {ratio:.2f}")


def cold(folder: Path) -> None:
    """New processes, imports included; there is no goal for these."""
    ours = [sys.executable, __file__, "--learn"]
    theirs = [sys.executable, "-m", "vowpalwabbit", *VW]
    text = ["-d", folder / "train.vw"]
    best = race(
        {
            "text": lambda: subprocess.run([*ours, folder / "train.svm"], check=True),
            "VW text": lambda: subprocess.run([*theirs, *text], check=True),
            "Parquet": lambda: subprocess.run([*ours, folder / "train.parquet"], check=True),
            "VW cache": lambda: subprocess.run([*theirs, *cached(folder)], check=True),
        },
        3,
    )
    for mine, its in (("text", "VW text"), ("Parquet", "VW cache")):
        ratio = best[its] / best[mine]
        print(
            f"new process, {mine}: {best[mine]:.2f} s, {its} {best[its]:.2f} s, ratio {ratio:.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--learn", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.learn:
        learn(options.learn)
        return
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, "train", options.rows, seed=1)
        write(folder, "test", HOLDOUT, seed=2)
        size = (folder / "train.svm").stat().st_size / 1e6
        print(
            f"{options.rows:,} rows of {NONZEROS} nonzeros, {size:.0f} MB of text, logistic loss, one pass"
        )
        compare(folder)
        warm(folder, options.repeat)
        cold(folder)
    print(f"({time.perf_counter() - start:.0f} s)")


if __name__ == "__main__":
    main()
