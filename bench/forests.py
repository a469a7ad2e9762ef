"""Random forests, as anyone would call them, against scikit-learn and oneDAL, accuracy on held-out rows beside."""

import time
import warnings

from measure import line, race
from sklearn import ensemble
from sklearn.datasets import make_classification, make_regression

from assay import RandomForestClassifier, RandomForestRegressor

ROWS, FEATURES, TREES, JOBS = 20_000, 20, 100, 2


def sample():
    X, y = make_classification(
        2 * ROWS, FEATURES, n_informative=10, n_redundant=5, flip_y=0.02, random_state=0
    )
    return X[:ROWS], y[:ROWS], X[ROWS:], y[ROWS:]


def intelex():
    """oneDAL's forest, if it is installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import sklearnex.ensemble
    except ImportError:
        return None
    return sklearnex.ensemble.RandomForestClassifier


def classes() -> None:
    X, y, held, truth = sample()
    Other = intelex()
    told = {"n_estimators": TREES, "n_jobs": JOBS, "random_state": 0}
    makers = {
        "exact": lambda: RandomForestClassifier(**told),
        "256 bins": lambda: RandomForestClassifier(**told, max_bins=256),
        "scikit-learn": lambda: ensemble.RandomForestClassifier(**told),
    } | ({"scikit-learn-intelex": lambda: Other(**told)} if Other else {})
    fitted = {}

    def run(name):
        fitted[name] = makers[name]().fit(X, y)

    for name in makers:  # compile, and let libraries start
        makers[name]().set_params(n_estimators=2).fit(X, y).predict(held)
    best = race({name: lambda n=name: run(n) for name in makers}, 5)
    right = {name: model.score(held, truth) for name, model in fitted.items()}
    error = (right["scikit-learn"] * (1 - right["scikit-learn"]) / ROWS) ** 0.5
    print(
        f"{TREES} trees, {ROWS} x {FEATURES}, {JOBS} threads; accuracy on as many rows held out "
        f"(standard error {error:.4f}): "
        + ", ".join(f"{name} {share:.4f}" for name, share in right.items())
    )
    peer = best["scikit-learn"]
    line("  fit, exact", best["exact"], peer, "scikit-learn", 3)
    line("  fit, 256 bins", best["256 bins"], peer, "scikit-learn", 6)
    if Other:
        other = best["scikit-learn-intelex"]
        line("  fit, 256 bins", best["256 bins"], other, "scikit-learn-intelex", 1.2)
    else:
        print("scikit-learn-intelex is not installed: no comparison with it")
    best = race({name: lambda m=model: m.predict(held) for name, model in fitted.items()}, 15)
    line(f"  predict {ROWS} rows", best["exact"], best["scikit-learn"], "scikit-learn", 1.0)
    if Other:
        print(f"  (scikit-learn-intelex predicts them in {best['scikit-learn-intelex']:.4g} s)")


def numbers() -> None:
    X, y = make_regression(ROWS, FEATURES, n_informative=10, noise=20.0, random_state=0)
    half = ROWS // 2
    told = {"n_estimators": 20, "n_jobs": JOBS, "random_state": 0}
    fitted = {}

    def run(name, make):
        fitted[name] = make(**told).fit(X[:half], y[:half])

    makers = {"assay": RandomForestRegressor, "scikit-learn": ensemble.RandomForestRegressor}
    RandomForestRegressor(1).fit(X[:half], y[:half])
    best = race({name: lambda n=name, m=make: run(n, m) for name, make in makers.items()}, 3)
    right = ", ".join(f"{name} {m.score(X[half:], y[half:]):.4f}" for name, m in fitted.items())
    print(
        f"20 trees for numbers, {half} x {FEATURES}, all features at each cut; R^2 held out: {right}"
    )
    line("  fit, exact", best["assay"], best["scikit-learn"], "scikit-learn", 2)


if __name__ == "__main__":
    start = time.perf_counter()
    classes()
    numbers()
    print(f"({time.perf_counter() - start:.0f} s)")
