"""Naive Bayes and networks against scikit-learn, at equal answers."""

import warnings

import numpy as np
from measure import line, race
from sklearn import naive_bayes, neural_network

from assay import BernoulliNB, GaussianNB, MLPClassifier

warnings.simplefilter("ignore")  # networks that are stopped after a few passes say so


def bayes(ours, peer, X, y):
    one, other = ours().fit(X, y), peer().fit(X, y)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-8)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    what = f"{ours.__name__}, {len(X):,} x {X.shape[1]}"
    took = race({"ours": lambda: ours().fit(X, y), "peer": lambda: peer().fit(X, y)})
    line(f"{what}, fit", took["ours"], took["peer"], "scikit-learn", 2)
    took = race({"ours": lambda: one.predict(X), "peer": lambda: other.predict(X)})
    line(f"{what}, predict", took["ours"], took["peer"], "scikit-learn", 5)


def network(rows, features, hidden, solver, passes, goal):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, features))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    told = {"solver": solver, "max_iter": passes, "random_state": 0}
    kinds = {"ours": MLPClassifier, "peer": neural_network.MLPClassifier}
    models = {name: kind(hidden, **told).fit(X, y) for name, kind in kinds.items()}
    np.testing.assert_allclose(models["ours"].loss_, models["peer"].loss_, rtol=1e-9)
    took = race(
        {name: lambda kind=kind: kind(hidden, **told).fit(X, y) for name, kind in kinds.items()},
        repeats=3,
    )
    what = f"MLPClassifier {hidden}, {solver}, {rows:,} x {features}, {passes} passes, same loss"
    line(what, took["ours"], took["peer"], "scikit-learn", goal)


def main():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500_000, 20))
    y = rng.integers(0, 3, 500_000)
    bayes(GaussianNB, naive_bayes.GaussianNB, X, y)
    bayes(BernoulliNB, naive_bayes.BernoulliNB, X, y)
    network(2000, 20, (10,), "adam", 20, 1.5)
    network(4601, 57, (100,), "adam", 10, 1)
    network(20_000, 50, (64, 32), "sgd", 5, 1)


if __name__ == "__main__":
    main()
