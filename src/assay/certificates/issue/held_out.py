"""A holdout beside the promises of training rows: what counts, and what it may say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.certificates.issue.distinct_rows import (
    Overlap,
    copies_known,
    count_rows,
    not_in_training,
    require_overlap,
)
from assay.errors import BadParameter
from assay.evidence.evidence import as_column, as_rows
from assay.guarantees.assumption import Assumption

if TYPE_CHECKING:
    from assay.guarantees.guarantee import Guarantee


@dataclass(frozen=True)
class HeldOut:
    """Errors and rows of a holdout, and what is known of its rows.

    Attributes
    ----------
    errors, rows : int
        Of the rows that count.
    known : tuple of Assumption
        What is known about them.
    dropped : bool
        Whether rows of the training set were left out.
    """

    errors: int
    rows: int
    known: tuple[Assumption, ...]
    dropped: bool

    def judge(self, guarantee: Guarantee) -> Guarantee:
        """The promise from these rows, withheld where rows of the training set are among them."""
        from assay.guarantees.build import judged

        judged_one = judged(guarantee, *self.known)
        if not self.dropped:
            return judged_one
        about = f"{judged_one.certified}, on rows that are not in its training set"
        return replace(judged_one, certified=about)


def held_out(model: Any, holdout: Any, sample: Any, overlap: Overlap) -> HeldOut:
    """What a classifier gets wrong of a holdout; rows are compared with those of its sample, and count once.

    As `assay.certify` does it: with "refuse" one row of the sample is enough for no promise, with "drop" such rows are
    left out, with "keep" all count.
    """
    from assay.evidence.rows import row_digests

    require_overlap(overlap)
    if not (isinstance(holdout, tuple) and len(holdout) == 2):
        raise BadParameter("holdout must be the pair (X, y) of rows that were not fitted to.")
    predicted, truth = np.asarray(model.predict(holdout[0])), np.asarray(as_column(holdout[1]))
    if predicted.shape != truth.shape:
        raise BadParameter(
            f"holdout must hold one label for each row, but has {truth.size} for {predicted.size} rows."
        )
    digests = row_digests(as_rows(holdout[0]))
    counted = count_rows(digests, row_digests(as_rows(sample)))
    if counted.seen == len(truth) and overlap != "keep":
        raise BadParameter(
            "holdout must hold rows that were not fitted to, but holds the training rows themselves. Give rows "
            "that were kept apart, or none."
        )
    keep = counted.rows if overlap == "drop" else count_rows(digests).rows
    keep = keep if overlap != "keep" else np.ones(len(truth), dtype=bool)
    known = copies_known(counted.copies, len(truth), overlap, seen=counted.seen)
    if overlap != "keep":
        known = (not_in_training(counted.seen, len(truth), overlap), *known)
    wrong = (predicted != truth)[keep]
    dropped = overlap == "drop" and counted.seen > 0
    return HeldOut(int(np.count_nonzero(wrong)), len(wrong), known, dropped)
