"""Weakest links lead through all best prunings, checked against every pruning there is."""

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.complexity.pruning import weakest_link_optimal
from tests.naive.pruning import best, branch, links, prunings, shape, weakest_path


def random_tree(rng, depth=0):
    if depth >= 3 or rng.random() < 0.3:
        return Fraction(int(rng.integers(0, 5))), []
    below = [random_tree(rng, depth + 1) for _ in range(int(rng.choice([2, 2, 3])))]
    return sum(child[0] for child in below) + int(rng.integers(0, 4)), below


def at(path, price):
    """The last tree of a path whose price is at most this."""
    return [tree for start, tree in path if start <= price][-1]


def smallest(tree, price):
    """The pruning with the fewest leaves among the best, and how many have as few."""
    _, least = best(tree, price)
    few = min(p[1] for p in least)
    return [p for p in least if p[1] == few]


def test_the_path_has_the_smallest_best_pruning_for_every_price():
    rng = np.random.default_rng(0)
    checked = 0
    while checked < 400:
        tree = random_tree(rng)
        if not tree[1] or len(list(prunings(tree))) > 300:
            continue
        path = weakest_path(tree)
        for price in [Fraction(int(rng.integers(0, 30)), 7), *(start for start, _ in path)]:
            [only] = smallest(tree, price)
            assert shape(at(path, price)) == only[2]
            checked += 1


def test_nested_and_ascending():
    rng = np.random.default_rng(1)

    def inside(small, large):
        return not small or (len(small) == len(large) and all(map(inside, small, large)))

    for _ in range(100):
        path = weakest_path(random_tree(rng))
        assert [start for start, _ in path] == sorted(start for start, _ in path)
        for (_, large), (_, small) in itertools.pairwise(path):
            assert inside(shape(small), shape(large))


def test_the_strongest_link_is_caught():
    """Making leaves of the nodes that save most, not least, misses best prunings."""
    rng = np.random.default_rng(2)
    missed = 0
    for _ in range(60):
        tree = random_tree(rng)
        if len(list(links(tree))) < 2:
            continue
        top = max(links(tree))

        def cut(node, top=top):
            cost, leaves = branch(node)
            if node[1] and (node[0] - cost) / (leaves - 1) == top:
                return node[0], []
            return node[0], [cut(child) for child in node[1]]

        price = min(links(tree))
        missed += shape(cut(tree)) != smallest(tree, price)[0][2]
    assert missed > 0


@given(st.fractions(0, 10), st.fractions(0, 1), st.integers(2, 50))
def test_never_above_the_exact_value(risk, share, leaves):
    exact = risk * (1 - share) / (leaves - 1)
    found = weakest_link_optimal(risk, risk * share, leaves)
    assert Fraction(found) <= exact
    assert found == pytest.approx(float(exact))
    assert found >= weakest_link_optimal(risk, risk * share, leaves + 1)


@pytest.mark.parametrize(
    ("given_", "sentence"),
    [
        ((0.5, 0.6, 3), "branch_risk must be at most the risk 0.5, but is 0.6."),
        ((0.5, 0.25, 1), "leaves must be a whole number of at least 2, but is 1."),
    ],
)
def test_refusals(given_, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        weakest_link_optimal(*given_)


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf, True, "x"])
def test_risks_that_are_none(bad):
    with pytest.raises(BadParameter, match=r"^risk must be"):
        weakest_link_optimal(bad, 0.0, 3)
