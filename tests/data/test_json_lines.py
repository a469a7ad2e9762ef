"""JSON lines: one object a row, read the same for promises and for learners."""

from __future__ import annotations

import gzip
import json

import pytest

from assay import certify, read_table
from assay.certificates.issue.evidence_sources import from_table
from assay.data.table import open_table
from assay.errors import BadData

ROWS = [
    {"size": i / 2, "kind": "ham" if i % 3 else "spam", "guess": "ham", "flag": i % 2 == 0}
    for i in range(30)
]


def written(path, rows=ROWS):
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


@pytest.mark.parametrize("name", ["t.jsonl", "t.ndjson", "t.jsonl.gz"])
def test_promises_are_those_of_the_columns(name, tmp_path):
    found = from_table(written(tmp_path / name), truth="kind", prediction="guess")
    truth, guess = ([row[column] for row in ROWS] for column in ("kind", "guess"))
    assert found.errors == 10
    assert found.data == "sha256:" + certify(y_true=truth, y_pred=guess).document["data"]["sha256"]


def test_learners_read_them(tmp_path):
    path = written(
        tmp_path / "t.jsonl", [{"size": 1, "kind": "ham", "guess": "ham", "flag": True}, *ROWS]
    )
    assert open_table(path).columns == ("size", "kind", "guess", "flag")
    examples = read_table(path, target="kind", columns=["size", "flag"])
    assert examples.X[:3].tolist() == [[1, 1], [0, 1], [0.5, 0]]
    parts = list(read_table(path, target="kind", columns=["size"], chunk_rows=7))
    assert sum(map(len, parts)) == 31


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("\n\n", "holds only blank lines."),
        ("[1]\n", "holds no JSON object in row 1. Write one object a line."),
        ('{"y": 1, "p": 1}\n{"y": 1,\n', "holds no JSON object in row 2. Write one object a line."),
        (
            '{"y": [1], "p": 1}\n',
            "holds a list in column 'y', row 1; a column holds text, numbers or truth values.",
        ),
    ],
)
def test_what_is_no_table_is_refused(text, sentence, tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(text)
    with pytest.raises(BadData) as caught:
        from_table(path, truth="y", prediction="p")
    assert str(caught.value) == f"{path} {sentence}"


def test_what_a_row_leaves_out_is_missing(tmp_path):
    path = written(tmp_path / "t.jsonl", [{"y": 1, "p": 1}, {"y": 1}])
    with pytest.raises(BadData, match="p has no value in row 2"):
        from_table(path, truth="y", prediction="p")
