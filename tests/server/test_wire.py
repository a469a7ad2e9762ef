"""HTTP on the wire: what is malformed, slow, or too much is refused in one shape, and costs others nothing."""

import contextlib
import http.client
import json
import resource
import socket
import time
from types import SimpleNamespace

import pytest

from assay.server.limits import Limits
from assay.server.wire.answers import head
from assay.server.wire.connection import MOST_HEAD, Connection
from assay.server.wire.table import ENDING, IDLE, Connections, descriptors_for
from tests.server.processes import Caller, Forked

HOST = b"Host: localhost\r\n"
SPAM = {"algorithm": "perceptron", "classes": [0, 1], "features": 2}
NAMED = {"algorithm": "perceptron", "classes": [0, 1]}
PATH = b"/v1/learners/a/predict"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Forked(
        tmp_path_factory.mktemp("wire") / "a.db", head=1.0, receive=2.0, stall=1.0, idle=2.0,
        connections=60,
    )  # fmt: skip
    assert server.ready()
    call = Caller(server)
    assert call("PUT", "/v1/learners/a", SPAM)[0] == 201
    assert call("PUT", "/v1/learners/named", NAMED)[0] == 201
    call.close()
    yield server
    server.kill()


class Raw:
    """A socket that is sent bytes; `read` gives the answers it got: statuses, headers and bodies."""

    def __init__(self, server, data=b"", timeout=10.0):
        self.held = socket.create_connection(("127.0.0.1", server.port), timeout=timeout)
        self.file = self.held.makefile("rb")
        self.held.sendall(data)

    def makefile(self, mode):
        """One buffer for all answers: what is read too far belongs to the next."""
        return SimpleNamespace(
            readline=self.file.readline, read=self.file.read, readinto=self.file.readinto,
            flush=lambda: None, close=lambda: None,
        )  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.close()

    def close(self):
        self.file.close()
        self.held.close()

    def answer(self):
        found = http.client.HTTPResponse(self)
        found.begin()
        return found.status, found.headers, found.read()

    def ended(self):
        """Whether the server has closed."""
        with contextlib.suppress(ConnectionResetError):
            return self.file.read(1) == b""
        return True


def refused(server, data, status, code):
    with Raw(server, data) as raw:
        found, headers, body = raw.answer()
        assert (found, json.loads(body)["error"]["code"]) == (status, code)
        assert headers["content-type"] == "application/json"
        assert headers["x-content-type-options"] == "nosniff"
        return raw.ended() if headers["connection"] == "close" else False


def chunked(body, *trailers, path=PATH):
    lines = b"".join(line + b"\r\n" for line in trailers)
    head = b"POST %b HTTP/1.1\r\n%bTransfer-Encoding: chunked\r\n\r\n" % (path, HOST)
    return head + b"%x\r\n%b\r\n0\r\n%b\r\n" % (len(body), body, lines)


