"""Answers as bytes: a head and a body that leave together."""

from __future__ import annotations

import http
import re
from functools import lru_cache

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


@lru_cache(maxsize=1024)
def _line(name: bytes, value: bytes) -> bytes:
    if not _NAME.fullmatch(name) or _NOT_IN_VALUES.search(value):
        raise ValueError(f"no header can be {name!r}")
    return b"%b: %b\r\n" % (name.lower(), value)


def head(status: int, headers: Headers, more: Headers) -> list[bytes]:
    """The pieces of a head, but for the empty line at its end."""
    pieces = [_status(status)]
    for name, value in more:
        pieces.append(_line(name, value))
    for name, value in headers:
        if name == b"content-length" and value.isdigit():
            pieces.append(b"content-length: %b\r\n" % value)  # each has another: not remembered
        else:
            pieces.append(_line(name, value))
    return pieces


def refusal(no: Refusal, more: Headers) -> bytes:
    """A whole answer that says no and closes the connection."""
    body = encode(no.body())
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    after = no.details.get("retry_after")
    if after is not None:
        headers.append((b"retry-after", b"%d" % after))
    headers.append((b"connection", b"close"))
    return b"".join([*head(no.status, secured(headers), more), b"\r\n", body])
