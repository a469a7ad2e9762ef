"""What the base install answers, printed; with names of packages as arguments, as if those were not installed."""

from __future__ import annotations

import dataclasses
import importlib.abc
import json
import sys
import tempfile
from pathlib import Path


class _Refuse(importlib.abc.MetaPathFinder):
    def __init__(self, packages):
        self.packages = packages

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.packages:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def columns():
    import numpy as np

    rng = np.random.default_rng(0)
    truth, guess = rng.integers(3, size=(2, 2000))
    words = np.array(["ham", "spam", "eggs"])
    yield "numbers", truth, guess
    yield "few numbers as floats", truth.astype(float), guess.tolist()
    yield "far apart", (truth * 10**12 - 5).tolist(), guess * 10**12 - 5
    yield "text", words[truth], words[guess].tolist()
    yield "objects", words[truth].astype(object), words[guess]
    yield "truth values", truth > 0, (guess > 0).tolist()
    yield "truth values and numbers", [True, 0, 1.0], [1, 0, 0]
    yield "large", [2**63 + 1, 2**63], [2**63, 2**63]
    yield "decimals", [1, 2.0, True], np.array([1, 2, 1], dtype=np.uint8)


def frames():
    import pandas as pd
    import polars as pl

    held = {
        "a": [1, 2, 3],
        "b": ["x", "01", "z"],
        "c": [True, False, True],
        "d": [0.5, 1e300, -2.0],
    }
    gaps = {
        "a": [1.5, None, 2.0],
        "b": ["NA", None, " 1e0"],
        "c": ["true", "?", "1152921504606846977"],
    }
    for library in (pd, pl):
        yield library.DataFrame(held)
        yield library.DataFrame(gaps)
    yield [[1, "a", None, 2**60 + 1], [2, "b", None, None], [3, " ", None, 0]]
    yield [[0.1, True], [1.0, False]]


def files(folder):
    rows = ["1,0,true,0.25,ham,ann", "0,0,false,0.5,spam,ann", "1,1,true,1,ham,bob"]
    for name, separator in (("t.csv", ","), ("t.tsv", "\t")):
        text = "\n".join(["y,guess,flag,loss,kind,who", *rows, ""]).replace(",", separator)
        (folder / name).write_text(text, encoding="utf-8")
        yield folder / name
    odd = 'y,guess,flag,loss,kind,who\n01,1,TRUE,0,"é, è",a\n\n2,1,False,1e-3,NA,b\n'
    (folder / "odd.csv").write_text(odd, encoding="utf-8")
    yield folder / "odd.csv"


def evidence(folder):
    from assay.certificates.issue.evidence_sources import from_loss_table, from_table
    from assay.evidence.evidence import Evidence, from_labels, from_losses, from_pairs
    from assay.evidence.rows import row_digests, rows_digest
    from assay.evidence.units import unit_counts

    def told(found: Evidence):
        return found, found.tally, found.losses

    for name, truth, guess in columns():
        yield name, told(from_pairs([(truth, guess)], unseen="wrong", partition=True))
        yield name, from_labels(truth, guess, groups={"truth": truth}, unseen="wrong").groups
    for frame in frames():
        yield "rows", rows_digest(row_digests(frame))
    for losses in ([0, 1, 1], [0.5, 0.25], [True, False], [1, 0.5]):
        yield "losses", told(from_losses([losses]))
    yield "units", unit_counts([True, False, True], ["a", "a", "b"])
    yield "units", unit_counts([True, False, True], [1, 2, 2])
    for path in files(folder):
        for pair in (("y", "guess"), ("flag", "flag"), ("kind", "kind"), ("flag", "y")):
            if pair[0] != pair[1]:
                yield path.name, told_or_refused(path, pair, from_table)
        yield path.name, told(from_loss_table(path, loss="loss"))
        yield path.name, told_or_refused(path, ("y", "guess"), from_table, unit="who")
        for by in ("kind", "flag*who", "loss"):
            yield path.name, told_or_refused(path, ("y", "guess"), from_table, by=[by])
    for refused in (
        [None, 1],
        ["a", 1],
        [0.5],
        [float("nan")],
        [[1], [2]],
        {1},
        "text",
        [b"x"],
        ["\ud800"],
    ):
        try:
            yield "refused", from_pairs([(refused, refused)])
        except Exception as problem:
            yield "refused", type(problem).__name__


def told_or_refused(path, pair, read, **how):
    from assay.errors import AssayError

    try:
        return read(path, truth=pair[0], prediction=pair[1], unseen="wrong", partition=True, **how)
    except AssayError as refusal:
        return str(refusal).replace(str(path.parent), "")


def sentences():
    """What is said of everything that needs an extra: public names, learners by name, figures."""
    import assay
    from assay.errors import MissingExtra
    from assay.learners.registry import find_learner, learner_names

    for name in learner_names():
        try:
            find_learner(name)
        except MissingExtra as refusal:
            yield str(refusal)
    for name in assay.__all__:
        try:
            getattr(assay, name)
        except MissingExtra as refusal:
            yield str(refusal)


def certificates(root):
    """What is found of every golden file."""
    from assay import verify

    for folder in ("certificates/**/golden", "goldens/*/certificates"):
        for path in sorted(root.glob(f"{folder}/*.json")):
            yield f"{path.name}: {verify(path)}"


def commands(lines):
    """What a shell would see of each command line, all in this process: exit code, output, errors."""
    sys.path.insert(0, str(ROOT))
    from tests.cli.runner import run

    return [dataclasses.astuple(run(*line)) for line in lines]


ROOT = Path(__file__).parents[2]

if __name__ == "__main__":
    what, *packages = sys.argv[1:]
    sys.meta_path.insert(0, _Refuse(packages))
    if what == "evidence":
        with tempfile.TemporaryDirectory() as place:
            for name, answer in evidence(Path(place)):
                print(name, answer)
    elif what == "sentences":
        print("\n".join(sentences()))
    elif what == "certificates":
        print("\n".join(certificates(ROOT / "tests")))
    else:
        print(json.dumps(commands(json.load(sys.stdin))))
