"""Which feature is asked for: the best, of equal ones the first, and by gain ratio none that gains little."""

import numpy as np

from tests.learners.trees.samples import grown


def asked(X, y, **more):
    return int(grown(X, y, max_depth=1, **more).feature[0])


def test_of_equal_features_the_first():
    x = np.arange(10.0)
    y = (x > 4).astype(int)
    assert asked(np.column_stack([x, x, x]), y) == 0
    assert asked(np.column_stack([np.zeros(10), x, -x]), y) == 1
    assert asked(np.column_stack([x[::-1] * 3 + 1, x]), y) == 0


def test_features_that_say_nothing_are_asked_for_last():
    """Exclusive or: no first question lowers the impurity, and one is asked all the same."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3, float)
    y = (X[:, 0] != X[:, 1]).astype(int)
    assert asked(X, y) == 0
    tree = grown(X, y)
    assert tree.impurity[tree.feature < 0].max() == 0


def test_gain_ratio_needs_an_average_gain():
    """Splitting off one row gains little, but is cheap: by ratio alone it would win."""
    y = np.array([0] * 32 + [1] * 32)
    good = np.array([1.0] * 12 + [0.0] * 20 + [1.0] * 20 + [0.0] * 12)
    rare = np.zeros(64)
    rare[-1] = 1.0

    def entropy(p):
        return -sum(q * np.log2(q) for q in (p, 1 - p) if q > 0)

    def ratio(x):
        share = x.mean()
        within = sum((x == v).mean() * entropy(y[x == v].mean()) for v in (0, 1))
        gain = 1.0 - within
        return gain, gain / entropy(share)

    assert ratio(rare)[0] < ratio(good)[0]
    assert ratio(rare)[1] > ratio(good)[1]
    X = np.column_stack([rare, good])
    assert asked(X, y, criterion="gain_ratio") == 1
    assert asked(X[:, :1], y, criterion="gain_ratio") == 0
