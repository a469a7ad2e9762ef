"""In how many ways a class labels points: far fewer than 2^m, once the points outnumber the VC dimension."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import require
from assay.report.figures.curves import Curves, numbers, same_length
from assay.report.figures.theme import Figure, Theme
from assay.theory.complexity.growth import growth_halfspaces, sauer_growth
from assay.theory.needs import count

# Beyond it, 2^m leaves the doubles.
_MOST_POINTS = 1000


def growth_curve(
    vc_dimension: int,
    *,
    points: int = 24,
    counted: tuple[str, ArrayLike, ArrayLike] | None = None,
    theme: Theme = "light",
) -> Figure:
    """Sauer's bound on the growth function against all 2^m labelings.

    Parameters
    ----------
    vc_dimension : int
        Of the class, at least 1.
    points : int, default=24
        Up to how many points.
    counted : tuple of (name, points, labelings), optional
        Labelings that were counted for some class, such as by `assay.theory.complexity.shattering`.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = growth_curve(2, points=4)
    >>> [(trace.name, int(trace.y[-1])) for trace in figure.data]
    [('all labelings, 2^m', 16), ("Sauer's sum", 11), ('(em/d)^d', 29)]
    """
    d, most = count("vc_dimension", vc_dimension, at_least=1), count("points", points, at_least=1)
    require(most <= _MOST_POINTS, "points", f"at most {_MOST_POINTS}", points)
    m = np.arange(1, most + 1)
    title = f"A class of VC dimension {d} runs out of labelings"
    canvas = Curves(title, x="points m", y="labelings (logarithmic)", theme=theme)
    every = len(m) <= 12
    # Every class of VC dimension m labels m points in all ways.
    ways = [float(sauer_growth(int(k), int(k))) for k in m]
    canvas.curve(m, ways, "all labelings, 2^m", points=every)
    canvas.curve(m, [float(sauer_growth(int(k), d)) for k in m], "Sauer's sum", points=every)
    late = m[m >= d]
    if len(late):
        loose = [float(sauer_growth(int(k), d, "(em/d)^d")) for k in late]
        canvas.curve(late, loose, "(em/d)^d", points=len(late) <= 12)
    if counted is not None:
        at, labelings = numbers("points", counted[1]), numbers("labelings", counted[2])
        same_length(points=at, labelings=labelings)
        canvas.curve(at, labelings, counted[0], points=len(at) <= 12)
    highest = max(label.y for label in canvas.labels[""])
    canvas.name_ends(canvas.y_range(1.0, highest, log=True))
    canvas.figure.update_xaxes(range=[0.5, most + 0.5])
    canvas.figure.update_yaxes(exponentformat="power", dtick=1 if highest < 1e10 else None)
    if d < most:
        canvas.upright(d, dash="dot")
        words = f"the curves part at m = d = {d}"
        counts = f"; {most} points: {sauer_growth(most, d):,} of {2**most:,} labelings"
        canvas.subtitle(words + counts if most <= 40 else words)
    return canvas.figure


def halfspace_growth(features: int, *, points: int = 24, theme: Theme = "light") -> Figure:
    """The labelings by halfspaces, counted exactly, between Sauer's bound and below 2^m.

    Parameters
    ----------
    features : int
        The dimension of the space; the VC dimension is one more.
    points : int, default=24
        Up to how many points.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = halfspace_growth(2, points=4)
    >>> [(trace.name, int(trace.y[-1])) for trace in figure.data]
    [('all labelings, 2^m', 16), ("Sauer's sum", 15), ('(em/d)^d', 47), ('halfspaces, exactly', 14)]
    """
    d, most = count("features", features, at_least=1), count("points", points, at_least=1)
    at = list(range(1, most + 1))
    ways = [float(growth_halfspaces(m, d)) for m in at]
    figure = growth_curve(
        d + 1, points=most, counted=("halfspaces, exactly", at, ways), theme=theme
    )
    plane = {1: "on the line", 2: "in the plane", 3: "in space"}.get(d, f"in {d} dimensions")
    figure.layout.title.text = f"Halfspaces {plane} run out of labelings"
    return figure
