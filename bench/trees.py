"""Decision trees, as anyone would call them, against scikit-learn, one thread each, at equal accuracy."""

import time

import numpy as np
from measure import line, race
from sklearn import tree
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression

from assay import DecisionTreeClassifier, DecisionTreeRegressor

HELD_OUT = 20_000


def sample(rows, classes=2, seed=0):
    X, y = make_classification(
        rows + HELD_OUT, 20, n_informative=10, n_classes=classes, flip_y=0.05, random_state=seed
    )
    return X.astype(np.float32), y


def against(name, X, y, goal, *, weights=None, repeats=3, target=False, **parameters):
    kinds = {
        "assay": DecisionTreeRegressor if target else DecisionTreeClassifier,
        "peer": tree.DecisionTreeRegressor if target else tree.DecisionTreeClassifier,
    }
    known, new, fitted = slice(0, -HELD_OUT), slice(-HELD_OUT, None), {}

    def run(who):
        model = kinds[who](random_state=0, **parameters)
        fitted[who] = model.fit(X[known], y[known], sample_weight=weights)

    best = race({who: lambda who=who: run(who) for who in kinds}, repeats)
    ours, theirs = fitted["assay"], fitted["peer"]
    of = "R^2" if target else "accuracy"
    print(
        f"{name}, {len(X) - HELD_OUT} x {X.shape[1]}: {of} {ours.score(X[new], y[new]):.4f}, scikit-learn's "
        f"{theirs.score(X[new], y[new]):.4f}; {len(ours.nodes_)} nodes and {theirs.tree_.node_count}"
    )
    line("  fit", best["assay"], best["peer"], "scikit-learn", goal)
    return fitted


def main() -> None:
    X, y = sample(200_000)
    fitted = against("two classes, full depth", X, y, 15, repeats=2)
    best = race({who: lambda m=model: m.predict(X) for who, model in fitted.items()}, 5)
    line("  predict", best["assay"], best["peer"], "scikit-learn", 1.0)
    X, y = sample(20_000)
    against("two classes, full depth", X, y, 10, repeats=5)
    against("entropy", X, y, 6, criterion="entropy", repeats=5)
    weights = np.random.default_rng(0).random(20_000) + 0.1
    against("weights", X, y, 5, weights=weights, repeats=5)
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.05, np.float32(np.nan), X)
    against("5 % missing", holes, y, 6, repeats=5)
    X, y = sample(20_000, classes=5)
    against("five classes", X, y, 4, repeats=5)
    target = X[:, 0] * X[:, 1] + LinearRegression().fit(X, y).predict(X)
    target += np.random.default_rng(2).normal(size=len(X))
    against("target, 5 rows a leaf", X, target, 4, target=True, min_samples_leaf=5, repeats=5)
    against("target, full depth", X, target, 2, target=True, repeats=3)


if __name__ == "__main__":
    start = time.perf_counter()
    # Compiled once a machine; not what is measured.
    for weights in (None, np.arange(1.0, 7)):
        DecisionTreeClassifier().fit(np.arange(6.0)[:, None], [0, 1] * 3, weights)
        DecisionTreeRegressor().fit(np.arange(6.0)[:, None], np.arange(6.0), weights)
    main()
    print(f"({time.perf_counter() - start:.0f} s)")
