"""From a sample to a tree: cells as sorted keys, the compiled grower, and its nodes as a `Tree`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from assay.compiled.trees.tree_calls import calls_of
from assay.compiled.trees.tree_grow import (
    ARITY,
    BRANCH,
    FEATURE,
    HIGH,
    LEFT,
    LOW,
    MISSING_LEFT,
    RIGHT,
    ROWS,
    VALUE,
    grow,
)
from assay.compiled.trees.tree_keys import keys_of
from assay.compiled.trees.tree_sample import Rule, Sample
from assay.compiled.trees.tree_scan import ENTROPY
from assay.compiled.trees.tree_search import FEATURES
from assay.errors import BadData
from assay.learners.trees.aims import NO_AIM, Aims
from assay.learners.trees.structure import Tree
from assay.types import Array, Floats, Ints, Words

_KEY_BITS = 32
_FIXED_BITS = 60


def sample_of(
    cells: NDArray[np.float32],
    y: Array,
    classes: int,
    weights: Floats | None,
    arity: NDArray[np.int32],
    criterion: int,
    aims: Aims | None = None,
) -> Sample:
    """The sample as the grower reads it; y are the numbers of classes, or with no classes a target."""
    n = len(cells)
    shift = max((n - 1).bit_length(), 1)
    if shift + max(classes - 1, 0).bit_length() > _KEY_BITS:
        raise BadData(f"{n:,} rows and {classes:,} classes together are too many for a tree.")
    tails = np.arange(n, dtype=np.uint32)
    if classes:
        tails |= y.astype(np.uint32) << np.uint32(shift)
    keys = sorted_keys(cells, tails)
    counts = np.arange(1, n + 1, dtype=np.float64)
    inverse, xlog, unit = np.zeros(1), np.zeros(1, np.int64), 1.0
    if classes and weights is None:
        inverse = np.concatenate([[0.0], 1.0 / counts])
        if criterion == ENTROPY:
            products = counts * np.log2(counts)
            # So fine that sums of a whole column still fit into 64 bits.
            unit = 2.0 ** (math.frexp(products[-1])[1] - _FIXED_BITS)
            xlog = np.concatenate([[0.0], np.rint(products / unit)]).astype(np.int64)
    return Sample(
        keys=keys,
        arity=arity,
        weights=np.zeros(0) if weights is None else weights,
        target=np.zeros(0) if classes else y.astype(np.float64).ravel(),
        shift=np.uint64(shift),
        classes=classes,
        inverse=inverse,
        xlog=xlog,
        unit=unit,
        aim=NO_AIM if aims is None else aims.compiled(criterion, y),
    )


def sorted_keys(cells: NDArray[np.float32], tails: NDArray[np.uint32]) -> Words:
    """The cells of every feature in order, with what stands behind each of its row; see `tree_sample`."""
    n, d = cells.shape
    keys = np.empty((d, n), np.uint64)
    keys_of(cells.view(np.uint32), tails, keys)
    keys.sort(axis=1)
    return keys


def grown(
    cells: NDArray[np.float32],
    y: Array,
    classes: int,
    weights: Floats | None,
    arity: NDArray[np.int32],
    rule: Rule,
    seed: int = 0,
    *,
    short: bool = False,
    aims: Aims | None = None,
) -> Tree:
    """Grow a tree.

    Parameters
    ----------
    cells : array of float32
        Rows by features; the number of a category, NaN where nothing is known.
    y : array
        The number of each row's class, or a target.
    classes : int
        How many classes there are; 0 for a target.
    weights : array of float64, optional
        Of the rows, each above zero.
    arity : array of int32
        How many categories a feature has, 0 for a number.
    rule : Rule
        How to divide, and when not to.
    seed : int
        For the features that are looked at, where these are not all.
    short : bool
        Whether thresholds are the shortest decimal numbers between the cells on both sides, not the middle.
    aims : Aims, optional
        What is predicted where that is not one class or one mean: y then has a column for each output, and `classes`
        is 0.
    """
    sample = sample_of(cells, y, classes, weights, arity, rule.criterion, aims)
    return grown_from(sample, y, rule, seed, short=short, aims=aims)


def grown_from(
    sample: Sample, y: Array, rule: Rule, seed: int, *, short: bool, aims: Aims | None
) -> Tree:
    """The same from a sample as the grower reads it, which is overwritten."""
    weights, classes = sample.weights, sample.classes
    each = weights if weights.size else np.ones(len(y))
    if aims is not None:
        state, alike = aims.state(rule.criterion, y, each)
    elif classes:
        state = np.bincount(y, weights=each, minlength=classes).astype(np.float64)
        alike = bool((state > 0).sum() <= 1)
    else:
        # Of numbers that are all alike the mean is theirs, whatever rounding makes of the sum.
        alike = bool((y == y[0]).all())
        mean = float(y[0]) if alike else float(np.average(y, weights=each))
        state = np.array([each.sum(), mean, float((each * (y - mean) ** 2).sum())])
    nodes = _grow(sample, rule, state, alike, seed, len(y))
    return _tree(*nodes, in_order=rule.most_leaves == 0, short=short)


def _grow(
    sample: Sample, rule: Rule, state: Floats, alike: bool, seed: int, rows: int
) -> tuple[Ints, Floats, Floats, Ints]:
    """The nodes: numbers, weight and impurity, value, and the children of categories."""
    columns, n = sample.keys.shape
    categories = int(sample.arity.max(initial=0))
    children, outputs = max(categories + 1, 2), max(sample.classes, 1)
    below = np.zeros((children, len(state)))
    below[0] = state
    looks = np.zeros((3, columns), np.int64)
    looks[FEATURES] = np.arange(columns)
    made, numbers, masses, tabled, table = grow(
        sample,
        rule,
        calls_of(sample, rule),
        alike,
        np.array([seed], np.uint64),
        np.zeros(rows, np.uint16),
        np.empty(n, np.uint64),
        np.empty(categories + 1, np.int64),
        below,
        np.zeros(children, np.int64),
        np.zeros((2, children), np.bool_),
        looks,
        np.zeros((2, columns)),
        np.zeros((2, outputs), np.int64),
        np.zeros((4, outputs)),
    )
    masses = masses[:made]
    return numbers[:made], masses[:, :VALUE], masses[:, VALUE:], table[:tabled, 0]


def _tree(
    numbers: Ints, masses: Floats, value: Floats, children: Ints, *, in_order: bool, short: bool
) -> Tree:
    if not in_order:
        numbers, masses, value, children = _preordered(numbers, masses, value, children)
    asks = (numbers[:, FEATURE] >= 0) & (numbers[:, BRANCH] < 0)
    threshold = np.full(len(numbers), np.nan)
    threshold[asks] = _thresholds(numbers[asks, LOW], numbers[asks, HIGH], short)
    grouped = bool((numbers[:, BRANCH] >= 0).any())
    none = np.zeros(0, np.int32)
    return Tree(
        feature=numbers[:, FEATURE].astype(np.int32),
        threshold=threshold,
        left=numbers[:, LEFT].astype(np.int32),
        right=numbers[:, RIGHT].astype(np.int32),
        value=value.copy(),
        weight=masses[:, 0].copy(),
        impurity=masses[:, 1].copy(),
        missing_left=numbers[:, MISSING_LEFT].astype(np.int8),
        rows=numbers[:, ROWS].copy(),
        branch=numbers[:, BRANCH].astype(np.int32) if grouped else none,
        arity=np.maximum(numbers[:, ARITY], 0).astype(np.int32) if grouped else none,
        children=children.astype(np.int32) if grouped else none,
    )


def _thresholds(low: Ints, high: Ints, short: bool) -> Floats:
    """Halfway between the cells on both sides, and never that on the right."""
    below, above = _cells(low), _cells(high)
    middle = below / 2.0 + above / 2.0
    middle = np.where((middle == above) | np.isinf(middle), below, middle)
    if short:
        ends = zip(below.tolist(), middle.tolist(), above.tolist(), strict=True)
        middle = np.array([_shortest(*each) for each in ends])
    return np.asarray(np.where(high < 0, np.inf, middle))


def _shortest(low: float, middle: float, high: float) -> float:
    """A number with few digits from `low` on and below `high`."""
    for digits in range(1, 18):
        rounded = float(f"{middle:.{digits}g}")
        if low <= rounded < high:
            return rounded
    return middle


def _cells(keys: Ints) -> Floats:
    """The cells that keys stand for."""
    bits = np.maximum(keys, 0).astype(np.uint32)
    sign = np.uint32(0x80000000)
    bits = np.where(bits >= sign, bits ^ sign, ~bits)
    return np.ascontiguousarray(bits).view(np.float32).astype(np.float64)


def _preordered(
    numbers: Ints, masses: Floats, value: Floats, children: Ints
) -> tuple[Ints, Floats, Floats, Ints]:
    """The same nodes, each child's subtree behind its parent; children keep their order."""
    order: list[int] = []
    waiting = [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if numbers[node, FEATURE] >= 0:
            below = [int(numbers[node, LEFT]), int(numbers[node, RIGHT])]
            start = numbers[node, BRANCH]
            if start >= 0:
                table = children[start : start + numbers[node, ARITY] + 1].tolist()
                below = [below[0], *(c for c in dict.fromkeys(table) if c not in below), below[1]]
            waiting.extend(reversed(below))
    place = np.full(len(numbers) + 1, -1)
    place[order] = np.arange(len(order))
    numbers = numbers[order]
    for column in (LEFT, RIGHT):
        numbers[:, column] = place[numbers[:, column]]  # -1 stays, being the last of them
    tables: list[Ints] = []
    at = 0
    for node in np.flatnonzero(numbers[:, BRANCH] >= 0).tolist():
        start, size = int(numbers[node, BRANCH]), int(numbers[node, ARITY]) + 1
        numbers[node, BRANCH] = at
        at = at + size
        tables.append(place[children[start : start + size]])
    children = np.concatenate(tables) if tables else children
    return numbers, masses[order], value[order], children
