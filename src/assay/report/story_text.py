"""The story of a model on a terminal: what was learned, what was seen, what is promised, and why."""

from __future__ import annotations

from collections.abc import Sequence

from assay.certificates.show.words import capital
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.nonvacuous import rows_to_bite
from assay.report.blocks import block, columns, counted
from assay.report.story import Candidate, Concern, Story
from assay.report.text import certificate_text, percent, percent_above

# More columns than this are told in a report, not on a terminal.
_MOST_COLUMNS = 12
# Of more candidates than this, the best ones.
_MOST_TRIED = 8


def story_text(story: Story, *, verbose: bool = False) -> str:
    """A story as a person reads it on a terminal; with `verbose`, what its choice promised as well.

    Examples
    --------
    >>> from assay import certify
    >>> print(story_text(Story("A spam filter", certificate=certify(errors=50, rows=1000))))
    A spam filter
    <BLANKLINE>
    Seen      50 of 1,000 rows are wrong (5 %).
    Promised  The chance that a new row is wrong is at most 6.29 %, with 95 % confidence.
    If        the rows are independent draws from the distribution of use   (assumed)
              the model was fixed before these rows were seen               (not asked)
    """
    lines = [story.title, ""]
    learned = [*story.summary[:1], *([story.baseline] if story.baseline else [])]
    lines += [*block("Learned", learned), ""] if learned else []
    watch = _watch([one for one in story.concerns if one.raised])
    lines += [*block("Watch", watch), ""] if watch else []
    if story.certificate is not None:
        lines += [*certificate_text(story.certificate, verbose=verbose).split("\n"), ""]
    # Whoever compares learners wants to see them all.
    lines += _tried(story.candidates, verbose=verbose or story.model is None)
    lines += [*block("Tested", [*story.tested]), ""] if story.tested else []
    lines += _columns(story)
    if verbose:
        lines += _theorems(story.guarantees)
    elif story.guarantees:
        told = f"{counted(len(story.guarantees), 'promise')} of the learner's own: see --verbose, or the report."
        lines += [*block("Theorems", [told]), ""]
    lines += [line for note in story.notes for line in block("Note", [note])]
    return "\n".join(lines).rstrip("\n")


def _watch(concerns: Sequence[Concern]) -> list[str]:
    """Sentences, the first of each topic under its name."""
    topics = [None, *(one.topic for one in concerns)]
    return [
        one.sentence if one.topic == before else f"{one.topic}: {one.sentence}"
        for one, before in zip(concerns, topics, strict=False)
    ]


def _tried(candidates: tuple[Candidate, ...], *, verbose: bool) -> list[str]:
    if not candidates:
        return []
    stopped = [one for one in candidates if not one.judged]
    candidates = tuple(one for one in candidates if one.judged)
    judged = len(candidates)
    if not verbose and judged > _MOST_TRIED:
        best = sorted(candidates, key=lambda one: (not one.chosen, *_judged(one)))[:_MOST_TRIED]
        candidates = tuple(one for one in candidates if one in best)
    off = any(one.off is not None for one in candidates)
    seen = "mean off" if off else "error"
    heads = ["learner", seen, "promise", "behind *", "time", "memory"]
    rows = [
        [
            one.learner,
            seen_text(one),
            promised_text(one),
            one.behind,
            "" if one.seconds is None else f"{one.seconds:.3f} s",
            "" if one.memory is None else f"{one.memory / 2**20:.0f} MB",
        ]
        for one in candidates
    ]
    kept = [i for i in range(len(heads)) if any(row[i] for row in rows)]
    head, *lines = columns([[row[i] for i in kept] for row in (heads, *rows)])
    marks = ["*" if one.chosen else " " for one in candidates]
    marked = [f"  {head}", *(f"{m} {line}" for m, line in zip(marks, lines, strict=True))]
    reasons: dict[str, list[str]] = {}
    for one in stopped:
        reasons.setdefault(one.remark, []).append(one.learner)
    lines = [*block("Tried", marked if candidates else [], fold=False)]
    if judged > len(candidates):
        lines += block(
            "", [f"  and {judged - len(candidates):,} more: see --verbose, or the report"]
        )
    for reason, names in reasons.items():
        lines += block("" if lines else "Tried", [f"{capital(reason)} – {', '.join(names)}"])
    return [*lines, ""]


def _judged(one: Candidate) -> tuple[float, float]:
    """How well a candidate did: the less, the better."""
    seen = one.off if one.off is not None else one.error
    return (float(one.promised or 0.0), float(seen or 0.0))


def seen_text(one: Candidate) -> str:
    """What was seen of a candidate: a rate, or how far off it was on average."""
    if one.off is not None:
        return f"{one.off:.4g}"
    return "" if one.error is None else percent(one.error)


def promised_text(one: Candidate) -> str:
    """What may be promised of a candidate."""
    if one.shown:
        return one.shown
    return "" if one.promised is None else percent_above(str(one.promised))


def _columns(story: Story) -> list[str]:
    if not story.preparation:
        return []
    kinds: dict[str, int] = {}
    for column in story.preparation:
        kinds[column.kind] = kinds.get(column.kind, 0) + 1
    if len(story.preparation) <= _MOST_COLUMNS:
        described = [f"{c.column}: {c.kind}; {c.becomes}" for c in story.preparation]
    else:
        described = [", ".join(f"{many} of kind {kind}" for kind, many in kinds.items())]
    return [*block("Columns", described), ""]


def _theorems(guarantees: tuple[Guarantee, ...]) -> list[str]:
    lines = []
    for one in guarantees:
        lines.append(str(one))
        if one.vacuous:
            enough = rows_to_bite(one)
            lines.append(
                "   it says nothing here"
                + ("" if enough is None else f"; from about {enough:,} rows on it would")
            )
    return [*block("Theorems", lines, fold=False), ""] if lines else []
