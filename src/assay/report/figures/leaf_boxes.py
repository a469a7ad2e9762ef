"""The boxes into which a tree divides the plane."""

from __future__ import annotations

from typing import Any

from assay.report.figures.geometry import Box


def node_boxes(tree: Any, box: Box) -> dict[int, Box]:
    """The part of a box that belongs to each node, parents first; parts outside the box are left out.

    Parameters
    ----------
    tree : object with arrays `feature`, `threshold`, `left` and `right`
        As a decision tree's `tree_` or a `KdCells`, over two features that are numbers.
    box : tuple of four floats
        Left, right, bottom, top.
    """
    found: dict[int, Box] = {}
    waiting: list[tuple[int, Box]] = [(0, box)]
    while waiting:
        node, (left, right, bottom, top) = waiting.pop()
        found[node] = (left, right, bottom, top)
        feature, at = int(tree.feature[node]), float(tree.threshold[node])
        if feature < 0:
            continue
        low, high = (left, right) if feature == 0 else (bottom, top)
        below, above = (low, min(high, at)), (max(low, at), high)
        for child, (a, b) in ((tree.right[node], above), (tree.left[node], below)):
            if a < b:
                part = (a, b, bottom, top) if feature == 0 else (left, right, a, b)
                waiting.append((int(child), part))
    return found


def leaf_boxes(tree: Any, box: Box) -> list[Box]:
    """The part of a box that ends in each leaf, in the order of the leaves.

    Examples
    --------
    >>> from assay import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[0.0, 0], [0, 1], [2, 0], [2, 1]], [0, 0, 1, 1])
    >>> leaf_boxes(model.tree_, (0.0, 4.0, 0.0, 1.0))
    [(0.0, 1.0, 0.0, 1.0), (1.0, 4.0, 0.0, 1.0)]
    """
    parts = node_boxes(tree, box)
    return [part for node, part in parts.items() if int(tree.feature[node]) < 0]
