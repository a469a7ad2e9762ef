"""Puts the figures of the gallery into its pages, offline: plotly's script is one file beside the pages.

Every variable of a script that holds a new plotly figure becomes a figure of the page, in the order of
assignment. Its lines and points, drawn small, are the script's picture in the gallery.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np

SCRIPT = "plotly.min.js"
WIDTH, HEIGHT, EDGE = 400, 280, 22
BUTTONS = {"displaylogo": False, "responsive": True, "modeBarButtonsToRemove": ["sendDataToCloud"]}
KINDS = ("scatter", "scattergl", "bar")
DIRECTIVE = "\n.. raw:: html\n\n{}\n\n"


def scraper(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """The figures that the block has made, as HTML; the first of a script is also drawn small."""
    import plotly.graph_objects as go

    made = block_vars["example_globals"]
    shown = made.setdefault("__figures__", set())
    new = [value for value in made.values() if isinstance(value, go.Figure)]
    pages = []
    for figure in new:
        if id(figure) in shown:
            continue
        shown.add(id(figure))
        # Gallery pages lie one folder below the root.
        script: Any = f"../_static/{SCRIPT}" if len(shown) == 1 else False
        page = figure.to_html(
            full_html=False, include_plotlyjs=script, config=BUTTONS, auto_play=False
        )
        pages.append(page)
        picture = Path(block_vars["image_path_iterator"].next()).with_suffix(".svg")
        picture.write_text(small(figure), encoding="utf-8")
    return "".join(DIRECTIVE.format(indent(page, "    ")) for page in pages)


def write_script(app: Any, error: Exception | None) -> None:
    """Put plotly's script, which comes with the package, beside the pages."""
    from plotly.offline import get_plotlyjs

    if error is None and app.builder.format == "html":
        target = Path(app.outdir) / "_static" / SCRIPT
        target.write_text(get_plotlyjs(), encoding="utf-8")


def small(figure: Any) -> str:
    """A picture of a figure: lines, points and bars of its traces, without any text but the title."""
    drawn = [trace for trace in traces(figure) if trace.x is not None and trace.y is not None]
    logs = [axis.type == "log" for axis in (figure.layout.xaxis, figure.layout.yaxis)]
    lines = [points for trace in drawn if len(points := places(trace, logs))]
    parts = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>']
    if lines:
        every = np.concatenate(lines)
        low, high = every.min(axis=0), every.max(axis=0)
        span = np.where(high > low, high - low, 1.0)
        room = np.array([WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE])
        colours = list(figure.layout.colorway or ["#0072b2", "#d55e00", "#009e73", "#8f5fa8"])
        for place, trace in enumerate(drawn):
            points = places(trace, logs)
            if len(points):
                scaled = EDGE + (points - low) / span * room
                scaled[:, 1] = HEIGHT - scaled[:, 1]
                parts.append(shape(trace, scaled, colours[place % len(colours)]))
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}">\n{body}\n</svg>\n'
    )


def traces(figure: Any) -> list[Any]:
    """The traces of a figure; of an animated one, those of its last frame."""
    found = list(figure.data)
    # Only the first panel: others have axes of their own.
    first = [trace.xaxis in (None, "x") and trace.yaxis in (None, "y") for trace in found]
    if figure.frames:
        last = figure.frames[-1]
        where = last.traces if last.traces is not None else range(len(last.data))
        for place, trace in zip(where, last.data, strict=True):
            found[place] = trace
    return [t for t, here in zip(found, first, strict=True) if here and t.type in KINDS]


def places(trace: Any, logs: list[bool]) -> Any:
    """The points of a trace as numbers, or their logarithms; words are numbered in their order."""
    x, y = numbers(trace.x), numbers(trace.y)
    if trace.type == "bar" and trace.orientation == "h":  # bars begin at zero
        x, y = np.append(x, 0.0), np.append(y, y[-1])
    both = np.column_stack([x, y]) if len(x) == len(y) else np.empty((0, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        both[:, logs] = np.log(both[:, logs])
    return both[np.isfinite(both).all(axis=1)]


def numbers(values: Any) -> Any:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        return np.arange(len(values), dtype=float)


def shape(trace: Any, points: Any, colour: str) -> str:
    """A line, dots or bars."""
    own = trace.marker.color if trace.marker is not None else None
    line = trace.line.color if trace.type.startswith("scatter") and trace.line else None
    colour = escape(next((c for c in (line, own) if isinstance(c, str)), colour))
    if trace.type == "bar" and trace.orientation == "h":
        high = max(2.0, 0.7 * (HEIGHT - 2 * EDGE) / len(points))
        return "".join(
            f'<rect x="{EDGE}" y="{y - high / 2:.1f}" width="{x - EDGE:.1f}" height="{high:.1f}" fill="{colour}"/>'
            for x, y in points
        )
    if trace.type == "bar":
        wide = max(2.0, 0.7 * (WIDTH - 2 * EDGE) / len(points))
        return "".join(
            f'<rect x="{x - wide / 2:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{HEIGHT - EDGE - y:.1f}" '
            f'fill="{colour}"/>'
            for x, y in points
        )
    if "lines" in (trace.mode or "lines"):
        step = max(1, len(points) // 400)
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points[::step])
        return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
    step = max(1, len(points) // 400)
    return "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>' for x, y in points[::step]
    )
