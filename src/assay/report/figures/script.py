"""plotly's JavaScript, from the package that is installed: a page that holds it needs no network."""

from __future__ import annotations

from assay.report.figures.theme import plotly_objects


def plotly_script() -> str:
    """The source of plotly.js, or a sentence that says how to get it."""
    plotly_objects()
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())
