"""The first thing a reader sees: the promise in one sentence, two bars, and what it rests on."""

from __future__ import annotations

import math

from assay.certificates.certificate import Certificate
from assay.certificates.show.html import all_assumptions, conditions, remark
from assay.certificates.show.markup import Markup, tag
from assay.certificates.show.words import (
    confidence_text,
    is_about_next_rows,
    is_rate,
    observed_number,
    percent,
    promised,
    promised_number,
    seen,
)
from assay.guarantees.guarantee import Guarantee

_STEPS = (1, 2, 5, 10, 20)


def headline(certificate: Certificate) -> Markup:
    """The first claim of a certificate as a card."""
    claim = certificate.claims[0]
    sure = confidence_text(certificate.document["delta"]["total"])
    if claim.promised_text is None or claim.vacuous:
        kind, sentence = "headline nothing", "Nothing is promised about new rows."
        note = tag("p", remark(claim))
        rest = "It would rest on these conditions:"
    else:
        kind, note = "headline", None
        sentence = promised(claim, f", with {sure}")
        rest = "This holds if:"
    listed = all_assumptions([claim])
    if_parts = [tag("p", rest, class_="if"), conditions(listed)] if listed else []
    return tag(
        "div",
        tag("p", sentence, class_="promise"),
        note,
        bars(claim, certificate.rows),
        if_parts,
        class_=kind,
    )


def bars(claim: Guarantee, rows: int) -> Markup:
    """What was seen and what is promised, as two bars over one scale."""
    # A share of the rows seen and a count of rows to come have no scale in common.
    observed = None if is_about_next_rows(claim) else claim.observed
    numbers = [float(n) for n in (observed, claim.promised) if n is not None]
    if not numbers:
        return Markup("")
    top = scale_top(max(numbers), rate=is_rate(claim))
    drawn = []
    if observed is not None:
        name = f"Seen on {rows:,} rows"
        drawn += [_bar(name, "observed", float(observed) / top, observed_number(claim))]
    if claim.promised is not None:
        share = float(claim.promised) / top
        drawn += [_bar("Promised, at most", "promised", share, promised_number(claim))]
    ticks = [tag("span", _tick(part * top, is_rate(claim))) for part in (0.0, 0.5, 1.0)]
    scale = tag("div", tag("span"), tag("span", ticks, class_="track"), class_="bar scale")
    label = f"{seen(claim, rows)} Promised: at most {promised_number(claim)}."
    return tag("div", drawn, scale, class_="bars", role="img", aria_label=label)


def scale_top(value: float, *, rate: bool) -> float:
    """A round number a little above a value, and no rate above one.

    Examples
    --------
    >>> scale_top(0.063, rate=True), scale_top(0.7, rate=True), scale_top(5607, rate=False)
    (0.1, 1.0, 10000.0)
    """
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    top = next(step * power for step in _STEPS if step * power >= 1.02 * value)
    return float(f"{min(1.0, top) if rate and value <= 1 else top:.3g}")


def _bar(name: str, kind: str, share: float, number: str) -> Markup:
    fill = tag("span", class_=f"fill {kind}", style=f"width:{100 * min(share, 1.0):.2f}%")
    return tag(
        "div",
        tag("span", name, class_="name"),
        tag("span", fill, class_="track"),
        tag("span", number, class_="value"),
        class_="bar",
    )


def _tick(value: float, rate: bool) -> str:
    if value == 0:
        return "0"
    return percent(value) if rate else f"{value:,.4g}"
