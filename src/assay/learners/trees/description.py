"""How long the description of a tree is, in a code that was there before the examples.

No description begins with another, so that lengths can be paid for (``kraft-inequality``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.learners.trees.structure import Tree
from assay.theory.complexity.code_length import tree_description_length
from assay.theory.complexity.question_code import (
    grouping_description_length,
    threshold_description_length,
)


def description_bits(
    tree: Tree, classes: int, arity: Sequence[int], may_miss: Sequence[bool]
) -> int:
    """Bits that write the tree down; no other tree's description begins with them.

    The nodes in preorder, as in ``tree-description-length``: a bit tells leaf from question, a leaf names
    its class, a question its feature. Then follows, for a number, the threshold
    (``threshold-description-length``) and, if cells of the feature may be missing, a bit for where these go.
    For two groups of categories, which of them goes where (``grouping-description-length``), a missing cell
    being one more. For a child for each category, if cells may be missing, with which of the children they
    go, or that they have one of their own. Whether questions about categories divide in two or have a child
    for each is part of the language; with two categories, or with one, both cost the same.

    Parameters
    ----------
    tree : Tree
    classes : int
        How many there are to choose from.
    arity : sequence of int
        The number of categories of each feature, 0 for a number.
    may_miss : sequence of bool
        Whether cells of a feature may be missing.
    """
    inner = np.flatnonzero(tree.feature >= 0)
    bits = tree_description_length(len(inner), tree.leaves, len(arity), classes)
    for node in inner:
        feature = int(tree.feature[node])
        missing = int(may_miss[feature])
        if not arity[feature]:
            bits += threshold_description_length(float(tree.threshold[node])) + missing
        elif arity[feature] > 2 and len(tree.children_of(int(node))) > 2:
            bits += int(arity[feature]).bit_length() if missing else 0
        else:
            bits += grouping_description_length(int(arity[feature]) + missing)
    return bits
