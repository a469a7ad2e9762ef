"""A canvas for curves: lines with their names at the end, bands between them, and the numbers read for them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import BadParameter
from assay.report.figures.canvas import Canvas
from assay.types import Floats, Ints

# A letter of a label is so wide and so high, in pixels.
_LETTER, _LINE = 7.0, 17.0
_LONGEST = 27
_SIGNS = ("●", "■", "◆", "▲", "✚", "✖")


class Label(NamedTuple):
    """The name of a series, to stand at the end of its line."""

    text: str
    y: float
    place: int


class Curves(Canvas):
    """A canvas whose lines have their names at the right end, and no legend."""

    def __init__(self, title: str, **how: Any) -> None:
        super().__init__(title, **how)
        self.labels: dict[str, list[Label]] = {"": [], "2": []}

    def curve(
        self,
        x: ArrayLike,
        y: ArrayLike,
        name: str,
        place: int | None = None,
        *,
        label: str | None = None,
        end: float | None = None,
        shape: Literal["linear", "hv"] = "linear",
        points: bool = False,
        panel: str = "",
        width: float = 2.0,
    ) -> None:
        """Draw a line with a few of its series' markers on it; `points` puts one on every point.

        The series is the next one where no `place` is given. `label` is what will stand at the end of the line in
        place of its name, at the height of `end` in place of its last point.
        """
        values = np.asarray(y)
        place = sum(map(len, self.labels.values())) if place is None else place
        few = {} if points else {"maxdisplayed": 9}
        self.draw(
            (np.asarray(x), values),
            name,
            mode="lines+markers",
            line={**self.ink.line(place, width), "shape": shape},
            marker={**self.ink.marker(place, 9 if place % 6 in (3, 4) else 7), **few},
            xaxis=f"x{panel}",
            yaxis=f"y{panel}",
        )
        at = float(values[-1]) if end is None else end
        self.labels[panel].append(Label(label or name, at, place))

    def band(self, x: ArrayLike, low: ArrayLike, high: ArrayLike, place: int) -> None:
        """Draw the area between two lines, faintly."""
        around = np.asarray(x)
        self.draw(
            (
                np.concatenate([around, around[::-1]]),
                np.concatenate([np.asarray(high), np.asarray(low)[::-1]]),
            ),
            "",
            hover="",
            fill="toself",
            fillcolor=self.ink.faded(place),
            mode="lines",
            line={"width": 0},
            showlegend=False,
            xaxis="x",
            yaxis="y",
        )

    def y_range(
        self, low: float, high: float, *, log: bool = False, panel: str = ""
    ) -> tuple[float, float]:
        """Fix the range of an axis with a little air, so that labels can be placed; gives it in the axis' units."""
        bottom, top = (math.log10(low), math.log10(high)) if log else (low, high)
        air = 0.06 * (top - bottom or abs(top) or 1.0)
        ends = (bottom - air if log or low < 0 else bottom, top + air)
        self.figure.update_layout(
            {f"yaxis{panel}": {"range": list(ends), "type": "log" if log else "linear"}}
        )
        return ends

    def name_ends(
        self, ends: tuple[float, float], *, height: float | None = None, panel: str = ""
    ) -> None:
        """Write the names of series at the right end of their lines, apart from each other; no legend.

        `ends` are those of the y axis, as `y_range` gave them; `height` is that of the panel, in pixels. Every name
        begins with the sign of its marker, so that it can be found in grey.
        """
        self.figure.update_layout(showlegend=False, margin={"b": 60})
        margin = self.figure.layout.margin
        room = height or self.figure.layout.height - margin.t - margin.b
        log = self.figure.layout[f"yaxis{panel}"].type == "log"
        bottom, top = ends

        def height_of(label: Label) -> float:
            y = math.log10(max(label.y, 1e-300)) if log else label.y
            return min(max((y - bottom) / (top - bottom), 0.0), 1.0) * room

        labels = sorted(self.labels[panel], key=height_of)
        words = [
            textwrap.wrap(one.text, _LONGEST, break_on_hyphens=False) or [""] for one in labels
        ]
        spots = _apart([height_of(one) for one in labels], [_LINE * len(w) for w in words], room)
        wide = max(len(line) for lines in words for line in lines)
        self.figure.update_layout(margin={"r": int(20 + _LETTER * (wide + 2))})
        for label, lines, spot in zip(labels, words, spots, strict=True):
            self.note(
                1.0,
                bottom + spot / room * (top - bottom),
                f"{_SIGNS[label.place % 6]} " + "<br>".join(lines),
                xref="paper",
                xanchor="left",
                xshift=6,
                yref=f"y{panel}",
                yanchor="middle",
                align="left",
                font={"size": 13, "color": self.ink.colour(label.place)},
            )


