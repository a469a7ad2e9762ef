from __future__ import annotations

import random
import re

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from assay.data.table import open_table
from assay.errors import AssayError, BadData

RNG = np.random.default_rng(0)
TABLE = pa.table({"x": RNG.integers(0, 9, 3000), "t": RNG.choice(["ham", "spam", "eggs"], 3000)})


def written(folder, name):
    path = folder / name
    if name.endswith("parquet"):
        pq.write_table(TABLE, path, row_group_size=700, write_page_checksum=True)
    elif name == "stream.arrow":
        with pa.ipc.new_stream(path, TABLE.schema) as writer:
            writer.write_table(TABLE, max_chunksize=500)
    else:
        pa.feather.write_feather(TABLE, path, chunksize=500)
    return path


def sentence(path):
    form = "Parquet" if path.suffix == ".parquet" else "Feather"
    return (
        f"{path} cannot be read as {form}: it is cut short, damaged, or of another format. "
        "Copy or write it again."
    )


@pytest.mark.parametrize("name", ["t.parquet", "t.feather"])
@pytest.mark.parametrize("part", [0.0005, 0.01, 0.5, 0.9, 0.999])
def test_files_cut_short(name, part, tmp_path):
    path = written(tmp_path, name)
    whole = path.read_bytes()
    path.write_bytes(whole[: max(1, int(len(whole) * part))])
    with pytest.raises(BadData, match=f"^{re.escape(sentence(path))}$"):
        open_table(path)


def test_a_stream_cut_short(tmp_path):
    path = written(tmp_path, "stream.arrow")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadData, match=f"^{re.escape(sentence(path))}$"):
        list(open_table(path).scan(["t"]))


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "stream.arrow"])
def test_damage_anywhere_is_refused_or_harmless(name, tmp_path):
    path = written(tmp_path, name)
    whole = path.read_bytes()
    chance = random.Random(0)
    refused = 0
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(4):
            damaged[chance.randrange(len(whole))] = chance.randrange(256)
        path.write_bytes(damaged)
        try:
            for batch in open_table(path).scan(["x", "t"]):
                batch.to_pylist()
        except AssayError:
            refused += 1
    assert refused > 20


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.arrow"])
def test_another_format_under_the_name(name, tmp_path):
    path = tmp_path / name
    path.write_text("label,guess\n1,1\n")
    with pytest.raises(BadData, match=f"^{re.escape(sentence(path))}$"):
        open_table(path)


def test_a_row_count_that_does_not_hold(tmp_path):
    table = open_table(written(tmp_path, "t.parquet"))
    object.__setattr__(table, "rows", 3001)
    said = (
        f"{table.name} is damaged: it says that it holds 3001 rows, but 3000 could be read. "
        "Copy or write it again."
    )
    with pytest.raises(BadData, match=f"^{re.escape(said)}$"):
        list(table.scan(["x"]))


def test_large_row_groups_are_batches(tmp_path):
    path = tmp_path / "t.parquet"
    table = pa.table({"x": np.zeros(2 * 600_000 + 5, dtype=np.int8)})
    pq.write_table(table, path, row_group_size=600_000)
    assert [batch.num_rows for batch in open_table(path).scan(["x"])] == [600_000, 600_000, 5]
    assert next(open_table(path).scan(["x"], 500_000)).num_rows == 500_000


def test_codes_outside_their_dictionary(tmp_path):
    # One damaged byte in the run of codes, found by trying: Arrow itself reads it without complaint.
    path = tmp_path / "t.parquet"
    pq.write_table(TABLE.select(["t"]), path, compression="none")
    whole = path.read_bytes()
    refused = 0
    for place in range(4, len(whole) // 2):
        path.write_bytes(whole[:place] + b"\xff" + whole[place + 1 :])
        try:
            for batch in open_table(path).scan(["t"]):
                assert set(batch.column(0).to_pylist()) <= {"ham", "spam", "eggs"}
        except AssayError:
            refused += 1
    assert refused > 20


def test_small_row_groups_become_large_batches(tmp_path):
    path = written(tmp_path, "t.parquet")
    assert [batch.num_rows for batch in open_table(path).scan(["x"])] == [3000]
