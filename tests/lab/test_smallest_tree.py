import itertools

import numpy as np
import pytest

from assay import lab
from assay.errors import BadData, BadParameter


def fewest_leaves(rows, labels):
    """All trees, from the definition."""
    if len(set(labels)) == 1:
        return 1
    best = len(rows)
    for j in range(len(rows[0])):
        parts = [[i for i, row in enumerate(rows) if row[j] == v] for v in (0, 1)]
        if all(parts):
            best = min(
                best,
                sum(fewest_leaves([rows[i] for i in p], [labels[i] for i in p]) for p in parts),
            )
    return best


def test_the_smallest_of_all_trees():
    larger = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (14, 4))
        y = (X[:, 0] ^ X[:, 1]) | (X[:, 2] & X[:, 3]) if seed % 2 else X @ [8, 4, 2, 1] * 7 % 3
        tree = lab.smallest_tree(X, y)
        assert tree.leaves == fewest_leaves(X.tolist(), y.tolist())
        assert tree.predict(X).tolist() == y.tolist()
        assert tree.greedy.score(X, y) == 1.0
        assert tree.greedy_leaves >= tree.leaves
        larger += tree.greedy_leaves > tree.leaves
        assert tree.searched <= 3**4
    assert larger >= 1


def test_a_parity_of_three_and_its_lamp():
    """Greed asks for the lamp, and then for everything else: twice the leaves."""
    cases = list(itertools.product((0, 1), repeat=4))
    X = cases + [case for case in cases if case[3] == sum(case[:3]) % 2]
    tree = lab.smallest_tree(X, [sum(case[:3]) % 2 for case in X])
    assert (tree.leaves, tree.greedy_leaves) == (8, 16)


def test_one_label_and_refusals():
    assert lab.smallest_tree([[0], [1]], ["a", "b"]).questions == (0, "a", "b")
    with pytest.raises(BadData, match="alike and have different labels"):
        lab.smallest_tree([[0], [0]], [0, 1])
    with pytest.raises(BadParameter, match="X must be a table of zeros and ones"):
        lab.smallest_tree([[2]], [0])
    with pytest.raises(BadParameter, match="the number of features must be at most 12, but is 13"):
        lab.smallest_tree([[0] * 13], [0])
