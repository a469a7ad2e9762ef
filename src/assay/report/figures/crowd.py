"""A crowd that votes: how often its majority is wrong, exactly and by three bounds."""

from __future__ import annotations

from typing import Literal

from numpy.typing import ArrayLike

from assay.errors import BadParameter
from assay.report.figures.curves import Curves, Label, decades, numbers, same_length
from assay.report.figures.theme import Figure, Theme
from assay.theory.boosting.crowd import crowd_majority_error
from assay.theory.needs import count

Form = Literal["exact", "refined", "hoeffding", "chernoff", "simplified"]
_FORMS: tuple[tuple[Form, str], ...] = (
    ("exact", "exact"),
    ("refined", "Hoeffding, refined"),
    ("hoeffding", "Hoeffding"),
    ("chernoff", "Chernoff"),
)
# Bounds below this are no longer worth telling apart.
_LEAST = 1e-12


def crowd_majority(
    edge: float,
    *,
    voters: int = 101,
    simulated: tuple[ArrayLike, ArrayLike] | None = None,
    theme: Theme = "light",
) -> Figure:
    """How often the majority of independent voters is wrong, as the crowd grows.

    Parameters
    ----------
    edge : float
        Each voter is right with probability 1/2 + edge.
    voters : int, default=101
        Up to how many; only odd crowds are drawn.
    simulated : tuple of arrays, optional
        Sizes of crowds, and how often a simulation found their majority wrong; shares of zero are left out.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> figure = crowd_majority(0.1, voters=11)
    >>> [(trace.name, round(float(trace.y[-1]), 4)) for trace in figure.data[:2]]
    [('exact', 0.2465), ('Hoeffding, refined', 0.6278)]
    """
    most = count("voters", voters, at_least=1)
    step = max(2, 2 * (most // 200))
    sizes = [*range(1, most + 1, step)]
    last = most if most % 2 else most - 1
    sizes += [last] if sizes[-1] != last else []
    canvas = Curves(
        f"A crowd of voters, each right with probability {0.5 + edge:g}",
        x="voters",
        y="probability of a wrong majority (logarithmic)",
        theme=theme,
    )
    least = 1.0
    for form, name in _FORMS:
        wrong = [max(crowd_majority_error(n, edge, form), 1e-300) for n in sizes]
        canvas.curve(sizes, wrong, name)
        least = min(least, *wrong)
    if simulated is not None:
        at, shares = numbers("sizes", simulated[0]), numbers("shares", simulated[1])
        same_length(sizes=at, shares=shares)
        if shares.min() < 0 or shares.max() > 1:
            raise BadParameter("The simulated shares must lie between 0 and 1.")
        seen = shares > 0
        cross = canvas.ink.marker(4, 10) | {"symbol": "cross-open"}
        canvas.draw((at[seen], shares[seen]), "simulated", mode="markers", marker=cross)
        if seen.any():
            canvas.labels[""].append(Label("simulated", float(shares[seen][-1]), 4))
    canvas.name_ends(canvas.y_range(max(least, _LEAST), 1.0, log=True))
    canvas.figure.update_xaxes(range=[0, 1.015 * most])
    canvas.figure.update_yaxes(tickvals=decades(max(least, _LEAST), 1.0, 8), tickformat="~g")
    canvas.subtitle(
        f"{last} voters: exactly {crowd_majority_error(last, edge):.3g}, by Hoeffding "
        f"{crowd_majority_error(last, edge, 'hoeffding'):.3g}"
    )
    return canvas.figure
