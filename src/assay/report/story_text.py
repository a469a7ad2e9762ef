"""The story of a model on a terminal: what was learned, what was seen, what is promised, and why."""

from __future__ import annotations

from assay.certificates.show.words import capital
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.nonvacuous import rows_to_bite
from assay.report.blocks import block, columns, counted
from assay.report.story import Candidate, Story
from assay.report.text import certificate_text, percent, percent_above

# More columns than this are told in a report, not on a terminal.
_MOST_COLUMNS = 12


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
    watch = [f"{one.topic}: {one.sentence}" for one in story.concerns if one.found]
    lines += [*block("Watch", watch), ""] if watch else []
    if story.certificate is not None:
        lines += [*certificate_text(story.certificate, verbose=verbose).split("\n"), ""]
    lines += _tried(story.candidates)
    lines += [*block("Tested", [*story.tested]), ""] if story.tested else []
    lines += _columns(story)
    if verbose:
        lines += _theorems(story.guarantees)
    elif story.guarantees:
        told = f"{counted(len(story.guarantees), 'promise')} of the learner's own: see --verbose, or the report."
        lines += [*block("Theorems", [told]), ""]
    lines += [line for note in story.notes for line in block("Note", [note])]
    return "\n".join(lines).rstrip("\n")


def _tried(candidates: tuple[Candidate, ...]) -> list[str]:
    if not candidates:
        return []
    stopped = [one for one in candidates if not one.judged]
    candidates = tuple(one for one in candidates if one.judged)
    off = any(one.off is not None for one in candidates)
    heads = ["learner", "mean off" if off else "error", "promise", "time", "memory"]
    rows = [
        [
            one.learner,
            seen_text(one),
            promised_text(one),
            "" if one.seconds is None else f"{one.seconds:.3f} s",
            "" if one.memory is None else f"{one.memory / 2**20:.0f} MB",
        ]
        for one in candidates
    ]
    if all(one.memory is None for one in candidates):
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    head, *lines = columns([heads, *rows])
    marks = ["*" if one.chosen else " " for one in candidates]
    marked = [f"  {head}", *(f"{m} {line}" for m, line in zip(marks, lines, strict=True))]
    reasons: dict[str, list[str]] = {}
    for one in stopped:
        reasons.setdefault(one.remark, []).append(one.learner)
    lines = [*block("Tried", marked if candidates else [], fold=False)]
    for reason, names in reasons.items():
        lines += block("" if lines else "Tried", [f"{capital(reason)} – {', '.join(names)}"])
    return [*lines, ""]


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
