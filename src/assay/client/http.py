"""HTTP/1.1 as bytes, without connections: a request as it is sent, and an answer as it comes in pieces."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_MOST_HEAD = 65_536


class Broken(ConnectionError):
    """An answer that is no HTTP, or does not come to its end."""


def request_bytes(method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> bytes:
    r"""A request.

    Examples
    --------
    >>> request_bytes("GET", "/healthz", {"Host": "localhost"}, None)
    b'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'
    """
    held = {**headers} if body is None else {**headers, "Content-Length": str(len(body))}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in held.items())]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + (body or b"")


class Reply:
    r"""An answer that is put together from pieces.

    Attributes
    ----------
    status : int
        0 until its head has come.
    headers : dict
        By their names in small letters.
    begun, complete : bool
        Whether anything has come, and all of it.

    Examples
    --------
    >>> reply = Reply()
    >>> reply.feed(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
    >>> reply.complete, reply.feed(b"llo"), reply.complete, reply.taken()
    (False, None, True, b'hello')
    """

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.begun = self.complete = False
        self._coming, self._body = bytearray(), bytearray()
        #: Bytes of the body, or of a chunk, that are still to come; None where the connection's end is its end.
        self._left: int | None = 0
        #: Of chunks: whether the end of one comes next, and whether the last has come.
        self._chunked = self._ending = self._last = False

    @property
    def keep(self) -> bool:
        """Whether the connection can be used again."""
        return (
            self.complete
            and self._left is not None
            and not self._coming
            and self.headers.get("connection", "").lower() != "close"
        )

    def feed(self, data: bytes) -> None:
        """The next piece; an empty one is the end of the connection."""
        if not data:
            if not self.status or self._left is not None:
                raise Broken("the connection ended before the answer did")
            self.complete = True
            return
        self.begun = True
        self._coming += data
        while not self.status:
            if not self._read_head():
                return
        self._read_chunks() if self._chunked else self._read_rest()

    def taken(self) -> bytes:
        """What has come of the body since this was asked last."""
        body, self._body = bytes(self._body), bytearray()
        return body

    def _line(self, end: bytes) -> str | None:
        place = self._coming.find(end)
        if place < 0:
            if len(self._coming) > _MOST_HEAD:
                raise Broken("the answer is no HTTP")
            return None
        line = self._coming[:place].decode("latin-1")
        del self._coming[: place + len(end)]
        return line

    def _read_head(self) -> bool:
        head = self._line(b"\r\n\r\n")
        if head is None:
            return False
        first, *lines = head.split("\r\n")
        parts = first.split(" ", 2)
        if len(parts) < 2 or not parts[0].startswith("HTTP/1.") or not _is_number(parts[1]):
            raise Broken("the answer is no HTTP")
        status = int(parts[1])
        if status < 200:  # something before the answer
            return True
        pairs = (line.partition(":") for line in lines)
        self.headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        self._chunked = self.headers.get("transfer-encoding", "").lower() == "chunked"
        length = self.headers.get("content-length")
        if status in (204, 304):
            self._left = 0
        elif not self._chunked:
            if length is not None and not _is_number(length):
                raise Broken("the answer is no HTTP")
            self._left = None if length is None else int(length)
        if parts[0] == "HTTP/1.0":
            self.headers.setdefault("connection", "close")
        self.status = status
        return True

    def _read_rest(self) -> None:
        self._take(len(self._coming) if self._left is None else self._left)
        self.complete = self._left == 0

    def _take(self, most: int) -> None:
        piece = self._coming[:most]
        self._body += piece
        del self._coming[:most]
        if self._left is not None:
            self._left -= len(piece)

    def _read_chunks(self) -> None:
        while not self.complete:
            if self._last:  # trailers, and the empty line at their end
                line = self._line(b"\r\n")
                if line is None:
                    return
                self.complete = not line
            elif self._left:
                if not self._coming:
                    return
                self._take(self._left)
                self._ending = self._left == 0
            else:
                line = self._line(b"\r\n")
                if line is None:
                    return
                if not line and self._ending:  # what ends a chunk
                    self._ending = False
                    continue
                size = line.partition(";")[0].strip()
                try:
                    self._left = int(size, 16)
                except ValueError:
                    raise Broken("the answer is no HTTP") from None
                self._last = self._left == 0


class Standings:
    r"""Server-sent events in pieces of text, as the dicts that they hold.

    Examples
    --------
    >>> standings = Standings()
    >>> list(standings.of(b'event: standing\ndata: {"told"')), list(standings.of(b': 1}\n\n: still here\n'))
    ([], [{'told': 1}])
    """

    def __init__(self) -> None:
        self._line = b""

    def of(self, piece: bytes) -> Iterator[dict[str, Any]]:
        """What a piece completes."""
        *lines, self._line = (self._line + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"data: ") and line != b"data: {}":
                yield json.loads(line[6:])


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19
