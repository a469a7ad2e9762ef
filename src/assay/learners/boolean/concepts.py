"""Finite classes of concepts by name: plain data that a learner takes, prints and saves as a parameter.

A class is built when a learner knows how many features there are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.errors import BadData, BadParameter, require
from assay.guarantees.boolean_text import Literal
from assay.learners.boolean.concept_class import (
    ConceptClass,
    FunctionClass,
    HalfspaceClass,
    OrClass,
    TableClass,
    ThresholdClass,
)
from assay.learners.boolean.sphere import sphere_net
from assay.theory.needs import count, each, positive, real
from assay.types import Array, Ints, Words

MOST = 2**22
"""How many concepts a class may have: each is kept, and asked about every example."""

# Terms that a class may be made of.
_MOST_TERMS = 2**12

Spec = dict[str, Any]


def disjunctions(literals: int | None = None, negations: bool = False) -> Spec:
    """ORs of features, the empty one (false) included.

    Parameters
    ----------
    literals : int, optional
        The most features in an OR; any number when not given.
    negations : bool, default=False
        Whether features may be negated; one that stands for both is left out, but for the concept
        that is always true.

    Examples
    --------
    >>> build(disjunctions(), 16).size, build(disjunctions(literals=2), 16).size
    (65536, 137)
    """
    return {"concepts": "disjunctions", "literals": literals, "negations": negations}


def conjunctions(literals: int | None = None, negations: bool = False) -> Spec:
    """ANDs of features, the empty one (true) included; parameters as for `disjunctions`.

    Examples
    --------
    >>> build(conjunctions(), 10).size
    1024
    """
    return {"concepts": "conjunctions", "literals": literals, "negations": negations}


def dnf(literals: int = 2, terms: int | None = None, negations: bool = False) -> Spec:
    """ORs of terms, each an AND of at most `literals` features.

    Parameters
    ----------
    literals : int, default=2
        The most features in a term.
    terms : int, optional
        The most terms; any number when not given.
    negations : bool, default=False
        Whether features may be negated.

    Examples
    --------
    >>> build(dnf(literals=2, terms=2), 6).size
    232
    """
    return {"concepts": "dnf", "literals": literals, "terms": terms, "negations": negations}


def stumps(thresholds: Iterable[float] = (0.5,)) -> Spec:
    """One feature compared with one threshold, in either direction.

    Parameters
    ----------
    thresholds : numbers, default=(0.5,)
        To be fixed before the examples are seen; the default is for features of 0 and 1.

    Examples
    --------
    >>> build(stumps([0.25, 0.5, 0.75]), 4).size
    24
    """
    return {"concepts": "stumps", "thresholds": [float(t) for t in thresholds]}


def intervals(points: Iterable[float]) -> Spec:
    """One feature between two points, ends included; and the empty interval.

    Parameters
    ----------
    points : numbers
        Where intervals may begin and end, fixed before the examples are seen.

    Examples
    --------
    >>> build(intervals([0.0, 0.5, 1.0]), 1).size
    7
    """
    return {"concepts": "intervals", "points": [float(p) for p in points]}


def halfspaces(margin: float, radius: float = 1.0) -> Spec:
    r"""Homogeneous halfspaces: a net of the unit sphere, of which one is within :math:`\gamma/(2R)` of any.

    If some unit vector separates examples of length at most R with margin :math:`\gamma`, one of the net
    separates them too. The net grows exponentially with the number of features.

    Parameters
    ----------
    margin, radius : float
        The margin, and the largest length of an example.

    Examples
    --------
    >>> build(halfspaces(margin=0.2), 2).size
    32
    """
    return {"concepts": "halfspaces", "margin": float(margin), "radius": float(radius)}


# Building


def build(concepts: Any, features: int) -> ConceptClass:
    """The class that a parameter stands for, over examples with so many features.

    Parameters
    ----------
    concepts : str, dict, array of shape (concepts, points), or sequence of functions
        A class by name or from a function of this module; labels on numbered points; functions from
        rows to truth values.
    features : int
        The number of features.

    Examples
    --------
    >>> build("disjunctions", 3).formula(5, ["a", "b", "c"])
    'a OR c'
    """
    if isinstance(concepts, str):
        concepts = {"concepts": concepts}
    if isinstance(concepts, Mapping):
        return _by_name(dict(concepts), features)
    if isinstance(concepts, Sequence) and concepts and all(map(callable, concepts)):
        return FunctionClass(concepts)
    try:
        table = np.asarray(concepts)
    except ValueError:
        table = np.zeros(0)
    if table.ndim != 2 or not table.size or table.dtype.kind not in "biuf":
        raise BadParameter(
            "concepts must be the name of a class, a class from assay.learners.boolean.concepts, a list of "
            f"functions, or a table of labels with a row for each concept, but is {concepts!r:.80}."
        )
    return _table(table, features)


def needs_boolean(concepts: Any) -> bool:
    """Whether the examples of a class must be of 0 and 1.

    Examples
    --------
    >>> needs_boolean("dnf"), needs_boolean(stumps([0.3]))
    (True, False)
    """
    name = concepts.get("concepts") if isinstance(concepts, Mapping) else concepts
    return isinstance(name, str) and name in ("disjunctions", "conjunctions", "dnf")


def _table(table: Array, features: int) -> ConceptClass:
    odd = table[~np.isin(table, (-1, 0, 1))]
    if odd.size:
        raise BadParameter(
            f"concepts must hold labels of -1 and 1, or 0 and 1, but holds {odd[0].item()!r}."
        )
    if features != 1:
        raise BadData(
            "With a table of labels X must have one column, the numbers of the points, "
            f"but has {features}."
        )
    return TableClass(table > 0)


def _by_name(spec: Spec, features: int) -> ConceptClass:
    name = spec.pop("concepts", None)
    makers: dict[Any, Callable[..., Spec]] = {
        "disjunctions": disjunctions,
        "conjunctions": conjunctions,
        "dnf": dnf,
        "stumps": stumps,
        "intervals": intervals,
        "halfspaces": halfspaces,
    }
    require(name in makers, "concepts", "one of " + ", ".join(makers), name)
    try:
        spec = makers[name](**spec)
    except TypeError as problem:
        raise BadParameter(f"The class {name} cannot be made: {problem}.") from None
    if name == "stumps":
        return _stumps(_grid("thresholds", spec["thresholds"]), features)
    if name == "intervals":
        return _intervals(_grid("points", spec["points"]), features)
    if name == "halfspaces":
        return _halfspaces(spec["margin"], spec["radius"], features)
    literals: list[Literal] = [(j, True) for j in range(features)]
    if spec["negations"]:
        literals += [(j, False) for j in range(features)]
    if name == "dnf":
        terms = _terms(literals, count("literals", spec["literals"], at_least=1))
        return OrClass(terms, _masks(terms, _most(spec["terms"], "terms"), name, clash=False))
    one_each: list[tuple[Literal, ...]] = [(literal,) for literal in literals]
    most = _most(spec["literals"], "literals")
    return OrClass(
        one_each,
        _masks(one_each, most, name, clash=bool(spec["negations"])),
        conjunctions=name == "conjunctions",
    )


def _most(value: Any, name: str) -> int | None:
    return None if value is None else count(name, value)


def _terms(literals: list[Literal], most: int) -> list[tuple[Literal, ...]]:
    """All ANDs of so many literals, none of them with its own negation."""
    terms: list[tuple[Literal, ...]] = []
    for k in range(1, most + 1):
        terms += [
            tuple(sorted(term))
            for term in itertools.combinations(literals, k)
            if len({place for place, _ in term}) == k
        ]
        if len(terms) > _MOST_TERMS:
            break
    return terms


def _masks(terms: list[tuple[Literal, ...]], most: int | None, name: str, *, clash: bool) -> Words:
    """Which terms stand in each concept, shorter concepts first where their number is limited."""
    n = len(terms)
    k = n if most is None else min(most, n)
    d = n // 2 if clash else n
    if clash:
        size = sum(math.comb(d, j) * 2**j for j in range(min(k, d) + 1)) + (k >= 2 and d >= 1)
    else:
        size = sum(math.comb(n, j) for j in range(k + 1))
    if size > MOST or n > _MOST_TERMS:
        raise BadParameter(
            f"The class of {name} has {_size_text(size)} concepts over {n:,} terms, but at most {MOST:,} "
            f"over {_MOST_TERMS:,} can be kept. Limit the literals or terms, or use a learner that keeps none: "
            "OnlineDisjunction, KTermDNF, Winnow."
        )
    if not clash and k == n:
        return np.arange(size, dtype=np.uint64).reshape(-1, 1)
    parts = []
    for chosen in range((min(k, d) if clash else k) + 1):
        sets = subsets(n, chosen)
        if clash:  # not a feature together with its negation
            folded = np.sort(sets % d, axis=1)
            sets = sets[(np.diff(folded, axis=1) > 0).all(axis=1)]
        parts.append(masks_of(sets, n))
    if clash and sum(map(len, parts)) < size:
        parts.append(masks_of(np.array([[0, d]]), n))  # always true: all such concepts are one
    return np.concatenate(parts)


def subsets(n: int, k: int) -> Ints:
    """All sets of k of the numbers below n, one in each row.

    Examples
    --------
    >>> subsets(3, 2).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    flat = itertools.chain.from_iterable(itertools.combinations(range(n), k))
    rows = math.comb(n, k)
    return np.fromiter(flat, dtype=np.int64, count=rows * k).reshape(rows, k)


