"""What odd requests, clients that go away and odd servers must not bring about."""

import asyncio
import http.server
import logging
import threading

import pytest

from assay.client import Client, ServiceRefused
from assay.client.refused import refused_with
from assay.client.terms import pause
from assay.errors import BadData, BadParameter, Where
from assay.server import routes as routes_module
from assay.server import service as service_module
from assay.server.auth import Guard
from assay.server.engine.definition import refused
from assay.server.engine.requests import encode
from assay.server.keys import Keys, new_key, read_keys, write_keys
from assay.server.middleware import path_below
from tests.cli.runner import run
from tests.server.test_app import SPAM, talk
from tests.server.test_security import Asked


@pytest.fixture
def asked(tmp_path):
    with Asked(tmp_path, Guard()) as found:
        yield found


@pytest.mark.parametrize("path", ["*", ""])
def test_paths_without_a_slash_are_counted_like_others(asked, path):
    assert asked("OPTIONS", path)[0] == 404
    assert b'assay_requests_total{route="other",status="404"} 1' in asked("GET", "/metrics")[2]


@pytest.mark.parametrize("path", ["/healthz", "/healthz/live"])
def test_health_can_be_asked_for_its_head(asked, path):
    assert asked("HEAD", path)[0] == 200
    assert "head" not in asked.app.openapi()["paths"][path]


def test_a_slash_at_the_end_leads_nowhere(asked):
    status, headers, _ = asked("GET", "/v1/learners/", host="evil.example")
    assert status == 404
    assert b"location" not in headers


def test_a_length_of_thousands_of_digits_is_too_large(asked):
    given = {"content-length": "9" * 5000}
    assert asked("PUT", "/v1/learners/a", SPAM, **given)[0] == 413


@pytest.mark.parametrize(
    ("root", "path", "found"),
    [("/at", "/at/v1", "/v1"), ("/at", "/at", ""), ("/at", "/atv1", "/atv1"), ("", "/v1", "/v1")],
)
def test_the_path_is_that_of_the_router(root, path, found):
    assert path_below({"path": path, "root_path": root}) == found


def test_a_client_that_has_gone_is_no_error(asked, caplog):
    async def send(message):
        raise RuntimeError("unable to perform operation on <TCPTransport>; the handler is closed")

    async def receive():
        return {"type": "http.request", "body": b"{}", "more_body": False}

    scope = {"type": "http", "method": "GET", "headers": [], "root_path": "", "query_string": b""}
    for method, path in [("GET", "/healthz"), ("POST", "/v1/learners/a/predict")]:
        asyncio.run(asked.app(scope | {"method": method, "path": path}, receive, send))
    assert not [line for line in caplog.records if line.levelno >= logging.ERROR]
    assert b'status="499"} 1' in asked("GET", "/metrics")[2]


def test_an_event_stream_ends_with_its_key(tmp_path, monkeypatch):
    monkeypatch.setattr(routes_module, "_ALLOWED_S", 0.0)
    monkeypatch.setattr(routes_module, "_EVENT_S", 0.01)
    text, key = new_key("watcher", ["admin"])
    keys = Keys([key])
    sent = []

    async def conversation(client):
        header = {"Authorization": f"Bearer {text}"}
        assert (await client.put("/v1/learners/a", json=SPAM, headers=header)).status_code == 201
        asking = asyncio.create_task(client.get("/v1/learners/a/events", headers=header))
        await asyncio.sleep(0.1)
        assert not asking.done()
        keys._keys.clear()
        sent.append(await asyncio.wait_for(asking, 5))

    talk(tmp_path, conversation, authorise=Guard(keys))
    assert sent[0].status_code == 200
    assert sent[0].text.startswith("event: standing")


def test_care_goes_on_after_an_error(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(service_module, "_SWEEP_S", 0.001)
    turns = []

    async def conversation(client):
        def sweep(busy):
            turns.append(1)
            raise ValueError

        monkeypatch.setattr(client._transport.app.state.service.engine, "sweep", sweep)
        async with asyncio.timeout(5):
            while len(turns) < 3:
                await asyncio.sleep(0.005)

    talk(tmp_path, conversation)
    assert "goes on" in caplog.text


@pytest.mark.parametrize("rate", [0.0, -1.0])
def test_a_file_with_a_rate_that_no_key_can_have(tmp_path, rate):
    _, key = new_key("one", ["read"])
    write_keys(tmp_path / "keys", [type(key)(key.id, "a", ["read"], key.salt, key.hash, rate=rate)])
    with pytest.raises(BadData, match="is damaged"):
        read_keys(tmp_path / "keys")


def test_the_command_refuses_a_folder_and_no_port(tmp_path):
    for store in ("/", str(tmp_path)):
        found = run("serve", "--store", store)
        assert found.code == 2
        assert "is a folder" in found.err
    assert run("serve", "--port", "99999").code == 2


# The client


@pytest.mark.parametrize("key", ["secret\n", " secret", "sécret", "sec ret"])
def test_a_key_that_cannot_travel_is_not_quoted(key):
    with pytest.raises(BadParameter, match=r"^key must be visible ASCII") as no:
        Client("http://localhost", key)
    assert "ret" not in str(no.value)


def test_a_port_that_is_none():
    with pytest.raises(BadParameter, match="port"):
        Client("http://localhost:99999")


def test_what_is_no_json_is_refused_before_it_is_sent():
    learner = Client("http://127.0.0.1:1", retries=0).learner("a")
    for x in ([float("nan")], object()):
        with pytest.raises(BadParameter, match="cannot be written as JSON"):
            learner.predict(x)
    with pytest.raises(ServiceRefused, match="cannot be reached"):
        next(learner.events())


def test_the_client_waits_as_long_as_it_is_told_up_to_its_own_limit():
    waits = [pause(0, "2") for _ in range(50)]
    assert min(waits) >= 2
    assert max(waits) <= 3
    waits = [pause(0, wanted) for wanted in ("999999", "9" * 400, "²", "-1", "soon", "", None)]
    assert max(waits) <= 7.5
    assert max(waits[2:]) <= 0.05


def test_another_server_is_told_from_the_service():
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>")

        def log_message(self, *said):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            with (
                Client(f"http://127.0.0.1:{server.server_port}", timeout=5) as client,
                pytest.raises(ServiceRefused, match="Is it the service"),
            ):
                client.health()
        finally:
            server.shutdown()


@pytest.mark.parametrize(
    "problem",
    [
        BadParameter(subject="delta", must="below 1", got="2"),
        BadData("No number in ", Where(row=3, column="size"), ".", remedy="Leave it out."),
    ],
)
def test_the_client_hands_on_the_fields_of_a_refusal(problem):
    no = refused_with(422, encode(refused(problem).body()))
    assert (no.status, no.code, str(no)) == (422, "refused", str(problem))
    assert no.fields() == problem.fields()
    assert (no.subject, no.must, no.where) == (problem.subject, problem.must, problem.where)


def test_of_what_a_later_service_answers_the_known_is_handed_on():
    error = {"code": "busy", "message": "No.", "retry_after": 3, "where": {"row": 1, "page": 2}}
    no = refused_with(429, encode({"error": error}))
    assert (no.code, str(no), no.details["retry_after"], no.where) == (
        "busy",
        "No.",
        3,
        Where(row=1),
    )
    assert refused_with(502, b'{"error": "gateway"}').code == "unknown"
