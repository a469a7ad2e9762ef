"""Counting what a linear classifier gets wrong of blocks of rows; see `assay.learners.common.linear_fit`."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.compiled.linear.block_sums import block_scores
from assay.learners.common.blocks import Block, Blocks
from assay.learners.common.sparse_coef import dense_coef
from assay.record.linear_fit import LinearFitRecord
from assay.types import Bools, Floats


def linear_fit_of_blocks(
    model: Any, blocks: Blocks, *, constant: bool
) -> tuple[int, LinearFitRecord | None]:
    """The errors on all rows, and the record of the fit; None where a score is too large for a number.

    Labels of the blocks are places of classes.
    """
    coef = np.ascontiguousarray(dense_coef(model), dtype=np.float64)
    free = np.array(model.intercept_, dtype=np.float64).reshape(len(coef))
    errors, hinge = blocks.total(_judged, coef, free)
    if not np.isfinite(hinge):
        return errors, None
    low, high = blocks.fold(_wider, _ends)
    problems = len(coef)
    # From above: each score, and the sum, may be a few units in the last place off.
    hinge *= 1 + 1e-12 + blocks.rows * problems * 2e-16
    fit = LinearFitRecord(
        rows=blocks.rows,
        errors=errors,
        features=blocks.width,
        varying=int(np.count_nonzero(low != high)),
        constant=bool(constant) or bool(np.any(free)),
        classes=len(model.classes_),
        hinge=hinge,
    )
    return errors, fit


def _judged(block: Block, coef: Floats, free: Floats) -> tuple[int, float]:
    """How many rows are predicted wrongly, and their hinge losses in all problems."""
    scores = np.empty((len(block), len(coef)))
    with np.errstate(over="ignore", invalid="ignore"):  # looked at by the caller
        block_scores(block.X, coef, free, scores)
        single = scores.shape[1] == 1
        chosen = (scores[:, 0] > 0).astype(np.int64) if single else scores.argmax(axis=1)
        right: Bools = block.y[:, None] == (1 if single else np.arange(len(coef)))
        short = np.maximum(0.0, 1.0 - np.where(right, scores, -scores))
    return int(np.count_nonzero(chosen != block.y)), float(np.add.accumulate(short.ravel())[-1])


def _ends(block: Block) -> tuple[Floats, Floats]:
    return block.X.min(axis=0), block.X.max(axis=0)


def _wider(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    return np.minimum(one[0], other[0]), np.maximum(one[1], other[1])