def masks_of(sets: Ints, n: int) -> Words:
    """Sets of numbers below n as bits, in as many words as that takes.

    Examples
    --------
    >>> masks_of(np.array([[0, 2], [1, 64]]), 65).tolist()
    [[5, 0], [2, 1]]
    """
    masks = np.zeros((len(sets), -(-max(n, 1) // 64)), dtype=np.uint64)
    everyone = np.arange(len(sets))
    for places in sets.T:
        masks[everyone, places // 64] |= np.left_shift(
            np.uint64(1), (places % 64).astype(np.uint64)
        )
    return masks


def _size_text(size: int) -> str:
    return f"{size:,}" if size < 10**15 else f"about 2^{size.bit_length() - 1}"


def _grid(name: str, values: Any) -> list[float]:
    each(name, values, real)
    grid = sorted({float(value) for value in values})
    require(bool(grid), name, "at least one number", values)
    return grid


def _refuse_many(size: int, name: str) -> None:
    if size > MOST:
        raise BadParameter(
            f"The class of {name} has {size:,} concepts, but at most {MOST:,} can be kept."
        )


def _stumps(thresholds: list[float], features: int) -> ConceptClass:
    _refuse_many(2 * features * len(thresholds), "stumps")
    cuts = [(j, t) for j in range(features) for t in thresholds]
    places = np.arange(len(cuts))
    none = np.full(len(cuts), -1)
    texts = [(j, f"{{}} {sign} {t:g}") for j, t in cuts for sign in (">=", "<")]
    low = np.column_stack([places, none]).ravel()
    high = np.column_stack([none, places]).ravel()
    return ThresholdClass(cuts, low, high, texts)


def _intervals(points: list[float], features: int) -> ConceptClass:
    g = len(points)
    _refuse_many(features * g * (g + 1) // 2 + 1, "intervals")
    # The end is included: the first comparison that an interval fails is with the number after it.
    after = [math.nextafter(p, math.inf) for p in points]
    cuts = [(j, t) for j in range(features) for t in (*points, *after)]
    # Nothing is at least the first point and below it: the empty interval.
    low, high, texts = [0], [0], [(0, "FALSE")]
    for j in range(features):
        for a in range(g):
            for b in range(a, g):
                low.append(2 * g * j + a)
                high.append(2 * g * j + g + b)
                texts.append((j, f"{points[a]:g} <= {{}} <= {points[b]:g}"))
    return ThresholdClass(cuts, np.array(low), np.array(high), texts)


def _halfspaces(margin: float, radius: float, features: int) -> ConceptClass:
    positive("margin", margin)
    positive("radius", radius)
    require(margin <= radius, "margin", f"at most the radius {radius!r}", margin)
    distance = margin / (2 * radius)
    try:
        net = sphere_net(features, distance, MOST)
    except OverflowError:
        raise BadParameter(
            f"A net of the unit sphere for {features} features and margin {margin} needs more than {MOST:,} "
            "vectors. Halving on a net is for two or three features; use MarginPerceptron."
        ) from None
    return HalfspaceClass(net, radius, margin)
