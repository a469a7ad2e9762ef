"""One request and its answer, between a connection and the application."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from assay.server.refusals import Refusal
from assay.server.wire.answers import head, lines, refusal

log = logging.getLogger("assay.server")
#: Bytes of a body that may wait for the application before the client is made to wait.
_MOST_WAITING = 65_536


class Line(Protocol):
    """The connection, as an exchange sees it."""

    @property
    def common(self) -> list[tuple[bytes, bytes]]:
        """Headers of every answer."""

    def write(self, data: bytes) -> None:
        """Send bytes."""

    def pause(self) -> None:
        """Read nothing for now."""

    def resume(self) -> None:
        """Go on reading."""

    async def drained(self) -> None:
        """Wait until the client has taken most of what was sent."""

    def hold(self, size: int) -> bool:
        """Count bytes of bodies that the application holds; False where there are too many already."""

    def answered(self, keep: bool, status: int) -> None:
        """The answer is sent."""


class Exchange:
    """What ASGI calls `receive` and `send`, for one request."""

    __slots__ = (
        "_body",
        "_chunked",
        "_given",
        "_left",
        "_line",
        "_size",
        "_start",
        "_taken",
        "_waiter",
        "complete",
        "continued",
        "gone",
        "keep",
        "scope",
        "status",
        "whole",
    )

    def __init__(self, line: Line, scope: dict[str, Any], keep: bool, expects: bool) -> None:
        self._line, self.scope, self.keep = line, scope, keep
        self._body: list[bytes] = []
        self._size = self._left = self._taken = self.status = 0
        self._waiter: asyncio.Future[None] | None = None
        self._start: dict[str, Any] | None = None
        self._chunked = self._given = False
        #: Whether the request has come to its end, its answer has, and the client has gone.
        self.whole = self.complete = self.gone = False
        #: Whether the client need not be told to go on.
        self.continued = not expects

    async def run(self, app: Callable[..., Coroutine[Any, Any, None]]) -> None:
        """Have the application answer."""
        try:
            await app(self.scope, self.receive, self.send)
        except Exception:
            log.exception("A request could not be answered")
        if self._taken:
            self._line.hold(-self._taken)
        if not self.complete and not self.gone:
            self.gone = True
            failed = Refusal("failed", "The server made a mistake.")
            if not self.status:
                self._line.write(refusal(failed, self._line.common))
            self._line.answered(False, self.status or 500)

    # What comes

    def feed(self, body: bytes) -> None:
        """A piece of the body has come."""
        if not self.complete:
            self._body.append(body)
            self._size += len(body)
            if self._size > _MOST_WAITING:
                self._line.pause()
            self.wake()

    def wake(self) -> None:
        """Tell the application that something has happened."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def receive(self) -> dict[str, Any]:
        """The next piece of the request, or that the client has gone."""
        if not self.continued:
            self.continued = True
            self._line.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        while not (self.gone or self.complete):
            if self._body or (self.whole and not self._given):
                body, self._body, self._size = b"".join(self._body), [], 0
                self._given = self.whole
                if self._taken or not self.whole:  # what came in one piece is small
                    self._count(len(body))
                self._line.resume()
                return {"type": "http.request", "body": body, "more_body": not self.whole}
            self._line.resume()
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        return {"type": "http.disconnect"}

    def _count(self, size: int) -> None:
        """Count what the application holds, until its answer is sent."""
        if not self._line.hold(size):
            raise Refusal("busy", "Too many large requests come at once. Try again.", retry_after=1)
        self._taken += size

    # What goes

    async def send(self, message: dict[str, Any]) -> None:
        """The head of the answer waits for its body: both leave in one write."""
        if self.gone:
            return
        if message["type"] == "http.response.start":
            self._start = message
            return
        body, more = message.get("body", b""), message.get("more_body", False)
        data: list[bytes] = []
        if self._start is not None:
            data = self._begun(self._start)
            self._start = None
        if self.scope["method"] == "HEAD":
            body = b""
        elif self._chunked:
            body = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
            if not more:
                body += b"0\r\n\r\n"
        else:
            self._left -= len(body)
            if self._left < 0 or (self._left and not more):
                raise RuntimeError("an answer has another length than it said")
        data.append(body)
        self._line.write(b"".join(data))
        if more:
            await self._line.drained()
        else:
            self.complete = True
            self.wake()
            self._line.answered(self.keep, self.status)

    def _begun(self, message: dict[str, Any]) -> list[bytes]:
        self.status = message["status"]
        made = head(self.status, tuple(map(tuple, message.get("headers", ()))))
        pieces, length = [made.text, lines(self._line.common)], made.length
        if made.closes:
            self.keep = False
        # A 204 has no body, and says nothing of its length.
        if length is None and self.scope["method"] != "HEAD" and self.status != 204:
            self._chunked = True
            pieces.append(b"transfer-encoding: chunked\r\n")
        self._left = length or 0
        if not self.whole and not _short(self.scope["headers"]):
            self.keep = False  # what still comes would have to be read
        if not self.keep:
            pieces.append(b"connection: close\r\n")
        pieces.append(b"\r\n")
        return pieces


def _short(headers: list[tuple[bytes, bytes]]) -> bool:
    """Whether the rest of a request is so little that it can be read and thrown away."""
    for name, value in headers:
        if name == b"content-length":
            return value.isdigit() and int(value[:10]) <= _MOST_WAITING
        if name == b"transfer-encoding":
            return False
    return True
