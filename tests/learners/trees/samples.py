"""What the tests of trees share: samples, and the loan table."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd

from assay import DecisionTreeClassifier, DecisionTreeRegressor

DATA = Path(__file__).parents[3] / "examples" / "data"

LOAN = pd.read_csv(
    io.StringIO(
        """sex,income,education,marital,default
male,high,graduate,unmarried,no
male,low,bachelor,married,yes
female,high,highschool,unmarried,no
female,medium,highschool,married,no
male,high,bachelor,married,no
male,medium,bachelor,married,yes
male,medium,highschool,married,no
female,medium,graduate,unmarried,yes
female,medium,graduate,unmarried,yes
male,low,highschool,unmarried,yes
"""
    )
)
LOAN_X, LOAN_Y = LOAN.drop(columns="default"), LOAN["default"].to_numpy()


def table(rng, rows, features=4, *, missing=0.0, digits=None, arity=()):
    """Cells as float32: numbers, rounded or not, then features with categories, some cells missing."""
    X = rng.normal(size=(rows, features)).astype(np.float32)
    if digits is not None:
        X = np.round(X, digits)
    X = np.column_stack([X, *(rng.integers(0, k, rows) for k in arity)]).astype(np.float32)
    X[rng.random(X.shape) < missing] = np.nan
    return np.ascontiguousarray(X)


def coded(X, arity):
    """The same cells with every category numbered among those that are present, and how many these are."""
    X, arity = X.copy(), np.array(arity, np.int32)
    for f in np.flatnonzero(arity):
        present = ~np.isnan(X[:, f])
        values, X[present, f] = np.unique(X[present, f], return_inverse=True)
        arity[f] = len(values)
    return X, arity


def grown(X, y, weights=None, arity=(), **parameters):
    """The tree of these cells; the features that have an arity hold the numbers of categories, less than ten."""
    kind = DecisionTreeRegressor if np.asarray(y).dtype.kind == "f" else DecisionTreeClassifier
    chosen = np.flatnonzero(arity).tolist() or None
    return kind(categorical_features=chosen, **parameters).fit(X, y, weights).nodes_


def labels(rng, X, classes):
    """Classes that follow the first feature, with noise; every one of them occurs."""
    z = np.nan_to_num(X[:, 0]) + rng.normal(size=len(X)) * 0.7
    y = np.clip(np.floor(z * classes / 3 + classes / 2), 0, classes - 1).astype(np.int64)
    y[:classes] = np.arange(classes)
    return y


def real(name):
    """A table from the examples, and its labels."""
    found = pd.read_parquet(DATA / f"{name}.parquet")
    return found.drop(columns="target"), found["target"].astype(str).to_numpy()
