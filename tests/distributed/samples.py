"""Samples for learners that learn from blocks, and what of a fitted model must not depend on how the rows came."""

from __future__ import annotations

import json

import numpy as np

from assay import save

PARTITIONS = (1, 2, 5, 17)


def classified(rows=700, width=5, classes=3, seed=0):
    """Rows whose labels depend on them, with some noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, width)) + rng.integers(3, size=width)
    scores = X @ rng.normal(size=(width, classes)) + rng.normal(size=(rows, classes))
    names = np.array([f"class {place}" for place in range(classes)])
    return X, names[(scores - scores.mean(axis=0)).argmax(axis=1)]


def measured(rows=700, width=5, seed=0):
    """Rows of different units, and a quantity that is nearly linear in them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, width)) * 10.0 ** np.arange(-2, width - 2) + 3.0
    return X, X @ rng.normal(size=width) + rng.normal(size=rows)


def cut(values, partitions, shift=0):
    """A Dask array in so many partitions of uneven lengths."""
    import dask.array as da

    ends = np.linspace(0, len(values), partitions + 1).astype(int)
    ends[1:-1] += shift
    chunks = (tuple(np.diff(ends).tolist()), *((size,) for size in values.shape[1:]))
    return da.from_array(values, chunks=chunks)


def content(model, folder):
    """What a model file says, all bits of all arrays among it."""
    save(model, folder / "model.assay")
    said = (folder / "model.assay").read_bytes()
    promises = [str(guarantee) for guarantee in model.guarantees()]
    return said, json.dumps(promises)
