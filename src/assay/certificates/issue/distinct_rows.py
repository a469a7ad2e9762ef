"""Which rows of a holdout are evidence: those that were not learned from, each counted once.

Rows are told apart by the digests of their features (`assay.evidence.rows`). A row that was written down
five times is one draw, not five; so copies are counted once, unless it is declared that equal rows are
separate draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import require
from assay.evidence.training_overlap import TrainingOverlap
from assay.guarantees.added_conditions import COPIES, NOT_IN_TRAINING, SEPARATE
from assay.guarantees.assumption import Assumption

if TYPE_CHECKING:
    from assay.types import Bools

Overlap = Literal["refuse", "drop", "keep"]


@dataclass(frozen=True)
class Counted:
    """Which rows count, and how many do not.

    Attributes
    ----------
    rows : array of bool
        Whether each row of the holdout counts.
    seen : int
        How many of its rows are also among the training rows.
    copies : int
        How many of the others repeat an earlier row of the holdout.
    """

    rows: Bools
    seen: int
    copies: int


def count_rows(holdout: Any, train: Any = None, unit: Any = None, seen: Any = None) -> Counted:
    """Which rows count, from the digests of the holdout's rows and of the training rows.

    With units, a row may repeat another of its own unit, since it is the units that are drawn; it may not repeat
    a row of another unit. Instead of the training rows, which rows were `seen` there may be given.

    Examples
    --------
    >>> from assay.evidence.rows import row_digests
    >>> counted = count_rows(row_digests([[1], [2], [2], [3]]), row_digests([[3], [4]]))
    >>> counted.rows.tolist(), counted.seen, counted.copies
    ([True, True, False, False], 1, 1)
    """
    import numpy as np

    from assay.evidence.rows import first_rows, overlap

    first = first_rows(holdout)
    alone = first == np.arange(len(first))
    if unit is not None:
        codes = np.asarray(unit)
        alone |= codes == codes[first]
    if seen is None:
        seen = np.zeros(len(first), dtype=bool) if train is None else overlap(train, holdout)
    return Counted(alone & ~seen, int(seen.sum()), int((~alone & ~seen).sum()))


def copies_known(
    copies: int, rows: int, overlap: Overlap, *, seen: int = 0, drawn: str = ""
) -> tuple[Assumption, ...]:
    """What a certificate says about rows that repeat another; nothing where none does.

    A row that repeats another counts for nothing, however often it comes in use: that is right only if it is a
    copy. So it is where the holdout was drawn by distinct rows, or rows of it were left out because they were
    learned from; `drawn` says so, where no two rows of the holdout are equal.

    Examples
    --------
    >>> print(*copies_known(0, 50, "drop", drawn="90 of 340 repeat another"))
    assumed: rows with equal features are copies of one draw (90 of 340 repeat another)
    """
    if overlap == "keep":
        evidence = f"{copies:,} of {rows:,} rows repeat an earlier one of the holdout"
        if seen:
            evidence += f", {seen:,} repeat a training row"
        return (Assumption(SEPARATE, "declared", evidence),) if copies or seen else ()
    evidence = drawn
    if copies:
        evidence = (
            f"{copies:,} of {rows:,} rows repeat an earlier one of the holdout and do not count"
        )
    return (Assumption(COPIES, "assumed", evidence),) if evidence else ()


def not_in_training(
    seen: int, rows: int, overlap: Overlap = "drop", *, compared: int = 0, learned: int = 0
) -> Assumption:
    """Whether a row that counts was learned from: so many of all rows were, and void the promise or were left out.

    With how many of the rows that were learned they were `compared` is said where it is known, since it may be a
    sample of the training rows: then that none was found is no proof that there is none.

    Examples
    --------
    >>> print(not_in_training(3, 50, "refuse"))
    violated: no row of the holdout is in the training set (3 of 50 row digests occur in the training set)
    """
    dropped = seen > 0 and overlap == "drop"
    evidence = TrainingOverlap(seen, rows, compared, learned, dropped)
    if seen and not dropped:
        return Assumption(NOT_IN_TRAINING, "violated", evidence)
    certain = seen or not evidence.by_sample
    return Assumption(NOT_IN_TRAINING, "checked" if certain else "assumed", evidence)


def require_overlap(overlap: str) -> None:
    """Refuse what is no way to treat rows that repeat another."""
    require(overlap in ("refuse", "drop", "keep"), "overlap", "'refuse', 'drop' or 'keep'", overlap)
