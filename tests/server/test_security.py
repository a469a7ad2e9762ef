"""Who gets in, what browsers are told, and what is never written down; asked without sockets."""

import asyncio
import io
import json
import logging
import re
import sys

import pytest

from assay.errors import BadParameter
from assay.server.app import create_app
from assay.server.auth import Guard
from assay.server.headers import PAGE_POLICY, secured
from assay.server.hosts import known_hosts, require_keys
from assay.server.keys import Keys, new_key
from assay.server.limits import Limits
from assay.server.request_log import JsonLines, RequestLog
from tests.cli.runner import run

LEARNER = {"algorithm": "perceptron", "classes": [0, 1], "features": 2}
ALL_TEXT, ALL = new_key("operator", ["admin"])
READ_TEXT, READ = new_key("dashboard", ["read"])
ASK_TEXT, ASK = new_key("shop", ["predict"], ["a"])
TELL_TEXT, TELL = new_key("back office", ["feedback", "read"], ["a"])
KEYS = Keys([ALL, READ, ASK, TELL])


class Asked:
    """An application and a short way to ask it."""

    def __init__(self, folder, guard, limits=None, log=None):
        self.app = create_app(folder / "assay.db", authorise=guard, limits=limits, requests=log)

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.app.state.service.engine.close()

    def __call__(
        self, method, path, body=None, key=None, client="127.0.0.1", parts=None, **headers
    ):
        raw = (
            b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        )
        given = {"host": "127.0.0.1:8000", "content-type": "application/json"} | headers
        if key is not None:
            given["authorization"] = f"Bearer {key}"
        if parts is None:
            given.setdefault("content-length", str(len(raw)))
        pieces = [raw] if parts is None else list(parts)
        sent = []

        async def receive():
            piece = pieces.pop(0)
            return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

        async def send(message):
            sent.append(message)

        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "scheme": "http",
            "headers": [(n.replace("_", "-").encode(), v.encode()) for n, v in given.items()],
            "client": (client, 5000),
            "server": ("127.0.0.1", 8000),
        }
        asyncio.run(self.app(scope, receive, send))
        text = b"".join(message.get("body", b"") for message in sent[1:])
        return sent[0]["status"], dict(sent[0]["headers"]), text


@pytest.fixture
def keyed(tmp_path):
    with Asked(tmp_path, Guard(KEYS)) as asked:
        for name in "ab":
            assert asked("PUT", f"/v1/learners/{name}", LEARNER, ALL_TEXT)[0] == 201
        yield asked


def every_route(asked):
    for path, operations in asked.app.openapi()["paths"].items():
        for method in operations:
            yield method.upper(), path.replace("{name}", "a")


def open_routes(asked):
    """The routes that answer without a key, anything but 401."""
    return {
        path
        for method, path in every_route(asked)
        if asked(method, path, {}, client=path)[0] != 401
    }


def test_every_route_needs_a_key_but_health(keyed):
    assert open_routes(keyed) == {"/healthz", "/healthz/live"}
    assert keyed("GET", "/nowhere")[0] == 401


def test_a_guard_without_keys_would_be_caught(tmp_path):
    with Asked(tmp_path, Guard(None)) as asked:
        assert len(open_routes(asked)) > 2


@pytest.mark.parametrize(
    "key",
    ["", "x", ALL_TEXT[:-1], ALL_TEXT.replace("assay", "other")],
    ids=["empty", "short", "cut", "other"],
)
def test_a_wrong_key_is_no_key(keyed, key):
    status, headers, text = keyed("GET", "/v1/learners", key=key)
    assert status == 401
    assert headers[b"www-authenticate"] == b"Bearer"
    assert json.loads(text)["error"]["code"] == "not_allowed"
    assert keyed("GET", "/healthz", key=key)[0] == 401  # one who comes with a key means it


def test_only_bearers_are_read(keyed):
    assert keyed("GET", "/v1/learners", authorization=f"bearer {ALL_TEXT}")[0] == 200
    assert keyed("GET", "/v1/learners", authorization=f"Basic {ALL_TEXT}")[0] == 401
    assert keyed("GET", "/v1/learners", authorization=ALL_TEXT)[0] == 401


def test_scopes_and_learners(keyed):
    ask, told = {"x": [1, 2]}, {"label": 1}
    status, _, text = keyed("POST", "/v1/learners/a/predict", ask, ASK_TEXT)
    assert status == 200
    told["trial"] = json.loads(text)["trial"]
    for key, method, path, body, status in (
        (ASK_TEXT, "POST", "/v1/learners/a/feedback", told, 403),
        (ASK_TEXT, "POST", "/v1/learners/b/predict", ask, 403),
        (ASK_TEXT, "POST", "/v1/learners/nobody/predict", ask, 403),
        (ASK_TEXT, "GET", "/v1/learners/a", None, 403),
        (TELL_TEXT, "POST", "/v1/learners/a/predict", ask, 403),
        (TELL_TEXT, "POST", "/v1/learners/a/feedback", told, 200),
        (TELL_TEXT, "GET", "/v1/learners/a", None, 200),
        (TELL_TEXT, "GET", "/v1/learners/b", None, 403),
        (TELL_TEXT, "GET", "/metrics", None, 403),
        (READ_TEXT, "GET", "/metrics", None, 200),
        (READ_TEXT, "PUT", "/v1/learners/c", LEARNER, 403),
        (READ_TEXT, "DELETE", "/v1/learners/a", None, 403),
        (READ_TEXT, "PUT", "/v1/learners/a/settings", {}, 403),
        (ALL_TEXT, "POST", "/v1/learners/b/predict", ask, 200),
        (ALL_TEXT, "DELETE", "/v1/learners/b", None, 200),
    ):
        assert keyed(method, path, body, key)[0] == status, (key, method, path)


