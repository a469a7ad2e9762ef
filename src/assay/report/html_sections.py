"""The sections of the report: each takes a part of the story and returns what stands below its heading."""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence

from assay.certificates.certificate import Certificate
from assay.certificates.show.group_table import groups_table, is_of_group
from assay.certificates.show.html import STATUSES, VERDICTS, Mark, claims_table, marked, verdict
from assay.certificates.show.markup import Child, Markup, joined, tag
from assay.certificates.show.words import (
    at_once,
    capital,
    confidence_text,
    is_rate,
    percent,
    percent_above,
    promised,
    seen,
)
from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.report.blocks import counted
from assay.report.html import digest, facts, paragraphs, shortened, table
from assay.report.story import Candidate, ClassErrors, Concern, Model, Prepared, Source, Story
from assay.report.story_text import promised_text, seen_text
from assay.report.text import accounting

# A table with more columns than these is told by what is common to them; beyond the most, it is cut.
_ONE_BY_ONE, _MOST = 20, 200
_MOST_CLASSES = 30
_LOOK = Mark("!", "look", "Something was found that a reader should know.")
_CLEAR = Mark(
    "–", "nothing found", "Nothing was found, or nothing was looked for, as the sentence says."
)


def model_part(model: Model | None) -> list[Markup]:
    """What was learned."""
    if model is None:
        return []
    summary = facts(
        {
            "Learner": tag("strong", model.learner),
            "Classes": shortened(model.classes, 30) if model.classes else None,
        }
    )
    if not model.parameters:
        return [summary]
    settings: dict[str, Child] = {name: str(value) for name, value in model.parameters.items()}
    return [summary, tag("h3", "Settings"), facts(settings, "parameters")]


def sources_part(sources: Sequence[Source]) -> list[Markup]:
    """From which data."""
    if not sources:
        return []
    rows: list[list[Child]] = [[s.name, s.role, _count(s.rows), _count(s.columns)] for s in sources]
    names = ["Data", "Used for", "Rows", "Columns"]
    return [table("The tables, and what each was used for.", names, rows, numbers=names[2:])]


def concerns_part(concerns: Sequence[Concern]) -> list[Markup]:
    """What can go wrong, what was found first."""
    if not concerns:
        return []
    ordered = sorted(concerns, key=lambda one: not one.raised)
    rows: list[list[Child]] = [
        [one.topic, marked(_LOOK if one.raised else _CLEAR), one.sentence] for one in ordered
    ]
    caption = "What was looked at before anything is promised."
    return [table(caption, ["What", "Look here", "What is known"], rows, kind="conditions")]


def classes_part(classes: Sequence[ClassErrors]) -> list[Markup]:
    """How each class fared; those with the most errors where there are too many to tell."""
    if not classes:
        return []
    shown = list(classes)
    if len(shown) > _MOST_CLASSES:
        shown = sorted(shown, key=lambda one: -one.wrong)[:_MOST_CLASSES]
    rows: list[list[Child]] = [
        [
            one.label,
            f"{one.rows:,}",
            f"{one.wrong:,}",
            percent(one.wrong / one.rows) if one.rows else "–",
            "" if one.promised is None else percent_above(one.promised),
            one.taken_for,
        ]
        for one in shown
    ]
    names = ["Class", "Held-out rows", "Wrong", "Error", "Promised, at most", "Mostly taken for"]
    parts = [table("The held-out rows by their true class.", names, rows, numbers=names[1:5])]
    left = len(classes) - len(shown)
    return parts + paragraphs(
        [f"And {left:,} more, with fewer errors each or as many."] * (left > 0)
    )


def fingerprints_part(story: Story) -> list[Markup]:
    """What was used and made, known by its digest."""
    rows: list[list[Child]] = [[s.name, digest(s.digest)] for s in story.sources if s.digest]
    if story.model is not None and story.model.digest:
        rows.append([f"The model, {story.model.learner}", digest(story.model.digest)])
    if not rows:
        return []
    caption = "Whoever has the same rows and the same model file finds the same fingerprints."
    return [table(caption, ["What", "Fingerprint"], rows)]


