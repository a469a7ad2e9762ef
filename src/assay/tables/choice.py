"""Which learner to take: structural risk minimisation on the training rows, and nothing else.

The training rows are split once more. Every candidate learns from most of them, and its errors on the others
are weighed with the length of its name: the promise at delta times 2 to the minus that length is what counts,
and all promises hold at once, since the code is prefix-free. The least promise wins, and then learns from all
training rows. The holdout is not looked at.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from assay.certificates.issue.distinct_rows import Overlap
from assay.errors import AssayError, BadData, Words
from assay.tables.candidates import CANDIDATES, Candidate, learned
from assay.tables.divide import Divided
from assay.tables.holdout import judging_rows
from assay.tables.rows import Features, Part
from assay.tables.source import Source
from assay.theory.rounding import Number
from assay.theory.tail.exact_twins import occam_exact
from assay.theory.tail.union import split as shares

#: What part of the training rows judges the candidates.
JUDGING = 0.25
#: How delta is shared between the holdout's promise and that of the choice.
SHARES = (9, 1)
_NAME_ONE = ("Name one", Words(" as learner", " with {}", "learner"), ".")


@dataclass(frozen=True)
class Tried:
    """A candidate, and how it did: errors among so many judging rows, and what that promises."""

    candidate: Candidate
    errors: int | None
    rows: int
    promised: float | None
    seconds: float
    remark: str = ""


@dataclass(frozen=True)
class Choice:
    """All candidates, the one chosen, and the share of delta that was paid."""

    tried: tuple[Tried, ...]
    chosen: Tried
    delta: str

    @property
    def candidate(self) -> Candidate:
        """The one chosen."""
        return self.chosen.candidate


def choose(
    divided: Divided,
    source: Source,
    *,
    overlap: Overlap = "drop",
    delta: Number = 0.05,
    seed: int = 0,
    candidates: Sequence[Candidate] = CANDIDATES,
    progress: Callable[[str], None] | None = None,
) -> Choice:
    """Choose a learner on some rows of a table.

    Parameters
    ----------
    divided, source : Divided, Source
        The table and its training rows.
    overlap : {"drop", "keep", "refuse"}
        As in `assay.fit_table`.
    delta : number
        The probability that any promise of the certificate fails; a tenth is paid for the choice.
    seed : int
        What the split and the learners draw by.
    candidates : sequence of Candidate
        With names in a prefix-free code; fixed before the rows are seen.
    progress : callable, optional
        Called with the name of each candidate before it learns.
    """
    _, share = shares(delta, SHARES)
    loaded, rows = divided.loaded, divided.rows
    if len(rows) < 4:
        raise BadData(
            f"{loaded.name} has {len(rows)} training rows, too few to choose a learner by. ",
            *_NAME_ONE,
        )
    sides = judging_rows(
        divided.digests,
        share=JUDGING,
        seed=seed + 1,
        overlap=overlap,
        unit=None if loaded.unit is None else loaded.unit[rows],
        order=divided.order,
    )
    learning, judging = (Part.of(loaded, rows[side]) for side in sides)
    if len(np.unique(learning.y)) < 2:
        raise BadData(
            f"{loaded.name} has too few rows of more than one class to choose a learner by. ",
            *_NAME_ONE,
        )
    features = Features(loaded, source, learning)
    features.require_readable((learning, judging), candidates[0].learner, candidates[0].make(seed))
    tried = []
    for candidate in candidates:
        if progress is not None:
            progress(str(candidate))
        tried.append(_try(candidate, features, learning, judging, share, seed))
    able = [one for one in tried if one.promised is not None]
    if not able:
        raise BadData(f"No learner could learn {loaded.name}: {tried[0].remark}")
    chosen = min(able, key=lambda one: one.promised if one.promised is not None else 2.0)
    return Choice(tuple(tried), chosen, share)


def _try(
    candidate: Candidate, features: Features, learning: Part, judging: Part, share: str, seed: int
) -> Tried:
    rows = len(judging)
    model = candidate.make(seed)
    try:
        width = features.width(model)
        if candidate.too_large(len(learning), width):
            why = f"left out: too slow for {len(learning):,} rows of {width:,} features"
            return Tried(candidate, None, rows, None, 0.0, why)
        X = features.matrix(learning, candidate.learner, model)
        begun = time.perf_counter()
        learned(model, candidate.learner, X, learning.y, learning.name)
        seconds = time.perf_counter() - begun
        predicted = model.predict(features.matrix(judging, candidate.learner, model))
    except AssayError as refusal:
        return Tried(candidate, None, rows, None, 0.0, f"left out: {refusal}")
    errors = int(np.count_nonzero(predicted != judging.y))
    promised = occam_exact(errors, rows, candidate.bits, share)
    return Tried(candidate, errors, rows, promised, seconds)
