"""Certificates and guarantees as HTML: what a notebook shows, and what the report is made of.

Nothing here needs a style sheet to be understood: every status has a symbol and a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assay.certificates.certificate import Certificate
from assay.certificates.show.group_table import groups_table, is_of_group
from assay.certificates.show.judged_words import is_about_batch
from assay.certificates.show.markup import Markup, joined, tag
from assay.certificates.show.words import (
    at_once,
    capital,
    confidence_text,
    is_about_next_rows,
    observed_number,
    promised,
    promised_number,
    rows_enough,
    seen,
    why_nothing,
)
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import shown_up
from assay.guarantees.guarantee import Guarantee


class Mark(NamedTuple):
    """How a status is shown: a symbol, a word, and what it means."""

    symbol: str
    word: str
    meaning: str


STATUSES = {
    "by construction": Mark("◆", "by construction", "The code makes it so; it cannot be otherwise."),
    "checked": Mark("✓", "checked", "It was computed from the data, and holds."),
    "declared": Mark("✎", "declared", "Somebody said so. Data cannot show it, but somebody can be asked."),
    "assumed": Mark("?", "assumed", "It cannot be known from the data at all."),
    "not asked": Mark("!", "not asked", "Somebody could be asked, and nobody was: the number stands if it is so."),
    "violated": Mark("✗", "violated", "It was computed from the data, and is false: nothing is promised."),
}  # fmt: skip
"""The six ways in which a condition is known."""

KEPT = Mark("✓", "kept", "What was observed stays within the promise.")
IN_FORCE = Mark("✓", "in force", "It speaks of rows not seen; what was seen is what it rests on.")
BROKEN = Mark("✗", "exceeded", "What was observed is larger than the promise.")
VACUOUS = Mark("○", "says nothing", "The bound is 100 % or more, which every model meets.")
NOTHING = Mark("✗", "no promise", "A condition of the theorem is violated.")
NO_NUMBER = Mark("○", "no number", "The theorem gives no finite number here.")
AVERAGE = Mark("–", "on average", "It holds in expectation, so one observation cannot test it.")
UNSEEN = Mark("–", "not observed", "Nothing was observed that could be compared with the promise.")
VERDICTS = (KEPT, IN_FORCE, BROKEN, VACUOUS, NOTHING, NO_NUMBER, AVERAGE, UNSEEN)

# Inherits the colours of the page around it, so that it reads in light and dark notebooks.
_STYLE = Markup(
    "<style>"
    ".assay-card{border:1px solid rgba(128,128,128,.45);border-radius:6px;padding:.75em 1em;max-width:48em;"
    "line-height:1.45}"
    ".assay-card p{margin:0 0 .5em}"
    ".assay-card .assay-promise{font-size:1.15em;font-weight:600}"
    ".assay-card table{border-collapse:collapse;margin:.25em 0 .75em}"
    ".assay-card th,.assay-card td{text-align:left;padding:.2em 1em .2em 0;vertical-align:top;"
    "border-bottom:1px solid rgba(128,128,128,.25)}"
    ".assay-card caption{text-align:left;opacity:.8}"
    ".assay-card small{font-weight:400;opacity:.8}"
    ".assay-card ul{list-style:none;margin:0;padding:0}"
    ".assay-card li{margin:.15em 0}"
    ".assay-card .assay-mark{white-space:nowrap;opacity:.8}"
    ".assay-card .assay-small{font-size:.9em;opacity:.8;margin-top:.5em}"
    "</style>"
)


def verdict(claim: Guarantee) -> Mark:
    """How the promise stands beside what was seen.

    Examples
    --------
    >>> from assay import certify
    >>> verdict(certify(errors=50, rows=1000).claims[0]).word
    'in force'
    """
    if not claim.applies:
        return NOTHING
    if claim.promised is None:
        return NO_NUMBER
    if claim.vacuous:
        return VACUOUS
    if is_about_next_rows(claim) or is_about_batch(claim):
        return IN_FORCE
    if claim.holds is None:
        return AVERAGE if claim.quantifier == "expectation" else UNSEEN
    if not claim.holds:
        return BROKEN
    unseen = claim.kind == "error" and claim.quantifier.startswith("probability")
    return IN_FORCE if unseen else KEPT


def marked(mark: Mark) -> Markup:
    """A symbol and its word; what it means shows under the pointer."""
    symbol = tag("span", mark.symbol, aria_hidden="true")
    return tag(
        "span", symbol, f"\N{NO-BREAK SPACE}{mark.word}", class_="assay-mark", title=mark.meaning
    )


def conditions(assumptions: Iterable[Assumption]) -> Markup:
    """Conditions as a list, each with how it is known.

    Examples
    --------
    >>> from assay.guarantees.assumption import Assumption
    >>> "declared" in conditions([Assumption("the model was fixed", "declared")])
    True
    """
    return tag("ul", [tag("li", *_condition(a)) for a in assumptions], class_="assay-conditions")


def all_assumptions(claims: Iterable[Guarantee]) -> list[Assumption]:
    """The conditions of several claims, each once, in order."""
    return list(dict.fromkeys(a for claim in claims for a in claim.assumptions))


def remark(claim: Guarantee) -> str:
    """What a reader must know about a promise that says nothing; empty for one that says something."""
    if claim.promised is None:
        return capital(why_nothing(claim))
    if not claim.vacuous:
        return ""
    if is_about_next_rows(claim):
        return "The bound is all of the next rows: it is true of every model."
    if is_about_batch(claim):
        return "The bound is all items of the batch: it is true of every model."
    if claim.kind == "regret":
        return "The bound is as large as all there is to lose: it is true of every policy."
    enough = rows_enough(claim)
    if enough is None:
        return "The bound is 100 % or more: it is true of every model."
    return (
        "The bound is 100 % or more: it is true of every model. "
        f"From about {enough:,} rows on, this rate of errors would say something."
    )


def risk(claim: Guarantee) -> str:
    """How a promise can fail.

    Examples
    --------
    >>> from assay import certify
    >>> risk(certify(errors=50, rows=1000).claims[0])
    'fails with probability at most 0.05'
    """
    if claim.quantifier == "expectation":
        return "holds on average"
    if claim.delta == "0":
        return "always holds"
    return f"fails with probability at most {shown_up(claim.delta, 3)}"


def claims_table(claims: Sequence[Guarantee], caption: str) -> Markup:
    """Promises beside what was seen."""
    directions = {claim.direction for claim in claims}
    # What all of them are stands in the head; where they differ, each says it.
    promised = f"Promised, {claims[0].direction}" if len(directions) == 1 else "Promised"
    names = ("Quantity", promised, "Observed", "Verdict", "By")
    head = tag("tr", [tag("th", name, scope="col") for name in names])
    body = [_claim_row(claim, names) for claim in claims]
    return tag("table", tag("caption", caption), tag("thead", head), tag("tbody", body))


def guarantee_html(claim: Guarantee) -> Markup:
    """One guarantee as a notebook shows it."""
    number = promised_number(claim)
    bound = "nothing" if claim.promised is None else f"{claim.direction} {number}"
    promise = tag("p", f"{capital(claim.of)}: {bound}", class_="assay-promise")
    observed = "" if claim.observed is None else f"Observed: {observed_number(claim)}. "
    note = remark(claim)
    return _card(
        promise,
        tag("p", observed, marked(verdict(claim)), f". {note}" if note else "."),
        *_if(claim.assumptions),
        tag("p", f"By {claim.theorem}; {risk(claim)}.", class_="assay-small"),
    )


def certificate_html(certificate: Certificate, *, estimate: bool = False) -> Markup:
    """A certificate as a notebook shows it; with `estimate` Wilson's intervals stand below all of it."""
    claims, delta = certificate.claims, certificate.document["delta"]["total"]
    sure, first = confidence_text(delta), claims[0]
    says_nothing = first.promised is None or first.vacuous
    parts: list[Markup] = [
        tag(
            "p",
            ("Promised: " if says_nothing else "") + promised(first, f", with {sure}"),
            class_="assay-promise",
        ),
        tag("p", seen(first, certificate.rows)),
    ]
    if len(claims) > 1:
        listed = [claim for claim in claims if not is_of_group(claim)]
        parts += [claims_table(listed, at_once(claims, sure))]
        parts += [groups_table(claims)] if len(listed) < len(claims) else []
    parts += _if(all_assumptions(claims))
    parts += [
        tag(
            "p",
            f"By {first.theorem}; fingerprint {certificate.document['digest']}",
            class_="assay-small",
        )
    ]
    if estimate:
        from assay.certificates.show.estimates import estimates

        parts += [tag("p", str(one), class_="assay-small") for one in estimates(claims, delta)]
    return _card(*parts)