def certificate_part(story: Story) -> list[Markup]:
    """The certificate with every condition behind it."""
    certificate = story.certificate
    if certificate is None:
        if story.model is None or any(c.promised is not None for c in story.candidates):
            return []
        return paragraphs(["There is none: nothing is promised about new rows."])
    claims, sure = certificate.claims, confidence_text(certificate.document["delta"]["total"])
    listed = [claim for claim in claims if not is_of_group(claim)]
    if len(claims) == 1:
        first = _one_claim(claims[0], certificate, sure)
    else:
        first = claims_table(listed, at_once(claims, sure))
    return [
        first,
        *([groups_table(claims)] if len(listed) < len(claims) else []),
        *paragraphs(capital(line) for line in accounting(certificate)),
        tag("h3", "What it rests on"),
        _conditions(claims, [claim.of for claim in claims]),
        tag("h3", "How a condition can be known"),
        _legend(STATUSES.values()),
        *_document(certificate),
    ]


def guarantees_part(guarantees: Sequence[Guarantee]) -> list[Markup]:
    """What theorems promise, beside what was observed."""
    if not guarantees:
        return []
    used = {verdict(claim) for claim in guarantees}
    parts = [
        claims_table(guarantees, "What is promised about the fit, beside what was observed."),
        tag("h3", "What the verdicts mean"),
        _legend(mark for mark in VERDICTS if mark in used),
    ]
    if any(claim.assumptions for claim in guarantees):
        theorems = [claim.theorem for claim in guarantees]
        parts += [tag("h3", "What these promises rest on"), _conditions(guarantees, theorems)]
    return parts


def preparation_part(preparation: Sequence[Prepared]) -> list[Markup]:
    """What became of the columns; many that were treated alike are told together."""
    if not preparation:
        return []
    grouped: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for place, entry in enumerate(preparation):
        apart = "" if len(preparation) > _ONE_BY_ONE else str(place)
        grouped[(f"{apart}\0{entry.kind}", entry.becomes, str(entry.missing))].append(entry.column)
    rows: list[list[Child]] = [
        [
            shortened(columns),
            f"{len(columns):,}" if len(grouped) < len(preparation) else "",
            kind.partition("\0")[2],
            becomes,
            missing,
        ]
        for (kind, becomes, missing), columns in grouped.items()
    ]
    names = ["Column", "How many", "Holds", "Becomes", "Missing values"]
    parts = [table("What every column became.", names, rows[:_MOST], numbers=names[1:2])]
    return parts + paragraphs([f"And {len(rows) - _MOST:,} more."] if len(rows) > _MOST else [])


def candidates_part(candidates: Sequence[Candidate]) -> list[Markup]:
    """The learners that were tried."""
    if not candidates:
        return []
    behind = any(c.behind for c in candidates)
    rows: list[list[Child]] = [
        [
            joined([c.learner, tag("small", " ✓\N{NO-BREAK SPACE}chosen") if c.chosen else None]),
            seen_text(c),
            promised_text(c),
            *([c.behind] if behind else []),
            "" if c.seconds is None else _time(c.seconds),
            "" if c.memory is None else _memory(c.memory),
            c.remark,
        ]
        for c in candidates
    ]
    error = "Error seen" if all(c.off is None for c in candidates) else "Off by, on average"
    more = ["Behind the chosen one, promised"] if behind else []
    names = ["Learner", error, "Promised, at most", *more, "Time", "Memory", "Remark"]
    classes = ["chosen" if c.chosen else None for c in candidates]
    caption = f"{counted(len(candidates), 'learner')} tried."
    return [table(caption, names, rows, numbers=names[1:-1], classes=classes)]


