"""Answers as bytes: a head and a body that leave together."""

from __future__ import annotations

import http
import re
from functools import lru_cache
from typing import NamedTuple

from assay.server.engine.requests import encode
from assay.server.headers import Headers, secured
from assay.server.refusals import Refusal

_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NOT_IN_VALUES = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


@lru_cache(maxsize=64)
def _status(status: int) -> bytes:
    try:
        phrase = http.HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    return f"HTTP/1.1 {status} {phrase}\r\n".encode()


class Head(NamedTuple):
    """A head but for its end, the length of the body that it names, and whether it ends the connection."""

    text: bytes
    length: int | None
    closes: bool


@lru_cache(maxsize=1024)
def _line(name: bytes, value: bytes) -> bytes:
    if not _NAME.fullmatch(name) or _NOT_IN_VALUES.search(value):
        raise ValueError(f"no header can be {name!r}")
    return b"%b: %b\r\n" % (name.lower(), value)


@lru_cache(maxsize=1024)
def head(status: int, headers: tuple[tuple[bytes, bytes], ...]) -> Head:
    """The head of an answer; most answers have one like many before."""
    pieces, length, closes = [_status(status)], None, False
    for name, value in headers:
        pieces.append(_line(name, value))
        if name == b"content-length":
            length = int(value)
        elif name == b"connection" and value.lower() == b"close":
            closes = True
    return Head(b"".join(pieces), length, closes)


def lines(headers: Headers) -> bytes:
    """Headers of every answer."""
    return b"".join([_line(name, value) for name, value in headers])


def refusal(no: Refusal, more: Headers) -> bytes:
    """A whole answer that says no and closes the connection."""
    body = encode(no.body())
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    after = no.details.get("retry_after")
    if after is not None:
        headers.append((b"retry-after", b"%d" % after))
    headers.append((b"connection", b"close"))
    return b"".join([head(no.status, tuple(secured(headers))).text, lines(more), b"\r\n", body])
