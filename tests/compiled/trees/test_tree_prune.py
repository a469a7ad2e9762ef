"""Weakest links against the textbook's recursion, and against all prunings there are."""

import itertools
import math
from fractions import Fraction

import numpy as np

from assay.compiled.trees.tree_prune import sum_up, weakest_links
from tests.naive.pruning import best, prunings, shape, weakest_path


def random_tree(rng, depth=0):
    """Risks are whole, and no question costs more than it saves."""
    if depth >= 4 or rng.random() < 0.25 + 0.15 * depth:
        return int(rng.integers(0, 4)), []
    below = [random_tree(rng, depth + 1) for _ in range(int(rng.choice([2, 2, 3])))]
    return sum(child[0] for child in below) + int(rng.integers(0, 5)), below


def flat(tree):
    """Parents, risks and children in preorder."""
    parent, risk, many = [], [], []

    def visit(node, above):
        place = len(parent)
        parent.append(above)
        risk.append(float(node[0]))
        many.append(len(node[1]))
        for child in node[1]:
            visit(child, place)

    visit(tree, -1)
    return np.array(parent), np.array(risk), np.array(many)


def how_many(tree):
    """How many prunings there are."""
    return 1 + math.prod(how_many(child) for child in tree[1]) if tree[1] else 1


def kept(tree, price, limit):
    """The shape that is left when nodes whose price is at most the limit are leaves."""
    at = [0]

    def visit(node):
        place = at[0]
        at[0] += 1
        below = [visit(child) for child in node[1]]
        return () if price[place] <= limit else tuple(below)

    return visit(tree)


def prices(tree):
    parent, risk, many = flat(tree)
    found = np.empty(len(parent))
    weakest_links(parent, risk, many, found)
    return found


def test_every_price_has_its_best_pruning():
    rng = np.random.default_rng(0)
    checked = 0
    while checked < 40:
        tree = random_tree(rng)
        if not 3 <= how_many(tree) <= 100:
            continue
        price = prices(tree)
        path = weakest_path((Fraction(tree[0]), tree[1]))
        for alpha, left in dict(path).items():
            assert kept(tree, price, float(alpha) + 1e-9) == shape(left)
        tops = sorted({float(p) for p in price[np.isfinite(price)]})
        for limit in [*(a / 2 + b / 2 for a, b in itertools.pairwise(tops)), 0.3, 1.7]:
            if min((abs(limit - t) for t in tops), default=1) < 1e-6:
                continue
            _, least = best(tree, limit)
            smallest = min(least, key=lambda p: p[1])
            assert sum(p[1] == smallest[1] for p in least) == 1
            assert kept(tree, price, limit) == smallest[2]
        assert len(list(prunings(tree))) == how_many(tree)
        checked += 1


def test_nested():
    rng = np.random.default_rng(1)
    for _ in range(50):
        parent, risk, many = flat(random_tree(rng))
        price = np.empty(len(parent))
        weakest_links(parent, risk, many, price)
        inner = np.flatnonzero((many > 0) & (parent >= 0))
        assert (price[parent[inner]] >= price[inner]).all()
        assert np.isinf(price[many == 0]).all()


def test_a_broken_twin_is_caught():
    """Looking at each node alone, without those below that are leaves already, is not optimal."""
    tree = (10, [(8, [(0, []), (7, [])]), (0, [])])
    naive = [10 - 7, 8 - 7]  # what the two questions save, as if the lower one stayed
    assert prices(tree)[:2].tolist() != naive
    _, [(_, leaves, _)] = best(tree, 1.4)
    assert leaves == 2


def test_sums_of_subtrees():
    parent = np.array([-1, 0, 1, 1, 0])
    sums = np.array([[0.0, 1], [0, 1], [1, 1], [2, 1], [4, 1]])
    sum_up(parent, sums)
    assert sums.tolist() == [[7, 5], [3, 3], [1, 1], [2, 1], [4, 1]]
