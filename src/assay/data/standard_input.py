"""Standard input as bytes, unpacked where it is compressed."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import IO, Any

from assay.errors import BadData
from assay.extras import needed_for

# The first bytes of what can be unpacked.
_COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}


def standard_input() -> Any:
    """A stream of what stands on standard input; its first bytes tell whether it is compressed.

    Raises
    ------
    OSError
        Later, when compressed bytes turn out to be damaged.
    """
    stream = sys.stdin.buffer
    head = stream.peek(4) if hasattr(stream, "peek") else b""
    if not head or _may_go_on(head):
        stream, head = _begun(stream)
    compression = next((kind for sign, kind in _COMPRESSED.items() if head.startswith(sign)), None)
    if compression is None:
        return stream
    with needed_for("Unpacking standard input"):
        import pyarrow as pa
    return pa.CompressedInputStream(stream, compression)


def _may_go_on(head: bytes) -> bool:
    """Whether more bytes must be seen to tell what this is."""
    return any(sign.startswith(head) and sign != head for sign in _COMPRESSED)


def _begun(stream: IO[bytes]) -> tuple[Any, bytes]:
    """The stream with as many of its first bytes as tell what it is."""
    head = b""
    while _may_go_on(head) and (some := stream.read(1)):
        head += some
    return io.BufferedReader(Replayed(head, stream)), head


class Replayed(io.RawIOBase):
    """A stream that cannot be rewound, with the bytes already taken from it put back in front."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with what there is now; 0 at the end."""
        data = self._head[: len(buffer)]
        self._head = self._head[len(data) :]
        data = data or some_of(self._rest, len(buffer))
        buffer[: len(data)] = data
        return len(data)


def each_once(*openers: Callable[[], Any]) -> Callable[[], Any]:
    """Opens one of these after the other, and refuses to begin once more: standard input cannot be rewound."""
    left = iter(openers)

    def read() -> Any:
        begin = next(left, None)
        if begin is None:
            raise BadData("Standard input can be read only once. Save it to a file first.")
        return begin()

    return read


def head_then_all(head: bytes, rest: IO[bytes]) -> Callable[[], Any]:
    """Standard input to be opened twice: for its head, which was taken from it, and for all of it."""
    return each_once(lambda: io.BytesIO(head), lambda: io.BufferedReader(Replayed(head, rest)))


def some_of(stream: IO[bytes], most: int) -> bytes:
    """What a stream has to give now, at least one byte before its end."""
    return stream.read1(most) if hasattr(stream, "read1") else stream.read(most)