def test_trailers_are_no_headers(server):
    trailers = (b"Content-Type: application/x-ndjson", b"Host: evil", b"Authorization: Bearer x")
    with Raw(server, chunked(b'{"x":[1,2]}', *trailers)) as raw:
        status, headers, body = raw.answer()
        assert (status, headers["content-type"]) == (200, "application/json")
        assert json.loads(body)["prediction"] in (0, 1)
        raw.held.sendall(b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
        assert raw.answer()[0] == 200


def test_trailers_that_do_not_end_are_cut_off(server):
    with Raw(server, chunked(b"{}")[:-2]) as raw:
        sent = 0
        with contextlib.suppress(OSError):
            while sent < 100 * MOST_HEAD:
                raw.held.sendall(b"X-%d: %b\r\n" % (sent, b"a" * 1000))
                sent += 1000
                time.sleep(0.0005)
        assert sent < 50 * MOST_HEAD


@pytest.mark.parametrize(
    "head",
    [
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: evil\r\nhost: localhost\r\n\r\n",
        b"GET /healthz HTTP/1.0\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"GARBAGE\r\n\r\n",
        b"GET /v1/learners/\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"CONNECT a:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: local\x00host\r\n\r\n",
        b"POST /v1/learners/a/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /v1/learners/a/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
        b"Content-Length: 3\r\n\r\n{}",
        b"POST /v1/learners/a/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/learners/a/predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
def test_a_malformed_request_gets_the_services_error_and_the_end(server, head):
    assert refused(server, head, 400, "bad_request")


def test_a_long_head_is_refused_and_a_long_one_that_is_allowed_is_not(server):
    line = b"X-Long: " + b"a" * (MOST_HEAD // 2) + b"\r\n"
    assert refused(server, b"GET / HTTP/1.1\r\n" + HOST + 3 * line, 431, "long_head")
    many = b"".join(b"X-%d: a\r\n" % n for n in range(101))
    assert refused(server, b"GET / HTTP/1.1\r\n" + HOST + many + b"\r\n", 431, "long_head")
    with Raw(server, b"GET /healthz HTTP/1.1\r\n" + HOST + line + b"\r\n") as raw:
        assert raw.answer()[0] == 200


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (b"/v1/learners/a/predict%0a", "unknown_path"),
        (b"/v1/learners/a%0a/predict", "unknown_learner"),
        (b"/healthz%0a", "unknown_path"),
        (b"/v1/learners/%ff/predict", "unknown_learner"),
        (b"/v1/learners/%00/predict", "unknown_learner"),
    ],
)
@pytest.mark.parametrize("method", [b"GET", b"POST", b"PUT"])
def test_odd_paths_are_unknown_not_a_failure(server, path, code, method):
    request = b"%b %b HTTP/1.1\r\n%bContent-Length: 2\r\n\r\n{}" % (method, path, HOST)
    with Raw(server, request) as raw:
        status, _, body = raw.answer()
        if code == "unknown_learner" and method != b"POST":
            code = "wrong_method"
        assert (status in (404, 405), json.loads(body)["error"]["code"]) == (True, code)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        (b"POST", b"/v1/learners/named/predict", b'{"x":{"\xff\xfe":1}}', 422),
        (b"POST", b"/v1/learners/a/predict", b'{"x":{"\xff":1}}', 422),
        (b"POST", b"/v1/learners/a/predict", b'{"\xff":1}', 400),
        (b"POST", b"/v1/learners/a/predict", b'{"trial":"\xff"}', 400),
        (b"POST", b"/v1/learners/a/feedback", b'{"trial":"a","losses":{"\xff":1}}', 400),
        (b"POST", b"/v1/learners/a/predict", b'[{"x":{"\xff":1}}]', 200),
        (b"PUT", b"/v1/learners/b", b'{"algorithm":"perceptron","params":{"\xff":1}}', 400),
        (b"PUT", b"/v1/learners/b", b'{"algorithm":"\\ud800","classes":[0,1]}', 400),
    ],
)
def test_text_that_is_no_text_is_refused(server, method, path, body, status):
    head = b"%b %b HTTP/1.1\r\n%bContent-Length: %d\r\n\r\n" % (method, path, HOST, len(body))
    with Raw(server, head + body) as raw:
        found, _, answer = raw.answer()
        assert found == status
        assert b'"code":"bad_json"' in answer or b'"code":"refused"' in answer


def test_a_head_that_does_not_come_is_waited_for_no_longer_than_it_should(server):
    begun = time.monotonic()
    with Raw(server, b"GET /healthz HTTP/1.1\r\n") as slow, Raw(server) as silent:
        assert slow.answer()[0] == 408
        assert slow.ended()
        assert silent.ended()
    assert 0.9 < time.monotonic() - begun < 4


@pytest.mark.parametrize(
    "begun", [b"GET /", b"POST %b HTTP/1.1\r\n%bContent-Length: 1000\r\n\r\n" % (PATH, HOST)]
)
def test_one_byte_at_a_time_is_no_way_around(server, begun):
    since = time.monotonic()
    with Raw(server, begun) as raw, contextlib.suppress(OSError):
        while time.monotonic() - since < 20:
            raw.held.sendall(b"a")
            time.sleep(0.2)
            raw.held.settimeout(0.01)
            with contextlib.suppress(TimeoutError):
                assert b" 408 " in raw.held.recv(1000)
                break
    assert time.monotonic() - since < 6


