"""Covering numbers: how many points come within a given distance of every point of a set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.theory.needs import Form, count, one_of, positive
from assay.theory.registry import theorem
from assay.theory.rounding import Number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from assay.types import Bools, Floats


@theorem(
    "T73",
    kind="complexity",
    statement=(
        r"\mathcal N(S^{d-1},\|\cdot\|_2,\varepsilon)\le(1+2/\varepsilon)^d\le(4/\varepsilon+1)^d"
    ),
)
def covering_number_sphere(features: int, distance: Number, form: Form = "sharp") -> int:
    """Points on the unit sphere of R^d that come close to every other point of it.

    Theorem  Some set of at most (1 + 2 / e)^d points of the unit sphere of R^d has a member within
             Euclidean distance e of every point of the sphere. The textbook's count is
             (4 / e + 1)^d.
    Needs    features d: whole, >= 1.  distance e: finite, > 0.  form: "sharp" or "textbook".
    Gives    the largest whole number the bound allows.
    Source   Mehta, Machine Learning Theory, lecture 3 (the textbook form); Vershynin,
             High-Dimensional Probability (2018), section 4.2 (the sharp one).

    Examples
    --------
    >>> covering_number_sphere(features=2, distance=0.5)
    25
    >>> covering_number_sphere(features=2, distance=0.5, form="textbook")
    81
    """
    d, reach = count("features", features, at_least=1), positive("distance", distance)
    one_of("form", form, "sharp", "textbook")
    across = 2 if form == "sharp" else 4
    return ((across / reach + 1) ** d).floor()


def greedy_net(points: ArrayLike, distance: Number) -> NDArray[np.intp]:
    """Places of points such that every point is within the distance of one of them.

    Takes the points in order and keeps each that is not yet covered. Kept points are farther
    than the distance from each other, which is what bounds their number by volume. Distances are
    compared in double precision.

    Parameters
    ----------
    points : array of shape (n, d)
        The set to cover.
    distance : number above zero
        How far a point may be from the net.

    Examples
    --------
    >>> greedy_net([[0.0], [1.0], [2.0], [3.0]], distance=1).tolist()
    [0, 2]
    """
    import numpy as np

    near = _within(points, distance)
    kept: list[int] = []
    covered = np.zeros(len(near), dtype=bool)
    for i, row in enumerate(near):
        if not covered[i]:
            kept.append(i)
            covered |= row
    return np.array(kept, dtype=np.intp)


def covering_number(points: ArrayLike, distance: Number) -> int:
    """The size of the smallest proper net of a finite set of points, by integer programming.

    Parameters
    ----------
    points : array of shape (n, d)
        The set to cover, from which the net is taken.
    distance : number above zero
        How far a point may be from the net.

    Examples
    --------
    >>> covering_number([[0.0], [1.0], [2.0], [3.0], [4.0]], distance=1)
    2
    """
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp

    near = _within(points, distance)
    ones = np.ones(len(near))
    answer = milp(
        ones,
        integrality=ones,
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(near.astype(np.float64), lb=1),
    )
    if not answer.success:
        raise RuntimeError(f"the integer program of the smallest net failed: {answer.message}")
    size: int = round(answer.fun)
    return size


def _within(points: ArrayLike, distance: Number) -> Bools:
    """Which points lie within the distance of which others."""
    from assay.theory.complexity.shattering import read_points

    reach, cloud = positive("distance", distance).up(), read_points(points)
    squares: Floats = ((cloud[:, None, :] - cloud[None, :, :]) ** 2).sum(axis=2)
    return squares <= reach * reach
