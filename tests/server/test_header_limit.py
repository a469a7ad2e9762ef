"""The head of a request is bounded before anybody is asked for a key."""

import asyncio
from unittest.mock import Mock

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from assay.server.header_limit import MOST_HEAD, SmallHeads


@pytest.fixture
def begun():
    async def app(scope, receive, send):
        raise AssertionError("nothing should come this far")

    config = Config(app, lifespan="off", log_config=None)
    config.load()
    loop = asyncio.new_event_loop()
    protocol = SmallHeads(config, ServerState(), {}, _loop=loop)
    transport = Mock()
    transport.get_extra_info.return_value = None
    protocol.connection_made(transport)
    protocol.data_received(b"GET /healthz HTTP/1.1\r\nHost: here\r\nX-Long: ")
    yield protocol, transport
    loop.close()


def test_a_head_that_does_not_end_is_cut_off(begun):
    protocol, transport = begun
    for _ in range(MOST_HEAD // 4096):
        assert not transport.close.called
        protocol.data_received(b"a" * 4096)
    assert transport.close.called


def test_one_that_is_only_long_is_not(begun):
    protocol, transport = begun
    protocol.data_received(b"a" * (MOST_HEAD - 4096))
    assert not transport.close.called
