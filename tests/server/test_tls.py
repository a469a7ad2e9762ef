"""The service by TLS of its own: who only connects is counted and goes, a renewed certificate is taken."""

from __future__ import annotations

import http.client
import logging
import shutil
import socket
import ssl
import time
from pathlib import Path

import pytest

from assay.errors import BadData, BadParameter
from assay.server.tls import Tls
from tests.cli.runner import run
from tests.server.processes import Forked

ONE, TWO = (Path(__file__).with_name("tls") / name for name in ("one.pem", "two.pem"))
LEARNER = b'{"algorithm": "perceptron", "classes": [0, 1], "features": 2}'


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    server = Forked(
        folder / "a.db", options=("--certificate", str(ONE)), head=1.0, connections=12, rows=20_000
    )
    assert server.ready()
    yield server
    server.terminate()
    assert server.wait() == 0


def trusting(path=ONE):
    made = ssl.create_default_context(cafile=str(path))
    made.check_hostname = True
    return made


def fetched(server, method, path, body=None, timeout=20):
    held = http.client.HTTPSConnection(
        "127.0.0.1", server.port, timeout=timeout, context=trusting()
    )
    try:
        held.request(method, path, body)
        answer = held.getresponse()
        return answer.status, answer.read()
    finally:
        held.close()


def test_requests_and_large_answers_go_over_tls(server):
    assert "at https://127.0.0.1:" in server.output()
    assert fetched(server, "PUT", "/v1/learners/a", LEARNER)[0] in (200, 201)
    body = b'{"rows":[' + b",".join([b"[0.25,1]"] * 20_000) + b"]}"
    status, answer = fetched(server, "POST", "/v1/learners/a/predict", body)
    assert (status, answer.count(b"1") + answer.count(b"0") >= 20_000) == (200, True)


def test_connections_stay_open_and_what_is_no_http_is_refused(server):
    with trusting().wrap_socket(
        socket.create_connection(("127.0.0.1", server.port)), server_hostname="localhost"
    ) as held:
        for _ in range(3):
            held.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert held.recv(4096).startswith(b"HTTP/1.1 200 ")
        assert (held.version() or "") >= "TLSv1.2"
        held.sendall(b"nonsense\r\n\r\n")
        assert held.recv(4096).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "said", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\x16\x03\x01"]
)
def test_who_does_not_speak_tls_goes_in_time(server, said):
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as held:
        held.sendall(said)
        begun = time.monotonic()
        while held.recv(4096):
            pass
        assert time.monotonic() - begun < 4


def test_who_only_connects_shuts_nobody_out(server):
    crowd = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
    try:
        assert fetched(server, "GET", "/healthz", timeout=5)[0] == 200
    finally:
        for held in crowd:
            held.close()
    text = b""
    until = time.monotonic() + 5
    while b'assay_connections{state="fresh"} 0' not in text and time.monotonic() < until:
        text = fetched(server, "GET", "/metrics")[1]
    assert b'assay_connections{state="fresh"} 0' in text  # nobody stays counted who has gone


def test_a_renewed_certificate_is_taken_and_a_broken_one_is_not(tmp_path, caplog):
    now = 0.0
    path = tmp_path / "a.pem"
    shutil.copy(ONE, path)
    tls = Tls(path, None, clock=lambda: now)
    first = tls.context
    path.write_text("half a file")
    assert tls.context is first
    now = 31.0
    with caplog.at_level(logging.ERROR):
        assert tls.context is first
    assert "holds no certificate with its key" in caplog.text
    shutil.copy(TWO, path)
    now = 62.0
    assert tls.context is not first
    assert tls.context is tls.context


def test_what_cannot_be_read_is_refused(tmp_path):
    (tmp_path / "b.pem").write_text("nothing")
    with pytest.raises(
        BadData, match=r"b\.pem cannot be read: it holds no certificate with its key"
    ):
        Tls(tmp_path / "b.pem", None)
    with pytest.raises(BadData, match="cannot be read: No such file or directory"):
        Tls(tmp_path / "none.pem", None)
    answer = run("serve", "--store", tmp_path / "a.db", "--certificate-key", ONE)
    assert (answer.code, answer.err) == (
        2,
        "assay: --certificate-key belongs to --certificate. Give both.\n",
    )
    with pytest.raises(BadParameter, match="certificate-key must be a key without a password"):
        Tls(ONE.with_name("locked.pem"), None)
