"""Cuts of two classes by counts, against all cuts one by one."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from assay.compiled.ensembles.forest_bag import pack_bag
from assay.compiled.ensembles.forest_counts import (
    best_cut_of_counts,
    packed_count,
    packed_ones,
    packed_rows,
)


def brute(code, counts, label, entropy, least_rows, least_count):
    """The best value over all cuts, from the definition, and the codes around every cut that reaches it."""

    def term(ones, all_):
        if entropy:
            return sum(x * math.log(x) for x in (ones, all_ - ones) if x) - all_ * math.log(all_)
        return ones * ones / all_

    values, kept = sorted(set(code.tolist())), []
    for low, high in pairwise(values):
        left = code <= low
        sides = [left, ~left]
        if any(s.sum() < least_rows or counts[s].sum() < least_count for s in sides):
            continue
        value = sum(term(int((counts * label)[s].sum()), int(counts[s].sum())) for s in sides)
        kept.append((value, low, high))
    return kept


@pytest.mark.parametrize("entropy", [False, True])
@pytest.mark.parametrize("least", [(1, 1), (4, 1), (1, 6)])
@pytest.mark.parametrize("codes", [3, 20, 5000])
def test_the_best_of_all_cuts(codes, least, entropy):
    rng = np.random.default_rng(codes)
    sums, words = np.zeros(codes, np.uint64), np.zeros(codes // 64 + 1, np.uint64)
    tops = np.zeros(codes // 4096 + 1, np.uint64)
    logs = np.zeros(0)
    if entropy:
        logs = np.arange(1000.0)
        logs[1:] *= np.log(logs[1:])
    for many in (2, 9, 60):
        code = rng.integers(0, codes, many).astype(np.uint16)
        label = rng.integers(0, 2, many).astype(np.int32)
        counts = rng.integers(1, 4, many).astype(np.int32)
        packed, rows = np.empty(many, np.uint64), np.empty(many, np.int32)
        assert pack_bag(counts, label, packed, rows) == many
        whole = packed.sum()
        assert (packed_rows(whole), packed_count(whole)) == (many, counts.sum())
        assert packed_ones(whole) == (counts * label).sum()
        value, before, after, distinct = best_cut_of_counts(
            code, rows, 0, many, packed, whole, logs, *least, -np.inf, sums, words, tops
        )
        assert distinct == len(set(code.tolist()))
        kept = brute(code, counts, label, entropy, *least)
        assert (before >= 0) == bool(kept)
        if kept:
            best = max(k[0] for k in kept)
            assert value == pytest.approx(best, rel=1e-12, abs=1e-9)
            assert (before, after) in [k[1:] for k in kept if k[0] > best - 1e-9]
        assert not sums.any()
        assert not words.any()
        assert not tops.any()


def test_a_cut_must_beat_what_there_is():
    code = np.array([0, 1], np.uint16)
    packed, rows = np.empty(2, np.uint64), np.empty(2, np.int32)
    pack_bag(np.ones(2, np.int32), np.array([0, 1], np.int32), packed, rows)
    room = (np.zeros(2, np.uint64), np.zeros(1, np.uint64), np.zeros(1, np.uint64))
    told = (code, rows, 0, 2, packed, packed.sum(), np.zeros(0), 1, 1)
    assert best_cut_of_counts(*told, 0.999, *room)[:3] == (1.0, 0, 1)
    assert best_cut_of_counts(*told, 1.0, *room)[:3] == (1.0, -1, -1)
