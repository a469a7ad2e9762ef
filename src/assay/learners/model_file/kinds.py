"""The kinds of values that learners keep.

Compiled loops follow arrays without looking, and theorems are asked about counts and lengths, so a kind takes
what a learner can hold, and nothing that only looks like it. `assay.learners.model_file.schema` says which
attribute is of which kind.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from assay.evidence.fitted_rows import FittedRows
from assay.learners.common.rows import Rows
from assay.learners.common.running_scale import LARGEST_CELL, RunningScale
from assay.learners.trees.structure import Tree
from assay.record.online import Comparator

Kind = Callable[[Any], bool]

# Counts are added to in 64 bits, and numbers beyond this would soon overflow.
MOST = 2**62
LARGEST = 1e300


def is_count(value: Any) -> bool:
    """A whole number, zero or more, that has room to grow."""
    return type(value) is int and 0 <= value < MOST


def is_finite(value: Any) -> bool:
    """A number, neither infinite nor NaN."""
    return type(value) is float and math.isfinite(value)


def is_number(value: Any) -> bool:
    """A number that may be infinite."""
    return type(value) is float and not math.isnan(value)


def is_amount(value: Any) -> bool:
    """Such a number, zero or more."""
    return is_number(value) and bool(value >= 0)


def is_size(value: Any) -> bool:
    """A finite number, zero or more."""
    return is_finite(value) and bool(value >= 0)


def is_whole(value: Any) -> bool:
    """A whole number that has room to grow."""
    return type(value) is int and abs(value) < MOST


def is_label(value: Any) -> bool:
    """A truth value, a text or a number."""
    return type(value) in (bool, str) or is_whole(value) or is_finite(value)


def one_of(*values: Any) -> Kind:
    """One of these, of the same type."""
    return lambda value: any(type(value) is type(v) and value == v for v in values)


def optional(kind: Kind) -> Kind:
    """None, or this kind."""
    return lambda value: value is None or kind(value)


def each(kind: Kind) -> Kind:
    """A list of this kind."""
    return lambda value: type(value) is list and all(map(kind, value))


def group(*kinds: Kind) -> Kind:
    """A tuple of these kinds."""

    def fits(value: Any) -> bool:
        same = type(value) is tuple and len(value) == len(kinds)
        return same and all(kind(item) for kind, item in zip(kinds, value, strict=True))

    return fits


def array(dtype: str, axes: int = 1, least: float = -math.inf, most: float = math.inf) -> Kind:
    """An array of this type whose numbers lie within bounds; NaN lies within none."""

    def fits(value: Any) -> bool:
        same = isinstance(value, np.ndarray) and value.dtype == np.dtype(dtype)
        same = same and value.ndim == axes and value.flags.c_contiguous
        return same and bool(((value >= least) & (value <= most)).all())

    return fits


is_vector = array("<f8", least=-LARGEST, most=LARGEST)


def is_block(value: Any) -> bool:
    """Examples of finite numbers in double precision."""
    if not isinstance(value, Rows):
        return False
    cells = value.arrays[0]
    return cells.dtype == np.float64 and bool(np.isfinite(cells).all())


def is_comparator(value: Any) -> bool:
    """A vector with its length, its loss and its margin."""
    return (
        isinstance(value, Comparator)
        and is_vector(value.vector)
        and len(value.vector) > 0
        and is_amount(value.norm)
        and is_amount(value.loss)
        and (value.margin is None or (is_amount(value.margin) and value.margin > 0))
    )


def is_log(value: Any) -> bool:
    """Rounds with the same columns of numbers."""
    if type(value) is not list or not all(type(entry) is dict for entry in value):
        return False
    if not value:
        return True
    named = bool(value[0]) and all(type(name) is str for name in value[0])
    return named and all(
        entry.keys() == value[0].keys() and all(type(v) is float for v in entry.values())
        for entry in value
    )


def is_labels(value: Any) -> bool:
    """Two labels or more, of one type and in order."""
    if not isinstance(value, np.ndarray) or value.ndim != 1 or len(value) < 2:
        return False
    items = value.tolist()
    if len({type(item) for item in items}) != 1 or type(items[0]) not in (bool, int, float, str):
        return False
    return all(one < other for one, other in itertools.pairwise(items))


def is_names(value: Any) -> bool:
    """Names of features or experts, each once: rows are read from dicts by them."""
    return (
        isinstance(value, np.ndarray)
        and value.dtype == object
        and all(type(name) is str for name in value)
        and len(set(value)) == len(value)
    )


def is_parameters(value: Any) -> bool:
    """Plain values by name: what a policy compares with its own parameters."""
    plain = optional(is_label)
    return type(value) is dict and all(
        type(name) is str and (plain(item) or (type(item) is tuple and all(map(plain, item))))
        for name, item in value.items()
    )


def is_running_scale(value: Any) -> bool:
    """Means within the sizes that cells may have, and sums of squares, zero or more, beside them."""
    return (
        isinstance(value, RunningScale)
        and is_count(value.rows)
        and value.rows > 0
        and array("<f8", least=-LARGEST_CELL, most=LARGEST_CELL)(value.mean)
        and array("<f8", least=0, most=LARGEST)(value.squares)
        and len(value.mean) == len(value.squares)
    )


def is_fitted_rows(value: Any) -> bool:
    """Two digests of each row that is kept, of no more rows than were learned."""
    return (
        isinstance(value, FittedRows)
        and is_count(value.rows)
        and is_count(value.due)
        and array("<u8", axes=2)(value.digests)
        and value.digests.shape[1] == 2
        and len(value.digests) <= value.rows <= value.due
    )


def is_finite_array(*axes: int) -> Kind:
    """Finite numbers in single or double precision, on one of so many axes."""

    def fits(value: Any) -> bool:
        same = isinstance(value, np.ndarray) and value.dtype in (np.float32, np.float64)
        return same and value.ndim in axes and bool(np.isfinite(value).all())

    return fits


def is_texts(value: Any) -> bool:
    """A list of strings."""
    if not isinstance(value, np.ndarray) or value.dtype != object or value.ndim != 1:
        return False
    return all(type(text) is str for text in value.tolist())


def is_examples(value: Any) -> bool:
    """Examples of finite numbers, dense or sparse, or strings; sparse ones were looked at when they were read."""
    return sparse.issparse(value) or is_finite_array(2)(value) or is_texts(value)


def is_shares(axes: int, most: float = 1.0) -> Kind:
    """Numbers of at most that size, or NaN where there is none."""

    def fits(value: Any) -> bool:
        same = isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == axes
        return same and bool((np.isnan(value) | (np.abs(value) <= most)).all())

    return fits


_NODES: Mapping[str, Kind] = {
    "starts": array("<i8", least=0, most=MOST),
    "feature": array("<i4", least=-1),
    "threshold": lambda value: isinstance(value, np.ndarray) and value.dtype == np.float64,
    "right": array("<i4", least=-1),
    "value": array("<f8", axes=2, least=-LARGEST, most=LARGEST),
    "weight": array("<f8", least=0, most=LARGEST),
    "impurity": array("<f8", least=0, most=LARGEST),
    "missing_left": array("|i1", least=0, most=1),
    "rows": array("<i8", least=0, most=MOST),
}


def is_nodes(value: Any) -> bool:
    """The nodes of a forest's trees, each part of its kind; the learner sees whether they lead anywhere."""
    return (
        type(value) is dict
        and value.keys() == _NODES.keys()
        and all(kind(value[name]) for name, kind in _NODES.items())
    )


