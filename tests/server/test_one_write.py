"""Answers in one piece: the same bytes in the same order, in fewer writes."""

import pytest

pytest.importorskip("httptools")

from assay.server.one_write import OneWrite

HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n"
OPEN = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


class Transport:
    def __init__(self):
        self.written, self.closed = [], False

    def write(self, data):
        assert not self.closed
        self.written.append(data)

    def is_closing(self):
        return self.closed

    def close(self):
        self.closed = True

    def get_extra_info(self, name):
        return name


@pytest.fixture
def pair():
    transport = Transport()
    return OneWrite(transport), transport


def test_head_and_body_are_one_write(pair):
    one, transport = pair
    for _ in range(2):
        one.write(HEAD)
        one.write(b"ok")
    assert transport.written == [HEAD + b"ok"] * 2


def test_what_has_no_known_length_is_not_held_back(pair):
    one, transport = pair
    one.write(OPEN)
    assert transport.written == [OPEN]
    one.write(b"2\r\nok\r\n")
    assert transport.written == [OPEN, b"2\r\nok\r\n"]
    one.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    assert len(transport.written) == 3


def test_a_long_body_is_not_copied(pair):
    one, transport = pair
    long = b"x" * 100_000
    one.write(HEAD)
    one.write(long)
    assert transport.written == [HEAD, long]
    assert transport.written[1] is long


def test_an_answer_without_body_is_flushed_when_it_ends(pair):
    one, transport = pair
    one.write(HEAD)
    assert transport.written == []
    one.flush()
    one.flush()
    assert transport.written == [HEAD]


def test_closing_writes_what_was_held_back(pair):
    one, transport = pair
    one.write(HEAD)
    one.close()
    assert (transport.written, transport.closed) == ([HEAD], True)
    one.write(HEAD)
    one.flush()  # nobody is there, and nothing is written
    assert transport.written == [HEAD]


def test_everything_else_is_the_transports(pair):
    one, _ = pair
    assert one.get_extra_info("peername") == "peername"
