"""Keys: nothing secret is kept, what is revoked stops, and every scope opens just what it should."""

import json
import os
import re
import subprocess
import sys

import pytest

from assay.errors import BadData, BadParameter
from assay.server import keys as module
from assay.server.access import need_of
from assay.server.auth import Guard
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
from assay.server.refusals import Refusal
from tests.cli.runner import run
from tests.server.test_app import talk


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


@pytest.mark.parametrize("harm", ["damaged", "gone", "writable"])
def test_a_file_that_cannot_be_read_lets_nobody_in(tmp_path, monkeypatch, harm):
    path = tmp_path / "keys.json"
    text, key = new_key("one", ["read"])
    add_key(path, key)
    now, said = [100.0], []
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    file, held = KeyFile(path, said.append), path.read_bytes()
    if harm == "damaged":
        path.write_text("{")
    elif harm == "gone":
        path.unlink()
    else:
        path.chmod(0o666)
    now[0] += 1.0
    for _ in range(3):
        with pytest.raises(Refusal, match=r"^Keys cannot be looked up at present\.$") as caught:
            file.find(text)
        assert (caught.value.code, caught.value.status) == ("keys_failed", 503)
        assert file.problem() == "the file of keys cannot be read"
        now[0] += 1.0
    assert len(said) == 1
    assert said[0].endswith("No key works until it can be read.")
    assert text not in said[0]
    path.write_bytes(held)
    path.chmod(0o600)
    now[0] += 1.0
    assert (file.find(text), file.problem()) == (key, None)


def test_a_service_whose_keys_are_gone_says_so(tmp_path):
    path = tmp_path / "keys.json"
    text, key = new_key("one", ["admin"])
    add_key(path, key)

    async def conversation(client):
        with_key = {"Authorization": f"Bearer {text}"}
        assert (await client.get("/v1/learners", headers=with_key)).status_code == 200
        path.rename(tmp_path / "away.json")
        file._looked -= 1.0
        answer = await client.get("/healthz")
        assert (answer.status_code, answer.json()["cause"]) == (
            503,
            "the file of keys cannot be read",
        )
        assert (await client.get("/v1/learners", headers=with_key)).status_code == 503
        (tmp_path / "away.json").rename(path)
        file._looked -= 1.0
        assert (await client.get("/v1/learners", headers=with_key)).status_code == 200
        assert (await client.get("/healthz")).status_code == 200

    file = KeyFile(path)
    talk(tmp_path, conversation, authorise=Guard(file))


def test_acts_and_uses_are_written_down(tmp_path):
    path, store = tmp_path / "keys.json", tmp_path / "a.db"
    texts = {}
    for name, scopes in (("boss", ["admin"]), ("reader", ["read"]), ("idle", ["read"])):
        texts[name], key = new_key(name, scopes, days=30 if name == "boss" else None)
        add_key(path, key)
    ids = {key.name: key.id for key in read_keys(path)}

    async def conversation(client):
        boss, reader = ({"Authorization": f"Bearer {texts[who]}"} for who in ("boss", "reader"))
        bandit = {"algorithm": "ucb1", "params": {"arms": 2}}
        for name in ("one", "two"):
            assert (
                await client.put(f"/v1/learners/{name}", json=bandit, headers=boss)
            ).status_code == 201
        answer = await client.put(
            "/v1/learners/one/settings", json={"feedback_within": 9}, headers=boss
        )
        assert answer.status_code == 200
        assert (await client.delete("/v1/learners/two", headers=reader)).status_code == 403
        assert (await client.delete("/v1/learners/two", headers=boss)).status_code == 200
        assert (await client.get("/v1/learners", headers=reader)).status_code == 200
        client._transport.app.state.service._note_uses()

    talk(tmp_path, conversation, authorise=Guard(KeyFile(path)))
    acts = json.loads(run("keys", "audit", store, "--json").out)["acts"]
    assert [(act["act"], act["learner"], act["seq"]) for act in acts] == [
        ("create", "one", 1), ("create", "two", 2), ("settings", "one", 3), ("delete", "two", 4)
    ]  # fmt: skip
    assert {act["key"] for act in acts} == {ids["boss"]}
    assert {act["client"] for act in acts} == {"127.0.0.1"}
    assert f"key {ids['boss']}  127.0.0.1  delete two (event 4)" in run("keys", "audit", store).out
    listed = run("keys", "list", path, "--store", store).out.splitlines()
    assert [line.rpartition("  ")[2].startswith("used 2") for line in listed] == [True, True, False]
    assert "  until 2" in listed[0]
    assert listed[2].endswith("never used")
    held = json.loads(run("keys", "list", path, "--json", "--store", store).out)["keys"]
    assert (held[0]["expires"] > held[0]["made"], held[2]["used"]) == (True, None)


def test_a_key_ends_by_itself(tmp_path, monkeypatch):
    path, now = tmp_path / "keys.json", [2e9]
    monkeypatch.setattr(module.time, "time", lambda: now[0])
    text, key = new_key("one", ["read"], days=1)
    add_key(path, key)
    assert json.loads(path.read_text())["format"] == 2  # an earlier version would take it for ever
    keys = Keys(read_keys(path))
    assert keys.find(text) == key
    now[0] += 86400
    assert keys.find(text) is None
    with pytest.raises(BadParameter, match="days must be above zero"):
        new_key("one", ["read"], days=0)


def test_changes_keep_owner_and_mode(tmp_path):
    path = tmp_path / "keys.json"
    add_key(path, new_key("one", ["read"])[1])
    path.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(path, 12345, 12346)
    before = path.stat()
    add_key(path, new_key("two", ["read"])[1])
    revoke_key(path, read_keys(path)[0].id)
    after = path.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode, before.st_uid, before.st_gid
    )  # fmt: skip


def test_a_link_to_the_file_stays_a_link(tmp_path):
    (tmp_path / "held").mkdir()
    path = tmp_path / "keys.json"
    path.symlink_to(tmp_path / "held" / "keys.json")
    add_key(path, new_key("one", ["read"])[1])
    add_key(path, new_key("two", ["read"])[1])
    assert path.is_symlink()
    assert len(read_keys(path)) == 2


def test_no_concurrent_change_is_lost(tmp_path):
    path = tmp_path / "keys.json"
    add_key(path, new_key("first", ["read"])[1])
    code = (
        "import sys\n"
        "from assay.server.keys import add_key, new_key, revoke_key\n"
        "for n in range(40):\n"
        "    key = new_key(f'{sys.argv[2]}-{n}', ['read'])[1]\n"
        "    add_key(sys.argv[1], key)\n"
        "    if n % 2:\n"
        "        revoke_key(sys.argv[1], key.id)\n"
    )
    made = [subprocess.Popen([sys.executable, "-c", code, str(path), str(n)]) for n in range(3)]
    assert [one.wait() for one in made] == [0, 0, 0]
    names = {key.name for key in read_keys(path)}
    assert names == {"first"} | {f"{who}-{n}" for who in range(3) for n in range(0, 40, 2)}


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
        {"format": 3},
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
