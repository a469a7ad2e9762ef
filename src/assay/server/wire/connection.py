"""HTTP/1.1 by httptools: what a client may send is bounded before anybody is asked for a key.

A request that is malformed gets the service's own error and the end of the connection. Trailers are counted and
dropped: a field that comes behind the body must not pass for one that was looked at before it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any
from urllib.parse import unquote

import httptools

from assay.server.refusals import Refusal
from assay.server.tls import Tls
from assay.server.wire.answers import refusal
from assay.server.wire.begun import rest_of
from assay.server.wire.exchange import Exchange
from assay.server.wire.table import BODY, BUSY, ENDING, FRESH, HEAD, IDLE, Connections

#: The most bytes of a request line and its headers; of trailers and the sizes of chunks, beside the body.
MOST_HEAD = 65_536
_MOST_HEADERS, _MOST_PIPELINED = 100, 64
#: The most bytes that are read and thrown away before the end of a connection that was refused.
_MOST_UNHEARD = 2**20
_MALFORMED = Refusal("bad_request", "The request is not HTTP/1.1 as it should be.")
_LONG_HEAD = Refusal(
    "long_head", f"A request line and its headers must have at most {MOST_HEAD:,} bytes."
)
_HOSTS = Refusal("bad_request", "A request must have one Host header.")
_SLOW = {
    HEAD: Refusal("too_slow", "The request line and headers did not come in time."),
    BODY: Refusal("too_slow", "The request did not come to its end in time."),
}
_CROWDED = Refusal(
    "too_many", "There are too many connections. Use fewer, and keep them open.", retry_after=1
)


class Connection(asyncio.Protocol):
    """A connection, as uvicorn makes it for every client.

    Parameters
    ----------
    table : Connections
    tls : Tls or None
        What it is encrypted with.
    config, server_state, app_state
        As uvicorn gives them.
    """

    def __init__(
        self,
        table: Connections,
        tls: Tls | None,
        config: Any,
        server_state: Any,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self._table, self._server, self._app_state = table, server_state, app_state
        self._tls, self._scheme = tls, "http" if tls is None else "https"
        self._app, self._root = config.loaded_app, config.root_path
        self._loop = _loop or asyncio.get_running_loop()
        self._parser: Any = httptools.HttpRequestParser(self)
        self._transport: Any = None
        self._waiting: deque[Exchange] = deque()
        self._now: Exchange | None = None  # whose answer is next
        self._coming: Exchange | None = None  # whose body is read
        self._hosts = self._headers_size = self._beside = 0
        self._unheard = 0
        self._heading = self._ended = self._refused = self._paused = False
        self._room: asyncio.Future[None] | None = None
        self._greeting: asyncio.Task[None] | None = None
        self.state, self.since, self.address, self.unread = FRESH, 0.0, "", 0

    @property
    def common(self) -> list[tuple[bytes, bytes]]:
        """Headers of every answer: the date."""
        headers: list[tuple[bytes, bytes]] = self._server.default_headers
        return headers

    # From the transport

    def connection_made(self, transport: Any) -> None:
        """Somebody has connected."""
        self._transport = transport
        self._client, self._here = _place(transport, "peername"), _place(transport, "sockname")
        self.address = self._client[0] if self._client else ""
        if not self._table.admit(self, self._loop.time(), self._loop):
            self._refused = True
            if self._tls is None:
                transport.write(refusal(_CROWDED, self.common))
            transport.close()
            return
        self._server.connections.add(self)
        if self._tls is not None:
            # Counted before it is greeted: whoever only connects is let go like everybody else.
            self._greeting = self._loop.create_task(self._greeted(*self._greet(transport)))

    def _greet(self, transport: Any) -> tuple[Any, Any]:
        """Have the next bytes go to TLS: a task would begin a turn of the loop later, when some may have come."""
        assert self._tls is not None
        patience = self._table.limits.head
        terms = {"server_side": True, "ssl_handshake_timeout": patience}
        begun = self._loop.start_tls(transport, self, self._tls.context, **terms)  # type: ignore[arg-type]
        steps = begun.__await__()
        return steps, next(steps)

    async def _greeted(self, steps: Any, awaited: Any) -> None:
        """Go on when both have agreed on how what follows is encrypted."""
        transport = self._transport
        try:
            made = await rest_of(steps, awaited)
        except (OSError, asyncio.CancelledError):
            made = None
        if made is None or self._refused:
            self._table.ended["no TLS"] += 1
            transport.abort()
            self.connection_lost(None)
        else:
            self._transport = made

    def connection_lost(self, problem: Exception | None) -> None:
        """The client has gone."""
        self._server.connections.discard(self)
        self._table.leave(self)
        self._refused = True
        for exchange in (self._now, self._coming, *self._waiting):
            if exchange is not None:
                exchange.gone = True
                exchange.wake()
        self._waiting.clear()
        self.resume_writing()
        self._parser = None

    def eof_received(self) -> None:
        """The client sends no more, and gets no more."""

    def data_received(self, data: bytes) -> None:
        """Some bytes have come."""
        if self._refused:
            self._unheard += len(data)
            if self._unheard > _MOST_UNHEARD:  # whoever goes on and on reads no answer
                self.pause()
            return
        begins = self._now is None and self.state in (FRESH, IDLE)
        self._ended = False
        self._beside += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:  # nobody is offered one; what follows is none of ours
            self._last()
        except httptools.HttpParserError:
            if not self._refused:
                self._refuse(_MALFORMED)
        # Most requests come in one piece, and are whole by now.
        if self._now is not None:
            if not self._now.whole and self.state not in (BODY, ENDING):
                self._move(BODY)
        elif begins and not self._refused:
            self._move(HEAD)
        if self._refused:
            return
        if self._ended:  # what came belongs to requests that are over
            self._beside = 0
        if self._heading and self._beside >= MOST_HEAD:
            self._refuse(_LONG_HEAD)
        elif self._coming is not None and self._beside > MOST_HEAD:
            self._refuse(_MALFORMED)

    def pause_writing(self) -> None:
        """The client is slow to read."""
        if self._room is None:
            self._room = self._loop.create_future()

    def resume_writing(self) -> None:
        """It has read enough."""
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
        self._room = None

    # From the parser

    def on_message_begin(self) -> None:
        """A request begins."""
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._hosts = self._headers_size = 0
        self._expects, self._heading = False, True

    def on_url(self, url: bytes) -> None:
        """A piece of what is asked for."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header; or a trailer, which is dropped."""
        if not self._heading:
            return
        name = name.lower()
        self._headers_size += len(name) + len(value) + 4
        if name == b"host":
            self._hosts += 1
        elif name == b"expect" and value.lower() == b"100-continue":
            self._expects = True
        self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        """A head is whole."""
        self._heading = False
        if self._refused:
            return
        version = self._parser.get_http_version()
        if self._headers_size + len(self._url) > MOST_HEAD or len(self._headers) > _MOST_HEADERS:
            self._refuse(_LONG_HEAD)
            return
        if self._hosts > 1 or (not self._hosts and version == "1.1"):
            self._refuse(_HOSTS)
            return
        self._beside = 0
        keep = version == "1.1" and bool(self._parser.should_keep_alive())
        exchange = Exchange(self, self._scope(version), keep, self._expects)
        self._coming = exchange
        if self._now is None:
            self._begin(exchange)
            return
        self._waiting.append(exchange)
        self.pause()
        if len(self._waiting) >= _MOST_PIPELINED:  # the client sends the others again
            exchange.keep = False
            self._last()

    def _scope(self, version: str) -> dict[str, Any]:
        url = httptools.parse_url(self._url)
        raw: bytes = url.path or b""
        if not raw:  # of CONNECT: there is no path
            raise ValueError("no path")
        path = raw.decode("ascii")
        if "%" in path:
            path = unquote(path)
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": version,
            "method": self._parser.get_method().decode("ascii"),
            "scheme": self._scheme,
            "server": self._here,
            "client": self._client,
            "root_path": self._root,
            "path": self._root + path,
            "raw_path": self._root.encode() + raw,
            "query_string": url.query or b"",
            "headers": self._headers,
            "state": self._app_state.copy(),
        }

    def on_body(self, body: bytes) -> None:
        """A piece of a body."""
        self._beside = max(0, self._beside - 8 * len(body))
        if self._coming is not None and not self._refused:
            self._coming.feed(body)

    def on_message_complete(self) -> None:
        """A request is whole."""
        self._ended = True
        exchange, self._coming = self._coming, None
        if exchange is not None and not self._refused:
            exchange.whole = True
            exchange.wake()
            if exchange is self._now:
                self._move(BUSY)
            elif self._now is None:  # it was answered before it had come
                self._move(IDLE)

    # From the exchange

    def write(self, data: bytes) -> None:
        """Send bytes."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def hold(self, size: int) -> bool:
        """Count bytes of bodies that the application holds; False where there are too many already."""
        return self._table.hold(size)

    def pause(self) -> None:
        """Read nothing for now."""
        if not self._paused:
            self._paused = True
            self._transport.pause_reading()

    def resume(self) -> None:
        """Go on reading."""
        if self._paused and not self._waiting and not self._transport.is_closing():
            self._paused = False
            self._transport.resume_reading()

    async def drained(self) -> None:
        """Wait until the client has taken most of what was sent."""
        if self._room is not None:
            await self._room

    def answered(self, keep: bool, status: int) -> None:
        """An answer is sent."""
        self._server.total_requests += 1
        self._now = None
        if self._transport.is_closing():
            return
        if not keep or (self._refused and not self._waiting):
            self._linger()
        elif self._waiting:
            exchange = self._waiting.popleft()
            self._move(BUSY if exchange.whole else BODY)
            self._begin(exchange)
        else:
            self.resume()
            self._move(HEAD if self._heading else BODY if self._coming else IDLE)

    # From the table and the server

    def late(self, state: str) -> None:
        """What was waited for did not come."""
        if state == HEAD or (state == BODY and self._now is not None and not self._now.status):
            self._refuse(_SLOW[state])
        elif state in (BODY, BUSY):
            self._transport.abort()
        else:
            self._transport.close()

    def evicted(self) -> None:
        """Others need the room."""
        self._refused = True
        self._transport.close()

    def backlog(self) -> int:
        """Bytes that the client has not taken yet."""
        return int(self._transport.get_write_buffer_size())

    def shutdown(self) -> None:
        """The server ends: what was accepted is answered, nothing else."""
        if self._now is None:
            self._transport.close()
        else:
            self._now.keep = False

    # Within

    def _begin(self, exchange: Exchange) -> None:
        self._now = exchange
        task = self._loop.create_task(exchange.run(self._app))
        self._server.tasks.add(task)
        task.add_done_callback(self._server.tasks.discard)

    def _move(self, state: str) -> None:
        self._table.move(self, state, self._loop.time())

    def _last(self) -> None:
        """Take no request behind those that are here."""
        self._refused = True
        self.pause()
        last = self._waiting[-1] if self._waiting else self._now
        if last is not None:
            last.keep = False

    def _refuse(self, no: Refusal) -> None:
        """Say no, unless an answer is under way that would be torn, and take nothing more."""
        self._table.refused += 1
        now = self._now
        if now is not None and self._coming is not now:
            self._last()  # an answer is under way: the end of the connection says the rest
            return
        if now is not None:
            self._now, now.gone = None, True
            now.wake()
        if now is None or not now.status:
            self.write(refusal(no, self.common))
        self._linger()

    def _linger(self) -> None:
        """Close when the client has had the time to read: what it still sends would else reset the connection."""
        self._refused = True
        if self.state == ENDING:
            return
        self._move(ENDING)
        if self._transport.can_write_eof():
            self._transport.write_eof()
            self.resume()
        else:
            self._transport.close()


def _place(transport: Any, what: str) -> tuple[str, int] | None:
    place = transport.get_extra_info(what)
    return (str(place[0]), int(place[1])) if isinstance(place, list | tuple) else None
