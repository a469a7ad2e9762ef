"""The weights of classes, where their rows were counted in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.learners.common.blocks import Block
from assay.types import Array, Floats


def class_pulls(classes: Array, heavy: Floats, given: Any) -> Floats:
    """The weight of each class, whose rows weigh so much together."""
    from sklearn.utils import compute_class_weight

    # As if each class were one row, which weighs as much as all of its own.
    each = compute_class_weight(given, classes=classes, y=classes, sample_weight=heavy)
    return np.asarray(each, dtype=np.float64)


def class_counts(block: Block, classes: int) -> Floats:
    """How many rows each class has."""
    return np.bincount(block.y, minlength=classes).astype(np.float64)


def with_class_weights(block: Block, each: Floats) -> Block:
    """A block whose rows weigh as much more as their class does."""
    weights = each[block.y] * (1.0 if block.weights is None else block.weights)
    return Block(block.first, block.X, block.y, weights)
