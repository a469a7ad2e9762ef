from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from assay.data import sparse_columns
from assay.data.sparse_columns import has_sparse_columns, read_sparse_columns
from assay.data.table import open_table
from assay.data.tabular import read_tables
from tests.data.reading import refuses, until_refused


def stored(path, table, **options):
    if path.suffix == ".parquet":
        pq.write_table(table, path, **options)
    else:
        pa.feather.write_feather(table, path, **options)
    return path


def lists(X, y=None, index=np.int32):
    X = sparse.csr_array(X)
    parts = {
        "indices": pa.ListArray.from_arrays(X.indptr, X.indices.astype(index)),
        "values": pa.ListArray.from_arrays(X.indptr, X.data),
    }
    return pa.table(parts if y is None else parts | {"y": y})


@given(
    st.lists(st.lists(st.sampled_from([0.0, 1.5, -2.0]), min_size=4, max_size=4), min_size=1),
    st.integers(1, 7),
    st.sampled_from([np.int32, np.uint32, np.int64]),
    st.sampled_from([".parquet", ".feather"]),
)
def test_there_and_back(tmp_path_factory, rows, size, index, ending):
    X = np.array(rows)
    y = np.arange(len(X))
    path = tmp_path_factory.mktemp("lists") / f"t{ending}"
    options = {"row_group_size": size} if ending == ".parquet" else {"chunksize": size}
    stored(path, lists(X, y, index), **options)
    whole = read_tables([path], target="y", features=4)
    assert isinstance(whole.X, sparse.csr_array)
    assert np.array_equal(whole.X.toarray(), X)
    assert whole.y.tolist() == y.tolist()
    chunks = read_tables([path], target="y", features=4, chunk_rows=3)
    parts = [chunk.X.toarray() for chunk in chunks]
    assert all(len(part) == 3 for part in parts[:-1])
    assert np.array_equal(np.concatenate(parts), X)


def test_width_and_names(tmp_path):
    path = stored(tmp_path / "t.parquet", lists([[0.0, 1.0, 0.0]]))
    examples = read_tables([path])
    assert examples.X.shape == (1, 2)
    assert list(examples.features) == ["0", "1"]
    assert examples.y is None
    assert read_tables([path], features=9).X.shape == (1, 9)


def test_precision_is_kept_where_it_is_asked_for(tmp_path):
    X = np.eye(3, dtype=np.float32)
    path = stored(tmp_path / "t.feather", lists(X), compression="uncompressed")
    examples = read_tables([path], dtype=np.float32)
    assert examples.X.dtype == np.float32
    assert examples.X.indices.dtype == np.int32
    assert read_tables([path]).X.dtype == np.float64


def test_several_files(tmp_path):
    first = stored(tmp_path / "a.parquet", lists(np.eye(2), [1, 0]))
    second = stored(tmp_path / "b.feather", lists(2 * np.eye(2), [0, 0]))
    examples = read_tables([first, second], target="y")
    assert examples.X.toarray().tolist() == [[1, 0], [0, 1], [2, 0], [0, 2]]
    dense = stored(tmp_path / "c.parquet", pa.table({"indices": [1], "values": [2], "y": [1]}))
    with refuses(f"{dense} holds no lists in its columns 'indices' and 'values'."):
        read_tables([first, dense], target="y")
    assert not has_sparse_columns(open_table(dense))
    assert read_tables([dense], target="y").features == ("indices", "values")


