"""What was promised beside what was seen: one row for each guarantee, and the interval of a certificate."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

from assay.certificates.certificate import Certificate
from assay.certificates.show.words import capital, is_about_next_rows, is_rate, promise, quantity_of
from assay.errors import BadParameter
from assay.guarantees.decimals import shown_down, shown_up
from assay.guarantees.guarantee import Guarantee
from assay.report.figures.canvas import Canvas
from assay.report.figures.curves import decades
from assay.report.figures.over_rounds import claims_of
from assay.report.figures.theme import Figure, Theme, with_alpha
from assay.report.text import confidence_text, percent, percent_above, percent_below
from assay.theory.claim import OF_GROUP

_ROW = 50
# With more claims than this, those about single classes and groups are left out.
_MOST_CLAIMS = 10
_LOSS = "mean-loss"


def on_unit_axis(guarantee: Guarantee) -> bool:
    """Whether a guarantee lies between 0 and 1: a share of examples or a mean loss, not a count or a regret.

    Examples
    --------
    >>> from assay import certify
    >>> on_unit_axis(certify(errors=3, rows=100).claims[0])
    True
    """
    return is_rate(guarantee) or quantity_of(guarantee) == _LOSS


def promised_and_observed(
    guarantees: Sequence[Guarantee] | Certificate, *, theme: Theme = "light"
) -> Figure:
    """One row for each guarantee: a bar up to what was promised, a point at what was seen.

    Rates stand on one axis, counts, losses and regrets on one of their own below them, which is
    logarithmic where they are far apart. A vacuous bound is hatched and says so; where nothing is promised,
    the row tells why.

    Parameters
    ----------
    guarantees : sequence of Guarantee, or Certificate
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> from assay import certify
    >>> figure = promised_and_observed(certify(errors=50, rows=1000))
    >>> [(trace.name, round(float(trace.x[0]), 4)) for trace in figure.data]
    [('promised', 0.0629), ('observed', 0.05)]
    """
    claims = claims_of(guarantees)
    if not claims:
        raise BadParameter("There are no guarantees to draw.")
    rates = [g for g in claims if on_unit_axis(g)]
    others = [g for g in claims if not on_unit_axis(g)]
    height = 150 + _ROW * len(claims) + (90 if rates and others else 0)
    canvas = Canvas("What was promised, and what was seen", theme=theme, height=height)
    if rates and others:
        air = 100 / (height - 144)
        share = air / 2 + (1 - air) * len(rates) / len(claims)
        canvas.second_panel(share=share, below=True, gap=air)
    for panel, rows in enumerate(group for group in (rates, others) if group):
        _rows(canvas, rows, "" if panel == 0 else "2", rates is rows)
    widest = max([10, *(len(_verdict(g)) for g in claims if g.value is not None)])
    canvas.figure.update_layout(
        barmode="overlay",
        bargap=0.45,
        margin={"l": 20, "r": int(24 + 6.4 * widest), "b": 60},
        showlegend=False,
        title={"x": 0.02, "xref": "container"},
    )
    below = any(g.direction == "at least" for g in claims)
    bar = "what was promised" if below else "at most so much was promised"
    canvas.subtitle(f"bar: {bar}   ● what was seen")
    return canvas.figure


def _rows(canvas: Canvas, rows: Sequence[Guarantee], panel: str, rates: bool) -> None:
    colours, axes = canvas.ink, {"xaxis": f"x{panel}", "yaxis": f"y{panel}"}
    values = [g.value for g in rows]
    seen = [
        None if g.observed is None or is_about_next_rows(g) else float(g.observed) for g in rows
    ]
    positive = [v for v in (*values, *seen) if v is not None and v > 0 and math.isfinite(v)]
    largest = max([*positive, 1e-12])
    log = not rates and bool(positive) and largest > 50 * min(positive)
    # A zero has no place on a logarithmic axis: it stands at its left end.
    left = min(positive) / 3 if log else 0.0
    vacuous = any(g.vacuous for g in rows)
    right = min(1.0, 1.0 if vacuous else 1.05 * largest) if rates else largest
    hatch = ["/" if g.vacuous else "" for g in rows]
    canvas.figure.add_bar(
        x=[left if v is None else min(v, right) for v in values],
        y=list(range(len(rows))),
        name="promised",
        orientation="h",
        marker={
            "color": [with_alpha(colours.series[0], 0.28)] * len(rows),
            "line": {"color": colours.series[0], "width": 1.5},
            "pattern": {"shape": hatch, "fillmode": "replace", "solidity": 0.4},
        },
        customdata=[str(g) for g in rows],
        hovertemplate="%{customdata}<extra></extra>",
        **axes,
    )
    points = [(place, x) for place, x in enumerate(seen) if x is not None]
    canvas.draw(
        ([max(x, left) for _, x in points], [place for place, _ in points]),
        "observed",
        hover="observed %{text}",
        mode="markers",
        marker=colours.marker(1, 11) | {"symbol": "circle"},
        text=[f"{x:.6g}" for _, x in points],
        **axes,
    )
    low, high = (math.log10(left), math.log10(right)) if log else (0.0, right)
    for place, guarantee in enumerate(rows):
        # Words stand in a column of their own, or in the empty row where there is no bar.
        x, spot = 1.0, {"xref": "paper", "xshift": 8}
        if guarantee.value is None:
            x, spot = low, {"xref": f"x{panel}", "xshift": 4}
        words: dict[str, Any] = {"yref": f"y{panel}", "xanchor": "left", **spot}
        canvas.note(x, place, _verdict(guarantee), strong=True, **words)
    canvas.rows([_name(g) for g in rows], low=len(rows) - 0.4, panel=panel, showgrid=False)
    ticks: dict[str, Any] = {"tickformat": ".2~%"} if rates else {}
    if log:
        ticks = {"tickvals": decades(left, right, 6), "tickformat": "~g"}
    axis = {
        "type": "log" if log else "linear",
        "range": [low, high + (high - low) * 0.03],
        "title": {"text": _axis(rates, log)},
    }
    canvas.figure.update_layout({f"xaxis{panel}": {**axis, **ticks}})


def _axis(rates: bool, log: bool) -> str:
    if rates:
        return "rate"
    return f"count, loss or regret{' (logarithmic)' if log else ''}"


def _name(guarantee: Guarantee) -> str:
    what = "<br>".join(textwrap.wrap(guarantee.of, 34, max_lines=2, placeholder=" …"))
    return f"{what}<br><span style='font-size:11px'>{guarantee.theorem}</span>"


def _verdict(guarantee: Guarantee) -> str:
    if not guarantee.applies:
        broken = next(a for a in guarantee.assumptions if a.status == "violated")
        return f"no promise: it is not true that {textwrap.shorten(broken.name, 60)}"
    if guarantee.promised_text is None:
        return "no number"
    if guarantee.vacuous:
        return "vacuous: says nothing"
    rate = on_unit_axis(guarantee)
    seen = ""
    if guarantee.observed is not None:
        number, share = float(guarantee.observed), rate or is_about_next_rows(guarantee)
        seen = f"{percent(number) if share else f'{number:.4g}'} seen, "
    below = guarantee.direction == "at least"
    if rate:
        bound = (percent_below if below else percent_above)(guarantee.promised_text)
    else:
        bound = (shown_down if below else shown_up)(guarantee.promised_text, 4)
    average = " on average" if guarantee.quantifier == "expectation" else ""
    mark = "" if guarantee.holds is not False else "  BROKEN"
    return f"{seen}{guarantee.direction} {bound}{average}{mark}"


def error_certificate(certificate: Certificate, *, theme: Theme = "light") -> Figure:
    """What a certificate proves: the rate that was seen, where the true one may lie, and the textbook's bound.

    What is promised from above is a line from 0, and what is promised from below one that ends at 1.

    Parameters
    ----------
    certificate : Certificate
        Its claims about rates are drawn, one row each; many classes are left to a table.
    theme : {"light", "dark"}
        The colours.

    Examples
    --------
    >>> from assay import certify
    >>> figure = error_certificate(certify(errors=50, rows=1000))
    >>> [(trace.name, [round(float(x), 4) for x in trace.x]) for trace in figure.data]
    [('proved', [0.0, 0.0629]), ('textbook', [0.0, 0.0887]), ('observed', [0.05])]
    """
    claims = [g for g in claims_of(certificate) if on_unit_axis(g)]
    if not claims:
        raise BadParameter("This certificate makes no claim about an error rate.")
    if len(claims) > _MOST_CLAIMS:
        claims = [g for g in claims if quantity_of(g) not in ("class-error", *OF_GROUP)]
    first = claims[0]
    loss = quantity_of(first) == _LOSS
    above = first.direction == "at most"
    name = "mean loss" if loss else "error rate" if above else "rate"
    height = 180 + 74 * len(claims)
    canvas = Canvas(_headline(first), x=name, theme=theme, height=height)
    sure = confidence_text(certificate.document["delta"]["total"])
    canvas.subtitle(f"{_counted(first)}; {sure}")
    right = max(
        float(number)
        for g in claims
        for number in (g.promised or 0, g.observed or 0, g.textbook[1] if g.textbook else "0")
    )
    right = min(right * 1.08 or 1.0, 1.0)
    if any(g.direction == "at least" for g in claims):
        right = 1.0
    for place, claim in enumerate(claims):
        _interval(canvas, claim, place, right)
    names = ["<br>".join(textwrap.wrap(claim.of, 26)) for claim in claims]
    canvas.rows(names, low=len(claims) - 0.35, showgrid=False)
    canvas.figure.update_layout(
        showlegend=False,
        margin={"l": 20, "r": 30, "b": 60},
        xaxis={"range": [0, right * 1.02], "tickformat": "~g" if loss else ".2~%"},
    )
    return canvas.figure


def _interval(canvas: Canvas, claim: Guarantee, place: int, right: float) -> None:
    colours = canvas.ink
    ends: list[tuple[str, str, str, float, int]] = []
    if claim.promised_text is not None:
        ends.append(("proved", claim.promised_text, claim.theorem, place - 0.14, 0))
    if claim.textbook is not None:
        id, number = claim.textbook
        ends.append(("textbook", number, id, place + 0.24, 1))
    for name, number, theorem, y, style in ends:
        text, end = f"{_bound(claim, number)} ({theorem})", float(number)
        colour = {"color": colours.series[style]}
        canvas.draw(
            ([end, 1.0] if claim.direction == "at least" else [0.0, min(end, 1.0)], [y, y]),
            name,
            hover=f"{name}: {text}",
            mode="lines+markers",
            line=colours.line(style, 6 if style == 0 else 3),
            marker={"symbol": "line-ns", "size": 14, "line": {"width": 3, **colour}, **colour},
        )
        beside = {"xanchor": "left", "xshift": 10, "yshift": 0}
        if end > 0.55 * right:
            beside = {"xanchor": "right", "xshift": 0, "yshift": 15}
        canvas.note(min(end, 1.0), y, text, strong=True, **beside)
    if claim.observed is not None:
        canvas.draw(
            ([float(claim.observed)], [place - 0.14]),
            "observed",
            hover=f"observed {percent(float(claim.observed))}",
            mode="markers",
            marker=colours.marker(1, 13) | {"symbol": "circle", "color": colours.text},
        )
    canvas.figure.add_hline(y=place + 0.5, line={"color": colours.grid, "width": 1})


def _bound(claim: Guarantee, number: str) -> str:
    below = claim.direction == "at least"
    if float(number) <= 0 if below else float(number) >= 1:
        return "vacuous"
    return f"{claim.direction} {_amount(claim, number)}"


def _amount(claim: Guarantee, number: str) -> str:
    """A number that is promised, rounded so that it never promises more."""
    if claim.direction == "at least":
        return percent_below(number)
    return shown_up(number, 4) if quantity_of(claim) == _LOSS else percent_above(number)


def _headline(claim: Guarantee) -> str:
    if claim.promised_text is None:
        return "Nothing is promised: an assumption is violated"
    if claim.vacuous:
        return f"Nothing is promised: the bound is {0 if claim.direction == 'at least' else 1}"
    if quantity_of(claim) == "mean-error-as-played":
        return f"{capital(claim.of)}: {_bound(claim, claim.promised_text)}"
    return promise(claim)


def _counted(claim: Guarantee) -> str:
    inputs: Any = claim.inputs
    if claim.observed is None:
        return "the rate seen is not told"
    seen = float(claim.observed)
    if quantity_of(claim) == _LOSS:
        return f"● mean loss {seen:.4g} seen"
    share = percent(seen)
    if isinstance(inputs.get("errors"), int) and isinstance(inputs.get("rows"), int):
        return f"● {inputs['errors']:,} of {inputs['rows']:,} rows are wrong ({share})"
    return f"● {share} seen"
