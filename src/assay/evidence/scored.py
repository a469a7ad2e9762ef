"""What was seen of a batch that a judge has scored: the sum of its scores, and residuals where there are labels."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.errors import require
from assay.evidence.column_digest import LossDigest
from assay.evidence.columns import read_column
from assay.evidence.gapped_labels import (
    GappedLabels,
    GappedLosses,
    not_at_random,
    spread_out,
    unit_numbers,
)
from assay.evidence.judged import Progress
from assay.evidence.labels import Label
from assay.evidence.pairs import mixed_words
from assay.types import Floats, Ints

#: Scores are rounded to hundredths: any score that was settled beforehand will do.
SCALE = 100


@dataclass(frozen=True)
class Scored:
    """Sums over the batch, residuals of the labelled items, and the digests that tie them to data.

    Attributes
    ----------
    items, scores : int
        How many items there are, and the sum of the judge's scores in hundredths.
    residuals : array
        (Y - f + 1) / 2 of the labelled items, in a random order that only the scores decide.
    total : float
        The sum of the labels, by which they are wrong.
    graded : bool
        Whether labels are losses, and not right or wrong.
    wrong_label : str, int, bool or None
        The label that means wrong, where labels say so.
    judge, data, predictions : str or None
        Digests of the scores, of the labels with their gaps, and of the predictions.
    odd : str
        Why the labelled items can hardly be a random choice; empty where nothing is seen.
    """

    items: int
    scores: int
    residuals: Floats = field(repr=False, compare=False)
    total: float
    graded: bool
    wrong_label: Label | None
    judge: str
    data: str
    predictions: str | None
    odd: str

    @property
    def observed(self) -> float:
        """About the mean over the batch: that of the scores, and what they are off by."""
        return self.scores / (SCALE * self.items) + 2 * float(self.residuals.mean()) - 1


def from_scores(
    score: Any,
    labels: Any = None,
    *,
    loss: Any = None,
    y_pred: Any = None,
    wrong: Label | None = None,
) -> Scored:
    """A judge's scores of all items, and labels or losses of a few: by place, or in a column with gaps.

    Examples
    --------
    >>> seen = from_scores([0.9, 0.1, 0.2, 0.7], {0: True, 1: False}, wrong=True)
    >>> seen.items, seen.scores, sorted(seen.residuals.round(3).tolist())
    (4, 190, [0.45, 0.55])
    """
    rows = len(read_column(score, "score"))
    chunk = (score, spread_out(labels, rows), spread_out(loss, rows), y_pred)
    return from_score_chunks([chunk], wrong=wrong)


def from_score_chunks(
    chunks: Iterable[tuple[Any, Any, Any, Any]],
    *,
    wrong: Label | None = None,
    names: tuple[str, str, str] = ("score", "labels", "y_pred"),
    progress: Progress | None = None,
) -> Scored:
    """The same from consecutive chunks of scores, labels or losses, and predictions; what is left out is None."""
    labels, losses = GappedLabels(names[1:]), GappedLosses(names[1])
    hundredths: list[Ints] = []
    digest, rows, graded = LossDigest(), 0, False
    for score, label, loss, y_pred in chunks:
        numbers = unit_numbers(read_column(score, names[0], rows), names[0], rows)
        digest.update(numbers)
        hundredths.append(np.rint(SCALE * numbers).astype(np.int64))
        if loss is not None:
            graded = True
            losses.add(loss, rows, len(numbers))
        else:
            labels.add(label, y_pred, rows, len(numbers))
        rows += len(numbers)
        if progress is not None:
            progress(rows)
    require(rows > 0, names[0], "of at least one item", "empty")
    if graded:
        require(wrong is None, "wrong", "left out with losses", wrong)
        wrongness, places = losses.values(), np.array(losses.places)
    else:
        flags, wrong = labels.wrong_ones(wrong)
        wrongness, places = flags.astype(np.float64), np.array(labels.places)
    scores, judge = np.concatenate(hundredths), digest.finish()
    order = _shuffled(judge, rows, places)
    residuals = (wrongness - scores[places] / SCALE + 1) / 2
    return Scored(
        rows,
        int(scores.sum()),
        np.clip(residuals, 0.0, 1.0)[order],
        float(wrongness.sum()),
        graded,
        wrong,
        judge,
        losses.digest(rows) if graded else labels.digest(rows),
        None if graded else labels.predictions(),
        not_at_random(np.zeros(rows, dtype=np.int64), places),
    )


def _shuffled(judge: str, rows: int, places: Ints) -> Ints:
    """The labelled items in the order of a permutation of the batch that only the judge's scores decide."""
    seed = hashlib.sha256(b"assay-judged-1\n" + judge.encode()).digest()
    keys = mixed_words(np.uint64(int.from_bytes(seed[:8], "little")), rows)
    order: Ints = np.argsort(keys[places], kind="stable")
    return order
