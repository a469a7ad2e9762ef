"""The kernel of substrings counts different ones, in any container of strings."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadData, BadParameter
from assay.kernels import Substring

texts = st.lists(st.text("abc", max_size=8), min_size=1, max_size=6)


def test_numbers_of_common_substrings() -> None:
    assert Substring(2)(["abcab"], ["cabab"]).item() == 2
    assert Substring(3)(["banana"], ["ananas"]).item() == 2
    assert Substring(3)(["banana"]).item() == 3


@settings(max_examples=50)
@given(texts, texts, st.integers(1, 3))
def test_it_equals_the_naive_count(left, right, p) -> None:
    def parts(text):
        return {text[i : i + p] for i in range(len(text)) if len(text[i : i + p]) == p}

    want = [[len(parts(s) & parts(t)) for t in right] for s in left]
    assert Substring(p)(left, right).tolist() == want
    assert Substring(p).diagonal(left).tolist() == [len(parts(s)) for s in left]
    block = Substring(p)(left)
    assert np.linalg.eigvalsh(block)[0] > -1e-9
    assert np.array_equal(block, block.T)


def test_occurrences_are_not_counted_twice() -> None:
    assert Substring(1)(["aaaa"], ["aa"]).item() == 1


@pytest.mark.parametrize(
    "many",
    [
        ["ab", "bc"],
        ("ab", "bc"),
        np.array(["ab", "bc"]),
        np.array([["ab"], ["bc"]], dtype=object),
        [["ab"], ["bc"]],
        pd.Series(["ab", "bc"]),
        pd.DataFrame({"text": ["ab", "bc"]}),
    ],
    ids=lambda many: type(many).__name__,
)
def test_strings_come_in_many_forms(many) -> None:
    assert Substring(1)(many).tolist() == [[2, 1], [1, 2]]


def test_what_is_no_string_is_refused() -> None:
    for bad, sentence in (
        ("ab", "Examples must be a list of strings, but are one string. Write ['ab']."),
        (["ab", 3], "Examples must be strings, but number 1 is 3."),
        (np.eye(2), "Examples must be strings, but number 0 is [1.0, 0.0]."),
    ):
        with pytest.raises(BadData, match=re.escape(sentence)):
            Substring(2)(bad)
    with pytest.raises(
        BadParameter, match=re.escape("length must be a whole number of at least 1")
    ):
        Substring(0)
