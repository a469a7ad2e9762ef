from __future__ import annotations

import hashlib
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from assay.errors import BadData, BadParameter
from assay.evidence import row_mix
from assay.evidence.rows import overlap, row_digests, rows_digest
from tests.naive.row_digest import row_digest


def refuses(sentence, kind=BadData):
    return pytest.raises(kind, match=f"^{re.escape(sentence)}$")


GOLDEN = "467db54b87d85b881ec717ff5e542a62"

NUMBERS = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6),
    elements=st.one_of(st.sampled_from([0.0, -0.0, 1.0, float("nan")]), st.floats(-10, 10)),
)


@settings(max_examples=60, deadline=None)
@given(NUMBERS)
def test_numbers_in_every_container(X):
    expected = [row_digest(row) for row in X.tolist()]
    names = [f"c{j}" for j in range(X.shape[1])]
    assert row_digests(X).tolist() == expected
    assert row_digests(np.asfortranarray(X)).tolist() == expected
    assert row_digests(X.tolist()).tolist() == expected
    assert row_digests(X.astype(object)).tolist() == expected
    assert row_digests(pd.DataFrame(X, columns=names)).tolist() == expected
    assert row_digests(pl.DataFrame(X, schema=names)).tolist() == expected
    assert row_digests(pa.table(dict(zip(names, X.T, strict=True)))).tolist() == expected
    for matrix in sp.csr_matrix(X), sp.csc_array(X), sp.coo_matrix(X):
        assert row_digests(matrix).tolist() == expected


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float16, np.float32, ">f8"])
def test_the_type_of_a_number_makes_no_difference(dtype):
    X = np.array([[1, 0], [0, 1], [1, 1]])
    y = np.array([1, 0, 1])
    expected = [row_digest(row, (label,)) for row, label in zip(X.tolist(), y, strict=True)]
    assert row_digests(X.astype(dtype), y.astype(dtype)).tolist() == expected
    assert row_digests(sp.csr_matrix(X.astype(float)), y.astype(bool)).tolist() == expected


