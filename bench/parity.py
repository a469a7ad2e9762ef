"""Whether assay's classes are as accurate as scikit-learn's of the same name: 26 configurations on 14 real sets.

    python bench/parity.py [--splits 20] [--sets iris,wine] [--only Perceptron,SVC]

Both are fitted on the same two thirds of the rows, in the same order, with seeds of their own, and scored on the rest:
accuracy for labels, R² for numbers. If the two are the same up to their seeds, the differences of the splits are
independent with mean zero; a cell of the table is beyond two standard errors with the chance that Student's t says.
Every cell beyond is printed, and the count is held against what chance allows. Two broken twins go along: a
perceptron that keeps the order of rows sorted by class, and a support vector machine that is told another C.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn.ensemble
import sklearn.kernel_ridge
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.neighbors
import sklearn.neural_network
import sklearn.svm
import sklearn.tree
from scipy.stats import binom
from scipy.stats import t as student
from sklearn import datasets
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

import assay

DATA = Path(__file__).parents[1] / "examples" / "data"
#: The most rows of a set that are used; drawn once, the same for both.
MOST = 1500
#: How seldom a sound table is to fail.
ALARM = 0.01

NUMBERS = ("diabetes", "elec2 demand")
LABELS = (
    *("iris", "wine", "breast cancer", "digits"),
    *("spambase", "ionosphere", "sonar", "vehicle", "satellite", "pima", "house votes 84"),
    "heart scale",
)


@cache
def rows_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The features and targets of a set."""
    if name in ("iris", "wine", "breast cancer", "digits", "diabetes"):
        X, y = getattr(datasets, f"load_{name.replace(' ', '_')}")(return_X_y=True)
    elif name == "heart scale":
        X, y = datasets.load_svmlight_file(str(DATA / "heart_scale.svmlight"))
        X = X.toarray()
    else:
        table = pd.read_parquet(DATA / f"{name.removesuffix(' demand').replace(' ', '_')}.parquet")
        target = "nswdemand" if name == "elec2 demand" else "target"
        y = table.pop(target).to_numpy()
        X = table.astype(float).fillna(0.5).to_numpy()  # a vote that was not cast
    kept = np.random.default_rng(0).permutation(len(y))[:MOST]
    return np.asarray(X, dtype=float)[kept], y[kept]


@dataclass(frozen=True)
class Configuration:
    """A class that both have, and what it is told."""

    name: str
    module: str
    told: dict[str, Any]
    seeded: bool = False

    @property
    def title(self) -> str:
        return self.name + "".join(f" {key}={value}" for key, value in self.told.items())

    def ours(self, seed: int) -> Any:
        return getattr(assay, self.name)(**self.told, **self._seed(seed))

    def theirs(self, seed: int) -> Any:
        kind = getattr(getattr(sklearn, self.module), self.name)
        return kind(**self.told, **self._seed(1000 + seed))

    def _seed(self, seed: int) -> dict[str, int]:
        return {"random_state": seed} if self.seeded else {}


def _own(name: str, module: str, **told: Any) -> Configuration:
    return Configuration(name, module, told)


def _drawn(name: str, module: str, **told: Any) -> Configuration:
    return Configuration(name, module, told, seeded=True)


CLASSIFIERS = (
    _drawn("Perceptron", "linear_model"),
    _own("LogisticRegression", "linear_model", max_iter=1000),
    _own("LogisticRegression", "linear_model", C=0.05, max_iter=1000),
    _drawn("LinearSVC", "svm", max_iter=10000),
    _own("SVC", "svm"),
    _own("SVC", "svm", kernel="linear", C=0.1),
    _own("SVC", "svm", kernel="poly", degree=2),
    _drawn("SGDClassifier", "linear_model"),
    _drawn("SGDClassifier", "linear_model", loss="log_loss", alpha=0.001),
    _drawn("DecisionTreeClassifier", "tree"),
    _drawn("DecisionTreeClassifier", "tree", criterion="entropy", max_depth=5),
    _drawn("RandomForestClassifier", "ensemble", n_estimators=30),
    _drawn("BaggingClassifier", "ensemble"),
    _drawn("AdaBoostClassifier", "ensemble"),
    _drawn("HistGradientBoostingClassifier", "ensemble", max_iter=20),
    _own("GaussianNB", "naive_bayes"),
    _own("BernoulliNB", "naive_bayes"),
    _own("KNeighborsClassifier", "neighbors"),
    _drawn("MLPClassifier", "neural_network", hidden_layer_sizes=(20,), max_iter=60),
)
REGRESSORS = (
    _own("Ridge", "linear_model"),
    _own("KernelRidge", "kernel_ridge", kernel="rbf"),
    _own("SVR", "svm", C=10.0),
    _drawn("SGDRegressor", "linear_model"),
    _drawn("DecisionTreeRegressor", "tree"),
    _drawn("RandomForestRegressor", "ensemble", n_estimators=30),
    _drawn("HistGradientBoostingRegressor", "ensemble", max_iter=30),
)


