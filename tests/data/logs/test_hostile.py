"""Logs of strangers: each is refused in one sentence, and none fills the memory or runs anything."""

import json
import os
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from assay import read_eval
from assay.data.logs import archive, strict_json
from assay.errors import AssayError, BadData
from tests.cli.runner import run
from tests.refusals import refuses

FIXTURES = Path(__file__).parent / "fixtures"
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><testsuites>&b;</testsuites>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuites>&a;</testsuites>'
INSPECT = json.loads((FIXTURES / "inspect.json").read_text())


def _inspect(**changes):
    return json.dumps(INSPECT | changes)


def _rescored(value):
    samples = [dict(INSPECT["samples"][0], scores={"match": {"value": value}})]
    results = INSPECT["results"] | {"total_samples": 1}
    return _inspect(samples=samples, results=results)


#: Name, text, and the sentence without the path in front of it.
REFUSED = {
    "no JSON": ("a.json", '{"eval": ', " is no JSON, or is cut off. Copy or write it again."),
    "a key twice": (
        "a.json",
        '{"status": "x", "status": "y"}',
        " names the key 'status' twice in one object. Write it again.",
    ),
    "a line cut off": (
        "a.jsonl",
        '{"id": 1, "correct": true}\n{"id": 2, "corr',
        ", line 2, is no JSON, or is cut off. Copy or write it again.",
    ),
    "a line that is no object": (
        "a.jsonl",
        '{"id": 1, "correct": true}\n[1]\n',
        " holds no JSON object in line 2. Write one object a line.",
    ),
    "deep": ("a.json", "[" * 200_000, " is nested too deeply to be read."),
    "deep line": ("a.jsonl", '{"a": ' * 200_000, ", line 1, is nested too deeply to be read."),
    "a long number": (
        "a.json",
        f'{{"a": {"9" * 5000}}}',
        " is no JSON, or is cut off. Copy or write it again.",
    ),
    "laughs": (
        "a.xml",
        LAUGHS,
        " declares a document type, which no test report needs. Remove it.",
    ),
    "entities": (
        "a.xml",
        OUTSIDE,
        " declares a document type, which no test report needs. Remove it.",
    ),
    "XML cut off": (
        "a.xml",
        '<testsuites><testsuite><testcase name="a" />',
        " is no XML, or is cut off. Write it again.",
    ),
    "no samples": ("a.xml", "<testsuites></testsuites>", " holds no samples."),
    "unfinished": (
        "a.json",
        _inspect(status="cancelled"),
        " is of an evaluation that did not succeed (status 'cancelled'); the samples that it lacks are not missing "
        "by chance. Run it to its end.",
    ),
    "invalidated": (
        "a.json",
        _inspect(invalidated=True),
        " was marked as invalid. Run the evaluation again.",
    ),
    "samples taken out": (
        "a.json",
        _inspect(samples=INSPECT["samples"][:5]),
        " says that 8 samples were evaluated, but holds 5. Write the log with all of its samples.",
    ),
    "no final report": (
        "a.jsonl",
        "".join(
            line
            for line in (FIXTURES / "openai_evals.jsonl").read_text().splitlines(True)
            if "final_report" not in line
        ),
        " has no final report: the evaluation did not end, and the samples that it lacks are not missing by chance. "
        "Run it to its end.",
    ),
    "another thing": (
        "a.json",
        '"hello"\n',
        " is neither an evaluation log nor a table known here. Logs of Inspect AI, lm-evaluation-harness, "
        "promptfoo, DeepEval, OpenAI evals, HELM, pytest (JUnit XML) and MLflow are, and CSV and JSON lines.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_one_sentence(tmp_path, case):
    name, text, sentence = REFUSED[case]
    path = tmp_path / name
    path.write_text(text)
    with refuses(f"{path}{sentence}", BadData):
        read_eval(path)
    answer = run("certify", path)
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (
            1.5,
            "{} gives sample 'q1' a score of 1.5 by 'match'; scores must lie between 0 and 1. Scale them.",
        ),
        (
            -1,
            "{} gives sample 'q1' a score of -1.0 by 'match'; scores must lie between 0 and 1. Scale them.",
        ),
        (
            10**400,
            "{} gives sample 'q1' a score of inf by 'match'; scores must lie between 0 and 1. Scale them.",
        ),
        (
            float("inf"),
            "{} gives sample 'q1' a score of inf by 'match'; scores must lie between 0 and 1. Scale them.",
        ),
        (
            float("nan"),
            "{} has no score by 'match' for 1 of 1 samples (1 without a number); to count them as wrong, say "
            "unscored='wrong'.",
        ),
        (
            ["C"],
            "{} has no score by 'match' for 1 of 1 samples (1 without a number); to count them as wrong, say "
            "unscored='wrong'.",
        ),
        (
            "brilliant",
            "{} has no score by 'match' for 1 of 1 samples (1 without a number); to count them as wrong, say "
            "unscored='wrong'.",
        ),
    ],
)
def test_scores_that_are_none(tmp_path, value, sentence):
    path = tmp_path / "a.json"
    path.write_text(_rescored(value))
    with refuses(sentence.format(path), BadData):
        read_eval(path).evidence()


def test_text_that_is_not_utf8(tmp_path):
    for name, data in {
        "a.json": b'{"a": "\xff"}',
        "b.jsonl": b'{"a": "\xff"}\n{"a": "b"}\n',
    }.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(BadData, match=r"is not UTF-8 text\. Save it as UTF-8\.$"):
            read_eval(tmp_path / name)


