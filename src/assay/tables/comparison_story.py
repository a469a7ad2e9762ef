"""What there is to tell about a comparison of learners."""

from __future__ import annotations

from assay.certificates.show.words import promised
from assay.errors import MissingExtra
from assay.guarantees.decimals import decimal_text, delta_text, shown_down, shown_up
from assay.report.story import Candidate, Panel, Source, Story
from assay.report.text import confidence_text, percent
from assay.tables.compare import Compared, Comparison
from assay.tables.pairs import Behind


def comparison_story(comparison: Comparison, *, figures: bool = False) -> Story:
    """The story of a comparison, for the terminal and for the report."""
    notes = list(comparison.notes)
    panels: tuple[Panel, ...] = ()
    counted = comparison.quantity is None or comparison.quantity.within is not None
    if figures and counted:
        try:
            panels = (_panel(comparison), *_differences_panel(comparison))
        except MissingExtra as missing:
            notes.append(str(missing))
    best = next((row for row in comparison.rows if row.certificate is not None), None)
    ends = {one.learner: _ends(one) for one in comparison.behind}
    return Story(
        title=f"{len(comparison.rows)} learners compared on {comparison.source.path.name}",
        summary=_summary(comparison),
        sources=_sources(comparison),
        candidates=tuple(
            Candidate(
                row.learner,
                None if row.errors is None else row.errors / comparison.holdout_rows,
                None if row.certificate is None else row.certificate.claims[0].promised_text,
                row.seconds,
                row is best,
                row.remark,
                row.memory,
                off=row.off if comparison.entry is None else None,
                shown=_limit(row),
                behind=ends.get(row.learner, ""),
            )
            for row in comparison.rows
        ),
        tested=(
            f"The holdout is {comparison.drawn}. Every learner learned from the same {comparison.train_rows:,} rows "
            f"and was tested on the same {comparison.holdout_rows:,}. {_shared(comparison)}",
        ),
        certificate=None if best is None else best.certificate,
        panels=panels,
        baseline=_baseline(comparison),
        notes=tuple(notes),
    )


def _summary(comparison: Comparison) -> tuple[str, ...]:
    tested = comparison.holdout_rows
    same = (
        f"{len(comparison.rows)} learners learned from the same {comparison.train_rows:,} rows and were tested on the "
        f"same {tested:,}"
    )
    sentences = [f"{same}."]
    best = comparison.rows[0]
    if best.certificate is not None and best.certificate.claims[0].promised is not None:
        sure = confidence_text(delta_text(comparison.delta))
        least = promised(best.certificate.claims[0], "")
        sentences.append(
            f"The smallest promise is that of {best.learner}: {least[0].lower()}{least[1:]} All promises of the table "
            f"hold at once, with {sure}."
        )
        told = comparison.behind
        apart = [one for one in told if one.least is not None and one.least > 0]
        if told:
            sentences.append(
                f"It is promised to be better than {len(apart)} of the {len(told)} others; the table says by how much."
            )
    return tuple(sentences)


def _shared(comparison: Comparison) -> str:
    """How the promises share delta."""
    if comparison.differences is None:
        told = (
            "Delta is shared equally, so that all promises hold at once and the smallest may be taken after looking at "
            "all of them."
        )
        if comparison.entry is not None and len(comparison.rows) > 1:
            told += (
                " How far learners are apart is not told: every pair would tell one more number, for which later looks "
                "would pay."
            )
        return told
    return (
        "Half of delta is shared equally by the errors, the other half by the differences of every pair of learners, "
        "both ways; so all promises hold at once, the best may be named after looking at all of them, and so may any "
        "pair."
    )


def _ends(one: Behind) -> str:
    """Between which numbers of points a learner is behind the best, rounded outward."""
    if one.least is None or one.most is None:
        return ""
    least, most = (decimal_text(100 * end) for end in (one.least, one.most))
    return f"{shown_down(least, 3)} to {shown_up(most, 3)} points"


def _limit(row: Compared) -> str:
    """How far off most rows are promised to be, where that is what is promised."""
    first = None if row.certificate is None else row.certificate.claims[0]
    if first is None or first.theorem != "tolerance-limit" or first.promised_text is None:
        return ""
    return f"±{shown_up(first.promised_text, 4)}"


def _baseline(comparison: Comparison) -> str:
    # With a ledger nothing is told but what was charged for.
    if comparison.entry is not None:
        return ""
    label, missed = comparison.commonest
    if comparison.quantity is not None:
        return f"Baseline (always the median, {label:.4g}): off by {missed:.4g} on average."
    return f"Baseline (always {label!r}): {percent(missed / comparison.holdout_rows)} wrong."


def _sources(comparison: Comparison) -> tuple[Source, ...]:
    table, other = comparison.source, comparison.holdout_source
    if other is None:
        rows = comparison.train_rows + comparison.holdout_rows + comparison.repeated
        return (Source(table.path.name, "learned from and tested on", rows, None, table.digest()),)
    return (
        Source(table.path.name, "learned from", comparison.train_rows, None, table.digest()),
        Source(
            other.path.name,
            "tested on",
            comparison.holdout_rows + comparison.repeated,
            None,
            other.digest(),
        ),
    )


def _differences_panel(comparison: Comparison) -> tuple[Panel, ...]:
    """How far the others are behind the best."""
    from assay.report.figures.differences import differences_figure

    told = comparison.behind
    if not told:
        return ()
    rows = [
        {
            "learner": one.learner,
            "observed": float(one.observed),
            "least": None if one.least is None else float(one.least),
            "most": None if one.most is None else float(one.most),
        }
        for one in told
    ]
    caption = (
        "The point is the difference that was seen, the bar goes from the least to the most that may be promised, of "
        "every pair at once. A bar that touches zero does not tell the two apart."
    )
    figure = differences_figure(rows, best=told[0].best)
    return (Panel(f"Behind {told[0].best}", figure, caption),)


def _panel(comparison: Comparison) -> Panel:
    from assay.report.figures.comparison import comparison_figure

    rows = [
        {
            "learner": row.learner,
            "error": row.errors / comparison.holdout_rows,
            "bound": None if row.certificate is None else row.certificate.claims[0].promised,
            "seconds": row.seconds,
        }
        for row in comparison.rows
        if row.errors is not None
    ]
    caption = "The point is what was seen on the held-out rows, the bar ends at what may be promised, of all at once."
    return Panel("Learners side by side", comparison_figure(rows), caption)
