"""Advice as people have it: frames, series, dicts, lists, text; and what is refused of it."""

import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay import SleepingExperts, WeightedAverage
from assay.errors import BadData

COLUMNS = {"a": [0.5, 1.0], "b": [0.25, 0.0]}


def refuses(sentence):
    return pytest.raises(BadData, match=f"^{re.escape(sentence)}$")


def test_tables_of_several_kinds():
    plain = WeightedAverage()
    guesses = plain.play([[0.5, 0.25], [1.0, 0.0]], [0.0, 1.0])
    assert plain.record_.names is None
    for given in (pa.table(COLUMNS), pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS)):
        policy = WeightedAverage()
        assert policy.play(given, [0.0, 1.0]).tobytes() == guesses.tobytes()
        assert policy.record_.names == ("a", "b")
    text = WeightedAverage()
    assert text.play([["0.5", "0.25"], ["1.0", "0"]], [0.0, 1.0]).tolist() == guesses.tolist()
    for rows in (
        np.asfortranarray([[0.5, 0.25], [1.0, 0.0]]),
        np.array([[0.5, 0.25], [1, 0]], object),
    ):
        assert WeightedAverage().play(rows, [0.0, 1.0]).tobytes() == guesses.tobytes()
    with refuses(
        "advice must be a table with a row for each round and a column for each expert, but has 3 "
        "dimensions."
    ):
        plain.play(np.zeros((1, 1, 1)), [0.0])


def test_one_round():
    named, numbered = WeightedAverage(), WeightedAverage()
    numbered.update([0.5, 1.0], 0.0)
    named.update(pd.Series([0.5, 1.0], index=["a", "b"]), 0.0)
    named.update({"b": 0.25, "a": 0.5}, 1.0)
    numbered.update(pd.Series([0.5, 0.25]), 1.0)
    assert (named.record_.names, numbered.record_.names) == (("a", "b"), None)
    assert named.sums_.tobytes() == numbered.sums_.tobytes()
    with refuses("advice names an expert 'd', who was not there before."):
        named.update({"d": 1}, 1.0)
    with refuses("advice must hold numbers, but holds 'x'."):
        named.update({"a": "x", "b": 1.0}, 1.0)


@pytest.mark.parametrize("nothing", [None, math.nan, pd.NA])
def test_an_expert_who_says_nothing_sleeps(nothing):
    awake = SleepingExperts()
    awake.update({"a": "spam", "b": nothing, "c": "ham"}, "ham")
    awake.update({"a": "spam", "c": "ham"}, "ham")
    table = SleepingExperts()
    table.play([["spam", None, "ham"], ["spam", math.nan, "ham"]], ["ham", "ham"])
    assert awake.record_.rounds == table.record_.rounds == 2
    assert awake.totals_.tolist() == table.totals_.tolist()


def test_outcomes():
    with refuses("outcomes must hold one for each of the 3 rounds, but has shape (2,)."):
        WeightedAverage().play(np.zeros((3, 2)), [1, 0])


def test_text_beside_numbers():
    policy = SleepingExperts()
    policy.play([["a", "b"]] * 6, ["b"] * 6)
    with refuses(
        "Labels must be all text or all numbers, but in round 8 there is 3 and the outcome of round 7 is 'b'."
    ):
        policy.play(np.array([["a", "b"], [3, "b"]], dtype=object), ["b", "b"])