def test_a_list_holds_only_what_a_key_is_for(keyed):
    def names(key):
        return [
            one["name"] for one in json.loads(keyed("GET", "/v1/learners", key=key)[2])["learners"]
        ]

    assert names(READ_TEXT) == ["a", "b"]
    assert names(TELL_TEXT) == ["a"]


def test_hosts_and_pages_of_others(tmp_path):
    with Asked(tmp_path, Guard(None, known_hosts("127.0.0.1", ("models.local",)))) as asked:
        for host in ("127.0.0.1", "localhost:8000", "LOCALHOST", "[::1]:8000", "models.local:80"):
            assert asked("GET", "/v1/learners", host=host)[0] == 200, host
        for host in ("evil.example", "127.0.0.1.evil.example", "", "localhost.evil:8000", "[::2]"):
            assert asked("GET", "/v1/learners", host=host)[0] == 403, host
        assert asked("PUT", "/v1/learners/a", LEARNER, origin="http://127.0.0.1:8000")[0] == 201
        for headers in (
            {"origin": "http://evil.example"},
            {"origin": "null"},
            {"origin": "http://127.0.0.1:9999"},
            {"sec_fetch_site": "cross-site"},
        ):
            assert asked("PUT", "/v1/learners/a", LEARNER, **headers)[0] == 403, headers
            assert asked("POST", "/v1/learners/a/predict", {"x": [1, 2]}, **headers)[0] == 403
        assert asked("GET", "/v1/learners", sec_fetch_site="cross-site")[0] == 200  # a link


def test_other_machines_only_with_keys():
    for host in ("127.0.0.1", "127.8.8.8", "localhost", "::1", "[::1]"):
        require_keys(host, None)
    for host in ("0.0.0.0", "::", "10.0.0.1", "models.local", ""):
        require_keys(host, "keys.json")
        with pytest.raises(
            BadParameter, match=re.escape(f"unless --keys is given, but is {host!r}")
        ):
            require_keys(host, None)


def test_the_command_refuses_to_start_without_keys(tmp_path):
    found = run("serve", "--store", tmp_path / "assay.db", "--host", "0.0.0.0")
    assert found.code == 2
    assert found.err == (
        "assay: --host must be a loopback address unless --keys is given, but is '0.0.0.0': anyone who "
        "reaches it could read, teach and delete learners. Make a key with `assay keys new FILE`, and "
        "start with --keys FILE.\n"
    )
    assert not (tmp_path / "assay.db").exists()


def test_the_command_for_keys(tmp_path):
    file = tmp_path / "keys.json"
    made = run("keys", "new", file, "--name", "shop", "--scope", "predict", "--learner", "a")
    text = made.out.strip()
    assert made.code == 0
    assert re.fullmatch("assay_[0-9a-f]{12}_[0-9a-f]{64}", text)
    listed = run("keys", "list", file)
    assert text.split("_")[1] in listed.out
    assert text not in listed.out
    [one] = json.loads(run("keys", "list", file, "--json").out)["keys"]
    assert (one["scopes"], one["learners"]) == (["predict"], ["a"])
    assert run("keys", "revoke", file, one["id"]).code == 0
    assert run("keys", "list", file).out == ""
    assert run("keys", "revoke", file, one["id"]).code == 2


def test_every_answer_has_its_headers(keyed):
    for method, path, key in (
        ("GET", "/healthz", None),
        ("GET", "/metrics", ALL_TEXT),
        ("GET", "/v1/learners", None),
        ("GET", "/nowhere", ALL_TEXT),
        ("POST", "/v1/learners/a/predict", ALL_TEXT),
        ("PATCH", "/v1/learners/a", ALL_TEXT),
    ):
        _, headers, _ = keyed(method, path, key=key)
        assert headers[b"x-content-type-options"] == b"nosniff", path
        assert headers[b"cache-control"] == b"no-store", path
        assert headers[b"content-security-policy"].startswith(b"default-src 'none';"), path
        assert b"access-control-allow-origin" not in headers, path


def test_pages_run_no_script_that_stands_in_them():
    found = dict(secured([(b"content-type", b"text/html; charset=utf-8")]))
    assert found[b"content-security-policy"] == PAGE_POLICY
    assert b"unsafe" not in PAGE_POLICY
    assert b"frame-ancestors 'none'" in PAGE_POLICY
    assert found[b"referrer-policy"] == b"no-referrer"


