from __future__ import annotations

import decimal
import math
import re
import statistics
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadData
from assay.evidence.losses import ExactSums, record_losses
from tests.naive.label_digest import loss_digest

UNIT = st.one_of(
    st.floats(0, 1),
    st.floats(0, 1, width=32),
    st.sampled_from([0.0, -0.0, 1.0, 0.1, 5e-324, 2.2250738585072014e-308, 1 - 2**-53, 2**-1030]),
)


def refuses(sentence):
    return pytest.raises(BadData, match=f"^{re.escape(sentence)}$")


def exact_variance(losses):
    values = [Fraction(loss) for loss in losses]
    if len(values) < 2:
        return 0.0
    return float(statistics.variance(values))


@settings(max_examples=150, deadline=None)
@given(st.lists(UNIT, min_size=1, max_size=40), st.integers(0, 40))
def test_sums_are_exact_and_rounded_once(losses, cut):
    record = record_losses([losses[:cut], np.array(losses[cut:])])
    assert record.rows == len(losses)
    assert record.total == math.fsum(losses)
    assert record.variance == exact_variance(losses)
    assert record.binary == all(loss in (0, 1) for loss in losses)
    assert record.digest == loss_digest(losses)
    assert record.values.tolist() == losses
    assert record == record_losses([losses])


def test_sums_over_many_stretches():
    losses = np.random.default_rng(0).beta(2, 8, 300_000)
    record = record_losses(np.array_split(losses, 7))
    assert record.total == math.fsum(losses)
    mean = Fraction(0)
    for loss in losses[:1000]:
        mean += Fraction(float(loss))
    assert record_losses([losses[:1000]]).total == float(mean)
    assert record.variance == pytest.approx(losses.var(ddof=1), rel=1e-12)
    # A naive sum is not good enough, or the test above would prove nothing.
    assert sum(losses.tolist()) != record.total


def test_the_largest_sums_a_stretch_can_hold():
    sums = ExactSums()
    sums.add(np.full(2**15, 1 - 2**-53))
    assert sums.total() == float(Fraction(1 - 2**-53) * 2**15)
    assert sums.variance() == 0.0


def test_an_empty_sum():
    assert (ExactSums().total(), ExactSums().variance()) == (0.0, 0.0)


@pytest.mark.parametrize(
    "chunk",
    [
        [0, 1, 1],
        [False, True, True],
        np.array([0, 1, 1], dtype=np.uint8),
        np.array([0, 1, 1], dtype=np.float16),
        pd.Series([0.0, 1.0, 1.0]),
        pd.Series([0, 1, 1], dtype="Int8"),
        pl.Series([0, 1, 1]),
        pa.array([0.0, 1.0, 1.0]).dictionary_encode(),
        [decimal.Decimal(0), decimal.Decimal(1), decimal.Decimal(1)],
        [0, True, 1.0],
    ],
    ids=lambda chunk: type(chunk).__name__,
)
def test_whatever_holds_the_losses(chunk):
    record = record_losses([chunk])
    assert (record.rows, record.total, record.binary) == (3, 2.0, True)
    assert record.variance == pytest.approx(1 / 3, rel=1e-15)
    assert record.digest == loss_digest([0.0, 1.0, 1.0])


def test_values_are_kept_up_to_a_limit_and_are_a_copy():
    losses = np.array([0.5, 0.25])
    record = record_losses([losses], keep=2)
    losses[0] = 9
    assert record.values.tolist() == [0.5, 0.25]
    assert record_losses([[0.5], [0.25, 0.5]], keep=2).values is None


def test_progress():
    seen = []
    record_losses([[0.5], [], [0.25, 0.5]], progress=seen.append)
    assert seen == [1, 1, 3]


@pytest.mark.parametrize("bad", [1.0000000000000002, -5e-324, math.inf, -math.inf])
def test_outside_the_unit_interval(bad):
    with refuses(f"cost holds {bad!r} in row 4; losses must lie between 0 and 1. Scale them."):
        record_losses([[0.5, 0.5], [0.5, bad]], name="cost")


@pytest.mark.parametrize("chunk", [[0.5, None], [0.5, math.nan], pa.array([0.5, math.nan])])
def test_missing(chunk):
    with refuses(
        "loss has no value in row 5; every row needs one. Fill it in, or leave the row out."
    ):
        record_losses([[0.5] * 3, chunk])


def test_what_is_no_loss():
    with refuses("loss holds text, not numbers; losses must lie between 0 and 1."):
        record_losses([["0.5"]])
    with refuses(
        "loss holds values of type timestamp[s], not numbers; losses must lie between 0 and 1."
    ):
        record_losses([np.array(["2026-01-01"], dtype="M8[s]")])
    with refuses("loss holds no rows; there is nothing to record."):
        record_losses([])