MIXED = st.lists(
    st.tuples(
        st.integers(-5, 5),
        st.one_of(st.none(), st.text("aé\0", max_size=3)),
        st.booleans(),
        st.sampled_from(["ham", "spam"]),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(MIXED)
def test_text_and_labels_in_every_container(table):
    cells = [row[:3] for row in table]
    y = [row[3] for row in table]
    expected = [row_digest(row, (label,)) for row, label in zip(cells, y, strict=True)]
    number, text, truth = map(list, zip(*cells, strict=True))
    frame = {"number": number, "text": text, "truth": truth}
    assert row_digests(cells, y).tolist() == expected
    pandas = pd.DataFrame(frame)
    assert row_digests(pandas, pd.Series(y, dtype="category")).tolist() == expected
    assert row_digests(pandas.astype({"text": "category"}), np.array(y)).tolist() == expected
    schema = {"number": pl.Int8, "text": pl.String, "truth": pl.Boolean}
    polars = pl.DataFrame(frame, schema=schema)
    assert row_digests(polars, pl.Series(y)).tolist() == expected
    batch = pa.record_batch(polars.to_arrow().to_batches()[0])
    assert row_digests(batch, pa.array(y)).tolist() == expected
    objects = np.array(cells, dtype=object)
    assert row_digests(objects, y).tolist() == expected


def test_neighbouring_cells_cannot_be_mistaken_for_one_another():
    different = [
        row_digests([["ab", "c"]]),
        row_digests([["a", "bc"]]),
        row_digests([["a", "bc", ""]]),
        row_digests([[1, 0]]),
        row_digests([[0, 1]]),
        row_digests([[-1, 0]]),
        row_digests([["01"]]),
        row_digests([["1 "], ["x"]])[1:],
        row_digests([[1]], [2]),
        row_digests([[0]], [1]),
        row_digests([[0]], ["01"]),
    ]
    assert len({digest.tobytes() for digest in different}) == len(different)


ONE = [
    [[1]],
    [[1.0]],
    [[True]],
    [["1"]],
    [["1.0"]],
    [["1e0"]],
    [["+1"]],
    [[" 1 "]],
    [["True"]],
    [[1, 0]],
    [["1", 0, "0.0", False]],
]


def test_a_number_is_known_by_its_value_however_it_is_written():
    assert len({row_digests(rows).tobytes() for rows in ONE}) == 1
    assert row_digests([["1"]], ["0"]).tolist() == row_digests([[1]]).tolist()


VALUES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.integers(-(2**63), 2**64 - 1).map(lambda v: v if abs(v) > 2**53 else float(v)),
    st.floats(-1e6, 1e6).map(lambda v: round(v, 3)),
)


@settings(max_examples=300, deadline=None)
@given(VALUES)
def test_numbers_and_the_text_of_them(value):
    expected = row_digest([value])
    assert row_digests([[str(value)]])[0].tolist() == expected
    assert row_digests([[value]])[0].tolist() == expected
    if isinstance(value, float):
        assert row_digests(np.array([[value]]))[0].tolist() == expected
        with np.errstate(over="ignore"):
            single = np.array([[value]], np.float32)
        if abs(value) < 2**24 or float(single[0, 0]) == value:
            assert row_digests(single)[0].tolist() == expected
            assert row_digests([[repr(float(single[0, 0]))]])[0].tolist() == expected


def test_columns_read_as_text_as_numbers_and_as_truth_values():
    typed = pa.table({"a": [1.25, None, 3.0], "b": [True, False, None], "c": [7, 8, 10**17 + 1]})
    text = pa.table(
        {"a": ["1.25", "", "3"], "b": ["true", "False", None], "c": ["7", "8.0", str(10**17 + 1)]}
    )
    coded = pa.table({name: text[name].dictionary_encode() for name in text.column_names})
    assert row_digests(typed).tolist() == row_digests(text).tolist() == row_digests(coded).tolist()
    some = pa.table({"c": pa.array([10**17 + 1, None])})
    assert row_digests(some).tolist() == row_digests([[str(10**17 + 1)], [""]]).tolist()


ODD = [
    "01",
    "-007",
    "inf",
    "nan",
    "1e400",
    str(2**53 + 1),
    "+3",
    " 4",
    "0x10",
    "1_000",
    "٣",
    ".5",
    "5.",
]


@pytest.mark.parametrize("odd", [None, *ODD])
def test_columns_of_numbers_as_text_are_read_in_two_ways_that_agree(odd):
    cells = ["1", "2.50", "-3e-2", "0", None, "16777217", *([odd] if odd else [])]
    column, coded = pa.array(cells), pa.array(cells).dictionary_encode()
    expected = [row_digest([cell]) for cell in cells]
    assert row_digests(pa.table({"a": column})).tolist() == expected
    assert row_digests(pa.table({"a": coded})).tolist() == expected


def test_golden_digests():
    """By another program than the package: the twin's whole numbers, written down once."""
    assert bytes(row_digest([1, "ham", 0, 0.1])).hex() == GOLDEN
    assert row_digests([[1, "ham", 0, 0.1]])[0].tobytes().hex() == GOLDEN


def test_sparse_matrices_with_duplicates_and_stored_zeros():
    messy = sp.csr_matrix(
        (np.array([1.0, 1.0, 0.0, 5.0]), np.array([2, 2, 0, 1]), np.array([0, 3, 4])), shape=(2, 3)
    )
    assert row_digests(messy).tolist() == row_digests([[0, 0, 2], [0, 5, 0]]).tolist()
    assert messy.nnz == 4


def test_missing_values_are_one_value():
    held = [
        row_digests(np.array([[np.nan]])),
        row_digests([[None]]),
        row_digests(pd.DataFrame({"a": pd.Series([None], dtype="string")})),
        row_digests(pl.DataFrame({"a": [None]})),
        row_digests(pa.table({"a": pa.array([None], pa.int64())})),
        row_digests(np.ma.array([[1.0]], mask=[[True]])),
        row_digests(np.array([[-np.nan]])),
    ]
    assert len({digest.tobytes() for digest in held}) == 1


def test_rows_are_worked_on_in_parts(monkeypatch):
    X = np.arange(60.0).reshape(20, 3)
    whole = row_digests(X, X[:, 0])
    monkeypatch.setattr(row_mix, "_STRETCH", 7)
    assert (row_digests(X, X[:, 0]) == whole).all()
    assert (row_digests(sp.csr_matrix(X), X[:, 0]) == whole).all()


def test_no_rows():
    assert row_digests(np.empty((0, 3))).shape == (0, 16)
    assert row_digests([]).shape == (0, 16)
    assert not overlap(row_digests([]), row_digests([[1]])).any()


def test_a_set_of_rows_has_no_order():
    digests = row_digests(np.arange(100).reshape(50, 2))
    shuffled = np.random.default_rng(0).permutation(digests)
    assert rows_digest(digests) == rows_digest(shuffled)
    assert rows_digest(digests) != rows_digest(digests[1:])
    assert rows_digest(digests[:1]) != rows_digest(digests[[0, 0]])
    joined = b"".join(sorted(bytes(digest) for digest in digests))
    expected = "sha256:" + hashlib.sha256(b"assay-rows-2\n" + joined).hexdigest()
    assert rows_digest(digests) == expected


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9), max_size=12), st.lists(st.integers(0, 9), min_size=1))
def test_overlap_against_a_loop(train, holdout):
    mask = overlap(row_digests([[v] for v in train]), row_digests([[v] for v in holdout]))
    assert mask.tolist() == [value in train for value in holdout]
    assert mask.dtype == np.bool_


def test_digests_that_end_in_zero_bytes_stay_apart():
    digests = np.zeros((3, 16), dtype=np.uint8)
    digests[1, 0] = 1
    digests[2, :2] = 1
    assert overlap(digests[:1], digests).tolist() == [True, False, False]
    assert rows_digest(digests) == rows_digest(digests[::-1])


def test_refusals():
    with refuses("X must be two-dimensional, rows by columns, but has shape (3,)."):
        row_digests(np.zeros(3))
    with refuses("X holds 2 rows but y holds 1; they must pair up."):
        row_digests([[1], [2]], [1])
    with refuses("Row 2 of X holds 2 cells but row 1 holds 1; all rows need the same columns."):
        row_digests([[1], [1, 2]])
    with refuses("X must be a list of rows, but row 1 is a int."):
        row_digests([1, 2])
    with refuses(
        "X must be a 2-D array, a data frame, a sparse matrix or a list of rows, "
        "but is of type str."
    ):
        row_digests("X")
    with refuses(
        "Column 'when' holds values of type timestamp[us]; rows are made of numbers, truth values "
        "and text. Turn the column into one of these, or leave it out."
    ):
        row_digests(pa.table({"when": pa.array([0], pa.timestamp("us"))}))
    with refuses(
        "Column 1 holds both text ('a' in row 1) and numbers (5 in row 2); "
        "write the whole column one way."
    ):
        row_digests([[0, "a"], [0, 5]])
    with refuses(
        "digests must be bytes in rows of 16, as row_digests gives them, but is (2, 2).",
        BadParameter,
    ):
        rows_digest(np.zeros((2, 2), dtype=np.uint8))
