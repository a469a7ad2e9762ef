"""The trees of a forest that predicts more than one class or one mean: grown as single trees are, from bags of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.compiled.ensembles.forest_bag import draw_features
from assay.compiled.ensembles.forest_node import below
from assay.compiled.trees.tree_sample import Rule, Sample
from assay.learners.ensembles.grower import Bags, Limits
from assay.learners.ensembles.members import SEEDS
from assay.learners.trees.aims import Aims
from assay.learners.trees.growing import grown_from, sorted_keys
from assay.learners.trees.structure import Tree
from assay.types import Array, Floats, Ints, Words

_LOW = np.uint64(2**32 - 1)
_NO_LIMIT = 2**31 - 1


@dataclass(frozen=True)
class AimedGrower:
    """Grows the tree of a number from what all trees share.

    Attributes
    ----------
    keys : array of uint64
        The cells of every feature in order, with the number of the row behind each.
    bags : Bags
    y : array of shape (n_samples, n_outputs)
        Numbers, or the numbers of classes.
    aims : Aims
    criterion : int
        One of those of `tree_scan`.
    weights, reweigh, most_features, per_tree, limits
        As for `Grower`.
    """

    keys: Words
    bags: Bags
    y: Array
    aims: Aims
    criterion: int
    weights: Floats | None
    reweigh: Callable[[NDArray[np.int32]], Floats] | None
    most_features: int
    per_tree: bool
    limits: Limits

    def grow(self, number: int) -> Tree:
        """The tree of this number; it depends on nothing but the rows of its bag."""
        generator, counts = self.bags.draw(number)
        rows, weight = self._bag(counts)
        features = np.arange(len(self.keys), dtype=np.int32)
        if self.per_tree:
            draw_features(generator, self.most_features, features)
            features = np.sort(features[: self.most_features])
        y = np.ascontiguousarray(self.y[rows])
        sample = self._sample(rows, weight, y, features)
        rule = self._rule(float(weight.sum()), len(features))
        seed = int(below(generator, SEEDS))
        tree = grown_from(sample, y, rule, seed, short=False, aims=self.aims)
        asks = tree.feature >= 0
        tree.feature[asks] = features[tree.feature[asks]]
        return tree

    def _bag(self, counts: NDArray[np.int32]) -> tuple[Ints, Floats]:
        """The distinct rows of a bag, and how much each counts; evenly if none of them weighs anything."""
        weight = counts.astype(np.float64)
        if self.weights is not None:
            weight *= self.weights
        if self.reweigh is not None:
            weight *= self.reweigh(counts)
        if not weight.any():
            weight = counts.astype(np.float64)
        rows = np.flatnonzero(weight > 0)
        return rows, weight[rows]

    def _sample(self, rows: Ints, weight: Floats, y: Array, features: NDArray[np.int32]) -> Sample:
        place = np.full(len(self.y), -1)
        place[rows] = np.arange(len(rows))
        keys = self.keys[features]
        where = place[(keys & _LOW).astype(np.int64)]
        kept = where >= 0
        keys = (keys[kept] & ~_LOW) | where[kept].astype(np.uint64)
        plain = bool((weight == 1.0).all())
        return Sample(
            keys=keys.reshape(len(features), len(rows)),
            arity=np.zeros(len(features), np.int32),
            weights=np.zeros(0) if plain else weight,
            target=y.astype(np.float64).ravel(),
            shift=np.uint64(max((len(self.y) - 1).bit_length(), 1)),
            classes=0,
            inverse=np.zeros(1),
            xlog=np.zeros(1, np.int64),
            unit=1.0,
            aim=self._of(features).compiled(self.criterion, y),
        )

    def _of(self, features: NDArray[np.int32]) -> Aims:
        rising = self.aims.rising
        return Aims(self.aims.levels, rising[features] if len(rising) else rising)

    def _rule(self, weight: float, width: int) -> Rule:
        depth, split, least_rows, share, decrease, most_leaves = self.limits
        least = (decrease - np.finfo(float).eps) * weight if decrease > 0 else -np.inf
        return Rule(
            criterion=self.criterion,
            multiway=False,
            ratio=False,
            most_depth=_NO_LIMIT if depth < 0 else depth,
            least_split=split,
            least_leaf=least_rows,
            least_weight=share * weight,
            least_fall=float(least),
            most_features=min(self.most_features, width),
            most_leaves=max(most_leaves, 0),
            by_lot=True,
        )


def keys_of_rows(cells: NDArray[np.float32]) -> Words:
    """What `AimedGrower` takes of a table: the cells of every feature in order, with the number of each row."""
    return sorted_keys(cells, np.arange(len(cells), dtype=np.uint32))
