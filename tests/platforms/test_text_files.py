"""Text as other systems save it: with a mark in front, with their ends of lines, in their encodings."""

from __future__ import annotations

import json
import os

import pyarrow as pa
import pytest
from pyarrow import feather
from pyarrow import parquet as pq

from assay import certify, read_table, verify
from assay.errors import BadData
from tests.cli.runner import run

LABELS = ["yes" if i % 5 > 2 else "no" for i in range(90)]
ROWS = "".join(f"{i % 5},{'é' if i % 3 else 'b'},{y},{y}\n" for i, y in enumerate(LABELS))
PLAIN = "size,kind,y,guess\n" + ROWS
MARK = "\ufeff"
SAVED = {
    "with a mark": MARK + PLAIN,
    "with CRLF": PLAIN.replace("\n", "\r\n"),
    "by Excel": MARK + PLAIN.replace("\n", "\r\n"),
    "without a last end of line": PLAIN.rstrip("\n"),
    "with a blank last line": PLAIN.replace("\n", "\r\n") + "\r\n",
}


@pytest.mark.parametrize("how", SAVED)
def test_a_table_is_the_same_however_it_was_saved(tmp_path, how):
    plain, saved = tmp_path / "plain.csv", tmp_path / "saved.csv"
    plain.write_bytes(PLAIN.encode())
    saved.write_bytes(SAVED[how].encode())
    one, other = (read_table(path, target="y") for path in (plain, saved))
    assert one.features == other.features
    assert (one.X == other.X).all()
    assert (one.y == other.y).all()


@pytest.mark.parametrize("how", SAVED)
def test_and_so_is_its_certificate(tmp_path, how):
    digests = []
    for name, text in (("plain.csv", PLAIN), ("saved.csv", SAVED[how])):
        (tmp_path / name).write_bytes(text.encode())
        found = run("certify", tmp_path / name, "--truth", "y", "--prediction", "guess", "--json")
        digests.append(json.loads(found.out)["certificate"]["data"])
    assert digests[0] == digests[1]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "cp1252", "cp437"])
def test_what_is_not_utf8_is_refused_in_a_sentence(tmp_path, encoding):
    """Excel's "Unicode text" is UTF-16, its plain "CSV" is in the encoding of the machine."""
    path = tmp_path / "t.csv"
    path.write_bytes(PLAIN.encode(encoding))
    with pytest.raises(BadData, match=r"Save it as UTF-8|save the file as UTF-8|is not text"):
        read_table(path, target="y")
    found = run("certify", path, "--truth", "kind", "--prediction", "y")
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert "UTF-8" in found.err or "is not text" in found.err


def test_a_certificate_as_powershell_saves_it(tmp_path):
    """Its `>` writes UTF-16, its `Out-File -Encoding utf8` a mark in front."""
    made = certify(y_true=[1, 0] * 50, y_pred=[1, 0] * 50)
    text = json.dumps(made.document, ensure_ascii=False)
    for encoding in ("utf-8-sig", "utf-16"):
        path = tmp_path / f"{encoding}.json"
        path.write_bytes(text.replace("\n", "\r\n").encode(encoding))
        assert verify(path).ok


def test_options_of_the_service_with_a_mark(tmp_path):
    path = tmp_path / "serve.toml"
    path.write_bytes((MARK + 'store = "none.db"\r\n').encode())
    found = run("serve", "--config", path, "--check")
    assert (found.code, found.err) == (
        2,
        "assay: none.db cannot be read: No such file or directory.\n",
    )


def test_eval_logs_with_a_mark(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(
        (MARK + '{"id": 1, "correct": true}\r\n{"id": 2, "correct": false}\r\n' * 1).encode()
    )
    assert "1 of 2 rows are wrong" in run("certify", path).out


def test_names_that_are_too_long_for_a_disk(tmp_path):
    long = tmp_path / ("x" * 300 + ".csv")
    found = run("certify", long, "--truth", "y", "--prediction", "guess")
    assert (found.code, found.err) == (2, f"assay: {long} cannot be read: File name too long.\n")
    with pytest.raises(BadData, match=r"x\.csv cannot be read: File name too long\.$"):
        read_table(long, target="y")


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "csv.zst", "parquet", "feather"])
def test_names_that_are_no_text(tmp_path, ending):
    """A disk of Linux holds any bytes; an archive from elsewhere brings names in its own encoding."""
    path = os.fsdecode(os.fsencode(tmp_path) + b"/na\xefve." + ending.encode())
    table = pa.table({"t": ["a", "b"] * 20, "p": ["a", "b"] * 20})
    with open(path, "wb") as file:
        if ending == "parquet":
            pq.write_table(table, file)
        elif ending == "feather":
            feather.write_feather(table, file)
        else:
            text = ("t,p\n" + "a,a\nb,b\n" * 20).encode()
            file.write(
                text
                if ending == "csv"
                else pa.compress(
                    text, codec={"gz": "gzip", "zst": "zstd"}[ending[4:]], asbytes=True
                )
            )
    assert len(read_table(path, target="t")) == 40
    found = run("certify", path, "--truth", "t", "--prediction", "p", "--out", tmp_path / "c.json")
    assert (found.code, found.err) == (0, "")
    assert "na\\udcefve." in found.out
