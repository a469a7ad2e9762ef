"""Trees in one piece: votes, importances, and trees from strangers."""

from __future__ import annotations

import numpy as np
import pytest

from assay import RandomForestRegressor, load, save
from assay.errors import BadData
from tests.compiled.ensembles.test_forest_grow import forest, table
from tests.naive.forest import vote

X, RNG = table(1, rows=80, missing=0.1)
Y = RNG.integers(0, 3, 80)
MODEL = forest(X, Y, 4)


def test_votes_of_all_trees_in_any_number_of_threads():
    many = np.repeat(X, 60, axis=0)  # more than one thread takes at a time
    shares, leaves = MODEL.predict_proba(many), MODEL.apply(many)
    np.testing.assert_allclose(shares[::60], vote(MODEL.trees_, X), rtol=1e-12)
    assert (leaves == np.stack([tree.leaf_of(many) for tree in MODEL.trees_], axis=1)).all()
    three = forest(X, Y, 4, n_jobs=3)
    assert three.predict_proba(many).tobytes() == shares.tobytes()
    assert (three.apply(many) == leaves).all()


def test_importances_by_hand():
    wanted = []
    for tree in MODEL.trees_:
        gains = np.zeros(5)
        for k in np.flatnonzero(tree.feature >= 0):
            a, b = tree.left[k], tree.right[k]
            gains[tree.feature[k]] += (
                tree.weight[k] * tree.impurity[k]
                - tree.weight[a] * tree.impurity[a]
                - tree.weight[b] * tree.impurity[b]
            )
        wanted.append(gains / gains.sum())
    np.testing.assert_allclose(MODEL.feature_importances_, np.mean(wanted, axis=0))
    stump = RandomForestRegressor(1, random_state=0).fit(X, np.zeros(80))
    assert stump.feature_importances_.tolist() == [0.0] * 5


INNER = int(np.flatnonzero(MODEL.nodes_["feature"] >= 0)[0])
LEAF = int(np.flatnonzero(MODEL.nodes_["feature"] < 0)[0])


@pytest.mark.parametrize(
    ("name", "place", "value", "why"),
    [
        ("feature", INNER, 5, "lead out of themselves"),
        ("right", INNER, 0, "lead out of themselves"),
        ("right", INNER, INNER, "lead out of themselves"),
        ("right", INNER, len(MODEL.trees_[0]), "lead out of themselves"),
        ("right", LEAF, 1, "lead out of themselves"),
        ("feature", LEAF, 0, "lead out of themselves"),
        ("threshold", INNER, np.nan, "lead out of themselves"),
        ("weight", LEAF, 0.0, "lead out of themselves"),
        ("value", LEAF, -1.0, "hold no weights"),
        ("value", LEAF, 0.0, "hold no weights"),
        ("starts", 1, 10**9, "do not follow one another"),
        ("starts", 1, 0, "do not follow one another"),
        ("starts", -1, 3, "do not follow one another"),
        ("feature", INNER, -2, "nodes_"),
        ("value", slice(None), None, "do not fit its outputs"),
    ],
)
def test_hostile_trees_are_refused(name, place, value, why, tmp_path):
    model = forest(X, Y, 4)
    save(model, tmp_path / "forest.assay")
    load(tmp_path / "forest.assay")
    array = model.nodes_[name].copy()
    if value is None:
        array = array[:, :2].copy()
    else:
        array[place] = value
    model.nodes_ = model.nodes_ | {name: array}
    save(model, tmp_path / "forest.assay")
    with pytest.raises(BadData, match=f"damaged or was changed: .*{why}"):
        load(tmp_path / "forest.assay")
