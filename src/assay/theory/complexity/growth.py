"""In how many ways a class labels points: Sauer's sum and the exact count of halfspaces."""

from __future__ import annotations

from typing import Literal

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.needs import count
from assay.theory.registry import theorem
from assay.theory.rounding import exact, exp

SauerForm = Literal["sum", "(em/d)^d", "m^d+1", "(m+1)^d", "m^d"]
HalfspaceKind = Literal["affine", "homogeneous", "homogeneous-closed"]

_SAUER_FORMS = ("sum", "(em/d)^d", "m^d+1", "(m+1)^d", "m^d")
_KINDS = ("affine", "homogeneous", "homogeneous-closed")


def sauer_sum(points: int, degree: int) -> int:
    """The sum of the binomial coefficients C(points, i) for i = 0, ..., degree, exactly.

    Examples
    --------
    >>> sauer_sum(5, 2)
    16
    """
    if degree >= points:
        return 1 << points
    term = total = 1
    for i in range(degree):
        term = term * (points - i) // (i + 1)
        total += term
    return total


@theorem(
    "T59",
    kind="complexity",
    statement=r"H[m]\le\sum_{i=0}^{d}\binom mi\le\left(\frac{em}{d}\right)^d\ (m\ge d\ge1)",
    assumes=(Condition("vc-dimension-at-most", "the class has at most this VC dimension"),),
)
def sauer_growth(points: int, vc_dimension: int, form: SauerForm = "sum") -> int:
    """Labelings of m points by a class of VC dimension d.

    Theorem  A class of VC dimension d labels m points in at most
             C(m, 0) + C(m, 1) + ... + C(m, d) ways. The other forms are larger: m^d + 1 for
             m >= 1, (m + 1)^d always, (e m / d)^d for m >= d >= 1, and m^d for d >= 2 and m >= 2.
    Needs    points m: whole, >= 0.  vc_dimension d: whole, >= 0.  form: "sum", "(em/d)^d",
             "m^d+1", "(m+1)^d" or "m^d", each where it is true.
    Gives    the largest whole number the bound allows; intervals on the line reach the sum.
    Source   Vapnik & Chervonenkis, On the uniform convergence of relative frequencies (1971);
             Sauer, On the density of families of sets (1972); Blum, Hopcroft & Kannan,
             Foundations of Data Science, Theorem 6.21 (whose m^d is false for d = 1 or m = 1).

    Examples
    --------
    >>> sauer_growth(points=4, vc_dimension=2)
    11
    >>> sauer_growth(points=4, vc_dimension=2, form="m^d")
    16
    """
    m, d = count("points", points), count("vc_dimension", vc_dimension)
    require(form in _SAUER_FORMS, "form", f"one of {', '.join(map(repr, _SAUER_FORMS))}", form)
    if form == "sum":
        return sauer_sum(m, d)
    if form == "(m+1)^d":
        return int((m + 1) ** d)
    if form == "m^d+1":
        require(m >= 1, "points", "a whole number of at least 1 for the form 'm^d+1'", points)
        return int(m**d) + 1
    if form == "m^d":
        true = d == 0 or (d >= 2 and m >= 2)
        need = "a form that is true here ('m^d' needs d = 0, or d >= 2 and m >= 2)"
        require(true, "form", need, form, "Use 'sum', which is never larger.")
        return int(m**d)
    true = m >= d >= 1
    need = "a form that is true here ('(em/d)^d' needs m >= d >= 1)"
    require(true, "form", need, form, "Use 'sum', which is never larger.")
    return ((exp(1) * m / exact(d)) ** d).floor()


@theorem(
    "T65",
    kind="complexity",
    statement=(
        r"H[m]=2\sum_{i=0}^{d}\binom{m-1}{i}\ \text{(affine)},\quad"
        r"2\sum_{i=0}^{d-1}\binom{m-1}{i}\ \text{(homogeneous)}"
    ),
)
def growth_halfspaces(points: int, features: int, kind: HalfspaceKind = "affine") -> int:
    """Labelings of m points by halfspaces of R^d.

    Theorem  Affine halfspaces sgn(<w, x> + b) label m points of R^d in at most
             2 (C(m - 1, 0) + ... + C(m - 1, d)) ways, and exactly so many in general position,
             whatever fixed label points on the boundary get. Homogeneous ones sgn(<w, x>) with
             no point on the boundary: the sum stops at d - 1. Homogeneous ones whose boundary
             (and w = 0) counts as positive: at most C(m, 0) + ... + C(m, d).
    Needs    points m: whole, >= 1.  features d: whole, >= 1.  kind: "affine", "homogeneous"
             (no point on the boundary) or "homogeneous-closed" (sgn(0) = +1).
    Gives    the exact growth function; an upper bound for "homogeneous-closed".
    Source   Cover, Geometrical and statistical properties of systems of linear inequalities
             (1965), the function-counting theorem; Blum, Hopcroft & Kannan, Foundations of Data
             Science, section 6.9, gives the order in the plane.

    Examples
    --------
    >>> growth_halfspaces(points=4, features=2)
    14
    """
    m, d = count("points", points, at_least=1), count("features", features, at_least=1)
    require(kind in _KINDS, "kind", "'affine', 'homogeneous' or 'homogeneous-closed'", kind)
    if kind == "homogeneous-closed":
        return sauer_sum(m, d)
    return 2 * sauer_sum(m - 1, d if kind == "affine" else d - 1)
