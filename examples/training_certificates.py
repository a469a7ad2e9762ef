"""What the training rows alone promise about a classifier, beside a holdout, on four real data sets.

Run by hand: ``python examples/training_certificates.py``. Each learner is looked at in two ways.

**Splits.** The rows are shuffled and split into training rows, a holdout, and test rows that nobody promised anything
from. Shown are the means over the splits: the error on the test rows, what the holdout promises, what the training
rows promise, and how often a promise lies below the error on the test rows. That happens to sound promises too, since
test rows are a sample themselves.

**Draws.** Here the data set is the population: training rows and holdout are drawn from it with replacement, so the
true error is known exactly: it is the error on all rows. A promise is broken if it lies below that. Draws are
independent, and each promise may break with probability delta, so how many do has a binomial tail. The last line
has the largest number, and how likely any of as many sound promises would reach it.

Scales, kernels and C are round numbers and the same in every split; nothing is fitted to the rows but the classifier.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from scipy.stats import binom
from threadpoolctl import threadpool_limits

from assay import (
    SVC,
    HingeLossLP,
    KernelMachine,
    KernelPerceptron,
    LinearSVC,
    LogisticRegression,
    Perceptron,
)
from assay.errors import BadParameter

FOLDER = Path(__file__).parent / "data"
SEED, DELTA = 0, 0.05
NAMES = ("spambase", "ionosphere", "sonar", "satellite")
GAMMA = {"spambase": 0.1, "ionosphere": 0.1, "sonar": 1.0, "satellite": 10.0}
LINEAR_C = {"spambase": 1.0, "ionosphere": 1.0, "sonar": 1.0, "satellite": 0.1}
NONE = "none applies"
MOST_ROWS = 1000  # of a split; a draw has 300


def load(name: str) -> tuple[Any, Any]:
    """The rows, brought to a common scale by fixed numbers, and the labels."""
    table = pq.read_table(FOLDER / f"{name}.parquet")
    y = np.array(table.column("target").to_pylist())
    X = np.column_stack([column.to_numpy() for column in table.drop_columns("target").columns])
    if name == "spambase":
        return np.log1p(X), y
    return (X / 255.0 if name == "satellite" else X.astype(float)), y


def learners(name: str) -> list[Any]:
    """The classifiers that are tried."""
    gamma = GAMMA[name]
    return [
        SVC(C=10.0, gamma=gamma),
        LinearSVC(loss="hinge", C=LINEAR_C[name], tol=1e-5, max_iter=50_000, random_state=SEED),
        KernelMachine("squared_hinge", gamma=gamma, alpha=0.05),
        LogisticRegression(),
        HingeLossLP(),
        Perceptron(max_iter=10, shuffle=False),
        KernelPerceptron(gamma=gamma, max_iter=10, shuffle=False),
    ]


@dataclass
class Tally:
    """What was found of one learner on one data set."""

    test: list[float] = field(default_factory=list)
    holdout: list[float] = field(default_factory=list)
    training: list[float] = field(default_factory=list)
    theorems: Counter[str] = field(default_factory=Counter)
    broken: list[int] = field(default_factory=lambda: [0, 0])

    def below(self) -> list[int]:
        """How often holdout and training rows promised less than the test rows showed."""
        pairs = zip(self.test, self.holdout, self.training, strict=True)
        counted = [(h < e, t < e) for e, h, t in pairs]
        return [sum(column) for column in zip(*counted, strict=True)]


def promises(model: Any, X: Any, y: Any, train: Any, holdout: Any) -> tuple[float, float, str]:
    """Fit; then what the holdout promises, what the training rows do, and by which theorem."""
    model.fit(X[train], y[train])
    # The table is what rows are drawn from, some of them twice: equal rows are separate draws.
    kept = model.certificate(X[holdout], y[holdout], delta=DELTA, overlap="keep").error
    try:
        tightest = model.training_promises(X[train], y[train], delta=DELTA).tightest
    except BadParameter:  # no theorem about this learner with so many classes
        return kept, 1.0, NONE
    return (kept, 1.0, "vacuous") if tightest is None else (kept, tightest.value, tightest.theorem)


def examine(name: str, splits: int, draws: int) -> list[tuple[Any, Tally]]:
    """Every learner on one data set."""
    (X, y), rng = load(name), np.random.default_rng(SEED)
    n, tallies = len(y), [(model, Tally()) for model in learners(name)]
    size = min(MOST_ROWS, n // 2)
    for _ in range(splits):
        order = rng.permutation(n)
        train, holdout, test = np.split(order, [size, size + min(size, (n - size) // 2)])
        for model, tally in tallies:
            kept, trained, by = promises(model, X, y, train, holdout)
            tally.test.append(float((model.predict(X[test]) != y[test]).mean()))
            tally.holdout.append(kept)
            tally.training.append(trained)
            tally.theorems[by] += 1
    size = min(300, n // 2)
    for _ in range(draws):
        train, holdout = rng.integers(n, size=size), rng.integers(n, size=size)
        if len(np.unique(y[train])) < len(np.unique(y)):
            continue  # a class is missing
        for model, tally in tallies:
            kept, trained, _ = promises(model, X, y, train, holdout)
            truth = float((model.predict(X) != y).mean())
            tally.broken[0] += kept < truth
            tally.broken[1] += trained < truth
    return tallies


def main(names: tuple[str, ...] = NAMES, splits: int = 5, draws: int = 20) -> int:
    """Print the table; the most promises of one kind that were broken."""
    heads = ("data set", "learner", "test", "holdout", "training", "by", "below test", "broken")
    widths = (10, 18, 6, 7, 8, 23, 10, 8)
    rule = " ".join("=" * width for width in widths)
    print("\n".join([rule, _line(heads, widths), rule]))
    worst = kinds = 0
    for name in names:
        for model, tally in examine(name, splits, draws):
            (low, less), (h, t) = tally.below(), tally.broken
            by = tally.theorems.most_common(1)[0][0]
            cells = (
                name,
                type(model).__name__,
                f"{np.mean(tally.test):.3f}",
                f"{np.mean(tally.holdout):.3f}",
                "-" if by == NONE else f"{np.mean(tally.training):.3f}",
                by,
                f"{low}, {less}",
                f"{h}, {t}",
            )
            print(_line(cells, widths))
            worst, kinds = max(worst, h, t), kinds + 2
    chance = min(1.0, kinds * binom.sf(worst - 1, draws, DELTA))
    print(rule)
    print(
        f"seed {SEED}, delta {DELTA}, {splits} splits; at most {worst} of {draws} draws broke a promise, and that one "
        f"of {kinds} sound ones would be broken so often has probability at most {chance:.2g}"
    )
    return worst


def _line(cells: tuple[str, ...], widths: tuple[int, ...]) -> str:
    return " ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--draws", type=int, default=20)
    asked = parser.parse_args()
    started = time.perf_counter()
    with threadpool_limits(1):  # the problems are small: threads would wait for each other
        main(splits=asked.splits, draws=asked.draws)
    print(f"{time.perf_counter() - started:.0f} s")
