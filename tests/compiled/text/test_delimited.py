from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.compiled.text import delimited as compiled
from assay.compiled.text.delimited import parse_block
from tests.naive.delimited import delimited

numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-10, 10).map("{:.6g}".format),
    st.integers(-99, 99).map(str),
    st.sampled_from([".5", "5.", "1e-3", "-0", " 2 ", "2E+2", "  7"]),
)
words = st.sampled_from(["ham", "spam", "1", "-1", "é", " a b", '"quoted, so"', '"x"', "0.5"])
skipped = st.one_of(words, numbers, st.just(""))


@st.composite
def blocks(draw):
    """Plain text, its separator, and where its fields go."""
    separator = draw(st.sampled_from([",", "\t"]))
    width = draw(st.integers(1, 4))
    places = draw(
        st.permutations([*range(width), *draw(st.sampled_from([[], [-1], [-2], [-1, -2, -2]]))])
    )
    cell = {-1: words, -2: skipped}
    lines = draw(
        st.lists(st.tuples(*(cell.get(p, numbers) for p in places)), min_size=1, max_size=9)
    )
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = end.join(separator.join(line) for line in lines) + draw(st.sampled_from(["", end]))
    return text, separator, places


def parse(text, separator, places, threads=1, dtype=np.float64):
    found = parse_block(text.encode(), separator, np.array(places), dtype, threads)
    if found is None:
        return None
    X, letters, starts = found
    kept = [letters[a:b].tobytes().decode() for a, b in pairwise(starts)]
    return X, kept


@settings(max_examples=300)
@given(blocks(), st.integers(1, 4))
def test_like_the_naive_twin(block, threads):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "_WORTH_SHARING", 20)
        X, kept = parse(*block, threads)
    rows, words = delimited(*block)
    assert X.tobytes() == np.array(rows, np.float64).tobytes()
    assert kept == words


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    "line",
    ["1,2", "1,2,a,3", "x,2,a", ",2,a", "1,,a", "1,2,", "nan,2,a", "1,inf,a", "+1,2,a", "1e999,2,a",
     "0x1,2,a", "1 1,2,a", "1_0,2,a", '1,2,a"b', '1,2,"a""b"', '1,2,"a', '1,2,"a"b', '1,2,""', "",
     "1,2,a\rb", '"1",2,a', "1;2;a", "1,2,a,"],
)  # fmt: skip
def test_what_is_not_plain_is_left_to_others(line, threads, monkeypatch):
    monkeypatch.setattr(compiled, "_WORTH_SHARING", 20)
    good = ["1,2,a"] * 9
    assert parse("\n".join(good), ",", [0, 1, -1], threads) is not None
    for place in (0, 4, 9):
        text = "\n".join([*good[:place], line, *good[place:]]) + "\n"
        assert parse(text, ",", [0, 1, -1], threads) is None


@settings(max_examples=300)
@given(st.text('0123456789.,-\r\n"a e', max_size=80))
def test_any_text_is_read_like_the_twin_or_left_alone(text):
    found = parse(text, ",", [0, -1])
    if found is not None:
        rows, words = delimited(text, ",", [0, -1])
        assert found[0].tolist() == rows
        assert found[1] == words


def test_single_precision():
    X, _ = parse("0.1,16777217\n", ",", [0, 1], dtype=np.float32)
    assert X.dtype == np.float32
    assert X.tolist() == [[np.float32(0.1), 16777216.0]]


def test_threads_by_themselves():
    text = "".join(f"{k / 8},{'spam' if k % 3 else 'ham'}\n" for k in range(60_000))
    found = parse_block(text.encode(), ",", np.array([0, -1]))
    rows, words = delimited(text, ",", [0, -1])
    assert found[0].tolist() == rows
    assert found[1].tobytes().decode() == "".join(words)
    assert np.diff(found[2]).tolist() == list(map(len, words))


def test_the_check_can_fail():
    """A parser that takes a short row for one that ends in zero differs from the twin."""
    assert delimited("1\n", ",", [0, 1]) is None
    assert np.array([[1.0, 0.0]]).tolist() != delimited("1,2\n", ",", [0, 1])[0]
