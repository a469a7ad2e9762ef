"""A holdout beside the promises of training rows: what counts, and what it may say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

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
from assay.evidence.training_overlap import left_out
from assay.guarantees.assumption import Assumption

if TYPE_CHECKING:
    from assay.guarantees.guarantee import Guarantee


class HeldOut(NamedTuple):
    """Errors and rows of a holdout, and what is known of its rows."""

    errors: int
    rows: int
    known: tuple[Assumption, ...]


def held_out(model: Any, holdout: Any, sample: Any, overlap: Overlap) -> HeldOut:
    """What a classifier gets wrong of a holdout; rows are compared with those of its sample, and count once.

    As `assay.certify` does it: with "refuse" one row of the sample is enough for no promise, with "drop" such rows are
    left out, with "keep" all count.
    """
    from assay.evidence.rows import row_digests

    require_overlap(overlap)
    if not (isinstance(holdout, tuple) and len(holdout) == 2):
        raise BadParameter("holdout must be the pair (X, y) of rows that were not fitted to.")
    said, truth = np.asarray(model.predict(holdout[0])), np.asarray(as_column(holdout[1]))
    if said.shape != truth.shape:
        raise BadParameter(
            f"holdout must hold one label for each row, but has {truth.size} for {said.size} rows."
        )
    digests = row_digests(as_rows(holdout[0]))
    found = count_rows(digests, row_digests(as_rows(sample)))
    if found.seen == len(truth) and overlap != "keep":
        raise BadParameter(
            "holdout must hold rows that were not fitted to, but holds the training rows themselves. Give rows "
            "that were kept apart, or none."
        )
    keep = found.rows if overlap == "drop" else count_rows(digests).rows
    keep = keep if overlap != "keep" else np.ones(len(truth), dtype=bool)
    known = copies_known(found.copies, len(truth), overlap, seen=found.seen)
    if overlap != "keep":
        known = (not_in_training(found.seen, len(truth), overlap), *known)
    wrong = (said != truth)[keep]
    return HeldOut(int(np.count_nonzero(wrong)), len(wrong), known)


def beside(found: tuple[Guarantee, ...], held: HeldOut | None) -> tuple[Guarantee, ...]:
    """The promises, the last of which is that of the holdout, withheld where rows of the sample are in it."""
    from assay.guarantees.evaluate_theorem import judged

    if held is None:
        return found
    last = judged(found[-1], *held.known)
    if left_out(known.evidence for known in held.known):
        last = replace(
            last, certified=f"{last.certified}, on rows that are not in its training set"
        )
    return (*found[:-1], last)
