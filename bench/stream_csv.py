"""`assay stream` on a CSV of 1 GB, as a user runs it, against River's progressive loop over the same file."""

import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import numpy as np
from measure import line

SIZE = 10**9
FEATURES = [f"x{j}" for j in range(20)]
PREFIX = 100_000
COMMAND = ["--target", "target", "--learner", "perceptron"]


def write(path, head) -> int:
    """A file of about `SIZE` bytes and its first `PREFIX` rows apart; how many rows it has.

    The rows of one block come again and again, which changes nothing for either reader.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(PREFIX, len(FEATURES))).round(5)
    y = (X @ rng.normal(size=len(FEATURES)) + rng.normal(size=PREFIX) > 0).astype(int)
    y[0] = 0  # what happens at a score of zero is then known; see `agree`
    block = b"".join(
        ",".join([*map(repr, x.tolist()), str(label)]).encode() + b"\n"
        for x, label in zip(X, y.tolist(), strict=True)
    )
    header = ",".join([*FEATURES, "target"]).encode() + b"\n"
    times = -(-SIZE // len(block))
    with open(path, "wb") as file:
        file.write(header)
        for _ in range(times):
            file.write(block)
    head.write_bytes(header + block)
    return times * PREFIX


def assay(path, certificate, *options):
    """Seconds and peak resident bytes of the command in a process of its own; rows and errors."""
    executable = Path(sys.executable).with_name("assay")
    start = time.perf_counter()
    process = subprocess.Popen(
        [executable, "stream", path, *COMMAND, "--certificate", certificate, *options],
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"assay stream ended with {process.returncode}")
    scale = 1 if sys.platform == "darwin" else 1024
    seen = json.loads(certificate.read_text())["claims"][0]["inputs"]
    return seconds, usage.ru_maxrss * scale, seen["rows"], seen["errors"]


def river(path):
    """Seconds and errors of River over the first `PREFIX` rows."""
    from river import linear_model, metrics, stream

    converters = dict.fromkeys(FEATURES, float) | {"target": lambda text: text == "1"}
    start = time.perf_counter()
    model, metric = linear_model.Perceptron(), metrics.Accuracy()
    rows = stream.iter_csv(str(path), target="target", converters=converters)
    for x, y in islice(rows, PREFIX):
        metric.update(y, model.predict_one(x))
        model.learn_one(x, y)
    return time.perf_counter() - start, round(PREFIX * (1 - metric.get()))


def agree(ours, theirs):
    """At a score of zero assay says 1, and River 0, from which it learns though it was right.

    The score is zero on the first row only, whose label is 0: the weights stay the same throughout, and
    assay counts one mistake more.
    """
    print(
        f"mistakes on the first {PREFIX:,} rows: {ours:,}, River {theirs:,}; as they should "
        f"(one apart, at the score of zero on the first row): {ours == theirs + 1}"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, head = Path(folder, "numbers.csv"), Path(folder, "head.csv")
        rows = write(path, head)
        certificate, model = Path(folder, "stream.json"), Path(folder, "stream.assay")
        _, _, _, ours = assay(head, certificate)
        best, peak, peer = float("inf"), 0, float("inf")
        for _ in range(2):
            seconds, most, learned, _ = assay(path, certificate, "--out", model)
            best, peak = min(best, seconds), max(peak, most)
            seconds, theirs = river(path)
            peer = min(peer, seconds * rows / PREFIX)
        agree(ours, theirs)
        size = path.stat().st_size
    if learned != rows:
        raise SystemExit(f"assay stream learned {learned:,} of {rows:,} rows")
    line(
        f"assay stream, {size / 1e9:.2f} GB, {rows:,} rows x {len(FEATURES)}, with certificate and model",
        best,
        peer,
        f"River (its {PREFIX:,} rows times {rows // PREFIX})",
        10,
    )
    verdict = "met" if peak < 500e6 else "MISSED"
    print(f"  peak memory: {peak / 1e6:.0f} MB (goal 500 MB) {verdict}")


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"({time.perf_counter() - start:.0f} s)")
