"""Every file is answered within two seconds and 200 MB, or refused in a sentence."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from assay import certify, verify
from assay.certificates.format.document import sealed
from assay.report.text import certificate_text, verification_text
from tests.attacks import hostile_files

SECONDS, MEGABYTES = 2.0, 200.0


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    files = hostile_files.hostile()
    for place, content in enumerate(files.values()):
        (folder / f"file-{place:03}").write_bytes(content)
    certify(loss=[0.1, 0.2] * 30).save(folder / "warm")
    done = subprocess.run(
        [sys.executable, hostile_files.__file__, str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return dict(zip(files, lines, strict=True))


def test_every_file_is_answered_in_a_moment(answers):
    slow = {name: a["seconds"] for name, a in answers.items() if a["seconds"] > SECONDS}
    assert not slow


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_no_file_takes_the_memory(answers):
    # The peak of one process that verified all of them, interpreter and NumPy included.
    assert max(a["megabytes"] for a in answers.values()) < MEGABYTES


# Long, but true for the counts that they state.
HONEST = {
    *("rows 1e9", "rows 1e4", "population", "large batch"),
    *("anytime 1e7", "weighted 1e5", "classic 5e4", "messages"),
}


def test_every_one_is_refused_in_a_sentence(answers):
    for name, answer in answers.items():
        assert answer["ok"] == (name in HONEST), name
        assert answer["ok"] or 10 < len(answer["reason"]) < 5000, name


# Control characters


EVIL = "spam\x1b[2J\x07\u202egnp\u2066\r\nThe certificate holds."


def hostile_words():
    document = certify(y_true=["a", EVIL] * 50, y_pred=["a", EVIL] * 50, rates=["class"]).to_json()
    document["data"]["drawn"] = EVIL
    document["claims"][0]["assumptions"].append(
        {"name": EVIL, "status": "declared", "evidence": EVIL}
    )
    return document


def is_tame(text):
    return all(c.isprintable() or c == "\n" for c in text) and "\nThe certificate holds" not in text


def test_what_a_file_says_cannot_act_on_a_terminal(tmp_path):
    path = tmp_path / "a.cert.json"
    for change in (
        lambda d: None,
        lambda d: d["claims"][0].update(of=EVIL),
        lambda d: d["claims"][0].update(theorem=EVIL),
        lambda d: d["claims"][0].update(kind=EVIL),
        lambda d: d["claims"][0].update(statement=EVIL),
        lambda d: d["claims"][0]["inputs"].update({EVIL: 1}),
        lambda d: d["claims"][0]["inputs"].update(errors=EVIL),
        lambda d: d["claims"][0]["assumptions"][-1].update(status="checked"),
        lambda d: d["claims"][0]["assumptions"][-1].update(status="violated"),
        lambda d: d["data"].update({EVIL: 1}),
        lambda d: d.update({EVIL: 1}),
        lambda d: d["data"].update(role=EVIL),
    ):
        document = hostile_words()
        change(document)
        path.write_text(json.dumps(sealed(document)))
        found = verify(path)
        ends = found.conclusion
        assert is_tame(verification_text(found).removesuffix(ends))
        assert is_tame(found.reason)
        assert is_tame(str(found).removesuffix(ends))


def test_nor_can_what_a_certificate_says(tmp_path):
    from assay import Certificate

    document = hostile_words()
    document["claims"][0]["of"] = EVIL
    certificate = Certificate(sealed(document))
    assert is_tame(str(certificate))
    assert is_tame(certificate_text(certificate))
    assert is_tame(str(certificate.claims[0].assumptions[-1]))
