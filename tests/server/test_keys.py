"""Keys: nothing secret is kept, what is revoked stops, and every scope opens just what it should."""

import json
import os
import re

import pytest

from assay.errors import BadData, BadParameter
from assay.server import keys as module
from assay.server.access import need_of
from assay.server.keys import (
    KeyFile,
    Keys,
    add_key,
    hash_of,
    new_key,
    read_keys,
    revoke_key,
    write_keys,
)


def test_a_key_is_found_by_its_text_alone():
    text, key = new_key("one", ["read"])
    other, _ = new_key("two", ["read"])
    keys = Keys([key])
    assert keys.find(text) is key
    for wrong in (
        other,
        "",
        "assay_",
        text[:-1],
        text + "0",
        text.upper(),
        f" {text}",
        f"{text}\n",
        text[:-1] + ("0" if text[-1] != "0" else "1"),
        "assay_" + key.id + "_" + key.hash,
        "é" * 83,
    ):
        assert keys.find(wrong) is None, wrong


def test_the_file_holds_no_secret_and_is_for_its_owner(tmp_path):
    path = tmp_path / "keys.json"
    text, key = new_key("shop", ["predict", "feedback"], ["basket"], rate=50)
    add_key(path, key)
    secret = text.rpartition("_")[2]
    assert secret not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_keys(path) == [key]
    assert os.listdir(tmp_path) == ["keys.json"]


def test_the_same_secret_with_another_salt_has_another_hash():
    assert hash_of("a" * 64, "0" * 32) != hash_of("a" * 64, "1" * 32)
    first, second = new_key("one", ["read"])[1], new_key("one", ["read"])[1]
    assert first.salt != second.salt


def test_secrets_are_compared_in_constant_time(monkeypatch):
    compared = []

    def compare(one, other):
        compared.append((one, other))
        return one == other

    monkeypatch.setattr(module.hmac, "compare_digest", compare)
    text, key = new_key("one", ["read"])
    keys = Keys([key])
    assert keys.find(text) is key
    assert keys.find("assay_" + "0" * 12 + "_" + "0" * 64) is None
    assert len(compared) == 2  # an unknown id is compared too
    assert all(len(one) == len(other) == 64 for one, other in compared)


def test_a_revoked_key_stops_and_a_new_one_begins(tmp_path, monkeypatch):
    path = tmp_path / "keys.json"
    text, key = new_key("one", ["read"])
    add_key(path, key)
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    file = KeyFile(path)
    assert file.find(text) == key
    second_text, second = new_key("two", ["admin"])
    add_key(path, second)
    assert revoke_key(path, key.id) == key
    assert file.find(text) == key  # not looked at again yet
    now[0] += 1.0
    assert file.find(text) is None
    assert file.find(second_text) == second


def test_a_damaged_file_leaves_the_keys_that_were_known(tmp_path, monkeypatch):
    path = tmp_path / "keys.json"
    text, key = new_key("one", ["read"])
    add_key(path, key)
    now, said = [100.0], []
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    file = KeyFile(path, said.append)
    path.write_text("{")
    now[0] += 1.0
    assert file.find(text) == key
    assert len(said) == 1
    assert said[0].endswith("The keys known so far go on working.")
    assert text not in said[0]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("", ["read"]), "The key's name must be 1 to 100 visible characters, but is ''."),
        (("a", []), "A key must have a scope: read, predict, feedback, admin."),
        (("a", ["all"]), "scope must be one of read, predict, feedback, admin, but is 'all'."),
        (("a", ["read"], ["../x"]), "learner must be the name of a learner, but is '../x'."),
        (("a", ["read"], None, 0), "rate must be requests a second above zero, but is 0."),
    ],
)
def test_what_no_key_can_be(arguments, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        new_key(*arguments)


def test_files_that_are_refused(tmp_path):
    path = tmp_path / "keys.json"
    with pytest.raises(BadData, match="cannot be read: No such file"):
        read_keys(path)
    write_keys(path, [])
    with pytest.raises(BadData, match="holds no key"):
        KeyFile(path)
    _, key = new_key("one", ["read"])
    write_keys(path, [key])
    with pytest.raises(BadData, match="holds no key with the id 'nobody'"):
        revoke_key(path, "nobody")
    held = json.loads(path.read_text())
    for change in (
        {"format": 2},
        {"more": 1},
        {"keys": [held["keys"][0] | {"hash": "0"}]},
        {"keys": [held["keys"][0] | {"scopes": ["everything"]}]},
        {"keys": [held["keys"][0] | {"scopes": []}]},
        {"keys": [held["keys"][0] | {"secret": "x"}]},
    ):
        path.write_text(json.dumps(held | change))
        with pytest.raises(BadData):
            read_keys(path)
    path.write_text(json.dumps(held))
    path.chmod(0o620)
    with pytest.raises(BadData, match="can be written by others"):
        read_keys(path)


@pytest.mark.parametrize(
    ("method", "path", "scope", "learner"),
    [
        ("POST", "/v1/learners/a/predict", "predict", "a"),
        ("POST", "/v1/learners/a/feedback", "feedback", "a"),
        ("GET", "/v1/learners/a/predict", "read", "a"),
        ("PUT", "/v1/learners/a/predict", "admin", "a"),
        ("POST", "/v1/learners/a/predict/", "admin", "a"),
        ("POST", "/v1/learners/a/x/predict", "admin", "a"),
        ("PUT", "/v1/learners/a", "admin", "a"),
        ("DELETE", "/v1/learners/a", "admin", "a"),
        ("PUT", "/v1/learners/a/settings", "admin", "a"),
        ("GET", "/v1/learners/a/certificate", "read", "a"),
        ("GET", "/v1/learners", "read", None),
        ("GET", "/v1/learners/", "read", None),
        ("GET", "/metrics", "read", None),
        ("GET", "/anything", "read", None),
        ("POST", "/anything", "admin", None),
        ("POST", "/healthz", "admin", None),
        ("OPTIONS", "/v1/learners/a", "admin", "a"),
        ("GET", "/healthz", None, None),
        ("GET", "/static/page.js", None, None),
        ("GET", "/static/../metrics", "read", None),
        ("GET", "", "read", None),
    ],
)
def test_what_a_request_needs(method, path, scope, learner):
    assert need_of(method, path)[:2] == (scope, learner)
