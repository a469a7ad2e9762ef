"""AdaBoost: one hundred stumps on 50,000 rows of 30 features against scikit-learn, and what they predict."""

import numpy as np
from measure import line, race
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier as Peer
from threadpoolctl import threadpool_limits

from assay import AdaBoostClassifier

ROWS, FEATURES, STUMPS, GOAL = 50_000, 30, 100, 40


def main():
    X, y = make_classification(
        ROWS + 10_000, FEATURES, n_informative=15, flip_y=0.05, random_state=0
    )
    train, held = slice(ROWS), slice(ROWS, None)
    ours, peer = AdaBoostClassifier(n_estimators=STUMPS), Peer(n_estimators=STUMPS, random_state=0)
    AdaBoostClassifier(n_estimators=2).fit(X[:300], y[:300])  # compiles
    with threadpool_limits(1):
        seconds = race(
            {
                "ours": lambda: ours.fit(X[train], y[train]),
                "peer": lambda: peer.fit(X[train], y[train]),
            },
            repeats=2,
        )
        predict = race(
            {"ours": lambda: ours.predict(X[held]), "peer": lambda: peer.predict(X[held])},
            repeats=5,
        )
    same = sum(
        tree.tree_.feature[0] == feature and np.isclose(tree.tree_.threshold[0], threshold, 1e-5)
        for tree, feature, threshold in zip(
            peer.estimators_, ours.features_, ours.thresholds_, strict=True
        )
    )
    agree = np.mean(ours.predict(X[held]) == peer.predict(X[held]))
    print(
        f"the same stump in {same} of {STUMPS} rounds; accuracy on {len(y[held]):,} other rows "
        f"{ours.score(X[held], y[held]):.4f}, scikit-learn {peer.score(X[held], y[held]):.4f}; the same prediction on "
        f"{agree:.2%}"
    )
    what = f"AdaBoostClassifier, {STUMPS} stumps, {ROWS:,} x {FEATURES}, one thread"
    line(what, seconds["ours"], seconds["peer"], "scikit-learn", GOAL)
    line("predict, 10,000 rows", predict["ours"], predict["peer"], "scikit-learn", 1)


if __name__ == "__main__":
    main()
