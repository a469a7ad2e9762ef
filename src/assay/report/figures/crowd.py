"""A crowd that votes: how often its majority is wrong, exactly and by three bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from numpy.typing import ArrayLike

from assay.errors import BadParameter
from assay.report.figures.curves import (
    Label,
    add_line,
    decades,
    name_ends,
    numbers,
    same_length,
    subtitle,
    y_range,
)
from assay.report.figures.theme import Theme, canvas, marker, plotly_objects
from assay.theory.boosting.crowd import crowd_majority_error
from assay.theory.needs import count

if TYPE_CHECKING:
    import plotly.graph_objects as go

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
) -> go.Figure:
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
    figure = canvas(
        f"A crowd of voters, each right with probability {0.5 + edge:g}",
        x="voters",
        y="probability of a wrong majority (logarithmic)",
        theme=theme,
    )
    labels, least = [], 1.0
    for place, (form, name) in enumerate(_FORMS):
        wrong = [max(crowd_majority_error(n, edge, form), 1e-300) for n in sizes]
        add_line(figure, sizes, wrong, name, place, theme)
        labels.append(Label(name, wrong[-1], place))
        least = min(least, *wrong)
    if simulated is not None:
        at, found = numbers("sizes", simulated[0]), numbers("shares", simulated[1])
        same_length(sizes=at, shares=found)
        if found.min() < 0 or found.max() > 1:
            raise BadParameter("The simulated shares must lie between 0 and 1.")
        seen = found > 0
        figure.add_trace(
            plotly_objects().Scatter(
                x=at[seen],
                y=found[seen],
                name="simulated",
                mode="markers",
                marker=marker(4, theme, 10) | {"symbol": "cross-open"},
            )
        )
        if seen.any():
            labels.append(Label("simulated", float(found[seen][-1]), 4))
    ends = y_range(figure, max(least, _LEAST), 1.0, log=True)
    name_ends(figure, labels, ends, theme, log=True)
    figure.update_xaxes(range=[0, 1.015 * most])
    figure.update_yaxes(tickvals=decades(max(least, _LEAST), 1.0, 8), tickformat="~g")
    subtitle(
        figure,
        f"{last} voters: exactly {crowd_majority_error(last, edge):.3g}, by Hoeffding "
        f"{crowd_majority_error(last, edge, 'hoeffding'):.3g}",
        theme,
    )
    return figure
