"""Boosting in the plane: weak rules, their votes, and what they say together."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import require
from assay.report.figures.geometry import box_around
from assay.report.figures.plane import add_level, add_regions
from assay.report.figures.points import Plane, Sample, ask
from assay.report.figures.theme import Figure, Theme


def boosted_votes(
    model: Any,
    X: Any,
    y: Any,
    *,
    rules: int = 3,
    grid: int = 120,
    title: str | None = None,
    theme: Theme = "light",
) -> Figure:
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
    known = getattr(model, "estimators_", None)
    require(bool(known), "model", "a fitted booster", type(model).__name__)
    assert known is not None
    sample = Sample.read(X, y, model.classes_)
    require(1 <= rules <= 8, "rules", "from 1 to 8", rules)
    votes = np.asarray(getattr(model, "estimator_weights_", np.ones(len(known))), dtype=np.float64)
    votes = votes / votes.sum()
    shown = min(rules, len(known))
    wrong = int((ask(model.predict, sample.points) != sample.labels).sum())
    what = f"{len(known)} weak rules vote: {wrong} of {len(sample.points)} points wrong"
    sample, only = sample.thinned()
    columns = min(shown, 4)
    rows = -(-shown // columns)
    names = [f"rule {k + 1}: {votes[k]:.0%} of the vote" for k in range(shown)]
    names += [""] * (rows * columns - shown)
    specs: list[list[Any]] = [[{} for _ in range(columns)] for _ in range(rows)]
    specs.append([{"colspan": columns}, *([None] * (columns - 1))])
    panels = {
        "rows": rows + 1,
        "cols": columns,
        "specs": specs,
        "subplot_titles": [*names, f"all {len(known)} together"],
        "row_heights": [1.0] * rows + [1.7],
        "horizontal_spacing": 0.04,
        "vertical_spacing": 0.09,
    }
    canvas = Plane((title or what) + only, theme=theme, height=250 * rows + 460, panels=panels)
    figure, border = canvas.figure, {"color": canvas.ink.text, "width": 1.6, "smoothing": 0}
    box = box_around(sample.points)
    across, up = np.linspace(*box[:2], grid), np.linspace(*box[2:], grid)
    mesh = np.column_stack([part.ravel() for part in np.meshgrid(across, up)])
    for k, rule in enumerate([*known[:shown], model]):
        last = k == shown
        row, column = (rows, 0) if last else divmod(k, columns)
        where = {"row": row + 1, "col": column + 1}
        codes = np.searchsorted(model.classes_, ask(rule.predict, mesh)).reshape(grid, grid)
        add_regions(canvas, across, up, codes, len(sample.classes), where)
        # A line between what is said on both sides, for those who see no colours.
        for place in range(int(codes.max())):
            side = np.where(codes <= place, -1.0, 1.0)
            add_level(canvas, across, up, side, "border", border, where=where)
        canvas.points(sample, size=8 if last else 5, legend=last, where=where)
    plain = {"showgrid": False, "zeroline": False}
    figure.update_xaxes(range=box[:2], **plain)
    figure.update_yaxes(range=box[2:], **plain)
    figure.update_xaxes(title_text="x₁", row=rows + 1, col=1)
    figure.update_yaxes(title_text="x₂", row=rows + 1, col=1)
    return figure