GOOD = {"indices": [[0, 2], []], "values": [[1.0, 2.0], []], "y": [1, 0]}


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (([2, 1], [1.0, 1.0], 1), "index 1 in column 'indices', row 3, where indices must rise from "
                                  "0 and be less than 3."),
        (([1, 1], [1.0, 1.0], 1), "index 1 in column 'indices', row 3, where indices must rise from "
                                  "0 and be less than 3."),
        (([-1], [1.0], 1), "index -1 in column 'indices', row 3, where indices must rise from 0 and "
                           "be less than 3."),
        (([3], [1.0], 1), "index 3 in column 'indices', row 3, where indices must rise from 0 and be "
                          "less than 3."),
        (([1], [1.0, 2.0], 1), "a list in column 'values', row 3 that is not as long as that of the "
                               "indices."),
        (([1], [math.inf], 1), "inf in column 'values', row 3, which is not a finite number."),
        (([1], [math.nan], 1), "nan in column 'values', row 3, which is not a finite number."),
        ((None, [1.0], 1), "no list in column 'indices', row 3. Every row needs one, if only an "
                           "empty one."),
        (([1], [None], 1), "no value in column 'values', row 3, inside a list. Leave out what is "
                           "zero."),
        (([1], [1.0], None), "no label in column 'y', row 3. Every row needs one; take the row out."),
    ],
)  # fmt: skip
def test_a_bad_row_costs_nothing_before_it(bad, sentence, tmp_path):
    columns = {name: [*GOOD[name], cell, *GOOD[name]] for name, cell in zip(GOOD, bad, strict=True)}
    path = stored(tmp_path / "t.parquet", pa.table(columns))
    found, said = until_refused(read_tables([path], target="y", features=3, chunk_rows=5))
    assert said == f"{path} holds {sentence}"
    assert [chunk.X.toarray().tolist() for chunk in found] == [[[1, 0, 2], [0, 0, 0]]]
    with refuses(f"{path} holds {sentence}"):
        read_tables([path], target="y", features=3)


def test_rows_are_counted_over_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(sparse_columns, "_CHUNK_BATCH", 4)
    table = lists(np.eye(3)[[0, 1, 2] * 5])
    bad = pa.table({"indices": [[7]], "values": [[1.0]]}, schema=table.schema)
    path = stored(tmp_path / "t.parquet", pa.concat_tables([table, bad]))
    found, said = until_refused(read_tables([path], features=3, chunk_rows=10))
    assert [len(chunk) for chunk in found] == [10, 5]
    assert said.startswith(f"{path} holds index 7 in column 'indices', row 16,")


def test_other_refusals(tmp_path):
    path = stored(tmp_path / "t.parquet", pa.table({"indices": [["a"]], "values": [[1.0]]}))
    for features in (None, 2):
        with refuses(
            f"{path} holds lists of type string in column 'indices'; indices are whole numbers, and "
            "values are floating-point numbers."
        ):
            read_tables([path], features=features)
    bare = stored(tmp_path / "bare.parquet", lists(np.zeros((2, 2))))
    with refuses(f"{bare} holds no features. Say how many there are: features=..."):
        read_sparse_columns([open_table(bare)])


@pytest.mark.parametrize("index", [np.uint32, np.int64])
@pytest.mark.parametrize("chunk_rows", [None, 1, 2, 5])
def test_the_largest_index_of_all_files_is_the_width(tmp_path, index, chunk_rows):
    first = stored(tmp_path / "a.parquet", lists(np.eye(2), index=index), row_group_size=1)
    second = stored(tmp_path / "b.parquet", lists(np.eye(4)[[3, 1]], index=index))
    examples = read_tables([first, second], chunk_rows=chunk_rows)
    parts = [examples] if chunk_rows is None else list(examples)
    X = np.concatenate([part.X.toarray() for part in parts])
    assert np.array_equal(X, np.eye(4)[[0, 1, 3, 1]])
    assert len(examples.features) == 4


def test_a_refusal_names_the_width_that_was_found(tmp_path, monkeypatch):
    monkeypatch.setattr(sparse_columns, "_BLOCK", 2)
    table = pa.table({"indices": [[0, 4], [2, 2]], "values": [[1.0, 1.0], [1.0, 1.0]]})
    path = stored(tmp_path / "t.parquet", table)
    with refuses(
        f"{path} holds index 2 in column 'indices', row 2, where indices must rise from 0 and be "
        "less than 5."
    ):
        read_tables([path])
