"""Growth at the ends of what numbers can hold."""

import numpy as np
import pytest

from assay import DecisionTreeClassifier
from assay.errors import BadData
from tests.learners.trees.samples import grown


def entropy(counts):
    share = counts / counts.sum()
    return -(share * np.log2(share, where=share > 0, out=np.zeros_like(share))).sum()


@pytest.mark.parametrize("n", [2, 100, 5000])
def test_the_table_of_logarithms_is_fine_and_cannot_overflow(n):
    """Of all cuts the best is found, also where thousands of products k log k are added."""
    rng = np.random.default_rng(n)
    y = (np.arange(n) + rng.normal(size=n) * n / 4 > n / 3).astype(int)
    y[0], y[-1] = 0, 1
    tree = grown(np.arange(n)[:, None], y, criterion="entropy", max_depth=1)
    below = np.cumsum(np.eye(2)[y], axis=0)[:-1]
    costs = [
        b.sum() * entropy(b) + (n - b.sum()) * entropy(below[-1] + np.eye(2)[y[-1]] - b)
        for b in below
    ]
    cost = (tree.weight * tree.impurity)[1:].sum()
    assert cost == pytest.approx(min(costs), rel=1e-9, abs=1e-9)


def test_too_many_classes_for_the_keys_are_refused():
    X = np.zeros((2**17 + 1, 1), np.float32)
    with pytest.raises(BadData, match=r"^131,073 rows and 131,073 classes together are too many"):
        DecisionTreeClassifier().fit(X, np.arange(len(X)))


def test_thresholds_lie_in_the_middle_and_never_on_the_right():
    big = np.finfo(np.float32).max
    for low, high in ((1, 2), (-big, big), (big / 2, big), (-0.0, 1e-45), (-3, -1)):
        X = np.array([[low], [high]], np.float32)
        tree = grown(X, np.array([0, 1]))
        assert X[0, 0] <= tree.threshold[0] < X[1, 0]
        below, above = X[:, 0].astype(float)
        assert tree.threshold[0] in (below, below / 2 + above / 2)


def test_many_categories_have_room():
    """More children than a byte can number."""
    n = 600
    X, y = np.array([[f"{i:03}"] for i in range(n)], object), np.arange(n) % 2
    model = DecisionTreeClassifier(criterion="entropy", splits="multiway").fit(X, y)
    assert model.nodes_.leaves == n
    assert (model.predict(X) == y).all()
