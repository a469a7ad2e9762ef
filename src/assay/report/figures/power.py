"""How likely a plan is to succeed with fewer rows, or with more."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.certificates.issue.plans.planned import Plan
from assay.errors import require
from assay.report.figures.curves import Curves
from assay.report.figures.theme import Figure, Theme
from assay.theory.needs import count

_POINTS = 60
# By how much the most rows of a plan are exceeded where nobody says how far to look.
_BEYOND = 1.5
_NAMES = {
    "holdout": "the error is promised",
    "difference": "the difference is promised",
    "metric": "the metric is promised",
    "gate": "the good model passes",
    "units": "the mean over units is promised",
    "groups": "the error of every group is promised",
    "judges": "the batch is promised",
}


def power_by_rows(
    plans: Plan | Mapping[str, Plan], *, rows: int | None = None, theme: Theme = "light"
) -> Figure:
    """The chance that a promise succeeds, by the rows that are bought, if the guess is right.

    Parameters
    ----------
    plans : Plan, or mapping of str to Plan
        One plan, or several by what to call them, such as one for each guess.
    rows : int, optional
        Up to how many rows; half more than planned when not given.
    theme : {"light", "dark"}
        The colours.

    Notes
    -----
    The chances are those of `Plan.power_at`. They rise in small steps down and up, since errors are whole numbers. A
    mark stands at the rows that were planned.

    Examples
    --------
    >>> from assay import plan
    >>> figure = power_by_rows(plan(error=0.05, expected=0.02, power=0.9), rows=400)
    >>> [(trace.name, [round(float(y), 3) for y in trace.y[-1:]]) for trace in figure.data]
    [('the error is promised', [0.938]), ('planned', [0.902])]
    """
    named = {_NAMES.get(plans.purpose, ""): plans} if isinstance(plans, Plan) else dict(plans)
    require(bool(named), "plans", "at least one plan", "none")
    trained = [plan for plan in named.values() if plan.power is None]
    must = "of rows that test; one of training rows is for the worst case and has no power"
    require(not trained, "plans", must, "training")
    most = int(_BEYOND * max(plan.rows for plan in named.values()))
    most = max(most, 10) if rows is None else count("rows", rows, at_least=10)
    at = np.unique(np.linspace(max(most // _POINTS, 1), most, _POINTS).astype(int))
    canvas = Curves("How likely a plan is to succeed", x="rows", y="chance", theme=theme)
    canvas.subtitle("if the guess is right; the mark is where the plan is")
    for name, plan in named.items():
        chances = [plan.power_at(n) for n in at.tolist()]
        canvas.curve(at, chances, name, label=f"{name}: {plan.rows:,} rows for {plan.power:.1%}")
    for place, plan in enumerate(named.values()):
        if plan.rows <= most:
            canvas.draw(
                (np.array([plan.rows]), np.array([plan.power])),
                "planned",
                mode="markers",
                marker={**canvas.ink.marker(place, 14), "symbol": "diamond-open"},
            )
    canvas.name_ends(canvas.y_range(0.0, 1.0))
    canvas.figure.update_xaxes(range=[0, most], tickformat=",")
    canvas.figure.update_yaxes(tickformat=".0%")
    return canvas.figure