def numbers(name: str, values: ArrayLike, *, at_least: int = 1) -> Floats:
    """A sequence of finite numbers, or a refusal that names it.

    Examples
    --------
    >>> numbers("rows", [1, 2]).tolist()
    [1.0, 2.0]
    >>> numbers("rows", [])
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: rows must be a sequence of at least 1 finite number, but is [].
    """
    try:
        read = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        read = np.empty((0, 0))
    if read.ndim != 1 or len(read) < at_least or not np.isfinite(read).all():
        noun = "number" if at_least == 1 else "numbers"
        raise BadParameter(
            f"{name} must be a sequence of at least {at_least} finite {noun}, but is {_short(values)}."
        )
    return read


def same_length(**columns: Sequence[Any] | Floats) -> None:
    """Refuse columns that do not go together.

    Examples
    --------
    >>> same_length(rows=[1, 2], error=[0.5])
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: rows and error must be equally long, but hold 2 and 1 numbers.
    """
    lengths = [len(column) for column in columns.values()]
    if len(set(lengths)) > 1:
        raise BadParameter(
            f"{' and '.join(columns)} must be equally long, but hold "
            f"{' and '.join(map(str, lengths))} numbers."
        )


def moments(rounds: int, most: int = 120) -> Ints:
    """Rounds at which to evaluate a bound: the first and the last, dense early, where bounds bend.

    Examples
    --------
    >>> moments(5).tolist()
    [1, 2, 3, 4, 5]
    >>> len(moments(1_000_000)) <= 120
    True
    """
    if rounds <= most:
        return np.arange(1, rounds + 1)
    early = np.geomspace(1, rounds, most // 2)
    late = np.linspace(1, rounds, most // 2)
    return np.unique(np.round(np.concatenate([early, late])).astype(np.int64))


def thinned(length: int, most: int = 2000) -> Ints:
    """Places of a long column that are enough to draw it, the first and the last among them.

    Examples
    --------
    >>> thinned(3).tolist(), len(thinned(10**6))
    ([0, 1, 2], 2000)
    """
    if length <= most:
        return np.arange(length)
    return np.unique(np.round(np.linspace(0, length - 1, most)).astype(np.int64))


def decades(low: float, high: float, most: int = 12) -> list[float]:
    """Round numbers for a logarithmic axis, at most so many.

    Examples
    --------
    >>> decades(1, 50)
    [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
    >>> decades(1, 1e6)
    [1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0, 1000000.0]
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for steps in ((1, 2, 5), (1,)):
        every = [float(f"{step}e{power}") for power in range(first, last + 1) for step in steps]
        every = [tick for tick in every if low * 0.999 <= tick <= high * 1.001]
        if len(every) <= most:
            return every
    return every[:: -(-len(every) // most)]


def _apart(wanted: list[float], sizes: list[float], room: float) -> list[float]:
    """Places as near as wanted, in their order, such that things of these sizes do not overlap."""
    spots = list(wanted)
    for _ in range(200):
        moved = False
        for i in range(len(spots) - 1):
            need = (sizes[i] + sizes[i + 1]) / 2 - (spots[i + 1] - spots[i])
            if need > 0.01:
                spots[i] -= need / 2
                spots[i + 1] += need / 2
                moved = True
        for i, size in enumerate(sizes):
            spots[i] = min(max(spots[i], size / 2 - 6), max(room - size / 2 + 6, size / 2))
        if not moved:
            break
    return spots


def _short(values: Any) -> str:
    text = repr(values)
    return text if len(text) <= 60 else f"{text[:57]}..."