def test_an_idle_connection_is_closed(server):
    with Raw(server, b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n") as raw:
        assert raw.answer()[0] == 200
        begun = time.monotonic()
        assert raw.ended()
        assert 1.5 < time.monotonic() - begun < 5


def test_pipelined_requests_are_answered_in_their_order_and_are_bounded(server):
    asked = b"".join(
        b"GET %b HTTP/1.1\r\n%b\r\n" % (p, HOST) for p in [b"/healthz", b"/nowhere"] * 3
    )
    with Raw(server, asked) as raw:
        assert [raw.answer()[0] for _ in range(6)] == [200, 404] * 3
    with Raw(server, (b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n") * 1000) as raw:
        raw.held.settimeout(5)
        read = b""
        with contextlib.suppress(OSError):
            while piece := raw.held.recv(65536):
                read += piece
        assert 50 < read.count(b"HTTP/1.1 200") < 80
        assert read.count(b"connection: close") == 1


def test_what_comes_behind_a_malformed_request_is_not_answered(server):
    data = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\nGARBAGE\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n"
    with Raw(server, data) as raw:
        assert raw.answer()[0] == 200
        assert raw.ended()


def test_an_early_refusal_leaves_the_connection_where_little_is_left(server):
    head = b"POST /v1/nowhere HTTP/1.1\r\n%bContent-Length: %d\r\n\r\n"
    with Raw(server, head % (HOST, 5)) as raw:
        assert raw.answer()[0] == 404
        raw.held.sendall(b"12345GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
        assert raw.answer()[0] == 200
    with Raw(server, head % (HOST, 10**6)) as raw:
        _, headers, _ = raw.answer()
        assert headers["connection"] == "close"
        assert raw.ended()


def test_an_upgrade_is_not_taken(server):
    wanted = b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    with Raw(server, b"GET /healthz HTTP/1.1\r\n" + HOST + wanted + b"junk") as raw:
        assert raw.answer()[0] == 200
        assert raw.ended()


def test_the_head_of_an_answer_and_its_body_come_in_one_piece(server):
    """A broken twin of this test would read twice: the kernel gives what one write has brought."""
    for request in (b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n", chunked(b'{"x":[1,2]}')):
        with Raw(server, request) as raw:
            got = raw.held.recv(65536)
            length = int(got.split(b"content-length: ")[1].split(b"\r")[0])
            assert len(got.partition(b"\r\n\r\n")[2]) == length > 0


def test_head_requests_have_no_body(server):
    with Raw(server, b"HEAD /healthz HTTP/1.1\r\n" + HOST + b"\r\n") as raw:
        raw.held.settimeout(1)
        got = raw.held.recv(65536)
        assert got.endswith(b"\r\n\r\n")
        assert b"content-length: 26" in got


def test_where_there_is_no_room_those_go_who_ask_nothing(server):
    """Sixty connections there may be: a hundred that say nothing take no place from those who ask."""
    idle = [Raw(server) for _ in range(30)]
    regular = Caller(server)
    assert regular("GET", "/healthz")[0] == 200
    idle += [Raw(server) for _ in range(70)]
    assert regular("GET", "/healthz")[0] == 200
    fresh = Caller(server)
    status, text = fresh("GET", "/metrics")
    assert status == 200
    told = dict(line.rsplit(b" ", 1) for line in text.splitlines() if not line.startswith(b"#"))
    assert int(told[b'assay_connections_ended_total{why="made room"}']) >= 40
    assert int(told[b"assay_connections_most"]) == 60
    assert sum(int(n) for name, n in told.items() if name.startswith(b"assay_connections{")) <= 60
    for one in [*idle, regular, fresh]:
        one.close()


# Without sockets


class Transport:
    """Remembers what was written, and counts how often."""

    def __init__(self, address="10.0.0.1", backlog=0):
        self.written, self.closed, self.left = [], False, backlog
        self.paused = False
        self.address = address

    def get_extra_info(self, what):
        return {"peername": (self.address, 5000), "sockname": ("127.0.0.1", 8000)}.get(what)

    def write(self, data):
        self.written.append(data)

    def close(self):
        self.closed = True

    abort = close

    def is_closing(self):
        return self.closed

    def can_write_eof(self):
        return True

    def write_eof(self):
        pass

    def pause_reading(self):
        self.paused = True

    def resume_reading(self):
        self.paused = False

    def get_write_buffer_size(self):
        return self.left


class Loop:
    """A loop whose clock is set by hand."""

    def __init__(self):
        self.now, self.later = 100.0, []

    def time(self):
        return self.now

    def call_later(self, wait, call, *given):
        self.later.append((call, given))

    def turn(self, seconds):
        self.now += seconds
        later, self.later = self.later, []
        for call, given in later:
            call(*given)


@pytest.fixture
def made():
    loop, table = Loop(), Connections(Limits(connections=5, connections_each=2))
    server = SimpleNamespace(connections=set(), tasks=set(), default_headers=[], total_requests=0)
    config = SimpleNamespace(loaded_app=None, root_path="")

    def connect(address="10.0.0.1", **terms):
        held = Connection(table, None, config, server, {}, loop)
        held.connection_made(Transport(address, **terms))
        return held

    return SimpleNamespace(loop=loop, table=table, server=server, connect=connect)


def test_an_address_may_have_so_many_connections_and_this_machine_any(made):
    first = [made.connect() for _ in range(2)]
    third = made.connect()
    assert third._transport.closed
    assert b"429" in third._transport.written[0]
    assert made.table.ended == {"too many from one address": 1}
    assert not made.connect("127.0.0.1")._transport.closed
    first[0].connection_lost(None)
    assert not made.connect()._transport.closed
    assert len(made.table) == len(made.server.connections) == 3


def test_in_ipv6_a_network_is_an_address(made):
    held = [made.connect(f"2001:db8::{n}") for n in range(3)]
    assert [one._transport.closed for one in held] == [False, False, True]


def test_the_oldest_that_asks_nothing_goes_first_and_one_with_a_request_never(made):
    held = [made.connect("127.0.0.1") for _ in range(5)]
    made.table.move(held[0], IDLE, 100.0)
    for busy in held[2:]:
        made.table.move(busy, "busy", 100.0)
    made.connect("127.0.0.1")
    assert [one._transport.closed for one in held] == [False, True, False, False, False]
    last = made.connect("127.0.0.1")  # the one before it goes: it has asked nothing, either
    assert [one._transport.closed for one in held] == [False, True, False, False, False]
    made.table.move(last, "busy", 100.0)
    last = made.connect("127.0.0.1")
    assert held[0]._transport.closed
    made.table.move(last, "busy", 100.0)
    assert b"429" in made.connect("127.0.0.1")._transport.written[0]


def test_who_does_not_read_the_answer_is_cut_off_and_who_reads_slowly_is_not(made):
    stuck, slow = made.connect("127.0.0.1", backlog=9), made.connect("127.0.0.1", backlog=9)
    for held in (stuck, slow):
        made.table.move(held, "busy", made.loop.now)
    for _ in range(4):
        made.loop.turn(11)
        slow._transport.left -= 1
    assert stuck._transport.closed
    assert not slow._transport.closed


def test_a_connection_that_ends_is_closed_soon(made):
    held = made.connect()
    held.data_received(b"GARBAGE\r\n\r\n")
    assert held.state == ENDING
    assert not held._transport.closed
    made.loop.turn(1.5)
    assert held._transport.closed
    assert len(held._transport.written) == 1


def test_who_goes_on_after_a_refusal_is_heard_for_a_megabyte_and_not_longer(made):
    held = made.connect()
    held.data_received(b"GARBAGE\r\n\r\n")
    for _ in range(16):
        held.data_received(b"x" * 65_536)
        assert not held._transport.paused
    held.data_received(b"x")
    assert held._transport.paused
    made.loop.turn(1.5)
    assert held._transport.closed


@pytest.mark.parametrize("line", [(b"a b", b""), (b"a", b"x\r\nb: c"), (b"", b"")])
def test_no_answer_holds_a_header_that_is_two(line):
    with pytest.raises(ValueError, match="no header"):
        head(200, (line,))


def test_descriptors_are_asked_for_and_connections_leave_some(monkeypatch):
    asked = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 4096))
    monkeypatch.setattr(resource, "setrlimit", lambda _, both: asked.append(both))
    assert descriptors_for(1256) == 1256
    assert asked == [(1256, 4096)]
    assert descriptors_for(9999) == 4096
    table = Connections(Limits(connections=1000))
    table.bound_by_descriptors(256)
    assert table._most == 128
