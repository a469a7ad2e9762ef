"""The description says which key an operation needs, what comes by lines and when to ask again; generators take it."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.server.access import need_of
from assay.server.auth import Guard
from assay.server.keys import Keys, new_key
from tests.server.processes import Forked
from tests.server.test_app import talk
from tests.server.test_security import Asked

LINES = "application/x-ndjson"
_GENERATE = """
from openapi_python_client.cli import app
app(["generate", "--meta", "none", "--fail-on-warning", *__import__("sys").argv[1:]])
"""
BY_LINES = ("predict", "feedback", "rank", "reward", "activate")


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    """As a service with keys describes itself, and one without."""
    _, key = new_key("one", ["read"])
    held = []
    for guard in (Guard(Keys([key])), Guard()):
        with Asked(tmp_path_factory.mktemp("described"), guard) as asked:
            held.append(asked.app.openapi())
    return held


def operations(description):
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_operations_say_which_key_they_need(described):
    with_keys, without = described
    assert list(with_keys["components"]["securitySchemes"]) == ["key"]
    assert with_keys["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    scopes = set()
    for path, method, operation in operations(with_keys):
        scope = need_of(method.upper(), path).scope
        assert operation["security"] == ([] if scope is None else [{"key": [scope]}]), path
        scopes.add(scope)
    assert scopes == {None, "read", "predict", "feedback", "admin"}
    for path, _, operation in operations(without):
        assert operation["security"] in ([], [{}, *operation["security"][1:]]), path


def test_what_comes_by_lines_is_described(described):
    found = {
        operation["operationId"]
        for _, _, operation in operations(described[0])
        if LINES in operation.get("requestBody", {}).get("content", ())
        and LINES in operation["responses"]["200"]["content"]
    }
    assert found == {*BY_LINES}


def test_refusals_say_when_to_ask_again_and_how(described):
    for path, _, operation in operations(described[0]):
        answers = operation["responses"]
        assert answers["429"]["headers"]["Retry-After"]["required"], path
        assert answers["401"]["headers"]["WWW-Authenticate"]["required"]
        if "Error" in str(answers["503"]):
            assert answers["503"]["headers"]["Retry-After"]["required"]


def test_they_do(tmp_path):
    text, key = new_key("one", ["read"])
    with Asked(tmp_path, Guard(Keys([key]))) as asked:
        assert asked("GET", "/v1/learners")[1][b"www-authenticate"] == b"Bearer"
        asked.app.state.service.engine._broken = OSError("full")
        status, headers, _ = asked("GET", "/v1/learners", key=text)
        assert (status, headers[b"retry-after"]) == (503, b"1")
        asked.app.state.service.engine._broken = None


def test_a_wrong_method_gets_all_right_ones(tmp_path):
    async def conversation(client):
        for path, allowed in (
            ("/v1/learners/a", "DELETE, GET, PUT"),
            ("/healthz", "GET, HEAD"),
            ("/v1/learners/a/predict", "POST"),
        ):
            answer = await client.request("PATCH", path)
            assert (answer.status_code, answer.headers["allow"]) == (405, allowed)

    talk(tmp_path, conversation)


def test_lines_are_left_out_for_those_who_do_not_know_them(tmp_path):
    async def conversation(client):
        whole = (await client.get("/openapi.json")).json()
        plain = (await client.get("/openapi.json?bodies=json")).json()
        assert LINES in str(whole)
        assert plain["paths"].keys() == whole["paths"].keys()
        assert [i for _, _, i in operations(plain)] != [i for _, _, i in operations(whole)]
        assert LINES not in str(plain)
        answer = await client.get("/openapi.json?bodies=xml")
        assert answer.json()["error"]["message"] == "bodies must be json, but is 'xml'."

    talk(tmp_path, conversation)


# Generators


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """What openapi-python-client makes of the description, where a warning is an error; and a service with keys."""
    pytest.importorskip("openapi_python_client", reason="belongs to the extra `peers`")
    folder = tmp_path_factory.mktemp("generated")
    asked = [sys.executable, "-m", "assay", "keys", "new", str(folder / "keys.json"), "--name", "a"]
    done = subprocess.run([*asked, "--scope", "admin"], capture_output=True, text=True, check=True)
    server = Forked(folder / "a.db", keys=folder / "keys.json")
    assert server.ready(), server.output()
    url = f"http://127.0.0.1:{server.port}"
    target = ("--output-path", str(folder / "generated_assay"))
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    made = subprocess.run(
        [sys.executable, "-c", _GENERATE, "--url", f"{url}/openapi.json?bodies=json", *target],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    assert "WARNING" not in made.stdout + made.stderr
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("generated_assay"), url, done.stdout.strip()
    finally:
        sys.path.remove(str(folder))
        server.terminate()
        assert server.wait() == 0


def test_a_generated_client_predicts_and_is_told(generated):
    package, url, key = generated

    def part(name):
        return importlib.import_module(f"{package.__name__}.{name}")

    held = package.AuthenticatedClient(base_url=url, token=key)
    with held as client, package.Client(base_url=url) as stranger:
        models = part("models")
        definition = models.LearnerBody.from_dict(
            {"algorithm": "perceptron", "classes": ["ham", "spam"], "features": 2}
        )
        made = part("api.learners.create").sync(client=client, name="it", body=definition)
        assert (made.name, made.kind) == ("it", "classifier")
        ask = models.Ask.from_dict({"x": [1.0, 2.0], "trial": "a"})
        answer = part("api.trials.predict").sync(client=client, name="it", body=ask)
        assert (answer.trial, answer.prediction) == ("a", "spam")
        many = [ask.to_dict() | {"trial": "b"}, {"speed": 3}]
        one, other = part("api.trials.predict").sync(client=client, name="it", body=many)
        assert (one.trial, other.status) == ("b", 422)
        told = part("api.trials.feedback").sync(
            client=client, name="it", body=models.Tell.from_dict({"trial": "a", "label": "ham"})
        )
        assert (told.applied, told.mistake) == (True, True)
        rows = part("api.learners.export").sync_detailed(client=client, name="it").content
        assert [json.loads(row)["trial"] for row in rows.splitlines()] == ["a", "b"]
        refused = part("api.learners.learners").sync_detailed(client=stranger)
        assert (refused.status_code, refused.parsed.error.code) == (401, "not_allowed")
        assert part("api.service.health").sync(client=stranger).ready