def _condition(assumption: Assumption) -> Iterable[str]:
    yield marked(STATUSES[assumption.status])
    yield f" — {assumption.name}"
    if assumption.evidence:
        yield tag("span", f" ({assumption.evidence})", class_="assay-evidence")


def _claim_row(claim: Guarantee, names: Sequence[str]) -> Markup:
    note = remark(claim)
    by = [tag("code", claim.theorem), tag("br"), tag("small", risk(claim))]
    which = f"{claim.direction} " if names[1] == "Promised" and claim.promised is not None else ""
    cells: list[Markup] = [
        Markup(which + promised_number(claim)),
        Markup(observed_number(claim)),
        joined(
            [
                marked(verdict(claim)),
                tag("br") if note else None,
                tag("small", note) if note else None,
            ]
        ),
        joined(by),
    ]
    row = [tag("td", cell, data_label=name) for name, cell in zip(names[1:], cells, strict=True)]
    about = tag("small", f"about {claim.certified}") if claim.certified else None
    name = joined([capital(claim.of), tag("br") if about else None, about])
    return tag("tr", tag("th", name, scope="row"), row)


def _if(assumptions: Iterable[Assumption]) -> list[Markup]:
    listed = list(assumptions)
    return [tag("p", "It holds if"), conditions(listed)] if listed else []


def _card(*parts: str) -> Markup:
    return tag("div", _STYLE, parts, class_="assay-card")