@dataclass(frozen=True)
class Cell:
    """The scores of both on the splits of a set."""

    title: str
    rows: str
    ours: np.ndarray
    theirs: np.ndarray

    @property
    def off(self) -> float:
        return float((self.ours - self.theirs).mean())

    @property
    def error(self) -> float:
        """The standard error of the mean difference."""
        return float((self.ours - self.theirs).std(ddof=1) / np.sqrt(len(self.ours)))

    @property
    def beyond(self) -> bool:
        """Whether the difference is beyond two standard errors, and is one that anybody could see."""
        return abs(self.off) > max(2 * self.error, 1e-9)

    @property
    def drawn(self) -> bool:
        """Whether anything differs, so that the cell could have been beyond."""
        return bool(np.any(np.abs(self.ours - self.theirs) > 1e-9))


def split_rows(name: str, splits: int, *, by_class: bool = False) -> Iterator[tuple[Any, ...]]:
    """Train and test of every split, scaled by the train; on request the train sorted by class."""
    X, y = rows_of(name)
    kind = ShuffleSplit if name in NUMBERS else StratifiedShuffleSplit
    for train, test in kind(splits, test_size=1 / 3, random_state=1).split(X, y):
        order = train[np.argsort(y[train], kind="stable")] if by_class else train
        scale = StandardScaler().fit(X[order])
        yield scale.transform(X[order]), y[order], scale.transform(X[test]), y[test]


Make = Callable[[int], Any]


def compared(
    title: str, name: str, ours: Make, theirs: Make, splits: int, *, by_class: bool = False
) -> Cell:
    """One cell of the table."""
    scores: tuple[list[float], list[float]] = ([], [])
    for seed, (X, y, X_test, y_test) in enumerate(split_rows(name, splits, by_class=by_class)):
        for make, kept in zip((ours, theirs), scores, strict=True):
            kept.append(make(seed).fit(X, y).score(X_test, y_test))
    return Cell(title, name, np.array(scores[0]), np.array(scores[1]))


def allowed(cells: list[Cell], splits: int) -> int:
    """The most cells that chance puts beyond two standard errors, but for once in a hundred tables."""
    drawn = sum(cell.drawn for cell in cells)
    return int(binom.isf(ALARM, drawn, 2 * student.sf(2, splits - 1))) if drawn else 0


def table(splits: int, sets: set[str], only: set[str]) -> Iterator[Cell]:
    for names, configurations in ((LABELS, CLASSIFIERS), (NUMBERS, REGRESSORS)):
        for one in configurations:
            if only and one.name not in only:
                continue
            for name in names:
                if not sets or name in sets:
                    yield compared(one.title, name, one.ours, one.theirs, splits)


def twins(splits: int) -> list[Cell]:
    """What is not the same, and is to be seen: the order of sorted rows kept, and another C."""
    peer = sklearn.linear_model.Perceptron
    return [
        compared(
            "twin: perceptron, rows sorted and not shuffled",
            "digits",
            lambda seed: assay.Perceptron(shuffle=False, max_iter=5),
            lambda seed: peer(random_state=seed),
            splits,
            by_class=True,
        ),
        compared(
            "twin: SVC, C of a tenth",
            "vehicle",
            lambda seed: assay.SVC(C=0.1),
            lambda seed: sklearn.svm.SVC(),
            splits,
        ),
    ]


def report(cells: list[Cell], splits: int) -> bool:
    """Print the table and its verdict; whether the differences are no more than chance."""
    for title in dict.fromkeys(cell.title for cell in cells):
        row = [cell for cell in cells if cell.title == title]
        off = np.mean([cell.off for cell in row])
        error = np.sqrt(np.sum([cell.error**2 for cell in row])) / len(row)
        print(
            f"{title:55} {np.mean([c.ours.mean() for c in row]):8.4f} "
            f"{np.mean([c.theirs.mean() for c in row]):8.4f} {off:+8.4f} ± {error:.4f}  "
            f"beyond 2 SE on {sum(c.beyond for c in row)} of {len(row)} sets "
            f"({sum(not c.drawn for c in row)} identical)"
        )
    print()
    for cell in cells:
        if cell.beyond:
            print(f"  {cell.title} on {cell.rows}: {cell.off:+.4f} ± {cell.error:.4f}")
    beyond, most = sum(cell.beyond for cell in cells), allowed(cells, splits)
    drawn = sum(cell.drawn for cell in cells)
    chance = 2 * student.sf(2, splits - 1) * drawn
    held = beyond <= most
    print(
        f"{beyond} of {drawn} cells that differ at all are beyond two standard errors; chance puts {chance:.1f} there, "
        f"and more than {most} once in {1 / ALARM:.0f} tables: {'met' if held else 'MISSED'}"
    )
    return held


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--sets", default="")
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # that a solver stopped early, of either
    start = time.perf_counter()
    wanted = [{part for part in text.split(",") if part} for text in (given.sets, given.only)]
    held = report(list(table(given.splits, *wanted)), given.splits)
    seen = [cell.beyond for cell in twins(given.splits)]
    print(f"broken twins that are seen: {sum(seen)} of {len(seen)}")
    print(f"({time.perf_counter() - start:.0f} s)")
    raise SystemExit(0 if held and all(seen) else 1)


if __name__ == "__main__":
    main()
