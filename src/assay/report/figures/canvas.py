"""A figure in the making: an empty canvas with a title and named axes, and what every figure draws on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.report.figures.theme import FONT, Figure, Ink, Theme, ink, plotly_objects


class Canvas:
    """An empty figure with a title and named axes, in light or dark.

    Parameters
    ----------
    title : str
        What the figure shows, as a short sentence or phrase.
    x, y : str
        What the axes hold, with the unit where there is one.
    theme : {"light", "dark"}
        The colours.
    height : int
        In pixels; the width is that of the page.
    panels : mapping, optional
        For several panels under the title: what plotly's `make_subplots` takes, such as ``rows`` and ``cols``.

    Attributes
    ----------
    figure : plotly.graph_objects.Figure
        What has been drawn so far.
    ink : Ink
        The colours of the theme.
    go : module
        plotly's traces.

    Raises
    ------
    MissingExtra
        If plotly is not installed.
    """

    def __init__(
        self,
        title: str,
        *,
        x: str = "",
        y: str = "",
        theme: Theme = "light",
        height: int = 460,
        panels: Mapping[str, Any] | None = None,
    ) -> None:
        self.go, self.ink = plotly_objects(), ink(theme)
        self.figure: Figure = self.go.Figure() if panels is None else _subplots(panels)
        self.figure.update_layout(_layout(title, self.ink, height))
        self.figure.update_xaxes(**_axis(self.ink))
        self.figure.update_yaxes(**_axis(self.ink))
        if panels is None:
            self.figure.update_layout(xaxis_title_text=x, yaxis_title_text=y)
        else:
            self.figure.update_annotations(font={"size": 13, "color": self.ink.text})

    def trace(self, columns: Any, name: str, *, hover: str | None = None, **look: Any) -> Any:
        """Points, or lines between them, as the columns of their x and y; not yet drawn.

        `hover` is what is read under the pointer: nothing where it is empty, plotly's own words where it is None.
        """
        if hover is not None:
            look |= {"hovertemplate": f"{hover}<extra></extra>"} if hover else {"hoverinfo": "skip"}
        x, y = columns
        return self.go.Scatter(x=x, y=y, name=name, **look)

    def draw(self, columns: Any, name: str, *, where: Any = None, **look: Any) -> None:
        """Draw points, or lines between them, as `trace` has them; `where` is the row and column of a panel."""
        self.figure.add_trace(self.trace(columns, name, **look), **(where or {}))

    def outline(
        self,
        corners: Any,
        name: str,
        line: Mapping[str, Any],
        *,
        legend: bool = True,
        group: str | None = None,
        where: Any = None,
    ) -> None:
        """Draw a line through corners of the plane."""
        look = {"mode": "lines", "line": line, "showlegend": legend, "legendgroup": group}
        self.draw(corners.T, name, hover="", where=where, **look)

    def upright(self, x: float, **line: Any) -> None:
        """Draw a thin line from the bottom to the top."""
        self.figure.add_vline(x=x, line={"color": self.ink.faint, "width": 1, **line})

    def note(self, x: Any, y: Any, text: str, *, strong: bool = False, **place: Any) -> None:
        """Write a remark inside the plot, in data coordinates unless `place` says otherwise."""
        font = {"size": 12, "color": self.ink.text if strong else self.ink.faint}
        self.figure.add_annotation(
            **{"x": x, "y": y, "text": text, "showarrow": False, "font": font, **place}
        )

    def arrow(self, foot: Any, tip: Any, *, panel: str = "", **look: Any) -> None:
        """Draw an arrow from one point of a panel to another."""
        x, y = f"x{panel}", f"y{panel}"
        ends = {"x": tip[0], "y": tip[1], "ax": foot[0], "ay": foot[1]}
        axes = {"xref": x, "yref": y, "axref": x, "ayref": y}
        head = {"showarrow": True, "arrowhead": 2, "arrowcolor": self.ink.text}
        self.figure.add_annotation(**ends, **axes, **head, **look)

    def subtitle(self, text: str) -> None:
        """Write a second line under the title, for the numbers."""
        font = {"size": 13, "color": self.ink.faint}
        self.figure.update_layout(
            title={"subtitle": {"text": text, "font": font}}, margin={"t": 84}
        )

    def rows(self, names: Sequence[str], *, low: float, panel: str = "", **more: Any) -> None:
        """Let the upright axis name one row after another, the first at the top; `low` is its lower end."""
        axis = {"tickmode": "array", "tickvals": list(range(len(names))), "ticktext": list(names)}
        plain = {"range": [low, -0.6], "zeroline": False, "ticks": ""}
        self.figure.update_layout({f"yaxis{panel}": {**axis, **plain, **more}})

    def second_panel(
        self,
        *,
        x: str = "",
        y: str = "",
        share: float = 0.5,
        below: bool = False,
        gap: float = 0.14,
    ) -> None:
        """Give the figure a second pair of axes, x2 and y2, to the right of the first or below them.

        `share` is the part of the room that the first panel gets.
        """
        first, second = (
            ([1 - share + gap / 2, 1.0], [0.0, 1 - share - gap / 2])
            if below
            else ([0.0, share - gap / 2], [share + gap / 2, 1.0])
        )
        look = self.figure.layout.xaxis.to_plotly_json()
        main, other = ("y", "x") if below else ("x", "y")
        axes = {"x": {**look, "title": {"text": x}}, "y": {**look, "title": {"text": y}}}
        axes[main]["domain"] = second
        self.figure.update_layout(
            {
                f"{main}axis": {"domain": first},
                f"{main}axis2": {**axes[main], "anchor": f"{other}2"},
                f"{other}axis2": {**axes[other], "anchor": f"{main}2"},
            }
        )


def _subplots(panels: Mapping[str, Any]) -> Any:
    from plotly.subplots import make_subplots

    return make_subplots(**panels)


def _axis(colours: Ink) -> dict[str, Any]:
    return {
        "gridcolor": colours.grid,
        "linecolor": colours.faint,
        "zerolinecolor": colours.grid,
        "ticks": "outside",
        "tickcolor": colours.faint,
        "automargin": True,
        "title_standoff": 8,
    }


def _layout(title: str, colours: Ink, height: int) -> dict[str, Any]:
    top, bottom = 64, 96
    return {
        "title": {
            "text": title,
            "x": 0,
            "xref": "paper",
            "xanchor": "left",
            "y": 1 - 18 / height,
            "yanchor": "top",
            "font": {"size": 16},
        },
        "height": height,
        "font": {"family": FONT, "size": 13, "color": colours.text},
        "paper_bgcolor": colours.paper,
        "plot_bgcolor": colours.paper,
        "colorway": list(colours.series),
        "margin": {"l": 64, "r": 20, "t": top, "b": bottom},
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": legend_height(max(80, height - top - bottom)),
            "yanchor": "top",
            "bgcolor": "rgba(0,0,0,0)",
        },
        "hoverlabel": {
            "font": {"family": FONT, "color": colours.text},
            "bgcolor": colours.paper,
            "bordercolor": colours.faint,
        },
    }


def legend_height(inside: float) -> float:
    """Where the legend begins: so many pixels below the axes, under their names, whatever the height of the plot."""
    return -58 / inside
