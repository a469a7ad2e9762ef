"""Boosting in the plane: weak rules, their votes, and what they say together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import require
from assay.report.figures.geometry import box_around, plane_points
from assay.report.figures.plane import add_regions
from assay.report.figures.points import add_points, ask, classes_in, labels_of, thinned
from assay.report.figures.theme import Theme, ink, panels, plotly_objects

if TYPE_CHECKING:
    import plotly.graph_objects as go


def boosted_votes(
    model: Any,
    X: Any,
    y: Any,
    *,
    rules: int = 3,
    grid: int = 120,
    title: str | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """The first weak rules of a booster with their votes, and the weighted vote of all rules.

    Parameters
    ----------
    model : AdaBoostClassifier or MajorityBoostClassifier
        Fitted to two features: `estimators_`, `estimator_weights_` and `predict` are asked.
    X, y : arrays of shape (n_samples, 2) and (n_samples,)
        The points to show.
    rules : int, default=3
        How many of the rules are shown, from 1 to 8.
    grid : int, default=120
        Points along each axis at which the rules are asked.
    title : str, optional
        Left out, how many rules vote and how often they are wrong together.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from assay import AdaBoostClassifier, figures
    >>> X, y = [[0.0, 0], [1, 0], [2, 0], [3, 1]], [1, 1, -1, 1]
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> figures.boosted_votes(model, X, y).layout.title.text
    '3 weak rules vote: 0 of 4 points wrong'
    """
    points = plane_points(X)
    labels = labels_of(y, len(points))
    known = getattr(model, "estimators_", None)
    require(bool(known), "model", "a fitted booster", type(model).__name__)
    assert known is not None
    classes = classes_in(labels, model.classes_)
    require(1 <= rules <= 8, "rules", "from 1 to 8", rules)
    votes = np.asarray(getattr(model, "estimator_weights_", np.ones(len(known))), dtype=np.float64)
    votes = votes / votes.sum()
    shown = min(rules, len(known))
    wrong = int((ask(model.predict, points) != labels).sum())
    what = f"{len(known)} weak rules vote: {wrong} of {len(points)} points wrong"
    points, labels, only = thinned(points, labels)
    columns = min(shown, 4)
    rows = -(-shown // columns)
    names = [f"rule {k + 1}: {votes[k]:.0%} of the vote" for k in range(shown)]
    names += [""] * (rows * columns - shown)
    specs: list[list[Any]] = [[{} for _ in range(columns)] for _ in range(rows)]
    specs.append([{"colspan": columns}, *([None] * (columns - 1))])
    figure = panels(
        (title or what) + only, rows=rows + 1, columns=columns, specs=specs, theme=theme,
        titles=[*names, f"all {len(known)} together"], height=250 * rows + 460,
        row_heights=[1.0] * rows + [1.7], horizontal_spacing=0.04, vertical_spacing=0.09,
    )  # fmt: skip
    box = box_around(points)
    across, up = np.linspace(*box[:2], grid), np.linspace(*box[2:], grid)
    mesh = np.column_stack([part.ravel() for part in np.meshgrid(across, up)])
    for k, rule in enumerate([*known[:shown], model]):
        last = k == shown
        where = (
            {"row": rows + 1, "col": 1}
            if last
            else {"row": k // columns + 1, "col": k % columns + 1}
        )
        said = np.searchsorted(model.classes_, ask(rule.predict, mesh)).reshape(grid, grid)
        add_regions(figure, across, up, said, classes, theme=theme, where=where)
        _add_border(figure, across, up, said, theme, where)
        size = 8 if last else 5
        add_points(
            figure, points, labels, classes, theme=theme, size=size, legend=last, where=where
        )
    plain = {"showgrid": False, "zeroline": False}
    figure.update_xaxes(range=box[:2], **plain)
    figure.update_yaxes(range=box[2:], **plain)
    figure.update_xaxes(title_text="x₁", row=rows + 1, col=1)
    figure.update_yaxes(title_text="x₂", row=rows + 1, col=1)
    return figure


def _add_border(
    figure: go.Figure, across: Any, up: Any, said: Any, theme: Theme, where: dict[str, int]
) -> None:
    """A line between what is said on both sides, for those who see no colours."""
    for place in range(int(said.max())):
        figure.add_trace(
            plotly_objects().Contour(
                x=across,
                y=up,
                z=np.where(said <= place, -1.0, 1.0),
                autocontour=False,
                contours={"start": 0, "end": 0, "size": 1, "coloring": "none"},
                line={"color": ink(theme).text, "width": 1.6, "smoothing": 0},
                showscale=False,
                showlegend=False,
                hoverinfo="skip",
                name="border",
            ),
            **where,
        )
