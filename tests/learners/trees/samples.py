"""What the tests of trees share: samples, and the loan table."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd

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
