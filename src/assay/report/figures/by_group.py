"""Groups of rows: what was seen of each, what is promised of it, and the line that a gate draws."""

from __future__ import annotations

from fractions import Fraction

from assay.certificates.certificate import Certificate
from assay.certificates.show.group_table import worst_first
from assay.certificates.show.words import (
    confidence_text,
    percent,
    percent_above,
    promise,
    quantity_of,
)
from assay.errors import BadParameter
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.printable import printable
from assay.guarantees.subject import subject_of
from assay.report.figures.canvas import Canvas
from assay.report.figures.points import plain
from assay.report.figures.theme import Figure, Theme
from assay.theory.needs import inside_unit
from assay.theory.rounding import Number

# Of more groups than this, those of the largest bounds.
_MOST = 60
_WORST = ("worst-group-error", "worst-group-unit-mean-error")


def group_bounds(
    certificate: Certificate, *, max_error: Number | None = None, theme: Theme = "light"
) -> Figure:
    """Each group's error as it was seen and as it is bounded, the largest bound first; all bounds hold at once.

    Parameters
    ----------
    certificate : Certificate
        One with groups, as `certify` issues it with ``groups``.
    max_error : number, optional
        The error that a gate allows, drawn as a line.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> from assay import certify
    >>> groups = {"language": ["en"] * 400 + ["de"] * 100}
    >>> figure = group_bounds(certify(y_true=[1] * 500, y_pred=[0] * 20 + [1] * 480, groups=groups, labels=[0, 1]))
    >>> [(trace.name, [round(float(x), 4) for x in trace.x]) for trace in figure.data]
    [('observed', [0.05, 0.0]), ('promised', [0.0839, 0.0495])]
    """
    groups = worst_first(certificate.claims)
    if not groups:
        raise BadParameter(
            "This certificate bounds no group by itself. Certify with groups, and without every_group."
        )
    shown = groups[:_MOST]
    worst = next((c for c in certificate.claims if quantity_of(c) in _WORST), None)
    height = 190 + 30 * len(shown)
    title = _title(worst) or "What is promised of every group"
    canvas = Canvas(title, x="error rate", theme=theme, height=height)
    limit = None if max_error is None else float(inside_unit("max_error", max_error).low)
    right = max([float(c.promised or 0) for c in shown] + [float(c.observed or 0) for c in shown])
    right = min(1.0, 1.08 * max(right, limit or 0.0, 1e-3))
    _intervals(canvas, shown)
    if limit is not None:
        canvas.upright(limit, color=canvas.ink.series[1], width=2, dash="dash")
        beside = {"yref": "paper", "yanchor": "bottom", "xanchor": "left", "xshift": 4}
        canvas.note(limit, 1.0, f"at most {percent(limit)} allowed", strong=True, **beside)
    if worst is not None and worst.value is not None:
        canvas.upright(worst.value)
    canvas.rows([_name(claim) for claim in shown], low=len(shown) - 0.4, showgrid=False)
    canvas.figure.update_layout(
        showlegend=False,
        margin={"l": 20, "r": 30, "b": 60},
        title={"x": 0.02, "xref": "container"},
        xaxis={"range": [0, 1.02 * right], "tickformat": ".2~%"},
    )
    canvas.subtitle(_subtitle(certificate, len(groups), len(shown), worst is not None))
    # Between the second line of the title and the first group stands what is allowed.
    canvas.figure.update_layout(margin={"t": 104})
    return canvas.figure


def _title(worst: Guarantee | None) -> str:
    return "" if worst is None or worst.promised is None or worst.vacuous else promise(worst)


def _subtitle(certificate: Certificate, groups: int, shown: int, worst: bool) -> str:
    sure = confidence_text(certificate.document["delta"]["total"])
    line = "   thin line: the worst group" if worst else ""
    left = "" if groups == shown else f"; {groups - shown:,} of smaller bounds are left out"
    return f"● error seen   | at most so much, all {groups:,} at once, {sure}{line}{left}"


def _intervals(canvas: Canvas, claims: list[Guarantee]) -> None:
    blue, places = canvas.ink.series[0], list(range(len(claims)))
    seen = [float(c.observed or 0) for c in claims]
    bounds = [min(float(Fraction(c.promised_text or "0")), 1.0) for c in claims]
    for place, (error, bound) in enumerate(zip(seen, bounds, strict=True)):
        ends = {"x0": error, "x1": bound, "y0": place, "y1": place}
        if bound > error:
            canvas.figure.add_shape(type="line", **ends, line={"color": blue, "width": 2.5})
    tick = {"symbol": "line-ns", "size": 13, "line": {"width": 3, "color": blue}}
    texts = [
        "nothing" if c.promised_text is None else f"at most {percent_above(c.promised_text)}"
        for c in claims
    ]
    for name, x, style, words in (
        ("observed", seen, {"symbol": "circle", "size": 10}, [percent(v) for v in seen]),
        ("promised", bounds, tick, texts),
    ):
        look = canvas.ink.marker(0) | style
        canvas.draw(
            (x, places), name, hover=f"{name}: %{{text}}", mode="markers", marker=look, text=words
        )


def _name(claim: Guarantee) -> str:
    """The group, and its numbers under it."""
    subject, inputs = subject_of(claim.of), claim.inputs
    assert subject is not None
    counted = ""
    if "units" not in inputs:
        counted = f"{inputs['errors']:,} of {inputs['rows']:,} wrong, "
    most = "says nothing" if claim.vacuous else "no promise"
    if claim.promised_text is not None and not claim.vacuous:
        most = f"at most {percent_above(claim.promised_text)}"
    name = printable(subject.group, 60)
    return f"{plain(name)}<br><span style='font-size:11px'>{counted}{most}</span>"
