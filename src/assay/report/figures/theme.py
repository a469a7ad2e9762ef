"""How every figure looks: an empty canvas in light or dark, and series that can be told apart without colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import require
from assay.extras import needed_for

if TYPE_CHECKING:
    import plotly.graph_objects as go

Theme = Literal["light", "dark"]

FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True)
class Ink:
    """The colours of a theme."""

    paper: str
    text: str
    faint: str
    grid: str
    series: tuple[str, ...]


# The series are the colours of Okabe and Ito, which people with any colour vision tell apart.
INKS: dict[str, Ink] = {
    "light": Ink(
        "#ffffff",
        "#1c2430",
        "#667085",
        "#e4e7ec",
        ("#0072b2", "#d55e00", "#009e73", "#8f5fa8", "#b8860b", "#3d3d3d"),
    ),
    "dark": Ink(
        "#14181f",
        "#e6e9ef",
        "#98a2b3",
        "#2c3440",
        ("#56b4e9", "#ff9e4a", "#2fd0a5", "#d9a3e8", "#f0e442", "#c9cdd4"),
    ),
}
# One dash and one marker for each series: a figure printed in grey stays readable.
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MARKERS = ("circle", "square", "diamond", "triangle-up", "cross", "x")


def ink(theme: Theme) -> Ink:
    """The colours of a theme.

    Examples
    --------
    >>> ink("light").paper
    '#ffffff'
    """
    require(theme in INKS, "theme", "'light' or 'dark'", theme)
    return INKS[theme]


def line(place: int, theme: Theme = "light", width: float = 2.0) -> dict[str, Any]:
    """The line of the series at a place: a colour and a dash that no other of the first six has.

    Examples
    --------
    >>> line(1)
    {'color': '#d55e00', 'dash': 'dash', 'width': 2.0}
    """
    colours = ink(theme).series
    return {
        "color": colours[place % len(colours)],
        "dash": DASHES[place % len(DASHES)],
        "width": width,
    }


def marker(place: int, theme: Theme = "light", size: float = 8) -> dict[str, Any]:
    """The marker of the series at a place: a colour and a shape that no other of the first six has.

    Examples
    --------
    >>> marker(0)["symbol"], marker(1)["symbol"]
    ('circle', 'square')
    """
    colours = ink(theme)
    return {
        "color": colours.series[place % len(colours.series)],
        "symbol": MARKERS[place % len(MARKERS)],
        "size": size,
        "line": {"color": colours.paper, "width": 1},
    }


def faded(place: int, theme: Theme = "light", alpha: float = 0.18) -> str:
    """The colour of the series at a place, so thin that points on it can be read.

    Examples
    --------
    >>> faded(0)
    'rgba(0,114,178,0.18)'
    """
    colours = ink(theme).series
    return with_alpha(colours[place % len(colours)], alpha)


def with_alpha(colour: str, alpha: float) -> str:
    """A colour of six hexadecimal digits, made transparent.

    Examples
    --------
    >>> with_alpha("#ff0000", 0.5)
    'rgba(255,0,0,0.5)'
    """
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:g})"


def canvas(
    title: str, *, x: str = "", y: str = "", theme: Theme = "light", height: int = 460
) -> go.Figure:
    """An empty figure with a title and named axes.

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

    Raises
    ------
    MissingExtra
        If plotly is not installed.
    """
    figure = plotly_objects().Figure(layout=_layout(title, theme, height))
    figure.update_xaxes(**_axis(theme), title_text=x)
    figure.update_yaxes(**_axis(theme), title_text=y)
    return figure


def panels(
    title: str,
    *,
    rows: int = 1,
    columns: int = 1,
    titles: Sequence[str] = (),
    theme: Theme = "light",
    height: int = 460,
    **how: Any,
) -> go.Figure:
    """An empty figure of several panels under one title.

    Parameters
    ----------
    title : str
        What the figure shows.
    rows, columns : int
        How many panels there are.
    titles : sequence of str
        One above each panel, row by row.
    theme : {"light", "dark"}
        The colours.
    height : int
        In pixels.
    **how
        For plotly's `make_subplots`, such as ``column_widths`` and ``horizontal_spacing``.

    Raises
    ------
    MissingExtra
        If plotly is not installed.
    """
    plotly_objects()
    from plotly.subplots import make_subplots

    figure = make_subplots(rows=rows, cols=columns, subplot_titles=list(titles) or None, **how)
    figure.update_layout(_layout(title, theme, height))
    figure.update_xaxes(**_axis(theme))
    figure.update_yaxes(**_axis(theme))
    figure.update_annotations(font={"size": 13, "color": ink(theme).text})
    return figure


def place_legend(figure: go.Figure, below: int = 58) -> None:
    """Put the legend so many pixels below the axes, whatever the height of the figure."""
    margin = figure.layout.margin
    inside = max(80, figure.layout.height - margin.t - margin.b)
    figure.update_layout(legend={"y": -below / inside, "yanchor": "top"})


def _axis(theme: Theme) -> dict[str, Any]:
    colours = ink(theme)
    return {
        "gridcolor": colours.grid,
        "linecolor": colours.faint,
        "zerolinecolor": colours.grid,
        "ticks": "outside",
        "tickcolor": colours.faint,
        "automargin": True,
        "title_standoff": 8,
    }


def _layout(title: str, theme: Theme, height: int) -> dict[str, Any]:
    colours = ink(theme)
    top, bottom, legend = 64, 96, 58
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
            # So many pixels below the axes: under their names, whatever the height.
            "y": -legend / max(80, height - top - bottom),
            "yanchor": "top",
            "bgcolor": "rgba(0,0,0,0)",
        },
        "hoverlabel": {
            "font": {"family": FONT, "color": colours.text},
            "bgcolor": colours.paper,
            "bordercolor": colours.faint,
        },
    }


def plotly_objects() -> Any:
    """plotly's module of figures and traces, or a sentence that says how to get it."""
    with needed_for("A figure"):
        import plotly.graph_objects as go
    return go
