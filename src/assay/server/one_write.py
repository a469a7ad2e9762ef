"""An answer in one piece: uvicorn writes its head and its body apart, which costs a system call and a packet more."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_HEAD_ENDS, _LENGTH = b"\r\n\r\n", b"\r\ncontent-length: "
#: Longer bodies are not copied to be joined with their head.
_SHORT = 65536


class OneWrite:
    """A transport that holds the head of an answer back until its body comes, where its length is known."""

    __slots__ = ("_head", "_transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport, self._head = transport, b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Write what was held back and this, or hold this back."""
        head = self._head
        if head:
            self._head = b""
            if len(data) <= _SHORT:
                self._transport.write(head + data)
                return
            self._transport.write(head)
        elif data.startswith(b"HTTP/1.1 ") and data.endswith(_HEAD_ENDS) and _LENGTH in data:
            self._head = data
            return
        self._transport.write(data)

    def flush(self) -> None:
        """Write what was held back."""
        if self._head:
            head, self._head = self._head, b""
            if not self._transport.is_closing():
                self._transport.write(head)

    def close(self) -> None:
        """Close, behind what was held back."""
        self.flush()
        self._transport.close()


class OneWriteProtocol(HttpToolsProtocol):
    """uvicorn's own protocol, on such a transport."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is there."""
        self._one = OneWrite(transport)
        super().connection_made(self._one)  # type: ignore[arg-type]

    def on_response_complete(self) -> None:
        """An answer has been given; some, as those to HEAD, have no body."""
        self._one.flush()
        super().on_response_complete()
