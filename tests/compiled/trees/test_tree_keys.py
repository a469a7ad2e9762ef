"""Keys sort as the cells do."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.compiled.trees.tree_keys import keys_of

cells = st.floats(width=32, allow_infinity=False)


@given(st.lists(cells, min_size=1, max_size=30))
def test_order_of_keys_is_order_of_cells(values):
    X = np.array(values, np.float32)[:, None]
    keys = np.empty((1, len(values)), np.uint64)
    keys_of(X.view(np.uint32), np.arange(len(values), dtype=np.uint32), keys)
    order = (np.sort(keys[0]) & np.uint64(0xFFFFFFFF)).astype(int)
    found = X[order, 0]
    held = found[~np.isnan(found)]
    assert (np.diff(held) >= 0).all()
    assert not np.isnan(found[: len(held)]).any()  # missing ones are the last
    upper = keys[0] >> np.uint64(32)
    for i in range(len(values)):
        for j in range(len(values)):
            both = np.isnan(X[i, 0]) and np.isnan(X[j, 0])
            assert (upper[i] == upper[j]) == bool(both or X[i, 0] == X[j, 0])


def test_blocks_and_features():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 3)).astype(np.float32)
    tails = rng.integers(0, 2**32, 700).astype(np.uint32)
    keys = np.empty((3, 700), np.uint64)
    keys_of(X.view(np.uint32), tails, keys)
    assert (keys.astype(np.uint32) == tails).all()
    for f in range(3):
        assert (np.argsort(keys[f], kind="stable") == np.argsort(X[:, f], kind="stable")).all()