def test_a_bomb_is_not_unpacked(tmp_path):
    path = tmp_path / "bomb.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("header.json", b" " * (2**26 + 1))
    with refuses(f"{path} unpacks to 64 MiB in header.json, more than is taken in.", BadData):
        read_eval(path)


def test_a_member_that_lies_about_its_size_is_damaged(tmp_path):
    path = tmp_path / "liar.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("header.json", b" " * 5000)
    data = path.read_bytes().replace(struct.pack("<I", 5000), struct.pack("<I", 100))
    path.write_bytes(data)
    with refuses(f"{path} is a damaged zip archive. Copy or write it again.", BadData):
        read_eval(path)


@pytest.mark.parametrize("name", ["inspect.eval", "inspect_epochs.eval"])
def test_archives_cut_or_bent_are_refused_in_words(tmp_path, name):
    data = (FIXTURES / name).read_bytes()
    path = tmp_path / "bent.eval"
    for place in range(0, len(data), 397):
        for bent in (data[:place], data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :]):
            path.write_bytes(bent)
            try:
                read_eval(path)
            except AssayError:
                continue


@pytest.mark.parametrize("path", sorted(FIXTURES.rglob("*.json*")), ids=lambda path: path.name)
def test_documents_with_wrong_types_are_refused_in_words(tmp_path, path):
    """Every value in turn becomes something else; whatever comes of it, it is a log or a refusal."""
    lines = path.read_text().splitlines()[:2] if path.suffix == ".jsonl" else [path.read_text()]
    place = tmp_path / path.name
    for number, line in enumerate(lines):
        for changed in _bent(json.loads(line)):
            texts = [*lines[:number], json.dumps(changed), *lines[number + 1 :]]
            place.write_text("\n".join(texts) + "\n")
            try:
                read_eval(place).evidence()
            except AssayError:
                continue


def _bent(value, depth=0):
    """The document with one of its values replaced, a few levels deep."""
    if depth == 4:
        return
    yield from (None, 7, "text", [], {}, [1])
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value[:1])
        if isinstance(value, list)
        else ()
    )
    for key, part in list(items):
        for changed in _bent(part, depth + 1):
            copy = dict(value) if isinstance(value, dict) else list(value)
            copy[key] = changed
            yield copy


def test_what_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(strict_json, "MOST_BYTES", 1000)
    monkeypatch.setattr(archive, "MOST_BYTES", 2**20)
    monkeypatch.setattr(strict_json, "_LONGEST_LINE", 2**20)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(["x" * 2000]))
    with refuses(f"{path} holds more than 0 MiB, too much for one document.", BadData):
        read_eval(path)
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 1, "correct": true}\n{"a": "' + "x" * 2**20 + '"}\n')
    with refuses(f"{path} holds a line of more than 1 MiB.", BadData):
        read_eval(path)


def _helm(**changes):
    stats = [{"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": 1.0}]
    entry = {"instance_id": "a", "train_trial_index": 0, "stats": stats}
    return json.dumps([entry, entry | {"instance_id": "b"} | changes])


def test_numbers_beyond_every_count(tmp_path):
    path = tmp_path / "per_instance_stats.json"
    path.write_text(_helm(train_trial_index=2**63 - 1))
    with refuses("The attempt of sample 2 must be a count, but is 9223372036854775808.", BadData):
        read_eval(path)
    path.write_text(_helm(instance_id=10**400))
    assert len(read_eval(path).ids[1]) == 401


def test_long_names_do_not_fill_a_refusal(tmp_path):
    path = tmp_path / "per_instance_stats.json"
    name = {"name": "exact_match", "split": "x" * 100_000}
    path.write_text(_helm(stats=[{"name": name, "count": 1, "sum": 1.0}]))
    found = run("certify", path)
    assert (found.code, found.out) == (2, "")
    assert found.err == (
        f"assay: {path} holds several tasks ('test', '{'x' * 97}...'): name one, as with --task test.\n"
    )


@pytest.mark.parametrize("half", ["\\ud800", "\\udc00", "\\uDFFF x", "\\ud83d\\ud83d\\ude00"])
def test_halves_of_characters_are_spelt_out(tmp_path, half):
    path = tmp_path / "per_instance_stats.json"
    path.write_text(_helm().replace('"b"', f'"{half}"'))
    name = read_eval(path).ids[1]
    assert name.encode().decode() == name
    assert name.replace("\U0001f600", "\\ud83d\\ude00").lower() == half.lower()
    path.write_text(_helm().replace('"b"', '"\\ud83d\\ude00"'))
    assert read_eval(path).ids[1] == "\U0001f600"


def test_a_file_whose_name_is_no_text_is_refused_in_words(tmp_path):
    path = os.fsdecode(bytes(tmp_path) + b"/\xff.json")
    Path(path).write_text(_helm(), "utf-8")
    script = (
        "import sys; from assay.cli.app import main; sys.argv = ['assay', *sys.argv[1:]]; main()"
    )
    found = subprocess.run(
        [sys.executable, "-c", script, "certify", path, "--metric", "none", "--json"],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "utf-8:strict"},
    )
    assert found.returncode == 2
    assert json.loads(found.stdout)["error"].startswith(f"{path} has no metric 'none'.")
    assert found.stderr.count(b"\n") == 1


def test_a_pickle_is_not_opened(tmp_path):
    path = tmp_path / "log.pkl"
    path.write_bytes(b"\x80\x04cos\nsystem\n(S'false'\ntR.")
    with pytest.raises(BadData, match="is neither an evaluation log nor a table known here"):
        read_eval(path)
