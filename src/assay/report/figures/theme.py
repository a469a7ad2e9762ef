"""The colours of both themes, and lines and markers that can be told apart without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import require
from assay.extras import needed_for

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Figure
else:
    Figure = Any  # plotly is imported when the first figure is drawn

Theme = Literal["light", "dark"]

FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
# One dash and one marker for each series: a figure printed in grey stays readable.
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MARKERS = ("circle", "square", "diamond", "triangle-up", "cross", "x")


@dataclass(frozen=True)
class Ink:
    """The colours of a theme.

    Examples
    --------
    >>> ink("light").line(1)
    {'color': '#d55e00', 'dash': 'dash', 'width': 2.0}
    >>> ink("light").marker(0)["symbol"], ink("light").marker(1)["symbol"]
    ('circle', 'square')
    >>> ink("light").faded(0)
    'rgba(0,114,178,0.18)'
    """

    paper: str
    text: str
    faint: str
    grid: str
    series: tuple[str, ...]

    def colour(self, place: int) -> str:
        """The colour of the series at a place."""
        return self.series[place % len(self.series)]

    def line(self, place: int, width: float = 2.0) -> dict[str, Any]:
        """The line of the series at a place: a colour and a dash that no other of the first six has."""
        return {"color": self.colour(place), "dash": DASHES[place % len(DASHES)], "width": width}

    def marker(self, place: int, size: float = 8) -> dict[str, Any]:
        """The marker of the series at a place: a colour and a shape that no other of the first six has."""
        return {
            "color": self.colour(place),
            "symbol": MARKERS[place % len(MARKERS)],
            "size": size,
            "line": {"color": self.paper, "width": 1},
        }

    def faded(self, place: int, alpha: float = 0.18) -> str:
        """The colour of the series at a place, so thin that points on it can be read."""
        return with_alpha(self.colour(place), alpha)

    def hatched(self, colour: str, solidity: float = 0.12, size: int = 9) -> dict[str, Any]:
        """An area in a colour, hatched for those who see no colours."""
        hatch = {"shape": "/", "size": size, "solidity": solidity, "fgcolor": self.faint}
        return {"fill": "toself", "fillcolor": colour, "fillpattern": {**hatch, "bgcolor": colour}}


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


def ink(theme: Theme) -> Ink:
    """The colours of a theme.

    Examples
    --------
    >>> ink("light").paper
    '#ffffff'
    """
    require(theme in INKS, "theme", "'light' or 'dark'", theme)
    return INKS[theme]


def with_alpha(colour: str, alpha: float) -> str:
    """A colour of six hexadecimal digits, made transparent.

    Examples
    --------
    >>> with_alpha("#ff0000", 0.5)
    'rgba(255,0,0,0.5)'
    """
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:g})"


def plotly_objects() -> Any:
    """plotly's module of figures and traces, or a sentence that says how to get it."""
    with needed_for("A figure"):
        import plotly.graph_objects as go
    return go
