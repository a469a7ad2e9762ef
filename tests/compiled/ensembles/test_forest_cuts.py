"""Cuts of classes and numbers with weights and missing cells, against all cuts one by one."""

from __future__ import annotations

import numpy as np
import pytest

from assay.compiled.ensembles.forest_cuts import (
    ENTROPY,
    GINI,
    best_cut_of_classes,
    best_cut_of_numbers,
)
from tests.naive.forest import impurity

NAMES = {GINI: "gini", ENTROPY: "entropy", None: "squared_error"}


def brute(place, y, w, gap, criterion, least_rows, least_weight):
    """What every allowed cut leaves of the impurity, weighted, with the codes around it and where missing cells go."""
    present = sorted(set(place[place != gap].tolist()))
    ends = [*present[1:], gap]
    for low, high in zip(present, ends, strict=True):
        for missing_left in (False, True):
            left = np.where(place == gap, missing_left, place <= low)
            sides = [left, ~left]
            gone = missing_left and not (place == gap).any()
            if gone or any(s.sum() < max(least_rows, 1) for s in sides):
                continue
            if any(w[s].sum() < least_weight for s in sides):
                continue
            yield (
                sum(w[s].sum() * impurity(NAMES[criterion], y[s], w[s]) for s in sides),
                low,
                high,
                missing_left,
            )


@pytest.mark.parametrize("criterion", [GINI, ENTROPY, None])
@pytest.mark.parametrize("least", [(1, 0.0), (3, 0.0), (1, 2.5)])
@pytest.mark.parametrize("missing", [0, 4])
def test_the_best_of_all_cuts(criterion, least, missing):
    rng = np.random.default_rng(7)
    for many in (2, 12, 40):
        gap = 9
        place = np.sort(rng.integers(0, 9, many)).astype(np.uint32)
        place[len(place) - min(missing, many - 1) :] = gap if missing else place[-1]
        y = rng.normal(size=50) if criterion is None else rng.integers(0, 4, 50).astype(np.int32)
        w = rng.integers(1, 6, 50) / 4
        order = rng.permutation(50)[:many].astype(np.int32)
        sums, side = (
            np.bincount(y[order], w[order], minlength=4) if criterion is not None else None,
            np.empty(4),
        )
        if criterion is None:
            total = float((w * y)[order].sum())
            value, low, high, left = best_cut_of_numbers(
                order, place, many, y, w, gap, total, w[order].sum(), least, -np.inf
            )
        else:
            value, low, high, left = best_cut_of_classes(
                order, place, many, y, w, gap, sums, w[order].sum(), criterion, least, -np.inf, side
            )
        kept = list(brute(place, y[order], w[order], gap, criterion, *least))
        assert (low >= 0) == bool(kept)
        if kept:
            best = min(kept)[0]
            near = [k[1:] for k in kept if k[0] < best + 1e-9]
            assert (low, high, bool(left)) in near
            assert np.isfinite(value)
