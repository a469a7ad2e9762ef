"""Candidate questions of a decision tree, side by side: what each leaves mixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.errors import require
from assay.report.figures.canvas import Canvas
from assay.report.figures.theme import Figure, Theme
from assay.theory.complexity.impurity import (
    Impurity,
    Score,
    impurity,
    impurity_identities,
    split_info,
)

_PATTERNS = ("", "/", "x", ".", "-", "+")
# So many panels have room for their title in one line.
_WIDE = 2
# So many bars of a panel have room for three decimals.
_ROOMY = 7


def candidate_splits(
    candidates: Mapping[str, Mapping[str, Sequence[float]]],
    classes: Sequence[Any],
    *,
    measure: Score = "gini",
    title: str | None = None,
    theme: Theme = "light",
) -> Figure:
    """The classes before a question and after it, for each of several questions, with their impurities.

    Parameters
    ----------
    candidates : mapping
        For each question a mapping from its answers to the counts of the classes there; the counts of all
        answers add up to the same for every question.
    classes : sequence
        What the classes are called.
    measure : {"gini", "entropy", "misclassification", "gain_ratio"}
        The impurity. With ``"gain_ratio"`` bars show the entropy, and questions are compared by what they gain of
        it in relation to SplitInfo, the entropy of the division itself.
    title : str, optional
        Left out, the question that scores best.
    theme : {"light", "dark"}
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from assay import figures
    >>> income = {"high": [2, 0], "medium": [3, 2], "low": [0, 3]}
    >>> education = {"degree": [3, 2], "none": [2, 3]}
    >>> figure = figures.candidate_splits({"income": income, "education": education}, ["no", "yes"])
    >>> [note.text for note in figure.layout.annotations[:2]]
    ['income: gini falls by 0.26', 'education: gini falls by 0.02']
    >>> figure = figures.candidate_splits({"income": income}, ["no", "yes"], measure="gain_ratio")
    >>> figure.layout.annotations[0].text
    'income: gain ratio 0.346, SplitInfo 1.49'
    """
    require(len(candidates) > 0, "candidates", "one question at least", dict(candidates))
    tables = {name: _table(name, parts, len(classes)) for name, parts in candidates.items()}
    totals = {tuple(table.sum(axis=0).tolist()) for table in tables.values()}
    same = len(totals) == 1
    require(same, "candidates", "questions about the same rows", sorted(totals))
    falls = {name: impurity_identities(table.tolist(), measure) for name, table in tables.items()}
    best = max(falls, key=lambda name: falls[name])
    narrow = len(tables) > _WIDE
    scores = {name: _score(tables[name], measure, fall) for name, fall in falls.items()}
    words = [
        "<br>".join([name, *parts]) if narrow else f"{name}: {', '.join(parts)}"
        for name, parts in scores.items()
    ]
    shown: Impurity = "entropy" if measure == "gain_ratio" else measure
    panels = {
        "rows": 1,
        "cols": len(tables),
        "subplot_titles": words,
        "shared_yaxes": True,
        "horizontal_spacing": 0.04,
    }
    canvas = Canvas(title or f"The better question is {best}", theme=theme, panels=panels)
    for column, (name, table) in enumerate(tables.items(), start=1):
        _add_bars(canvas, list(candidates[name]), table, classes, shown, column)
    rows = float(max(table.sum() for table in tables.values()))
    canvas.figure.update_layout(barmode="stack", bargap=0.35, margin_t=120 if narrow else 84)
    canvas.figure.update_yaxes(title_text="rows", row=1, col=1)
    canvas.figure.update_yaxes(rangemode="tozero", range=[0, 1.18 * rows])
    return canvas.figure


def _score(table: Any, measure: Score, fall: float) -> list[str]:
    if measure == "gain_ratio":
        return [f"gain ratio {fall:.3g}", f"SplitInfo {split_info(table.tolist()).up():.3g}"]
    return [f"{measure} falls by {fall:.3g}"]


def _table(name: str, parts: Mapping[str, Sequence[float]], classes: int) -> Any:
    require(len(parts) > 0, name, "a question with one answer at least", dict(parts))
    rows = [list(counts) for counts in parts.values()]
    fits = all(len(row) == classes for row in rows)
    require(fits, f"the counts of {name}", f"one for each of {classes} classes", rows)
    return np.array(rows, dtype=np.float64)


def _add_bars(
    canvas: Canvas,
    answers: list[str],
    table: Any,
    classes: Sequence[Any],
    measure: Impurity,
    column: int,
) -> None:
    paper, where = canvas.ink.paper, dict[str, Any](row=1, col=column)
    names = ["before", *answers]
    counts = np.vstack([table.sum(axis=0), table])
    thin = {"fgcolor": paper, "fillmode": "overlay", "size": 8, "solidity": 0.3}
    for place, label in enumerate(classes):
        canvas.figure.add_bar(
            x=names,
            y=counts[:, place],
            name=f"class {label}",
            legendgroup=str(label),
            showlegend=column == 1,
            marker={
                "color": canvas.ink.colour(place),
                "pattern": {"shape": _PATTERNS[place % len(_PATTERNS)], **thin},
                "line": {"color": paper, "width": 1},
            },
            hovertemplate=f"%{{x}}: %{{y}} {label}<extra></extra>",
            **where,
        )
    for name, row in zip(names, counts.tolist(), strict=True):
        height = impurity(row, measure).up()
        # Bars of many answers are narrow, and many of them are pure.
        words = f"{height:.3f}" if height or len(names) <= _ROOMY else "0"
        canvas.note(name, sum(row), words, yanchor="bottom", font={"size": 12}, **where)
