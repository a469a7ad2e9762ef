"""Gradient boosting against scikit-learn's, LightGBM and XGBoost: same trees, leaves and threads; log loss beside."""

import os
import resource
import sys

JOBS = 2
os.environ.setdefault("OMP_NUM_THREADS", str(JOBS))  # scikit-learn's takes no number of threads

import lightgbm  # noqa: E402
import numpy as np  # noqa: E402
import xgboost  # noqa: E402
from measure import line, race  # noqa: E402
from sklearn import ensemble  # noqa: E402
from sklearn.metrics import log_loss  # noqa: E402

from assay import HistGradientBoostingClassifier  # noqa: E402

HELD, SEEDS = 50_000, 10


def sample(rows, features, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows + HELD, features))
    s = (X[:, :5] ** 2).sum(1) + X[:, 5] * X[:, 6] - X[:, 7]
    y = (s + 0.5 * rng.standard_normal(len(s)) > np.median(s)).astype(int)
    return X[:rows], y[:rows], X[rows:], y[rows:]


def makers(trees=100):
    shared = {"learning_rate": 0.1, "n_jobs": JOBS}
    hist = {"max_iter": trees, "max_leaf_nodes": 31, "early_stopping": False}
    light = {"n_estimators": trees, "num_leaves": 31, "verbose": -1}
    extreme = {"n_estimators": trees, "max_leaves": 31, "max_depth": 0, "grow_policy": "lossguide"}
    return {
        "assay": lambda: HistGradientBoostingClassifier(**shared, **hist),
        "scikit-learn": lambda: ensemble.HistGradientBoostingClassifier(**hist),
        "LightGBM": lambda: lightgbm.LGBMClassifier(**shared, **light),
        "XGBoost": lambda: xgboost.XGBClassifier(**shared, **extreme, tree_method="hist"),
    }


def speed(rows, features, goal, repeats):
    X, y, held, truth = sample(rows, features)
    fitted = {}

    def run(name):
        fitted[name] = makers()[name]().fit(X, y)

    for make in makers(2).values():  # compile, and let libraries start
        make().fit(X[:5000], y[:5000]).predict_proba(held)
    best = race({name: lambda n=name: run(n) for name in makers()}, repeats)
    costs = {name: log_loss(truth, model.predict_proba(held)) for name, model in fitted.items()}
    said = ", ".join(
        f"{name} {best[name]:.2f} s (log loss {cost:.4f})" for name, cost in costs.items()
    )
    print(f"100 trees of 31 leaves, {rows} x {features}, {JOBS} threads: {said}")
    peer = min((name for name in best if name != "assay"), key=best.__getitem__)
    line("  fit", best["assay"], best[peer], peer, goal)
    best = race({name: lambda m=model: m.predict_proba(held) for name, model in fitted.items()}, 7)
    peer = min((name for name in best if name != "assay"), key=best.__getitem__)
    line(f"  predict {HELD} rows", best["assay"], best[peer], peer, 1.5)
    alone = HistGradientBoostingClassifier(max_iter=100, early_stopping=False, n_jobs=1).fit(X, y)
    same = np.array_equal(alone.predict_proba(held), fitted["assay"].predict_proba(held))
    print(f"  the same bits with one thread: {'yes' if same else 'NO'}", flush=True)


def quality(rows=20_000, features=20):
    costs = {name: [] for name in makers()}
    for seed in range(SEEDS):
        X, y, held, truth = sample(rows, features, seed)
        for name, make in makers().items():
            costs[name].append(log_loss(truth, make().fit(X, y).predict_proba(held)))
    ours = np.array(costs.pop("assay"))
    for name, theirs in costs.items():
        gap = ours - np.array(theirs)
        error = gap.std(ddof=1) / SEEDS**0.5
        print(
            f"mean log loss of {SEEDS} seeds, {rows} x {features}: {ours.mean():.4f}, {name} {np.mean(theirs):.4f}, "
            f"difference {gap.mean():+.5f} (standard error {error:.5f})",
            flush=True,
        )


if __name__ == "__main__":
    speed(200_000, 20, 2.0, 3)
    if "--short" not in sys.argv:
        quality()
        speed(1_000_000, 28, 1.5, 2)
    print(
        f"peak memory of all of it: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"
    )