_TREE: Mapping[str, Kind] = {name: kind for name, kind in _NODES.items() if name != "starts"} | {
    "left": array("<i4", least=-1),
    "branch": array("<i4", least=-1),
    "arity": array("<i4", least=0),
    "children": array("<i4", least=0),
}


def is_tree(value: Any) -> bool:
    """A tree, each part of its kind; the learner sees whether its nodes lead anywhere."""
    return isinstance(value, Tree) and all(
        kind(getattr(value, name)) for name, kind in _TREE.items()
    )


def is_categories(value: Any) -> bool:
    """For each feature None, or its categories, each once."""

    def fits(words: Any) -> bool:
        same = type(words) is list and len(words) > 0 and all(type(word) is str for word in words)
        return same and len(set(words)) == len(words)

    return each(optional(fits))(value)


def is_encoder(value: Any) -> bool:
    """How a table became features, as the command line keeps it; refuses by itself."""
    from assay.data.stored_encoder import encoder_from_json  # only here: it is slow to import

    encoder_from_json(value)
    return True


def is_index(value: Any) -> bool:
    """Features by name, numbered in their order."""
    return (
        type(value) is dict
        and all(type(name) in (str, int) for name in value)
        and all(type(place) is int for place in value.values())
        and list(value.values()) == list(range(len(value)))
    )
