"""Figures that move: a slider, a button that plays the frames, and one that stops them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.report.figures.canvas import Canvas, legend_height
from assay.report.figures.theme import INKS

FrameParts = tuple[str, Sequence[Any], Sequence[int], dict[str, Any]]
"""The name of a frame, its traces, whose places they take, and what changes in the layout."""

# plotly turns a button white under the pointer, whatever the theme: its words must be read on both.
_BUTTON_WORDS = {INKS["light"]: "#1c2430", INKS["dark"]: "#3f92c9"}
# How long a frame stays while they are played.
_MILLISECONDS = 700
# A page must stay light: every frame is kept in it.
MOST_FRAMES = 200


def animate(canvas: Canvas, frames: Sequence[FrameParts], *, what: str) -> None:
    """Give a figure its frames and the means to go through them; it starts with the first one.

    Parameters
    ----------
    canvas : Canvas
        It shows the first frame already.
    frames : sequence of FrameParts
    what : str
        What a frame is, for the words beside the slider.
    """
    figure, colours = canvas.figure, canvas.ink
    figure.frames = [
        canvas.go.Frame(name=name, data=list(traces), traces=list(places), layout=layout)
        for name, traces, places, layout in frames
    ]
    now = {"mode": "immediate", "transition": {"duration": 0}}
    steps = [
        {
            "label": name,
            "method": "animate",
            "args": [[name], {**now, "frame": {"duration": 0, "redraw": True}}],
        }
        for name, *_ in frames
    ]
    play = {
        "label": "▶ play",
        "method": "animate",
        "args": [
            None,
            {**now, "fromcurrent": True, "frame": {"duration": _MILLISECONDS, "redraw": True}},
        ],
    }
    stop = {
        "label": "❚❚ stop",
        "method": "animate",
        "args": [[None], {**now, "frame": {"duration": 0, "redraw": False}}],
    }
    short = all(len(name) <= 4 for name, *_ in frames)
    figure.update_layout(margin_b=figure.layout.margin.b + 116)
    inside = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
    figure.update_layout(legend={"y": legend_height(max(80, inside)), "yanchor": "top"})
    button = {
        "type": "buttons",
        "direction": "left",
        "showactive": False,
        "buttons": [play, stop],
        "x": 0,
        "xanchor": "left",
        "y": -144 / inside,
        "yanchor": "top",
        "pad": {"t": 0, "r": 8},
        "bgcolor": colours.paper,
        "bordercolor": colours.faint,
        "font": {"color": _BUTTON_WORDS[colours], "size": 12},
    }
    slider = {
        "active": 0,
        "x": 0.26,
        "len": 0.74,
        "y": -124 / inside,
        "yanchor": "top",
        "currentvalue": {"prefix": f"{what} ", "font": {"size": 13, "color": colours.text}},
        "tickcolor": colours.faint,
        "bgcolor": colours.grid,
        "bordercolor": colours.faint,
        "activebgcolor": colours.series[0],
        # Long words under the slider would be cut off; the one that counts stands above it.
        "font": {"color": colours.faint if short else "rgba(0,0,0,0)", "size": 10},
        "ticklen": 4 if short else 0,
        "minorticklen": 0,
        "steps": steps,
    }
    figure.update_layout(updatemenus=[button], sliders=[slider])
