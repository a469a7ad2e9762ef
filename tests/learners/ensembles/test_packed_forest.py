"""Trees in one piece: votes, importances, and trees from strangers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.learners.ensembles.packed_forest import Grove, blocks
from tests.compiled.ensembles.test_forest_grow import grower, table
from tests.naive.forest import vote

X, RNG = table(1, rows=80, missing=0.1)
Y = RNG.integers(0, 3, 80)
GROVE = Grove.of([grower(X, Y, classes=3).grow(t) for t in range(4)])


def test_apart_and_together():
    again = Grove.of(GROVE.trees)
    assert all(a.same_as(b) for a, b in zip(again.trees, GROVE.trees, strict=True))
    assert len(again) == 4
    for workers in (1, 3):
        np.testing.assert_allclose(GROVE.votes(X, workers), vote(GROVE.trees, X), rtol=1e-12)
    many = np.repeat(X, 60, axis=0)
    assert GROVE.votes(many, 1).tobytes() == GROVE.votes(many, 4).tobytes()
    assert (GROVE.leaves(many, 1) == GROVE.leaves(many, 4)).all()
    assert GROVE.votes(X[:0], 2).shape == (0, 3)


def test_blocks_cover_all_rows():
    for rows in (0, 1, 2048, 2049, 10_000):
        assert [i for part in blocks(rows) for i in range(part.start, part.stop)] == list(
            range(rows)
        )


def test_importances_by_hand():
    wanted = []
    for tree in GROVE.trees:
        table = np.zeros(5)
        for k in np.flatnonzero(tree.feature >= 0):
            a, b = tree.left[k], tree.right[k]
            table[tree.feature[k]] += (
                tree.weight[k] * tree.impurity[k]
                - tree.weight[a] * tree.impurity[a]
                - tree.weight[b] * tree.impurity[b]
            )
        wanted.append(table / table.sum())
    np.testing.assert_allclose(GROVE.importances(5), np.mean(wanted, axis=0))
    stump = grower(X, np.zeros(80), criterion="squared_error").grow(0)
    assert Grove.of([stump]).importances(5).tolist() == [0.0] * 5


def changed(name, place, value):
    array = getattr(GROVE, name).copy()
    array[place] = value
    return replace(GROVE, **{name: array})


INNER = int(np.flatnonzero(GROVE.feature >= 0)[0])
LEAF = int(np.flatnonzero(GROVE.feature < 0)[0])


@pytest.mark.parametrize(
    ("hostile", "why"),
    [
        (changed("feature", INNER, 5), "lead out of themselves"),
        (changed("feature", INNER, -2), "lead out of themselves"),
        (changed("right", INNER, 0), "lead out of themselves"),
        (changed("right", INNER, INNER), "lead out of themselves"),
        (changed("right", INNER, len(GROVE.trees[0])), "lead out of themselves"),
        (changed("right", LEAF, 1), "lead out of themselves"),
        (changed("feature", LEAF, 0), "lead out of themselves"),
        (changed("threshold", INNER, np.nan), "lead out of themselves"),
        (changed("weight", LEAF, 0.0), "lead out of themselves"),
        (changed("value", LEAF, -1.0), "hold no weights"),
        (changed("value", LEAF, 0.0), "hold no weights"),
        (changed("starts", 1, 10**9), "do not follow one another"),
        (changed("starts", 1, 0), "do not follow one another"),
        (changed("starts", -1, 3), "do not follow one another"),
        (replace(GROVE, value=GROVE.value[:, :2].copy()), "do not fit its outputs"),
    ],
)
def test_hostile_trees_are_refused(hostile, why):
    GROVE.require_sound(5, 3)
    with pytest.raises(ValueError, match=why):
        hostile.require_sound(5, 3)
