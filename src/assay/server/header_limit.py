"""HTTP by httptools, with a bound on the head of a request: it is held in memory before anybody is asked for a key."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

#: The most bytes of a request line and its headers, as h11 has it.
MOST_HEAD = 65_536


class SmallHeads(HttpToolsProtocol):
    """Closes a connection whose request line and headers do not end."""

    _heading, _head = False, 0

    def on_message_begin(self) -> None:
        """A request begins."""
        self._heading, self._head = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Its head has ended."""
        self._heading = False
        super().on_headers_complete()

    def data_received(self, data: Any) -> None:
        """Some bytes have come."""
        super().data_received(data)
        if self._heading:
            self._head += len(data)
            if self._head > MOST_HEAD:
                self.transport.close()
