"""Radon's theorem, constructively: two groups of points whose convex hulls share a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from assay.errors import require
from assay.theory.needs import real
from assay.theory.registry import theorem
from assay.theory.rounding import Number


@dataclass(frozen=True)
class RadonPartition:
    """Two groups of points and a point in both convex hulls, with the weights that prove it.

    Attributes
    ----------
    first, second : tuple of int
        The places of the points in each group; together they are all points.
    point : tuple of Fraction
        The common point.
    weights : tuple of Fraction
        One for each point, zero or more. In each group they sum to one and average the points of
        the group to the common point.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    point: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]


@theorem(
    "T68",
    kind="identity",
    statement=r"|P|\ge d+2\Rightarrow P=P_1\cup P_2,\ P_1\cap P_2=\emptyset,"
    r"\ \mathrm{conv}P_1\cap\mathrm{conv}P_2\ne\emptyset",
)
def radon_partition(points: Sequence[Sequence[Number]]) -> RadonPartition:
    """Split points into two groups with intersecting convex hulls.

    Theorem  Any d + 2 points of R^d can be split into two groups whose convex hulls share a
             point; hence no halfspace separates the two, and none shatters d + 2 points.
    Needs    points: at least d + 2 of them, each with the same number d >= 1 of finite coordinates.
    Gives    the groups, the common point and its weights as exact fractions.
    Source   Radon, Mengen konvexer Körper, die einen gemeinsamen Punkt enthalten (1921); Blum,
             Hopcroft & Kannan, Foundations of Data Science, Theorem 6.25.

    Examples
    --------
    >>> square = radon_partition([(0, 0), (1, 0), (0, 1), (1, 1)])
    >>> square.first, square.second
    ((0, 3), (1, 2))
    >>> float(square.point[0])
    0.5
    """
    cloud = _read(points)
    sizes = sorted({len(point) for point in cloud})
    must = "at least 1 and the same for all points"
    require(len(sizes) == 1 and sizes[0] >= 1, "the number of coordinates", must, sizes)
    d = sizes[0]
    require(
        len(cloud) >= d + 2,
        "the number of points",
        f"at least {d + 2} in dimension {d}",
        len(cloud),
    )

    affine = _dependence([*map(list, zip(*cloud, strict=True)), [Fraction(1)] * len(cloud)])
    total = sum(weight for weight in affine if weight > 0)
    weights = [weight / total for weight in affine]
    first = tuple(i for i, weight in enumerate(weights) if weight > 0)
    second = tuple(i for i, weight in enumerate(weights) if weight <= 0)
    point = tuple(sum((weights[i] * cloud[i][j] for i in first), Fraction(0)) for j in range(d))
    return RadonPartition(first, second, point, tuple(map(abs, weights)))


def _read(points: Sequence[Sequence[Number]]) -> list[list[Fraction]]:
    try:
        rows = [list(point) for point in points]
    except TypeError:
        require(False, "points", "a sequence of points, each with its coordinates", points)
        raise
    return [[real("points", value).low for value in row] for row in rows]


def _dependence(rows: list[list[Fraction]]) -> list[Fraction]:
    """Coefficients, not all zero and the first of them positive, that every row sums to zero.

    Gauss-Jordan elimination up to the first column without a pivot; there is one, since there
    are more columns than rows. That column is minus the answer in terms of the earlier ones.
    """
    rows, free = list(rows), 0
    while free < len(rows):
        place = next((i for i in range(free, len(rows)) if rows[i][free]), None)
        if place is None:
            break
        rows[free], rows[place] = rows[place], rows[free]
        pivot = [value / rows[free][free] for value in rows[free]]
        rows = [[a - row[free] * b for a, b in zip(row, pivot, strict=True)] for row in rows]
        rows[free] = pivot
        free += 1
    answer = [-row[free] for row in rows[:free]] + [Fraction(1)]
    leading = next(value for value in answer if value)
    answer += [Fraction(0)] * (len(rows[0]) - len(answer))
    return [value if leading > 0 else -value for value in answer]
