"""Members of an ensemble on the rows that their bags left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.compiled.ensembles.forest_votes import left_out_votes
from assay.learners.common.jobs import in_threads
from assay.learners.common.written_out import rows_of
from assay.learners.ensembles.packed_forest import Grove, blocks
from assay.record.out_of_bag import OutOfBagRecord
from assay.types import Array, Bools, Floats

Judged = tuple[Floats, Floats, NDArray[np.uint8]]


@dataclass(frozen=True)
class LeftOut:
    """Which rows each bag left out, a bit for each.

    Examples
    --------
    >>> kept = LeftOut.of([np.array([0, 1, 2]), np.array([1, 0, 0])], rows=3)
    >>> kept.of_rows(slice(0, 3)).tolist()
    [[1, 0], [0, 1], [0, 1]]
    """

    bits: NDArray[np.uint8]
    rows: int

    @classmethod
    def of(cls, bags: Iterable[Array], rows: int) -> LeftOut:
        """From how often each row is in each bag."""
        return cls(np.stack([np.packbits(counts == 0) for counts in bags]), rows)

    def of_rows(self, part: slice) -> NDArray[np.uint8]:
        """For each of these rows, from a multiple of eight on, 1 for the bags that left it out."""
        left = np.unpackbits(self.bits[:, part.start // 8 : -(-part.stop // 8)], axis=1)
        return np.ascontiguousarray(left[:, : part.stop - part.start].T)


def judge_grove(
    grove: Grove, left_out: LeftOut, X: Any, label: NDArray[np.int32] | None, target: Floats | None
) -> Callable[[slice], Judged]:
    """A function of rows: the votes of the trees that did not see them, what each of these loses, and which."""
    nodes, shares = grove.nodes, grove.shares

    def judge(part: slice) -> Judged:
        left = left_out.of_rows(part)
        votes = np.zeros((len(left), shares.shape[1]))
        loss = np.empty(left.shape)
        labels = np.zeros(0, np.int32) if label is None else label[part]
        # Where there is a single class, its share is one in every leaf, as a number of regression would be.
        targets = np.ones(len(left)) if target is None else target[part]
        left_out_votes(
            nodes, grove.starts, shares, rows_of(X, part), left, labels, targets, votes, loss
        )
        return votes, loss, left

    return judge


def gathered(
    judge: Callable[[slice], Judged], members: int, counts: Bools, *, pairs: bool, workers: int
) -> tuple[Floats, Sequence[Any]]:
    """The votes of all rows, each divided by how many voted, and the sums over blocks of rows.

    Rows where `counts` is false have votes, but stand in no sum. NaN where nobody voted.

    Returns
    -------
    votes : array
    sums : losses and left-out rows of each member, then of each pair of members
    """
    votes = []
    losses, left_rows = np.zeros(members), np.zeros(members)
    size = members if pairs else 0
    products, shared = np.zeros((size, size)), np.zeros((size, size))
    # So many blocks at once that no thread waits, and so few that they need little memory.
    every, together = blocks(len(counts)), 4 * workers
    for some in (every[i : i + together] for i in range(0, len(every), together)):
        for part, (out, loss, left) in zip(some, in_threads(judge, some, workers), strict=True):
            with np.errstate(invalid="ignore"):
                votes.append(out / left.sum(axis=1, keepdims=True))
            kept = counts[part]
            loss, seen = loss[kept], left[kept].astype(np.float64)
            losses += loss.sum(axis=0)
            left_rows += seen.sum(axis=0)
            if pairs:
                products += loss.T @ loss
                shared += seen.T @ seen
    return np.concatenate(votes), (losses, left_rows, products, shared)


def record_of(
    sums: Sequence[Any], *, rows: int, counted: int, voted: int, errors: float
) -> OutOfBagRecord:
    """The record, from the sums; where some bag left out no row that counts, nothing is said of it."""
    losses, left_rows, products, shared = sums
    fewest = int(left_rows.min())
    both = int(shared.min()) if fewest and shared.size else 0
    return OutOfBagRecord(
        members=len(losses),
        rows=rows,
        counted=counted,
        voted=voted,
        errors=float(errors),
        left_out=fewest,
        loss=float((losses / left_rows).mean()) if fewest else 0.0,
        left_out_by_both=both,
        tandem=float((products / shared).mean()) if both else 0.0,
    )
