"""Hyperplanes: how far a point lies from one, and how wide the margin of a separator is."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from assay.errors import require
from assay.theory.claim import Condition
from assay.theory.margin.matrices import dot, vector
from assay.theory.needs import positive, real
from assay.theory.registry import theorem
from assay.theory.rounding import Number, sqrt


class Foot(NamedTuple):
    """A point's way to a hyperplane."""

    distance: float
    """The length of the way, rounded up."""
    foot: tuple[Fraction, ...]
    """The nearest point of the hyperplane, as exact fractions."""


@theorem(
    "T94",
    kind="identity",
    statement=r"\min_{w\cdot p+b=0}\|x-p\|=\frac{|w\cdot x+b|}{\|w\|},\quad "
    r"p=x-\frac{w\cdot x+b}{\|w\|^2}\,w",
)
def point_plane_distance(
    weights: Sequence[Number], point: Sequence[Number], bias: Number = 0
) -> Foot:
    """How far a point lies from a hyperplane, and the nearest point on it.

    Theorem  The point of {p : w . p + b = 0} nearest to x is x - w (w . x + b) / ||w||^2, at the
             distance |w . x + b| / ||w||.
    Needs    weights w: finite numbers, not all zero.  point x: as many finite numbers.  bias b: a
             finite number.
    Gives    the distance, rounded up, and the nearest point as exact fractions.
    Source   Sakulwongtana, Supervised Learning (lecture notes), Proposition 3.1.

    Examples
    --------
    >>> point_plane_distance(weights=[3, 4], point=[3, 4], bias=-5).distance
    4.0
    """
    w, b = vector("weights", weights), real("bias", bias).low
    square = dot(w, w)
    require(square > 0, "weights", "not all zero", weights)
    x = vector("point", point, len(w))
    score = dot(w, x) + b
    foot = tuple(coordinate - a * score / square for coordinate, a in zip(x, w, strict=True))
    return Foot((abs(score) / sqrt(square)).up(), foot)


@theorem(
    "T95",
    kind="identity",
    statement=r"\min_i\frac{y_i(w\cdot x_i+b)}{\|w\|}=\frac1{\|w\|}\text{ where }"
    r"\min_iy_i(w\cdot x_i+b)=1",
    assumes=(
        Condition(
            "functional-margin", "y (w . x + b) is at least the given number on every example"
        ),
    ),
)
def svm_margin(norm: Number, smallest: Number = 1) -> float:
    """The margin of a separator.

    Theorem  If the smallest of y (w . x + b) over the examples is s > 0, the margin is s / ||w||; scaled
             to s = 1, it is 1 / ||w||. So the widest margin is 1 / ||w|| of the shortest w with
             y (w . x + b) >= 1 on every example.
    Needs    norm ||w||, the bias left out: finite, > 0.  smallest s: finite, > 0.
    Gives    the margin, rounded down.
    Source   Vapnik, The Nature of Statistical Learning Theory (1995); Blum, Hopcroft & Kannan,
             Foundations of Data Science, section 6.5; Sakulwongtana, Supervised Learning (lecture
             notes), Proposition 3.2.

    Examples
    --------
    >>> svm_margin(norm=1), svm_margin(norm=5, smallest=10)
    (1.0, 2.0)
    """
    return (positive("smallest", smallest) / positive("norm", norm)).down()
