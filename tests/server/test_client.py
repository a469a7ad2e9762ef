"""The client by sockets and by the event loop: deadlines, authorities, kept connections, answers in pieces."""

from __future__ import annotations

import asyncio
import inspect
import socket
import threading
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from assay.client import AsyncClient, AsyncLearner, Client, Learner, ServiceRefused
from assay.client.http import Broken, Reply
from assay.errors import BadData, BadParameter
from tests.server.processes import Forked

PEM = Path(__file__).with_name("tls") / "one.pem"
COIN = {"algorithm": "hedge", "experts": 3}
OK = b"HTTP/1.1 200 OK\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    served = Forked(tmp_path_factory.mktemp("client") / "a.db")
    assert served.ready()
    yield served
    served.terminate()
    assert served.wait() == 0


@contextmanager
def answering(*answers):
    """A server of one connection after the other: to each its answer, None for none."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        asked = []

        def serve():
            for answer in answers:
                held, _ = listening.accept()
                with held, suppress(OSError):  # whoever asked may have gone
                    asked.append(held.recv(65536))
                    for piece in answer or ():
                        held.sendall(piece)
                    if answer is None:
                        while held.recv(65536):
                            pass

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", asked


def both(url, call, **terms):
    """What a call comes to by either client: its answer, or its refusal."""
    comes = []
    with Client(url, **terms) as client:
        try:
            comes.append(call(client))
        except ServiceRefused as no:
            comes.append(no)

    async def waited():
        async with AsyncClient(url, **terms) as other:
            return await call(other)

    try:
        comes.append(asyncio.run(waited()))
    except ServiceRefused as no:
        comes.append(no)
    return comes


# Answers in pieces


@pytest.mark.parametrize(
    ("raw", "body", "keep"),
    [
        (OK + b"Content-Length: 5\r\n\r\nhello", b"hello", True),
        (OK + b"Content-Length: 0\r\n\r\n", b"", True),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b"", True),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"Content-Length: 1\r\n\r\nx", b"x", True),
        (OK + b"Connection: close\r\nContent-Length: 1\r\n\r\nx", b"x", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", b"x", False),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\n\r\n", b"hello", True),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nTrailer: y\r\n\r\n", b"x", True),
    ],
)  # fmt: skip
def test_an_answer_is_the_same_however_it_is_cut(raw, body, keep):
    for size in (1, 2, 3, 7, len(raw)):
        reply = Reply()
        for place in range(0, len(raw), size):
            assert not reply.complete
            reply.feed(raw[place : place + size])
        assert (reply.complete, reply.taken(), reply.keep) == (True, body, keep)


def test_an_answer_that_ends_with_the_connection():
    reply = Reply()
    reply.feed(OK + b"\r\nall of")
    assert not reply.complete
    reply.feed(b" it")
    reply.feed(b"")
    assert (reply.complete, reply.taken(), reply.keep) == (True, b"all of it", False)


@pytest.mark.parametrize(
    "raw",
    [
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        OK + b"Content-Length: -1\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"x" * 70_000,
    ],
)
def test_what_is_no_http_is_said(raw):
    with pytest.raises(Broken, match=r"^the answer is no HTTP$"):
        Reply().feed(raw)


def test_an_answer_that_is_torn_is_asked_again():
    whole = OK + b"Content-Length: 2\r\n\r\n{}"
    with answering([whole[:-1]], [whole], [whole[:-1]], [whole]) as (url, asked):
        assert both(url, lambda client: client.health()) == [{}, {}]
    assert len(asked) == 4


# Deadlines


def test_a_deadline_ends_a_call_that_nobody_answers():
    with answering(None, None) as (url, _):
        begun = time.monotonic()
        first, second = both(url, lambda client: client.health(), deadline=0.2)
        assert 0.4 <= time.monotonic() - begun < 2
    for no in (first, second):
        assert (no.status, no.code) == (0, "deadline")
        assert str(no) == "127.0.0.1 did not answer within 0.2 seconds."


def test_an_answer_that_drips_does_not_last_beyond_the_deadline():
    class Drip:
        def __iter__(self):
            for byte in OK + b"X: " + b"y" * 1000:
                time.sleep(0.02)
                yield bytes([byte])

    with answering(Drip(), Drip()) as (url, _):
        begun = time.monotonic()
        comes = both(url, lambda client: client.within(0.2).health(), timeout=5, retries=0)
        assert time.monotonic() - begun < 2
    assert [no.code for no in comes] == ["deadline", "deadline"]


def test_a_wait_beyond_the_deadline_is_not_begun():
    body = b'{"error": {"code": "busy", "message": "Later."}}'
    answer = b"HTTP/1.1 429 No\r\nRetry-After: 3\r\nContent-Length: %d\r\n\r\n%b" % (
        len(body),
        body,
    )
    with answering([answer], [answer]) as (url, asked):
        begun = time.monotonic()
        comes = both(url, lambda client: client.health(), deadline=2)
        assert time.monotonic() - begun < 1
    assert [(no.status, no.code, str(no)) for no in comes] == [(429, "busy", "Later.")] * 2
    assert len(asked) == 2


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_deadlines_that_are_none(seconds):
    with pytest.raises(BadParameter, match=r"^deadline must be a number of seconds above zero"):
        Client("http://localhost", deadline=seconds)
    with pytest.raises(BadParameter, match=r"^deadline must be"):
        Client("http://localhost").learner("a").within(seconds)


# Authorities


def test_authorities_come_from_a_file(tmp_path):
    served = Forked(tmp_path / "a.db", options=("--certificate", str(PEM)))
    assert served.ready(), served.output()
    url = f"https://127.0.0.1:{served.port}"
    try:
        comes = both(url, lambda client: client.health(), cafile=PEM)
        assert comes == [{"live": True, "ready": True}] * 2
        begun = time.monotonic()
        for no in both(url, lambda client: client.health()):  # the system does not know it
            assert no.code == "unreachable"
            assert "certificate verify failed" in str(no)
        assert time.monotonic() - begun < 2  # asked again, it would not be another
    finally:
        served.terminate()
        assert served.wait() == 0


def test_files_that_hold_no_authorities(tmp_path):
    (tmp_path / "no.pem").write_text("nothing")
    with pytest.raises(BadData, match=r"no\.pem holds no certificates in PEM\.$"):
        Client("https://localhost", cafile=tmp_path / "no.pem")
    with pytest.raises(BadData, match=r"there\.pem cannot be read: No such file"):
        AsyncClient("https://localhost", cafile=tmp_path / "there.pem")
    with pytest.raises(BadParameter, match=r"^cafile belongs to https://, but url is 'http:"):
        Client("http://localhost", cafile=PEM)


# Asked and told


def test_losses_of_many_trials_are_told_in_one_request(server):
    with Client(f"http://127.0.0.1:{server.port}") as client:
        coin = client.create("coin", **COIN)
        asked = coin.predict_many([None] * 3)
        told = coin.feedback_many([(one["trial"], [0, 0.5, 1]) for one in asked], "losses")
        assert [one["told"] for one in told] == [1, 2, 3]
        arms = client.create("arms", algorithm="ucb1", params={"arms": 2})
        asked = arms.predict_many([None, None])
        told = arms.feedback_many(((one["trial"], 0.25) for one in asked), field="reward")
        assert [one["told"] for one in told] == [1, 2]
        [wrong] = arms.feedback_many([("nobody", 1)], "loss")
        assert (wrong["status"], wrong["error"]["code"]) == (404, "unknown_trial")


def test_the_asynchronous_client_uses_no_threads_and_keeps_its_connections(server):
    async def conversation():
        async with AsyncClient(f"http://127.0.0.1:{server.port}", connections=5) as client:
            spam = await client.create("spam", algorithm="perceptron", classes=[0, 1], features=2)
            before = threading.active_count()
            asked = await asyncio.gather(*(spam.predict([n, 1]) for n in range(200)))
            told = await spam.feedback_many((one["trial"], 1) for one in asked)
            threads = threading.active_count()
            assert len(client._idle) <= 5
            standings = spam.events()
            standing = await anext(standings)
            await standings.aclose()
            await spam.delete()
            await spam.delete()
            with pytest.raises(ServiceRefused, match="There is no learner 'spam'"):
                await anext(spam.events())
            assert len({one["trial"] for one in asked}) == 200
            assert told[-1]["told"] == standing["told"] == 200
            assert threads == before

    asyncio.run(conversation())


def test_a_call_that_is_cancelled_leaves_no_connection_that_answers_another(server):
    async def conversation():
        async with AsyncClient(f"http://127.0.0.1:{server.port}", connections=2) as client:
            for _ in range(20):
                call = asyncio.create_task(client.learners())
                await asyncio.sleep(0.0005)
                call.cancel()
                assert (await client.health())["live"]
            return len(client._idle)

    assert asyncio.run(conversation()) <= 2


def test_a_connection_that_the_service_closed_meanwhile_costs_no_attempt():
    kept = OK + b"Content-Length: 2\r\n\r\n{}"  # which it is not
    with answering([kept], [kept], [kept], [kept]) as (url, asked):
        with Client(url, retries=0) as client:
            assert [client.health(), client.health()] == [{}, {}]

        async def conversation():
            async with AsyncClient(url, retries=0) as other:
                return [await other.health(), await other.health()]

        assert asyncio.run(conversation()) == [{}, {}]
    assert len(asked) == 4


def test_both_clients_have_the_same_calls_with_the_same_parameters():
    def calls(kind):
        held = {name: getattr(kind, name) for name in vars(kind) if not name.startswith("_")}
        return {name: list(inspect.signature(call).parameters) for name, call in held.items()}

    assert calls(Learner) == calls(AsyncLearner)
    one, other = calls(Client), calls(AsyncClient)
    assert one.pop("close") == other.pop("aclose")
    assert one == other


def test_a_request_that_is_refused_before_it_is_read_says_why(tmp_path):
    served = Forked(tmp_path / "a.db", body=1000)
    assert served.ready()
    try:
        with closing(Client(f"http://127.0.0.1:{served.port}", retries=0)) as client:
            with pytest.raises(ServiceRefused) as no:
                client.call("PUT", "/v1/learners/a", {"algorithm": "x" * 20_000_000})
            assert no.value.status == 413
    finally:
        served.terminate()
        served.wait()


def test_a_long_answer_may_take_longer_than_its_pieces():
    class Slow:
        def __iter__(self):
            yield OK + b"Content-Length: 5\r\n\r\n"
            for piece in (b" ", b" ", b" ", b"{}"):
                time.sleep(0.1)
                yield piece

    with answering(Slow(), Slow()) as (url, asked):
        comes = both(url, lambda client: client.health(), timeout=0.3, retries=0)
    assert comes == [{}, {}]
    assert len(asked) == 2
