"""What there is to tell about a comparison of learners."""

from __future__ import annotations

from assay.certificates.show.words import promised
from assay.errors import MissingExtra
from assay.guarantees.decimals import delta_text
from assay.report.story import Candidate, Panel, Source, Story
from assay.report.text import confidence_text, percent
from assay.tables.compare import Comparison


def comparison_story(found: Comparison, *, figures: bool = False) -> Story:
    """The story of a comparison, for the terminal and for the report."""
    notes = list(found.notes)
    panels: tuple[Panel, ...] = ()
    if figures:
        try:
            panels = (_panel(found),)
        except MissingExtra as missing:
            notes.append(str(missing))
    best = next((row for row in found.rows if row.certificate is not None), None)
    return Story(
        title=f"{len(found.rows)} learners compared on {found.source.path.name}",
        summary=_summary(found),
        sources=_sources(found),
        candidates=tuple(
            Candidate(
                row.learner,
                None if row.errors is None else row.errors / found.holdout_rows,
                None if row.certificate is None else row.certificate.claims[0].promised_text,
                row.seconds,
                row is best,
                row.remark,
                row.memory,
            )
            for row in found.rows
        ),
        tested=(
            f"The holdout is {found.drawn}. Every learner learned from the same {found.train_rows:,} rows and was "
            f"tested on the same {found.holdout_rows:,}. Delta is shared equally, so that all promises hold at once "
            f"and the smallest may be taken after looking at all of them.",
        ),
        certificate=None if best is None else best.certificate,
        panels=panels,
        notes=tuple(notes),
    )


def _summary(found: Comparison) -> tuple[str, ...]:
    label, missed = found.commonest
    same = (
        f"{len(found.rows)} learners learned from the same {found.train_rows:,} rows and were tested on the same "
        f"{found.holdout_rows:,}"
    )
    # With a ledger nothing is told but what was charged for.
    plain = f"; to say {label!r} every time gets {missed:,} of these wrong ({percent(missed / found.holdout_rows)})"
    told = [f"{same}{plain if found.entry is None else ''}."]
    best = found.rows[0]
    if best.certificate is not None and best.certificate.claims[0].promised is not None:
        sure = confidence_text(delta_text(found.delta))
        least = promised(best.certificate.claims[0], "")
        told.append(
            f"The smallest promise is that of {best.learner}: {least[0].lower()}{least[1:]} All promises of the table "
            f"hold at once, with {sure}."
        )
    return tuple(told)


def _sources(found: Comparison) -> tuple[Source, ...]:
    table, other = found.source, found.holdout_source
    if other is None:
        rows = found.train_rows + found.holdout_rows + found.repeated
        return (Source(table.path.name, "learned from and tested on", rows, None, table.digest()),)
    return (
        Source(table.path.name, "learned from", found.train_rows, None, table.digest()),
        Source(
            other.path.name, "tested on", found.holdout_rows + found.repeated, None, other.digest()
        ),
    )


def _panel(found: Comparison) -> Panel:
    from assay.report.figures.comparison import comparison_figure

    rows = [
        {
            "learner": row.learner,
            "error": row.errors / found.holdout_rows,
            "bound": None if row.certificate is None else row.certificate.error,
            "seconds": row.seconds,
        }
        for row in found.rows
        if row.errors is not None
    ]
    caption = "The point is what was seen on the held-out rows, the bar ends at what may be promised, of all at once."
    return Panel("Learners side by side", comparison_figure(rows), caption)