def test_rates(tmp_path):
    slow_text, slow = new_key("slow", ["read"], rate=1)
    limits, now = Limits(rate=3.0, burst=1.0, stranger_rate=1.0, stranger_burst=2.0), [0.0]
    guard = Guard(Keys([READ, slow]), limits=limits, clock=lambda: now[0])
    with Asked(tmp_path, guard, limits) as asked:

        def statuses(count, **terms):
            return [asked("GET", "/v1/learners", **terms)[0] for _ in range(count)]

        assert statuses(4, key=READ_TEXT) == [200, 200, 200, 429]
        assert statuses(2, key=slow_text) == [200, 429]
        assert statuses(3, client="10.0.0.1") == [401, 401, 429]
        assert statuses(1, client="10.0.0.2") == [401]
        now[0] += 1.0
        assert statuses(1, client="10.0.0.1", key=READ_TEXT) == [200]  # a guesser locks out nobody
        assert statuses(2, key=slow_text) == [200, 429]
        status, headers, text = asked("GET", "/v1/learners", key=slow_text)
        assert (status, headers[b"retry-after"]) == (429, b"1")
        assert json.loads(text)["error"]["code"] == "too_many"


def test_addresses_are_counted_where_there_are_no_keys(tmp_path):
    guard = Guard(None, limits=Limits(rate=1.0, burst=1.0), clock=lambda: 0.0)
    with Asked(tmp_path, guard) as asked:
        found = [asked("GET", "/healthz", client="10.0.0.1")[0] for _ in range(2)]
        assert found == [200, 429]
        assert [asked("GET", "/healthz", client="127.0.0.1")[0] for _ in range(3)] == [200] * 3


def test_what_is_too_much(tmp_path):
    limits = Limits(body=2000, width=3, learners=1, rows=2)
    with Asked(tmp_path, Guard(None), limits) as asked:
        assert asked("PUT", "/v1/learners/a", LEARNER | {"features": 4})[0] == 422
        assert (
            asked("PUT", "/v1/learners/a", {"algorithm": "perceptron", "classes": [0, 1]})[0] == 201
        )
        assert asked("PUT", "/v1/learners/b", LEARNER)[0] == 429
        path = "/v1/learners/a/predict"
        assert asked("POST", path, {"x": [1, 2, 3]})[0] == 200
        assert asked("POST", path, {"x": [1, 2, 3, 4]})[0] == 422
        assert asked("POST", path, {"rows": [[1], [2], [3]]})[0] == 422
        assert asked("POST", path, [{"x": [1]}] * 3)[0] == 413
        assert asked("POST", path, b" " * 2001)[0] == 413
        assert asked("POST", path, parts=[b" " * 1500, b" " * 501])[0] == 413
        assert asked("PUT", "/v1/learners/a", b" " * 2001)[0] == 413
        assert asked("PUT", "/v1/learners/a", parts=[b" " * 1500, b" " * 501])[0] == 413


def test_the_log_names_trials_and_holds_no_secret(tmp_path):
    out = io.StringIO()
    log = RequestLog(out)
    with Asked(tmp_path, Guard(KEYS), log=log) as asked:
        asked("PUT", "/v1/learners/a", LEARNER, ALL_TEXT)
        _, _, text = asked("POST", "/v1/learners/a/predict", {"x": [12345, 67890]}, ASK_TEXT)
        asked("POST", "/v1/learners/a/predict", {"x": "12345"}, ASK_TEXT)
        asked("GET", '/v1/"\n{', key=ALL_TEXT[:-1] + "x")
    log.close()
    trial = json.loads(text)["trial"]
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line["status"] for line in lines] == [201, 200, 422, 401]
    assert [line.get("trial") for line in lines] == [None, trial, None, None]
    assert [line.get("key") for line in lines] == [ALL.id, ASK.id, ASK.id, None]
    assert lines[3]["path"] == '/v1/"\n{'
    for secret in (ALL_TEXT, ASK_TEXT, ASK_TEXT.rpartition("_")[2], ALL_TEXT[:-1], "12345"):
        assert secret not in out.getvalue()


def test_the_log_of_refusals_alone_and_of_too_much(tmp_path, monkeypatch):
    out = io.StringIO()
    log = RequestLog(out, all=False)
    scope = {"method": "GET"}
    log.note(scope, "/", 200, 0.1)
    monkeypatch.setattr("assay.server.request_log._MOST", 2)
    for _ in range(5):
        log.note(scope, "/", 503, 0.1)
    log.close()
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert {line["level"] for line in lines} <= {"error", "warning"}
    said = sum(int(line["message"].split()[0]) for line in lines if "message" in line)
    assert said + sum("status" in line for line in lines) == 5


def test_an_error_is_logged_by_its_place_not_its_text():
    try:
        raise ValueError("the body was 12345")
    except ValueError:
        info = sys.exc_info()
    record = logging.LogRecord("assay", logging.ERROR, "", 0, "%s failed", ("GET\n/",), info)
    line = JsonLines().format(record)
    assert "\n" not in line
    assert "12345" not in line
    assert json.loads(line)["error"] == "ValueError"
    assert "test_security.py" in json.loads(line)["frames"][0]
