"""The labelings a class realises on given points: growth, shattering and VC dimension by counting.

A class is a function from points to the table of its labelings of them: a row for each distinct
labeling, -1 or +1 for each point. `halfspaces`, `intervals` and the like are such functions;
`finite_class` makes one of any table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, combinations_with_replacement
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import require
from assay.theory.needs import count
from assay.types import Array, Bools, Floats

Labels: TypeAlias = NDArray[np.int8]
ConceptClass: TypeAlias = Callable[[ArrayLike], Labels]

_FEASIBLE, _INFEASIBLE = 0, 2


def growth_on(points: ArrayLike, concepts: ConceptClass) -> int:
    """In how many ways a class labels the points.

    Examples
    --------
    >>> growth_on([[0, 0], [1, 0], [0, 1], [1, 1]], halfspaces)
    14
    """
    return len(concepts(points))


def shatters(points: ArrayLike, concepts: ConceptClass) -> bool:
    """Whether a class labels the points in every way.

    Examples
    --------
    >>> shatters([[0, 0], [1, 0], [0, 1]], halfspaces)
    True
    """
    table = concepts(points)
    return len(table) == _all_ways(table.shape[1])


def growth_of(table: ArrayLike, points: int) -> int:
    """The growth function of a finite class: the most labelings of that many columns of its table.

    Examples
    --------
    >>> growth_of(intervals([1, 2, 3, 4, 5]), points=3)
    7
    """
    labels = _table(table)
    size = count("points", points)
    width = labels.shape[1]
    require(size <= width, "points", f"at most the number of columns {width}", points)
    return max(_ways(labels, columns) for columns in combinations(range(width), size))


def vc_dimension_of(table: ArrayLike) -> int:
    """The VC dimension of a finite class: the most columns of its table that hold every labeling.

    The table may hold the labelings of a larger class on some points; the answer is then
    the size of the largest shattered set among these points.

    Examples
    --------
    >>> vc_dimension_of(intervals([1, 2, 3, 4, 5]))
    2
    """
    labels = _table(table)
    size = 0
    shattered: list[tuple[int, ...]] = [()]
    # Part of a shattered set is shattered, so sets grow by one column at a time.
    while larger := _one_more(labels, shattered):
        size, shattered = size + 1, larger
    return size


def halfspaces(points: ArrayLike) -> Labels:
    """Labelings by affine halfspaces sgn(<w, x> + b), whatever label the boundary gets.

    Examples
    --------
    >>> growth_on([[0, 0], [1, 1], [2, 2]], halfspaces)
    6
    """
    cloud = read_points(points)
    # Moving and scaling the features moves and scales the halfspaces, and helps the solver.
    centred = cloud - cloud.mean(axis=0)
    spread = np.abs(centred).max(axis=0)
    centred /= np.where(spread > 0, spread, 1.0)
    return _separable(np.column_stack([centred, np.ones(len(cloud))]), positive_side=1.0)


def homogeneous_halfspaces(points: ArrayLike) -> Labels:
    """Labelings by halfspaces sgn(<w, x>) with none of the points on the boundary.

    Examples
    --------
    >>> growth_on([[1, 0], [0, 1], [-1, -1]], homogeneous_halfspaces)
    6
    """
    return _separable(_directions(read_points(points)), positive_side=1.0)


def closed_homogeneous_halfspaces(points: ArrayLike) -> Labels:
    """Labelings by halfspaces sgn(<w, x>) with sgn(0) = +1 and w = 0 allowed.

    Examples
    --------
    >>> growth_on([1, -1], closed_homogeneous_halfspaces)
    3
    """
    return _separable(_directions(read_points(points)), positive_side=0.0)


def rectangles(points: ArrayLike) -> Labels:
    """Labelings by axis-aligned boxes of any dimension, positive inside.

    Examples
    --------
    >>> shatters([[1, 0], [-1, 0], [0, 1], [0, -1]], rectangles)
    True
    """
    sides = [_runs(feature) for feature in read_points(points).T]
    inside = sides[0]
    for side in sides[1:]:
        both = inside[:, None, :] & side[None, :, :]
        inside = np.unique(both.reshape(-1, inside.shape[1]), axis=0)
    return _signs(inside)


def intervals(points: ArrayLike) -> Labels:
    """Labelings by intervals of the line, positive inside.

    Examples
    --------
    >>> growth_on([1, 2, 3], intervals)
    7
    """
    cloud = read_points(points)
    dimension = cloud.shape[1]
    require(dimension == 1, "the dimension of the points", "1 for intervals of the line", dimension)
    return rectangles(cloud)


def finite_class(table: ArrayLike) -> ConceptClass:
    """The class whose members are the rows of a table; its points are the places of columns.

    Examples
    --------
    >>> parity = finite_class([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
    >>> shatters([0, 1], parity), growth_on([0, 1, 2], parity)
    (True, 4)
    """
    labels = _table(table)

    def concepts(points: ArrayLike) -> Labels:
        places = [count("points", place) for place in np.asarray(points).ravel().tolist()]
        width = labels.shape[1]
        within = all(place < width for place in places)
        require(within, "points", f"places of columns below {width}", places)
        return _distinct(labels[:, places])

    return concepts


def majorities(table: ArrayLike, voters: int) -> Labels:
    """Labelings by majorities of a number of members of a finite class, with repetition.

    Examples
    --------
    >>> len(majorities([[1, 0, 0], [0, 1, 0], [0, 0, 1]], voters=3))
    4
    """
    labels = _table(table)
    k = count("voters", voters, at_least=1)
    require(k % 2 == 1, "voters", "odd, so that no vote is tied", voters)
    groups = np.array(list(combinations_with_replacement(range(len(labels)), k)))
    return _signs(labels[groups].sum(axis=1, dtype=np.int64) > 0)


def _separable(examples: Floats, positive_side: float) -> Labels:
    """Labelings with <w, x> >= positive_side on positives and <w, x> <= -1 on negatives, some w.

    Found by adding the points one by one: a labeling is realisable only if its beginning is.
    """
    labelings = [np.empty(0)]
    for m in range(1, len(examples) + 1):
        longer = [np.append(labels, label) for labels in labelings for label in (-1.0, 1.0)]
        labelings = [labels for labels in longer if _feasible(examples[:m], labels, positive_side)]
    return np.array(labelings, dtype=np.int8).reshape(-1, len(examples))


def _feasible(examples: Floats, labels: Floats, side: float) -> bool:
    # SciPy comes in here, so that reading a table does not wait for it.
    from scipy.optimize import linprog

    answer = linprog(
        np.zeros(examples.shape[1]),
        A_ub=-labels[:, None] * examples,
        b_ub=np.where(labels > 0, -side, -1.0),
        bounds=(None, None),
        method="highs",
    )
    if answer.status not in (_FEASIBLE, _INFEASIBLE):
        raise RuntimeError(f"the linear program of a labeling failed: {answer.message}")
    return bool(answer.status == _FEASIBLE)


def _directions(cloud: Floats) -> Floats:
    """Points brought to largest coordinate 1, which leaves their side of a homogeneous plane."""
    size = np.abs(cloud).max(axis=1, keepdims=True)
    scaled: Floats = cloud / np.where(size > 0, size, 1.0)
    return scaled


def _runs(values: Floats) -> Bools:
    """Which values each interval contains: runs of consecutive values, and none."""
    ends = np.unique(values)
    inside = [(low <= values) & (values <= high) for low in ends for high in ends[ends >= low]]
    return np.array([np.zeros(len(values), dtype=bool), *inside])


def _one_more(labels: Labels, sets: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The shattered sets that add a later column to one of the given sets."""
    width = labels.shape[1]
    longer = ((*s, j) for s in sets for j in range(s[-1] + 1 if s else 0, width))
    return [columns for columns in longer if _ways(labels, columns) == _all_ways(len(columns))]


def _ways(labels: Labels, columns: Sequence[int]) -> int:
    return len(_distinct(labels[:, list(columns)]))


def _all_ways(points: int) -> int:
    return 1 << points


def _distinct(labels: Labels) -> Labels:
    rows: Labels = np.unique(labels, axis=0)
    return rows


def _signs(positive: Bools) -> Labels:
    return _distinct(np.where(positive, 1, -1).astype(np.int8))


def read_points(points: ArrayLike) -> Floats:
    """Points as a table with a row for each, refused unless finite; plain numbers lie on a line."""
    must = "a table of finite numbers with a row for each point"
    cloud = read_table("points", points, must, columns=1).astype(np.float64)
    require(bool(np.isfinite(cloud).all()), "points", must, points)
    return cloud


def read_table(name: str, given: ArrayLike, must: str, columns: int | None = None) -> Array:
    """A table with at least one row and column; a flat list only where the columns are known."""
    try:
        table = np.asarray(given)
        # A list of whole numbers that no integer type holds together comes as rounded doubles.
        if table.dtype.kind == "f" and table is not given and (np.abs(table) >= 2**53).any():
            table = np.asarray(given, dtype=object)
        if table.ndim == 1 and columns is not None:
            table = table.reshape(-1, columns)
        usable = table.ndim == 2 and table.size > 0 and table.dtype.kind in "biufO"
    except (TypeError, ValueError):  # rows of different lengths
        usable = False
    require(usable, name, must, given)
    return table


def _table(labels: ArrayLike) -> Labels:
    must = "a table of -1 and +1, or of 0 and 1, with a row for each function"
    table = read_table("table", labels, must)
    values = set(np.unique(table).tolist())
    require(values <= {-1, 1} or values <= {0, 1}, "table", must, labels)
    return np.where(table > 0, 1, -1).astype(np.int8)
