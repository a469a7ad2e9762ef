"""Prunings of a tree: all of them, and those that weakest links lead to. A tree is (risk, list of subtrees)."""

from __future__ import annotations

import itertools


def prunings(tree):
    """Every tree that comes from this one by making nodes leaves, as (risk, leaves, shape)."""
    risk, below = tree
    yield risk, 1, ()
    if below:
        for parts in itertools.product(*(list(prunings(child)) for child in below)):
            yield sum(p[0] for p in parts), sum(p[1] for p in parts), tuple(p[2] for p in parts)


def best(tree, price):
    """The least risk + price * leaves, and all prunings that have it."""
    found = list(prunings(tree))
    least = min(risk + price * leaves for risk, leaves, _ in found)
    return least, [p for p in found if p[0] + price * p[1] == least]


def branch(tree):
    """What the leaves of a tree cost, and how many they are."""
    risk, below = tree
    if not below:
        return risk, 1
    parts = [branch(child) for child in below]
    return sum(p[0] for p in parts), sum(p[1] for p in parts)


def links(tree):
    """What each question saves per leaf."""
    risk, below = tree
    if below:
        cost, leaves = branch(tree)
        yield (risk - cost) / (leaves - 1)
        for child in below:
            yield from links(child)


def collapse(tree, price):
    """The tree with every node a leaf that saves no more than this."""
    risk, below = tree
    if not below:
        return tree
    cost, leaves = branch(tree)
    if (risk - cost) / (leaves - 1) <= price:
        return risk, []
    return risk, [collapse(child, price) for child in below]


def weakest_path(tree):
    """(price, tree) from the whole tree to its root, again and again without the weakest links."""
    path = [(0, tree)]
    while tree[1]:
        price = min(links(tree))
        tree = collapse(tree, price)
        path.append((price, tree))
    return path


def shape(tree):
    return tuple(shape(child) for child in tree[1])