def verify_part(story: Story) -> list[Markup]:
    """The commands that check the report."""
    if not story.verify:
        return []
    certified = [
        "Nobody has to believe this page. The commands below compute its numbers again; the "
        "certificate's follow from its file alone, without the model and without the data."
    ]
    lines = certified if story.certificate is not None else ["Nobody has to believe this page."]
    commands = [tag("pre", tag("code", command, class_="command")) for command in story.verify]
    return [*paragraphs(lines), *commands]


def _one_claim(claim: Guarantee, certificate: Certificate, sure: str) -> Markup:
    textbook = None
    if claim.textbook is not None:
        number = percent_above(claim.textbook[1]) if is_rate(claim) else claim.textbook[1]
        textbook = joined([f"{number} by ", tag("code", claim.textbook[0])])
    bound = None
    if claim.promised is not None:
        bound = joined([tag("code", claim.promised_text), " by ", tag("code", claim.theorem)])
    data = certificate.document["data"]
    return facts(
        {
            "Promised": tag("strong", promised(claim, f", with {sure}")),
            "Seen": seen(claim, certificate.rows),
            "About": capital(claim.certified),
            "How sure": _how_sure(claim, sure),
            "Bound": bound,
            "Textbook's bound": textbook,
            "Statement": tag("code", claim.statement) if claim.statement else None,
            "Test rows": "" if data["drawn"] == "not stated" else capital(data["drawn"]),
        }
    )


def _how_sure(claim: Guarantee, sure: str) -> str:
    if claim.delta == "0":
        return "Always."
    return f"{capital(sure)}: a promise made in this way fails with probability at most {percent_above(claim.delta)}."


def _conditions(claims: Sequence[Guarantee], named: Sequence[str]) -> Markup:
    """Every condition once, with how it is known and, where that differs, what it is behind."""
    behind: dict[Assumption, list[str]] = {}
    for claim, name in zip(claims, named, strict=True):
        for assumption in claim.assumptions:
            behind.setdefault(assumption, []).append(name)
    everywhere = all(len(names) == len(claims) for names in behind.values())
    rows: list[list[Child]] = [
        [
            capital(assumption.name),
            marked(STATUSES[assumption.status]),
            assumption.evidence,
            "" if everywhere else ", ".join(dict.fromkeys(names)),
        ]
        for assumption, names in behind.items()
    ]
    names = ["Condition", "How it is known", "Evidence", "Behind"]
    return table("Every condition, and how it is known.", names, rows, kind="conditions")


def _legend(marks: Iterable[Mark]) -> Markup:
    terms = [tag("div", tag("dt", marked(mark)), tag("dd", mark.meaning)) for mark in marks]
    return tag("dl", terms, class_="legend")


def _document(certificate: Certificate) -> list[Markup]:
    """The certificate itself, so that whoever has the page can verify it."""
    text = json.dumps(certificate.to_json(), indent=2, ensure_ascii=False) + "\n"
    address = "data:application/json;base64," + base64.b64encode(text.encode()).decode()
    save = tag("a", "Save it as a file", href=address, download="certificate.json")
    summary = tag("summary", "Its document, sealed by this fingerprint")
    command = tag("code", "assay verify certificate.json")
    return [
        tag("h3", "The file"),
        facts({"Fingerprint": digest(str(certificate.document["digest"]))}),
        tag("p", save, " and check it with ", command, ".", class_="screen"),
        tag("details", summary, tag("pre", text), class_="screen"),
    ]


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _time(seconds: float) -> str:
    if seconds >= 100:
        return f"{seconds:,.0f} s"
    return f"{seconds:.3g} s" if seconds >= 0.1 else f"{1000 * seconds:.3g} ms"


def _memory(amount: int) -> str:
    return f"{amount / 1e6:,.3g} MB" if amount < 1e9 else f"{amount / 1e9:,.3g} GB"
