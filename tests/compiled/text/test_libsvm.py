from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.compiled.text import libsvm as compiled
from assay.compiled.text.libsvm import count_marks, parse_text
from assay.data.libsvm_lines import MOST_INDEX, LineReader, parse_plainly
from tests.naive.libsvm import libsvm

numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-10, 10).map("{:.6g}".format),
    st.integers(-99, 99).map(str),
    st.sampled_from(["+1", ".5", "5.", "1e-3", "-0", "1.50000000000000000000000000000001", "2E+2"]),
)
gaps = st.sampled_from([" ", "  ", "\t", " \t "])


@st.composite
def lines(draw):
    """A well-formed line, or one without an example."""
    end = draw(st.sampled_from(["", " ", "\r", " # comment 1:2", "#", " \t\r"]))
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(["", " ", "\r", "# only a comment", "  # 1 1:1"]))
    words = [draw(numbers)]
    if draw(st.integers(0, 4)) == 0:
        words.append(f"qid:{draw(st.integers(0, 10**12))}")
    indices = sorted(draw(st.sets(st.integers(0, MOST_INDEX), max_size=6)))
    words += [f"{index}:{draw(numbers)}" for index in indices]
    return draw(st.sampled_from(["", " ", "\t"])) + draw(gaps).join(words) + end


texts = st.builds(
    lambda rows, end: "\n".join(rows) + end,
    st.lists(lines(), max_size=12),
    st.sampled_from(["", "\n"]),
)


def parse(text, threads=1, least=0, most=MOST_INDEX):
    signs = np.frombuffer(text, np.uint8)
    return parse_text(signs, LineReader(least, most), least, most, threads)


def assert_same(found, labels, pointers, indices, values):
    assert found[0].tobytes() == np.array(labels, np.float64).tobytes()
    assert found[1].tolist() == list(pointers)
    assert found[2].tolist() == list(indices)
    assert found[3].tobytes() == np.array(values, np.float64).tobytes()


@settings(max_examples=300)
@given(texts, st.integers(1, 4))
def test_like_the_naive_twin(text, threads):
    data = text.encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "_PART", 40)
        found = parse(data, threads)
    assert found[4] is None
    assert_same(found, *libsvm(data))


@settings(max_examples=300)
@given(
    st.lists(st.one_of(lines(), st.sampled_from([
        "x", "1 2", "1 a:1", "1 3:1 2:1", "1 2:1 2:1", "1 1:x", "1 1:", "1 :1", "1,2 1:1", "1 1:nan",
        "1 -1:1", "1 1:1e999", "nan 1:1", "1 99999999999:1", "1 2147483647:1", "1 1:1x", "1 1: 2",
        "qid:1 1:1", "1 qid: 1:1", "1 qid:x 1:1", "1 1:1 qid:2", "1 1:1_0", "1 1:\xff", "1e999",
    ])), max_size=10),
    st.integers(1, 3),
)  # fmt: skip
def test_malformed_lines_end_the_rows_where_the_plain_parser_ends_them(rows, threads):
    data = "\n".join(rows).encode()
    signs = np.frombuffer(data, np.uint8)
    reader = LineReader()
    plain = parse_plainly(signs, reader, 0, MOST_INDEX)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "_PART", 40)
        found = parse_text(signs, reader, 0, MOST_INDEX, threads)
    assert_same(found, *plain[:4])
    if plain.refusal is None:
        assert found[4] is None
    else:
        assert found[4][0] == plain.refusal[0]
        assert str(found[4][1]) == str(plain.refusal[1])


@settings(max_examples=300)
@given(st.binary(max_size=200))
def test_any_bytes_are_taken_or_refused(data):
    signs = np.frombuffer(data, np.uint8)
    plain = parse_plainly(signs, LineReader(), 0, MOST_INDEX)
    found = parse(data)
    assert_same(found, *plain[:4])
    assert (found[4] is None) == (plain.refusal is None)


def test_lines_that_the_loop_leaves_alone_are_read_one_by_one():
    """A number with many digits next to the middle of two floats, in every line of several parts."""
    middle = "1.00000000000000011102230246251565404236316680908203125"
    data = "".join(f"1 1:{middle} {k}:2\n" for k in range(2, 400)).encode()
    seen = []

    def read_line(line):
        seen.append(line)
        return LineReader()(line)

    signs = np.frombuffer(data, np.uint8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "_PART", 40)
        found = parse_text(signs, read_line, 0, MOST_INDEX, 3)
    assert len(seen) == 398
    assert_same(found, *libsvm(data))


@pytest.mark.parametrize(("least", "most", "rows"), [(0, 9, 2), (1, 9, 1), (0, 8, 0)])
def test_limits(least, most, rows):
    found = parse(b"1 3:1 9:1\n1 0:1\n", least=least, most=most)
    assert len(found[0]) == rows
    assert (found[4] is None) == (rows == 2)


def test_more_threads_than_lines():
    data = b"1 1:1\n" * 3
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "_PART", 40)
        assert_same(parse(data, 16), *libsvm(data))


def test_threads_by_themselves():
    data = b"1 1:0.5 2:1.25\n-1 3:2\n" * 30_000
    signs = np.frombuffer(data, np.uint8)
    assert_same(parse_text(signs, LineReader(), 0, MOST_INDEX), *libsvm(data))


def test_marks():
    assert count_marks(np.frombuffer(b"1 2:3\n:\n#", np.uint8)) == (2, 2)
